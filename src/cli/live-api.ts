/** Gives users access to the API of a run in real time. The API key is in a file that only the user can read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotWrite } from '../kernel/system-errors.js';
import type { ApiAccess } from '../runner/world/course.js';

export class LiveApi {
  readonly #directory: string;
  /** Where the API is, and where its key is: one line without the key. */
  readonly announcement: string;

  /** Writes the key to a file in a new folder that only the user can access. @throws UsageError if it cannot be written */
  constructor({ baseUrl, spaceId, apiKey }: ApiAccess) {
    try {
      this.#directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
      const file = join(this.#directory, 'api-key');
      writeFileSync(file, `${apiKey}\n`, { mode: 0o600 });
      this.announcement = `API at ${baseUrl}/v2/spaces/${spaceId}, its key in ${file}\n`;
    } catch (error) {
      throw cannotWrite('the API key', error);
    }
  }

  /** Deletes the file with the key, because the key is not needed after the run. */
  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
