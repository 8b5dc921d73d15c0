/**
 * The worker thread of thread.ts. It runs users' scripts, each in its own JavaScript runtime of QuickJS in WebAssembly. A
 * runtime has the language only: no network, no timers, no modules, no files. This thread limits steps and memory;
 * thread.ts limits time by ending the thread, because a script inside one long operation cannot be interrupted from within.
 *
 * This file and those that it imports are JavaScript, because a thread starts from a file, and tsx and vitest run the
 * sources without compiling them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Engines } from './engine.mjs';
import { runMain } from './room.mjs';

/** @typedef {import('./script.js').WorkerTask} WorkerTask */
/** @typedef {import('./script.js').WorkerAnswer} WorkerAnswer */
/** @typedef {import('./engine.mjs').Engine} Engine */

/** @type {import('./script.js').Limits} */
const limits = workerData;
const TOO_LONG = 'the script took too long';
const TOO_MUCH = 'the script used too much memory, or nested too deeply';

// Replaces this thread's Date, from which only the engine reads the time and the time zone. So scripts see the time of their
// attempt, also in a simulation, and UTC on every machine. The engine seeds the Math.random of a new context with the time, so
// `attempt` sets the time to the seed while it creates the context. So the same attempt gets the same numbers. The time of a
// running script advances by a millisecond with every call of the interrupt handler. So a script that waits for a time ends,
// and always at the same step.
let time = 0;
Date.now = () => time;
Date.prototype.getTimezoneOffset = () => 0;

const engines = await Engines.load(limits.memory);

/**
 * Runs a script in the engine of its space. If the script fails and leaves the engine exhausted, and the engine has run other
 * scripts before, the script runs again in a new engine. Only a failure in a new engine is certainly caused by the script.
 * @param {WorkerTask} task
 * @returns {Promise<WorkerAnswer>}
 */
async function perform(task) {
  const engine = await engines.of(task.spaceId);
  const isFirst = engine.isNew;
  const answer = attempt(engine, task);
  if (!engine.isExhausted) return answer;
  engines.drop(task.spaceId);
  if (isFirst || !('error' in answer)) return answer;
  const another = await engines.of(task.spaceId);
  const decided = attempt(another, task);
  if (another.isExhausted) engines.drop(task.spaceId);
  return decided;
}

/**
 * @param {Engine} engine
 * @param {WorkerTask} task
 * @returns {WorkerAnswer}
 */
function attempt(engine, { source, job, now, seed }) {
  let interrupts = 0;
  const isOverdue = () => interrupts > limits.interrupts;
  try {
    return engine.run((runtime) => {
      runtime.setMaxStackSize(limits.stack);
      runtime.setInterruptHandler(() => {
        // The engine calls this for the first time before the first step.
        time = now + interrupts++;
        return isOverdue();
      });
      time = seed;
      const world = runtime.newContext();
      time = now;
      const answer = runMain(world, source, job, { output: limits.output, isOverdue });
      world.dispose();
      return answer;
    });
  } catch {
    // The engine is not used again: it was stopped, or failed, in the middle of the script.
    return { error: isOverdue() ? TOO_LONG : TOO_MUCH };
  }
}

parentPort?.on('message', async (/** @type {WorkerTask} */ task) => parentPort?.postMessage(await perform(task)));
parentPort?.postMessage('ready');
