/** The main program of a thread: runs a part of a plan, and passes on its events as lines of the event log. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '../../kernel/log.js';
import { TraceLog } from '../../trace/log.js';
import { unpackProfiles } from '../world/plan-profiles.js';
import type { Answer, Report, Task } from './messages.js';
import { Answers, runPart } from './part-world.js';

// The cast is safe because part.ts gives every thread a task.
const { profiles, ...task } = workerData as Task;

const report = (message: Report): void => parentPort?.postMessage(message);

/** Lines of the event log that are not passed on yet. */
let lines: string[] = [];
const eventLog = new TraceLog([], [{ write: (text) => void lines.push(text), close: () => {} }]);
const events = {
  emit: eventLog.emit.bind(eventLog),
  take: () => {
    eventLog.flush();
    const taken = lines.join('');
    lines = [];
    return taken;
  },
  close: () => eventLog.close(),
};

const answers = new Answers();
parentPort?.on('message', (answer: Answer) => answers.take(answer));

function logAt(level: keyof Log): Log[typeof level] {
  return (fields, message) => report({ kind: 'log', level, fields, message });
}

try {
  const log = { info: logAt('info'), warn: logAt('warn'), error: logAt('error') };
  await runPart({ ...task, profiles: unpackProfiles(profiles), log, events, answers, report });
} finally {
  parentPort?.close();
}
