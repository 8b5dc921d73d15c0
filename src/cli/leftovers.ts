/**
 * Records of what runs left in other clouds. Each is a file in the state folder of the user, until `ghostfleet clean` has removed
 * the things. A record contains no secrets.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import type { Leftovers } from '../report/result.js';
import type { Host } from './host.js';

type Env = Host['env'];

const ENDING = '.json';

/** Saves a record, or deletes it if nothing is left. Without a folder for it, only the reports contain it. */
export function saveLeftovers(leftovers: Leftovers, env: Env): void {
  const folder = folderOf(env);
  if (folder === undefined) return;
  const file = join(folder, leftovers.run + ENDING);
  if (leftovers.things.length === 0) return rmSync(file, { force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify(leftovers)}\n`, { mode: 0o600 });
}

/** The records of all runs, in the order of their names. */
export function knownLeftovers(env: Env): readonly Leftovers[] {
  const folder = folderOf(env);
  return filesIn(folder).flatMap((file) => recordIn(join(folder ?? '', file)) ?? []);
}

/**
 * The record of a run.
 * @param run name of the run as its report shows it, or the folder of --out
 * @throws UsageError if the run left nothing
 */
export function leftoversOf(run: string, env: Env): Leftovers {
  const known = knownLeftovers(env);
  const found = known.find((one) => one.run === run) ?? recordIn(join(run, 'summary.json'));
  if (found !== undefined) return found;
  const names = known.map((one) => one.run);
  const hint = names.length === 0 ? 'no run has left anything' : `runs that have left something: ${names.join(', ')}`;
  throw new UsageError('nothing-left', `no record of things that the run "${run}" left in a cloud`, hint);
}

function folderOf({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: Env): string | undefined {
  const base = XDG_STATE_HOME || LOCALAPPDATA || (HOME ? join(HOME, '.local', 'state') : undefined);
  return base === undefined ? undefined : join(base, 'ghostfleet', 'leftovers');
}

function filesIn(folder: string | undefined): readonly string[] {
  try {
    return folder === undefined
      ? []
      : readdirSync(folder)
          .filter((file) => file.endsWith(ENDING))
          .sort();
  } catch {
    return [];
  }
}

/** The record in a file, or in the `left` of a summary; undefined if the file has none. */
function recordIn(file: string): Leftovers | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const record = hasThings(found)
      ? found
      : typeof found === 'object' && found && 'left' in found
        ? found.left
        : undefined;
    // The cast is safe because ghostfleet writes both files.
    return hasThings(record) ? (record as Leftovers) : undefined;
  } catch {
    return undefined;
  }
}

function hasThings(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'things' in value && Array.isArray(value.things);
}
