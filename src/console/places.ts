/**
 * Where consoles find runs: each run has a socket in a folder of the user. The permissions of the folder keep other users out.
 * A folder that another user could have created or changed is rejected.
 *
 * On Windows, runs have named pipes, to which the system lets only the user and administrators write.
 */
import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { platform, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
// As a whole, because Windows lacks geteuid.
import * as system from 'node:process';
import { UsageError } from '../kernel/errors.js';
import { makePrivateDirectory } from '../kernel/private-directory.js';

export interface Place {
  /** Name of the run for `--run`. */
  readonly run: string;
  /** Path of the socket, or name of the pipe. */
  readonly path: string;
}

const WINDOWS = platform() === 'win32';
const PIPES = '\\\\.\\pipe\\';
const ENDING = '.sock';
/** Limit of bytes in the path of a socket; macOS has the lowest: 104 with the final NUL. */
const LONGEST_PATH = 103;

/**
 * A place for a new run.
 * @param env for XDG_RUNTIME_DIR, a folder that the system deletes when the user logs out
 * @param random four hex digits that distinguish runs of the same name
 * @throws UsageError if the folder belongs to another user, other users have access, or the path of the socket is too long
 */
export function newPlace(name: string, random: string, env: Environment): Place {
  const run = `${name
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 32)}-${random}`;
  if (WINDOWS) return { run, path: `${PIPES}${pipePrefix()}${run}` };
  const folder = folderOf(env);
  makePrivateDirectory(folder);
  checkFolder(folder);
  const path = join(folder, run + ENDING);
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    throw new UsageError('no-console', `the path of a socket must have at most ${LONGEST_PATH} bytes: "${path}"`);
  }
  return { run, path };
}

/** Restricts the socket of a listening server to its user. */
export function protect({ path }: Place): void {
  if (!WINDOWS) chmodSync(path, 0o600);
}

/**
 * The places of all runs that are running, and of ended runs whose sockets still exist.
 * @throws UsageError if the folder belongs to another user, or if other users have access
 */
export function knownPlaces(env: Environment): readonly Place[] {
  if (WINDOWS) {
    const prefix = pipePrefix();
    const names = readdirSync(PIPES).filter((name) => name.startsWith(prefix));
    return names.map((name) => ({ run: name.slice(prefix.length), path: PIPES + name }));
  }
  const folder = folderOf(env);
  if (!exists(folder)) return [];
  checkFolder(folder);
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING));
  return names.sort().map((name) => ({ run: name.slice(0, -ENDING.length), path: join(folder, name) }));
}

/** Deletes the socket of a run that has ended. */
export function forgetPlace({ path }: Place): void {
  if (!WINDOWS) rmSync(path, { force: true });
}

type Environment = Readonly<Record<string, string | undefined>>;

function folderOf({ XDG_RUNTIME_DIR }: Environment): string {
  return XDG_RUNTIME_DIR ? join(XDG_RUNTIME_DIR, 'ghostfleet') : join(tmpdir(), `ghostfleet-${ownId()}`);
}

/** The number of the user. Its name is not read: in a container, it often has none, and reading it then fails. */
function ownId(): number | undefined {
  return system.geteuid?.();
}

function pipePrefix(): string {
  return `ghostfleet-${userInfo().username}-`;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function checkFolder(folder: string): void {
  // A symbolic link is not followed: its owner could redirect it.
  const { uid, mode } = lstatSync(folder);
  const isFolder = lstatSync(folder).isDirectory();
  if (isFolder && uid === ownId() && (mode & 0o077) === 0) return;
  throw new UsageError(
    'unsafe-folder',
    `the folder "${folder}" must belong to you, without access for other users`,
    'delete it, or name another one in XDG_RUNTIME_DIR',
  );
}
