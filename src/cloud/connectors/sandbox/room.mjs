/** Runs one script in a new JavaScript context, and reads the value that its `main` returns. */
import { Scope } from 'quickjs-emscripten-core';

/** @typedef {import('./script.js').WorkerAnswer} WorkerAnswer */
/** @typedef {import('quickjs-emscripten-core').QuickJSContext} World */
/** @typedef {import('quickjs-emscripten-core').QuickJSHandle} Handle */

/**
 * @typedef {object} Bounds
 * @property {number} output             maximum number of characters of the returned value as JSON
 * @property {() => boolean} isOverdue   whether the step limit has stopped the engine
 */

/** A console without effect, for scripts that were developed elsewhere and still log. */
const CONSOLE = 'globalThis.console = { log() {}, info() {}, warn() {}, error() {}, debug() {} };';
/** The function `main`, or a text that says why it cannot be used. */
const MAIN = `(() => {
  if (typeof main === 'undefined') return 'the script has no function main';
  if (typeof main !== 'function') return 'main is not a function';
  const kind = Object.prototype.toString.call(main);
  if (/Async/.test(kind)) return 'main returns a promise; it must return the value itself, so it cannot be async';
  return /Generator/.test(kind) ? 'main is a generator; it must return the value itself' : main;
})()`;
const DESCRIBE = `(thrown) => {
  if (!(thrown instanceof Error)) return 'the script threw ' + thrown;
  const place = /transformation\\.js:(\\d+):(\\d+)/.exec(thrown.stack);
  return thrown.name + ': ' + thrown.message + (place ? ' (line ' + place[1] + ', column ' + place[2] + ')' : '');
}`;
const LONGEST_ERROR = 500;

/** The step limit stopped the engine inside the script. The engine is not used again. */
class Stopped extends Error {}
/** The script failed; the message is for its author. */
class Fault extends Error {}

/**
 * Runs `main` of a script.
 * @param {World} world   a new context
 * @param {string} source script with a function `main(job)`
 * @param {string | undefined} job   argument of `main` as JSON text; undefined: `main` is not called
 * @param {Bounds} bounds
 * @returns {WorkerAnswer}
 */
export function runMain(world, source, job, bounds) {
  return Scope.withScope((scope) => {
    try {
      return returnedBy(new Room(world, scope, bounds), source, job);
    } catch (error) {
      if (error instanceof Fault) return { error: error.message };
      throw error;
    }
  });
}

/**
 * @param {Room} room
 * @param {string} source
 * @param {string | undefined} job
 * @returns {WorkerAnswer}
 */
function returnedBy(room, source, job) {
  // Read before the script runs, because the script may replace them.
  const { parse, stringify } = room;
  if (source.includes('console')) room.evaluate(CONSOLE);
  room.evaluate(source);
  const main = room.evaluate(MAIN);
  if (room.isText(main)) throw new Fault(room.read(main));
  if (job === undefined) return { json: 'null' };
  const returned = room.call(main, room.call(parse, room.text(job)));
  if (room.isUndefined(returned)) return { json: 'null' };
  if (room.isPromise(returned)) throw new Fault('main returned a promise; it must return the value itself');
  return { json: room.read(room.call(stringify, returned)) };
}

/** The part of a context that is used here: all handles are freed together, and the engine's errors become exceptions. */
class Room {
  #world;
  #scope;
  #bounds;
  parse;
  stringify;

  /**
   * @param {World} world
   * @param {Scope} scope
   * @param {Bounds} bounds
   */
  constructor(world, scope, bounds) {
    this.#world = world;
    this.#scope = scope;
    this.#bounds = bounds;
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
  isText(value) {
    return this.#world.typeof(value) === 'string';
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
    const { output } = this.#bounds;
    const length = this.#scope.manage(this.#world.getProp(value, 'length'));
    if (this.#world.getNumber(length) > output) {
      throw new Fault(`main returned more than ${output} characters of JSON`);
    }
    return this.#world.getString(value);
  }

  /**
   * @param {ReturnType<World['evalCode']>} result
   * @returns {Handle}
   */
  #unwrap(result) {
    if (!result.error) return this.#scope.manage(result.value);
    if (this.#bounds.isOverdue()) throw new Stopped();
    throw new Fault(this.#describe(this.#scope.manage(result.error)));
  }

  /**
   * The message for a thrown value. It is computed inside the script's context, so the script can influence it; this is
   * harmless, because the message is shown only to users who may change the script.
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
    if (this.#bounds.isOverdue()) throw new Stopped();
    return 'the script threw a value that cannot be displayed';
  }
}
