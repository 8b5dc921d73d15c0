/**
 * Loaded into a service before its program: the calendar clock of the main thread is off by the milliseconds in the file that
 * CHAOS_CLOCK names. The file is read at the start and on SIGUSR2.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const real = Date.now;
let offset = 0;

function read() {
  offset = Number(readFileSync(process.env.CHAOS_CLOCK ?? '', 'utf8'));
}

if (isMainThread) {
  read();
  process.on('SIGUSR2', read);
  Date.now = () => real() + offset;
}
