import { closeSync, openSync, readSync } from 'node:fs';

/** The first bytes of a file, at most `length`. @throws the error of the system if the file cannot be read */
export function readBeginning(path: string, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}
