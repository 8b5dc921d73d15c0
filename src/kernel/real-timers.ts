/** The machine's timers and clocks, kept from loading: test runners replace the global ones by simulated ones. */
import { performance } from 'node:perf_hooks';
import { cpuUsage, hrtime, nextTick } from 'node:process';
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from 'node:timers';

const { nodeTiming } = performance;

export const realTimers = {
  clearInterval,
  clearTimeout,
  setImmediate,
  setInterval,
  setTimeout,
  /** Milliseconds since the process began; never goes back. */
  now: performance.now.bind(performance),
  /** Nanoseconds of a clock that all threads of the process share. In the console, which loads this file, it does not exist. */
  sharedNow: (): bigint => hrtime.bigint(),
  /** Milliseconds for which this thread has waited for events so far. Node's own measure of the load asks a replaced clock. */
  idle: (): number => nodeTiming.idleTime,
  /** Microseconds of CPU time that the process has used so far, or since an earlier answer. Not in the console, either. */
  cpuUsage: (since?: NodeJS.CpuUsage): NodeJS.CpuUsage => cpuUsage(since),
  /** The system's clock, in milliseconds since 1970. */
  wall: Date.now,
};

/** Whether something, such as the simulated timers of a test runner, has replaced the global `setImmediate` that libraries use. */
export function isImmediateReplaced(): boolean {
  return globalThis.setImmediate !== realTimers.setImmediate;
}

/** Resolves after one turn of the event loop, in which all ready promises have settled. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => realTimers.setImmediate(resolve));
}

/** Resolves when all ready promises have settled, before the next turn of the event loop. */
export function endOfPromises(): Promise<void> {
  return new Promise((resolve) => nextTick(resolve));
}
