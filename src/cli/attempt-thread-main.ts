/** The main program of a thread of `shrink`: makes one attempt after another, and answers with the outcome of each. */
import { workerData } from 'node:worker_threads';
import { answerRequests } from '../runner/threads.js';
import { type AttemptSettings, tryAttempt } from './attempt.js';
import { readProfiles } from './read-files.js';

const settings = workerData as AttemptSettings;
const profiles = readProfiles(settings.file, settings.allowFile);

answerRequests((text: string, signal) => tryAttempt({ ...settings, text, profiles }, signal));
