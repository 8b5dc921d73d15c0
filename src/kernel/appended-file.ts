/**
 * A file that is written while a command runs. Writes are synchronous: a simulation seldom gives the event loop a turn, so a
 * stream would have to buffer a large part of the file. After a failed write, every further write and `close` throw the same
 * error, because the caller of the failed write may be unable to report it.
 */
import { closeSync } from 'node:fs';
import type { UsageError } from './errors.js';
import { cannotWrite } from './system-errors.js';
import { openWhole, writeFully } from './write-files.js';

export class AppendedFile {
  readonly #what: string;
  #file: number | undefined;
  #failure: UsageError | undefined;

  /**
   * Creates the file, in place of an existing one; only its owner may read it. Opens a pipe or a device as it is.
   * @param what the file with its path in quotes, for messages
   * @throws UsageError when it cannot be written
   */
  constructor(path: string, what: string) {
    this.#what = what;
    this.#file = this.#attempt(() => openWhole(path));
  }

  /** @throws UsageError when it cannot be written, for example because the disk is full */
  write(content: string | Uint8Array): void {
    if (this.#failure) throw this.#failure;
    const file = this.#file;
    if (file === undefined) return;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#attempt(() => writeFully(file, bytes));
  }

  /** @throws UsageError if a write has failed */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    if (this.#failure) throw this.#failure;
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      this.#failure = cannotWrite(this.#what, error);
      throw this.#failure;
    }
  }
}
