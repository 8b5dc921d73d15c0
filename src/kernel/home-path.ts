/**
 * `~` at the beginning of a path. Shells replace it in `--db ~/x.db`, but not in `--db=~/x.db`, and neither a unit of systemd nor
 * Node.js does it: taken as it is, the path would lead into a folder with the name `~`.
 */
import { homedir } from 'node:os';
import { UsageError } from './errors.js';

const TILDE = /^~([^/\\]*)(?:[/\\]|$)/;

/** What is wrong with a path in a file or in a program, which must not depend on the user; undefined if it has no `~`. */
export function findTilde(path: string): string | undefined {
  const [begin, name] = TILDE.exec(path) ?? [];
  if (begin === undefined || (name !== '' && begin === path)) return undefined;
  return `"${path}" begins with "~", which is replaced in command lines only; a folder of this name is "./${path}"`;
}

/**
 * The path that a user has typed, or has set in the environment, with the home directory in place of `~`.
 * @throws UsageError `no-home` for the home of another user, which only a shell knows
 */
export function expandHome(path: string, env: Readonly<Record<string, string | undefined>>): string {
  if (findTilde(path) === undefined) return path;
  const [begin = '', name = ''] = TILDE.exec(path) ?? [];
  if (name === '') return `${env.HOME || findHome()}${path.slice(1)}`;
  throw new UsageError(
    'no-home',
    `"${begin}" is not replaced by the home directory of ${name}`,
    `write the whole path, or "./${begin}" for a folder of this name`,
  );
}

function findHome(): string {
  try {
    return homedir();
  } catch {
    throw new UsageError('no-home', '"~" cannot be replaced: this user has no home directory', 'set HOME');
  }
}
