/** Files with secrets: only the user who runs the program may read them, whatever the umask is. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync, rmSync, type Stats, statSync } from 'node:fs';

/** Mode of a file that only its owner may read and write, and of such a directory. */
export const PRIVATE = { file: 0o600, directory: 0o700 } as const;

/**
 * Creates a file that only its owner may read, or removes the rights of other users from an existing one. Devices and pipes
 * stay as they are. So does a file whose rights cannot be changed, because it belongs to another user.
 */
export function makePrivate(path: string): void {
  try {
    const there = statOf(path);
    if (there === undefined) closeSync(openSync(path, 'a', PRIVATE.file));
    else if (there.isFile() && (there.mode & 0o077) !== 0) chmodSync(path, there.mode & 0o700);
  } catch {
    // Not reported here: the caller opens the file next, and reports why that fails.
  }
}

/**
 * Creates a file in place of a file or a link: that one may lead elsewhere, be another user's, or be readable for others.
 * @returns its descriptor, which the caller closes
 */
export function createNew(path: string, mode: number = PRIVATE.file): number {
  rmSync(path, { force: true });
  return openSync(path, 'wx', mode);
}

/**
 * Creates the file in which `path` is written until it is complete. Its name is random and it must not exist, because a link
 * that another user put there would lead to a file elsewhere.
 * @returns its name, and its descriptor, which the caller closes
 */
export function createUnfinished(path: string): { readonly name: string; readonly file: number } {
  const name = `${path}-${randomBytes(6).toString('hex')}.unfinished`;
  return { name, file: openSync(name, 'wx', PRIVATE.file) };
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
