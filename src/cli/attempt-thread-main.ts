/** The main program of a thread of `shrink`: makes one attempt after another, and answers with the outcome of each. */
import { parentPort, workerData } from 'node:worker_threads';
import { type AttemptSettings, outcomeOf } from './attempt.js';
import { profilesBeside } from './read-files.js';

/** The text of a scenario to run, or null to interrupt the run. */
export type AttemptRequest = string | null;

const settings = workerData as AttemptSettings;
const profiles = profilesBeside(settings.file, settings.allowFile);
let running: AbortController | undefined;

parentPort?.on('message', async (request: AttemptRequest) => {
  if (request === null) {
    running?.abort();
    return;
  }
  running = new AbortController();
  const outcome = await outcomeOf({ ...settings, text: request, profiles }, running.signal);
  running = undefined;
  parentPort?.postMessage(outcome);
});
