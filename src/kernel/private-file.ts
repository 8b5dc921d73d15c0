/** Files with secrets: only the user who runs the program may read them, whatever the umask is. */
import { chmodSync, closeSync, openSync, type Stats, statSync } from 'node:fs';

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

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
