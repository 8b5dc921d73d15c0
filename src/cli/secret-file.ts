/** A secret in a file that only the user can read, for as long as a command runs. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../kernel/private-directory.js';
import { PRIVATE } from '../kernel/private-file.js';
import { cannotWrite } from '../kernel/system-errors.js';

export class SecretFile {
  readonly path: string;
  readonly #directory: string;

  /** Writes the secret to a file in a new folder. @param name of the file @throws UsageError if it cannot be written */
  constructor(name: string, secret: string) {
    this.#directory = makeTemporaryDirectory('ghostfleet-');
    this.path = join(this.#directory, name);
    try {
      writeFileSync(this.path, `${secret}\n`, { mode: PRIVATE.file });
    } catch (error) {
      this.close();
      throw cannotWrite(`a secret to "${this.path}"`, error);
    }
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
