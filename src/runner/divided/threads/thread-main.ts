/** The main program of a thread: carries out a part of a run. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Millis } from '../../../kernel/time.js';
import type { FromPart, PartTask, ToPart } from '../messages.js';
import { beginPart } from '../part.js';
import { PortChannel } from './port-channel.js';

/** The `workerData` of a thread. */
export interface ThreadTask {
  readonly task: PartTask;
  /** API key of the target; empty in virtual time. Secret. */
  readonly apiKey: string;
}

/**
 * Time between two batches of events. Batches are small and frequent, because the thread that reads them also runs the embedded
 * cloud, which answers no device while its thread reads a batch.
 */
const SEND_EVERY: Millis = 50;

// The cast is safe because thread-crew.ts gives every thread a task.
const { task, apiKey } = workerData as ThreadTask;
const port = parentPort;
if (port === null) throw new Error('this is the program of a thread');
const channel = new PortChannel<FromPart, ToPart>(port, () => port.close());
if (task.clock === 'real') channel.beat();
await beginPart(task, { apiKey, channel, sendEvery: SEND_EVERY }).over;
