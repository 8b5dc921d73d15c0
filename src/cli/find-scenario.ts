/** Finds the scenario of a command: a file, a packaged scenario by its name, or the standard input. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { didYouMean, quote } from '../input/problems.js';
import { readRegular, readText } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { fileReason } from '../kernel/system-errors.js';
import { isSpecial } from '../kernel/write-files.js';
import type { Host } from './host.js';
import { packagePath } from './package-files.js';

/** The word for the standard input in place of a file. */
const STANDARD_INPUT = '-';

/** The folder of the packaged scenarios. */
const PACKAGED = packagePath('scenarios/');

/** A scenario that is read but not checked. */
export interface FoundScenario {
  readonly text: string;
  /** Path for messages. Relative paths in the scenario start from its folder. */
  readonly path: string;
}

/** Description of the argument `file`. */
export const SCENARIO_FILE =
  'scenario file, name of a packaged scenario (demo, library/boot-storm), or "-" for standard input';

/**
 * Finds and reads a scenario. A file takes precedence over a packaged scenario with the same name.
 * @param name a file, a name such as `demo`, `boot-storm` or `library/boot-storm`, or `-`
 * @throws UsageError for an unknown file or scenario
 */
export async function findScenario(name: string, host: Host): Promise<FoundScenario> {
  if (name === STANDARD_INPUT) return { text: await readAll(host.lines()), path: '<stdin>' };
  const path = findScenarioPath(name);
  return { text: await readText(path), path };
}

/** Like {@link findScenario}, for a name in a run's folder, which may be foreign: a regular file, never the standard input. */
export function findNamedScenario(name: string): FoundScenario {
  const path = findScenarioPath(name);
  return { text: readRegular(path), path };
}

/** Whether a scenario can be read only once, and only here: the standard input, a pipe, or an open file such as /dev/fd/3. */
export function isReadOnce(name: string): boolean {
  if (name === STANDARD_INPUT || /^\/(dev|proc)\//.test(resolve(name))) return true;
  return isSpecial(name);
}

/** The words of a list as they were typed: yargs drops "-" from it. */
export function readTypedNames(names: readonly string[], { args }: Pick<Host, 'args'>): readonly string[] {
  return args.includes(STANDARD_INPUT) ? [...names, STANDARD_INPUT] : names;
}

/** Path of a scenario. @throws UsageError for an unknown name, and for a short name that several packaged scenarios have */
function findScenarioPath(name: string): string {
  const path = existsSync(name) ? name : findPackagedPath(name);
  if (path === undefined) throw makeUnknownError(name);
  return path;
}

/** Path of the packaged scenario with a full or short name; undefined if none has it, or several have it. */
export function findPackagedPath(name: string): string | undefined {
  const [only, ...more] = findPackaged(shortenName(name));
  return only === undefined || more.length > 0 ? undefined : findPath(only);
}

/** The packaged scenario with this full name, or all with this short name. */
function findPackaged(wanted: string): readonly string[] {
  const names = listPackaged();
  return names.includes(wanted) ? [wanted] : names.filter((packaged) => packaged.endsWith(`/${wanted}`));
}

/** `library/boot-storm` for `scenarios/library/boot-storm.yaml`. */
function shortenName(name: string): string {
  return name.replace(/^scenarios\//, '').replace(/\.yaml$/, '');
}

/** The text of a packaged scenario. @param name one of {@link listPackaged} */
export function readPackaged(name: string): string {
  return readRegular(findPath(name));
}

/** What a packaged scenario is about: the first sentence of its comments. @param name one of {@link listPackaged} */
export function describePackaged(name: string): string {
  const [, sentence = ''] = /^# yaml-language-server.*\n# ([\s\S]*?)\.\s/.exec(readPackaged(name)) ?? [];
  return sentence.replaceAll('\n# ', ' ');
}

/** Whether a path is that of a packaged scenario. */
export function isPackagedFile(path: string): boolean {
  return listPackaged().some((name) => findPath(name) === path);
}

function findPath(name: string): string {
  return `${PACKAGED}${name}.yaml`;
}

/** Names of the packaged scenarios, such as `demo` and `library/boot-storm`, sorted. */
export function listPackaged(): readonly string[] {
  return readdirSync(PACKAGED, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.replaceAll('\\', '/').replace(/\.yaml$/, ''))
    .sort();
}

function makeUnknownError(name: string): UsageError {
  const [wanted, names] = [shortenName(name), listPackaged()];
  const found = findPackaged(wanted);
  const why = findReason(name);
  const missing = `${quote(name)} cannot be read: ${why ?? 'the file does not exist'}`;
  if (why !== undefined) return new UsageError('cannot-read', missing);
  const stem = name.replace(/\.ya?ml$/, '');
  const neighbour = [`${stem}.yaml`, `${stem}.yml`].find((file) => existsSync(file));
  if (neighbour !== undefined) return new UsageError('cannot-read', `${missing} (did you mean ${quote(neighbour)}?)`);
  if (found.length > 1) {
    return new UsageError(
      'cannot-read',
      `${missing}, and several packaged scenarios have this name: ${found.join(', ')}`,
    );
  }
  const near = didYouMean(
    wanted,
    names.flatMap((packaged) => [packaged, packaged.replace(/^.*\//, '')]),
  );
  if (stem !== name && near === '') return new UsageError('cannot-read', missing);
  const known = near === '' ? `: the packaged scenarios are ${names.join(', ')}` : near;
  return new UsageError('cannot-read', `${missing}, and no packaged scenario has this name${known}`);
}

/** Why it is not known whether a file exists; undefined if it does not. */
function findReason(path: string): string | undefined {
  try {
    statSync(path, { throwIfNoEntry: false });
    return undefined;
  } catch (error) {
    return fileReason(error, 'the file does not exist');
  }
}

async function readAll(lines: AsyncIterable<string>): Promise<string> {
  const read: string[] = [];
  for await (const line of lines) read.push(`${line}\n`);
  return read.join('');
}
