/**
 * The far side of sandbox.ts: a thread in which users' scripts run, each in a JavaScript world of its own that QuickJS
 * makes in WebAssembly. That world has the language and nothing else: no network, no timers, no modules, no files. This
 * thread adds limits; ending it is the business of sandbox.ts, since a script that is busy inside one long operation does
 * not look up.
 *
 * A file of JavaScript, because a thread is started from a file, and where the sources run as they are (tsx, vitest) there
 * is no other.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { getQuickJS, Scope } from 'quickjs-emscripten';

/**
 * @typedef {object} Task
 * @property {string} source  script with a function `main(job)`
 * @property {string} job     JSON text
 * @property {number} now     what `Date` takes for the present, Unix ms
 * @property {number} seed    of `Math.random`; positive
 */
/** @typedef {import('./sandbox.js').Outcome} Outcome */
/** @typedef {import('./sandbox.js').Limits} Limits */
/** @typedef {import('quickjs-emscripten').QuickJSContext} World */
/** @typedef {import('quickjs-emscripten').QuickJSHandle} Handle */

/** @type {Limits} */
const limits = workerData;

// The engine asks this thread's own Date for the time and its zone; nothing else here does. So scripts live at the moment of
// their attempt, also in a simulation, and in UTC wherever the machine is. Making a world, the engine seeds its Math.random
// with the time: the same attempt gets the same numbers.
let time = 0;
Date.now = () => time;
Date.prototype.getTimezoneOffset = () => 0;

const engine = await getQuickJS();
/** How often the engine has asked whether the script may go on. */
let asked = 0;
/** One for all worlds: making it costs more than making a world. */
const runtime = engine.newRuntime({ memoryLimitBytes: limits.memory, maxStackSizeBytes: limits.stack });
runtime.setInterruptHandler(() => ++asked > limits.interrupts);

/** Scripts that were tried out elsewhere still say what they do; nobody listens. */
const CONSOLE = 'globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };';
const MAIN = "typeof main === 'function' ? main : undefined";
const DESCRIBE = `(thrown) => {
  if (!(thrown instanceof Error)) return 'the script threw ' + thrown;
  const line = /transformation\\.js:(\\d+)/.exec(thrown.stack);
  return thrown.name + ': ' + thrown.message + (line ? ' (line ' + line[1] + ')' : '');
}`;

/** The engine was stopped in the middle of the script. This thread is not used again. */
class Stopped extends Error {}
/** The script is at fault; the message is for its author. */
class Fault extends Error {}

/**
 * @param {Task} task
 * @returns {Outcome}
 */
function perform({ source, job, now, seed }) {
  asked = 0;
  time = seed;
  const world = runtime.newContext();
  time = now;
  try {
    const outcome = Scope.withScope((scope) => outcomeIn(new Room(world, scope), source, job));
    world.dispose();
    return outcome;
  } catch (error) {
    if (error instanceof Stopped) return { error: 'the script took too long', spent: true };
    throw error;
  }
}

/**
 * @param {Room} room
 * @param {string} source
 * @param {string} job
 * @returns {Outcome}
 */
function outcomeIn(room, source, job) {
  try {
    // Taken before the script runs, which may put something else in their place.
    const { parse, stringify } = room;
    if (source.includes('console')) room.evaluate(CONSOLE);
    room.evaluate(source);
    const main = room.evaluate(MAIN);
    if (room.isUndefined(main)) throw new Fault('the script has no function main');
    const returned = room.call(main, room.call(parse, room.text(job)));
    if (room.isUndefined(returned)) return { json: 'null' };
    if (room.isPromise(returned)) throw new Fault('main returned a promise; it has to return its value');
    return { json: room.read(room.call(stringify, returned)) };
  } catch (error) {
    if (error instanceof Fault) return { error: error.message };
    throw error;
  }
}

/** A world, as far as it is used here: handles are freed together, and errors are errors of this side. */
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
   * What `JSON.stringify` has made.
   * @param {Handle} value
   */
  read(value) {
    if (this.#world.typeof(value) !== 'string') throw new Fault('main returned no JSON value');
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
    if (asked > limits.interrupts) throw new Stopped();
    throw new Fault(this.#describe(this.#scope.manage(result.error)));
  }

  /**
   * With the script's own means: it can make this say anything, and nobody else is told.
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
    if (asked > limits.interrupts) throw new Stopped();
    return 'the script threw something that cannot be shown';
  }
}

const LONGEST_ERROR = 500;

parentPort?.on('message', (/** @type {Task} */ task) => parentPort?.postMessage(perform(task)));
parentPort?.postMessage('ready');
