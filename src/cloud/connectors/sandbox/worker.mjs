/**
 * The worker thread of sandbox.ts. It runs users' scripts, each in its own JavaScript context of QuickJS in WebAssembly. A
 * context has the language only: no network, no timers, no modules, no files. This thread limits steps and memory; sandbox.ts
 * limits time by ending the thread, because a script inside one long operation cannot be interrupted from within.
 *
 * This file is JavaScript, because a thread starts from a file, and tsx and vitest run the sources without compiling them.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { getQuickJS, Scope } from 'quickjs-emscripten';

/**
 * @typedef {object} Task
 * @property {string} source  script with a function `main(job)`
 * @property {string} job     argument of `main` as JSON text
 * @property {number} now     current time of `Date` in the script, Unix ms
 * @property {number} seed    seed of `Math.random`; positive
 */
/** @typedef {import('./sandbox.js').WorkerAnswer} WorkerAnswer */
/** @typedef {import('./sandbox.js').Limits} Limits */
/** @typedef {import('quickjs-emscripten').QuickJSContext} World */
/** @typedef {import('quickjs-emscripten').QuickJSHandle} Handle */

/** @type {Limits} */
const limits = workerData;

// The engine reads the time and the time zone from this thread's Date, and nothing else in this thread does. So scripts run at
// the time of their attempt, also in a simulation, and in UTC on every machine. The engine seeds the Math.random of a new
// context with the time, so that the same attempt gets the same numbers.
let time = 0;
Date.now = () => time;
Date.prototype.getTimezoneOffset = () => 0;

const engine = await getQuickJS();
/** Calls of the interrupt handler in the current script. */
let interrupts = 0;
/** One runtime for all contexts: creating a runtime is more expensive than creating a context. */
const runtime = engine.newRuntime({ memoryLimitBytes: limits.memory, maxStackSizeBytes: limits.stack });
runtime.setInterruptHandler(() => ++interrupts > limits.interrupts);

/** A console without effect, for scripts that were developed elsewhere and still log. */
const CONSOLE = 'globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };';
const MAIN = "typeof main === 'function' ? main : undefined";
const DESCRIBE = `(thrown) => {
  if (!(thrown instanceof Error)) return 'the script threw ' + thrown;
  const line = /transformation\\.js:(\\d+)/.exec(thrown.stack);
  return thrown.name + ': ' + thrown.message + (line ? ' (line ' + line[1] + ')' : '');
}`;

/** The step limit stopped the engine inside the script. This thread is not used again. */
class Stopped extends Error {}
/** The script failed; the message is for its author. */
class Fault extends Error {}

/**
 * @param {Task} task
 * @returns {WorkerAnswer}
 */
function perform({ source, job, now, seed }) {
  interrupts = 0;
  time = seed;
  const world = runtime.newContext();
  time = now;
  try {
    const answer = Scope.withScope((scope) => runMain(new Room(world, scope), source, job));
    world.dispose();
    return answer;
  } catch (error) {
    if (error instanceof Stopped) return { error: 'the script took too long', spent: true };
    throw error;
  }
}

/**
 * @param {Room} room
 * @param {string} source
 * @param {string} job
 * @returns {WorkerAnswer}
 */
function runMain(room, source, job) {
  try {
    // Read before the script runs, because the script may replace them.
    const { parse, stringify } = room;
    if (source.includes('console')) room.evaluate(CONSOLE);
    room.evaluate(source);
    const main = room.evaluate(MAIN);
    if (room.isUndefined(main)) throw new Fault('the script has no function main');
    const returned = room.call(main, room.call(parse, room.text(job)));
    if (room.isUndefined(returned)) return { json: 'null' };
    if (room.isPromise(returned)) throw new Fault('main returned a promise; it must return the value itself');
    return { json: room.read(room.call(stringify, returned)) };
  } catch (error) {
    if (error instanceof Fault) return { error: error.message };
    throw error;
  }
}

/** The part of a context that is used here: all handles are freed together, and the engine's errors become exceptions. */
class Room {
  #world;
  #scope;
  parse;
  stringify;

  /**
   * @param {World} world
   * @param {Scope} scope
   */
  constructor(world, scope) {
    this.#world = world;
    this.#scope = scope;
    const json = scope.manage(world.getProp(world.global, 'JSON'));
    this.parse = scope.manage(world.getProp(json, 'parse'));
    this.stringify = scope.manage(world.getProp(json, 'stringify'));
  }

  /** @param {string} code */
  evaluate(code) {
    return this.#unwrap(this.#world.evalCode(code, 'transformation.js', { type: 'global' }));
  }

  /**
   * @param {Handle} callee
   * @param {Handle} argument
   */
  call(callee, argument) {
    return this.#unwrap(this.#world.callFunction(callee, this.#world.undefined, argument));
  }

  /** @param {string} value */
  text(value) {
    return this.#scope.manage(this.#world.newString(value));
  }

  /** @param {Handle} value */
  isUndefined(value) {
    return this.#world.typeof(value) === 'undefined';
  }

  /** @param {Handle} value */
  isPromise(value) {
    const state = this.#world.getPromiseState(value);
    if (state.type === 'fulfilled' && state.notAPromise) return false;
    if (state.type === 'fulfilled') this.#scope.manage(state.value);
    if (state.type === 'rejected') this.#scope.manage(state.error);
    return true;
  }

  /**
   * The text that `JSON.stringify` returned.
   * @param {Handle} value
   */
  read(value) {
    if (this.#world.typeof(value) !== 'string') throw new Fault('main returned a value that is not JSON');
    const length = this.#scope.manage(this.#world.getProp(value, 'length'));
    if (this.#world.getNumber(length) > limits.output) {
      throw new Fault(`main returned more than ${limits.output} characters of JSON`);
    }
    return this.#world.getString(value);
  }

  /**
   * @param {ReturnType<World['evalCode']>} result
   * @returns {Handle}
   */
  #unwrap(result) {
    if (!result.error) return this.#scope.manage(result.value);
    if (interrupts > limits.interrupts) throw new Stopped();
    throw new Fault(this.#describe(this.#scope.manage(result.error)));
  }

  /**
   * The message for a thrown value. It is computed inside the script's context, so the script can influence it; this is
   * harmless, because the message is shown only to the author of the script.
   * @param {Handle} thrown
   */
  #describe(thrown) {
    const describe = this.#world.evalCode(DESCRIBE, 'describe.js', { type: 'global' });
    if (describe.error) return this.#undescribed(describe.error);
    this.#scope.manage(describe.value);
    const words = this.#world.callFunction(describe.value, this.#world.undefined, thrown);
    if (words.error) return this.#undescribed(words.error);
    return this.#world.getString(this.#scope.manage(words.value)).slice(0, LONGEST_ERROR);
  }

  /** @param {Handle} error */
  #undescribed(error) {
    this.#scope.manage(error);
    if (interrupts > limits.interrupts) throw new Stopped();
    return 'the script threw a value that cannot be displayed';
  }
}

const LONGEST_ERROR = 500;

parentPort?.on('message', (/** @type {Task} */ task) => parentPort?.postMessage(perform(task)));
parentPort?.postMessage('ready');
