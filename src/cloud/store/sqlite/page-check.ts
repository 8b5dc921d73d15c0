/** Checks the pages of an opened database on its own thread (page-check.mjs): it takes minutes, the service is ready. */

import { Worker } from 'node:worker_threads';
import { pathFrom } from '../../../kernel/program-files.js';
import type { Soundness } from '../soundness.js';
import { storeFailure } from './failures.js';

export class PageCheck {
  readonly #worker: Worker;

  /** @param soundness receives the damage that is found */
  constructor(path: string, soundness: Soundness) {
    this.#worker = new Worker(pathFrom(import.meta.url, 'page-check.mjs'), { workerData: { path } });
    this.#worker.on('message', (findings: readonly string[]) => {
      for (const finding of findings) soundness.report(finding);
    });
    // Reports an error that means damage. After any other error, such as too little memory, only the next start checks again.
    this.#worker.on('error', (error) => storeFailure(error, soundness, path));
    this.#worker.unref();
  }

  /** Ends the check, also if it is not complete. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
