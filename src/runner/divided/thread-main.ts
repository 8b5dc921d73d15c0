/** The main program of a thread: runs a part of a plan in a world of its own, and passes on its events. */
import { parentPort, workerData } from 'node:worker_threads';
import { GhostfleetError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { InstantOrder } from '../../trace/instant-order.js';
import { TraceLog } from '../../trace/log.js';
import { inOneWorld } from '../world/course.js';
import { unpackProfiles } from '../world/plan-profiles.js';
import { type Answer, failureOf, type Report, type Task, WINDOWS_AHEAD } from './messages.js';
import { WindowClock } from './window-clock.js';

// Because threads.ts gives every thread a task.
const { plan, profiles, transport, db, window } = workerData as Task;

const report = (message: Report): void => parentPort?.postMessage(message);

/** Lines of the event log that are not passed on yet. */
let lines: string[] = [];
const eventLog = new TraceLog([], [{ write: (text) => void lines.push(text), close: () => {} }]);
const trace = new InstantOrder(eventLog);

function takeLines(): string {
  trace.settle();
  eventLog.flush();
  const taken = lines.join('');
  lines = [];
  return taken;
}

/** Windows that may still be finished. */
let permits = WINDOWS_AHEAD;
let goOn = (): void => {};
let settle = (_all: boolean): void => {};
parentPort?.on('message', (answer: Answer) => {
  if (answer.kind === 'rest') return settle(answer.all);
  permits++;
  goOn();
});

function atRest(isAtRest: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    settle = resolve;
    report({ kind: 'rest', isAtRest });
  });
}

async function pause(): Promise<void> {
  report({ kind: 'window', lines: takeLines() });
  permits--;
  while (permits === 0) await new Promise<void>((resolve) => (goOn = resolve));
}

function logAt(level: keyof Log): Log[typeof level] {
  return (fields, message) => report({ kind: 'log', level, fields, message });
}

const journal = {
  trace,
  evidence: () => {
    throw new Error('a part of a plan has no expectations and no conditions');
  },
  settle: () => trace.settle(),
  close: () => {
    trace.settle();
    eventLog.close();
  },
};

try {
  const clock = new WindowClock({ start: plan.start, window, pause });
  const world = {
    ...({ plan, transport, db, atRest, clock: 'virtual', speed: 1 } as const),
    profiles: unpackProfiles(profiles),
    log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
  };
  const { end, simulatedMs } = await inOneWorld(world, journal, () => {}, clock);
  report({ kind: 'end', lines: takeLines(), end, simulatedMs });
} catch (error) {
  // Any other error is a bug, and ends the thread with it.
  if (!(error instanceof GhostfleetError)) throw error;
  report({ kind: 'failed', error: failureOf(error) });
} finally {
  parentPort?.close();
}
