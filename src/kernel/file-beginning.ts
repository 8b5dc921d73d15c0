import { closeSync, constants, openSync, readSync } from 'node:fs';

/** The first bytes of a file, at most `length`. @throws the error of the system if the file cannot be read */
export function readBeginning(path: string, length: number): Buffer {
  // Without the second flag, opening a named pipe would wait for its writer.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
