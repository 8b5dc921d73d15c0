/** Gives users access to the API of a run in real time. The API key is in a file that only the user can read. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../kernel/private-directory.js';
import { cannotWrite } from '../kernel/system-errors.js';
import type { ApiAccess } from '../runner/world/options.js';

export class LiveApi {
  readonly #directory: string;
  /** Where the API is, and where its key is: one line without the key. */
  readonly announcement: string;

  /** Writes the key to a file in a new folder that only the user can access. @throws UsageError if it cannot be written */
  constructor({ baseUrl, spaceId, apiKey }: ApiAccess) {
    this.#directory = makeTemporaryDirectory('ghostfleet-');
    const file = join(this.#directory, 'api-key');
    try {
      writeFileSync(file, `${apiKey}\n`, { mode: 0o600 });
      this.announcement = `API at ${baseUrl}/v2/spaces/${spaceId}, its key in ${file}\n`;
    } catch (error) {
      this.close();
      throw cannotWrite(`the API key to "${file}"`, error);
    }
  }

  /** Deletes the file with the key, because the key is not needed after the run. */
  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
