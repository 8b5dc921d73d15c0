/** The main program of a thread of `shrink`: makes one attempt after another, and answers with the outcome of each. */
import { parentPort, workerData } from 'node:worker_threads';
import { type AttemptSettings, tryAttempt } from './attempt.js';
import { readProfiles } from './read-files.js';

/** The text of a scenario to run, or null to interrupt the run. */
export type AttemptRequest = string | null;

const settings = workerData as AttemptSettings;
const profiles = readProfiles(settings.file, settings.allowFile);
let running: AbortController | undefined;

parentPort?.on('message', async (request: AttemptRequest) => {
  if (request === null) {
    running?.abort();
    return;
  }
  running = new AbortController();
  const outcome = await tryAttempt({ ...settings, text: request, profiles }, running.signal);
  running = undefined;
  parentPort?.postMessage(outcome);
});
