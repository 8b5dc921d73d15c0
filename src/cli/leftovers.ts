/** Records of what runs left in other clouds: files in the user's state folder until `ghostfleet clean`, without secrets. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../input/text-file.js';
import { messageOf, UsageError } from '../kernel/errors.js';
import { foreignJson, isObject } from '../kernel/json-text.js';
import { makePrivateDirectory } from '../kernel/private-directory.js';
import { PRIVATE } from '../kernel/private-file.js';
import { cannotWrite, describeRefusal } from '../kernel/system-errors.js';
import type { Leftovers, LeftThing } from '../report/result.js';
import type { Host } from './host.js';

type Env = Host['env'];

const ENDING = '.json';
const OTHER_PLACE = 'set XDG_STATE_HOME to a directory that you may write';

/** Saves a record, or deletes it if nothing is left. @throws UsageError if it cannot be saved */
export function saveLeftovers(leftovers: Leftovers, env: Env): void {
  const folder = getFolder(env);
  const isEmpty = leftovers.things.length === 0;
  if (folder === undefined) {
    if (isEmpty) return;
    throw new UsageError('cannot-write', `the record for "ghostfleet clean" needs a directory; ${OTHER_PLACE}`);
  }
  const file = join(folder, leftovers.run + ENDING);
  try {
    if (isEmpty) return rmSync(file, { force: true });
    makePrivateDirectory(folder);
    writeFileSync(file, `${JSON.stringify(leftovers)}\n`, { mode: PRIVATE.file });
  } catch (error) {
    const { code, message } = cannotWrite(`the record for "ghostfleet clean" to "${file}"`, error);
    throw new UsageError(code, `${message}; ${OTHER_PLACE}`);
  }
}

/** Saves the records of a command that runs scenarios, and prints why one cannot be saved. */
export class LeftoverRecords {
  readonly #host: Pick<Host, 'env' | 'err'>;
  #areSaved = true;

  constructor(host: Pick<Host, 'env' | 'err'>) {
    this.#host = host;
  }

  /** Whether all records so far were saved. */
  get areSaved(): boolean {
    return this.#areSaved;
  }

  save(leftovers: Leftovers): void {
    try {
      saveLeftovers(leftovers, this.#host.env);
    } catch (error) {
      // Once: a record is written again after the clean-up.
      if (this.#areSaved) this.#host.err.write(`ghostfleet: ${messageOf(error)}\n`);
      this.#areSaved = false;
    }
  }
}

/** The records of all runs, in the order of their names. */
export function readLeftovers(env: Env): readonly Leftovers[] {
  const folder = getFolder(env);
  return listFiles(folder).files.flatMap((file) => recordIn(join(folder ?? '', file)) ?? []);
}

/**
 * The record of a run. `isOwn`: it is in the state folder of the user, and not only in a folder that others may have written.
 * @param run name of the run as its report shows it, or the folder of --out
 * @throws UsageError if the run left nothing
 */
export function findLeftovers(run: string, env: Env): { readonly leftovers: Leftovers; readonly isOwn: boolean } {
  const known = readLeftovers(env);
  const named = known.find((one) => one.run === run);
  if (named) return { leftovers: named, isOwn: true };
  const inFolder = recordIn(join(run, 'summary.json'));
  const own = known.find((one) => one.run === inFolder?.run);
  if (own) return { leftovers: own, isOwn: true };
  if (inFolder) return { leftovers: inFolder, isOwn: false };
  const names = known.map((one) => one.run);
  const nothing = describeRefusal(listFiles(getFolder(env)).refused) ?? 'no run has left anything';
  const hint = names.length === 0 ? nothing : `runs that have left something: ${names.join(', ')}`;
  throw new UsageError('nothing-left', `no record of things that the run "${run}" left in a cloud`, hint);
}

function getFolder({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  const base = XDG_STATE_HOME || LOCALAPPDATA || (HOME ? join(HOME, '.local', 'state') : undefined);
  return base === undefined ? undefined : join(base, 'ghostfleet', 'leftovers');
}

/** `refused`: why the folder cannot be read. */
function listFiles(folder: string | undefined): { readonly files: readonly string[]; readonly refused?: unknown } {
  try {
    const all = folder === undefined ? [] : readdirSync(folder);
    return { files: all.filter((file) => file.endsWith(ENDING)).sort() };
  } catch (refused) {
    return { files: [], refused };
  }
}

/** The record in a file, or in the `left` of a summary; undefined if the file has none. */
function recordIn(file: string): Leftovers | undefined {
  try {
    const found = foreignJson(readRegular(file));
    if (isLeftovers(found)) return found;
    return isObject(found) && isLeftovers(found.left) ? found.left : undefined;
  } catch {
    return undefined;
  }
}

/** Checks everything, because a summary may come from others. The name of the run becomes the name of a file. */
function isLeftovers(value: unknown): value is Leftovers {
  if (!isObject(value)) return false;
  const { run, api, spaceId, since, things } = value;
  const isNamed = typeof run === 'string' && /^[a-z0-9-]{1,60}$/.test(run);
  const isPlaced = [api, spaceId, since].every((text) => typeof text === 'string' && text !== '');
  return isNamed && isPlaced && Array.isArray(things) && things.every(isThing);
}

function isThing(value: unknown): value is LeftThing {
  if (!isObject(value)) return false;
  const { what, why, space, path, serial, by = {} } = value;
  const isNamed = typeof what === 'string' && typeof why === 'string' && (space === null || typeof space === 'string');
  const isFound = path === undefined || (typeof path === 'string' && /^(\/[a-z-]+\/([\w.%-]+|\{id\}))+$/.test(path));
  const isKnown = isObject(by) && Object.values(by).every((field) => field === null || typeof field === 'string');
  return isNamed && isFound && isKnown && (serial === undefined || Number.isSafeInteger(serial));
}
