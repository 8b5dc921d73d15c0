/**
 * The engines of a worker thread: instances of QuickJS in WebAssembly, one for each space. A script that corrupts the memory of
 * its engine finds no data of another space there. The size of the memory is limited by WebAssembly: the engine's own limit
 * counts only part of the memory that a script allocates.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core';

/** @typedef {import('quickjs-emscripten-core').QuickJSWASMModule} Module */
/** @typedef {import('quickjs-emscripten-core').QuickJSRuntime} Runtime */
/** @typedef {import('quickjs-emscripten-core').QuickJSSyncVariant} Variant */
/** @typedef {{ readonly buffer: ArrayBuffer }} Memory */

/**
 * The part of WebAssembly that is used here: the types of Node lack it.
 * @type {{
 *   compile(bytes: Uint8Array): Promise<object>,
 *   Memory: new (size: { initial: number, maximum: number }) => Memory,
 * }}
 */
const { compile, Memory } = Reflect.get(globalThis, 'WebAssembly');

/** The engine. The build puts it beside the program, because a thread may be unable to find packages, as with Yarn. */
const CODE = new URL('./quickjs.wasm', import.meta.url);

const PAGE = 65_536;
/** Initial size of an engine's memory, in pages. It is fixed in the compiled engine. */
const FIRST_PAGES = 256;
/** Number of engines that a thread keeps: those that were used last. */
const KEPT = 4;

export class Engine {
  #module;
  #memory;
  #most;
  #runs = 0;
  #failed = false;

  /**
   * @param {Module} module
   * @param {Memory} memory
   * @param {number} most  size of the memory, in bytes, from which the engine is not used again
   */
  constructor(module, memory, most) {
    this.#module = module;
    this.#memory = memory;
    this.#most = most;
  }

  get isNew() {
    return this.#runs === 0;
  }

  /** Whether the engine cannot be used again, because it failed or its memory, which never shrinks, has become too large. */
  get isExhausted() {
    return this.#failed || this.#memory.buffer.byteLength >= this.#most;
  }

  /**
   * Runs `work` with a new runtime. When `work` ends, the runtime ends, and with it every promise that is still pending.
   * @template T
   * @param {(runtime: Runtime) => T} work
   * @returns {T}
   */
  run(work) {
    this.#runs++;
    this.#failed = true;
    const runtime = this.#module.newRuntime();
    const result = work(runtime);
    runtime.dispose();
    this.#failed = false;
    return result;
  }
}

export class Engines {
  /** @type {Map<string, Engine>} */
  #known = new Map();
  #code;
  #memory;

  /**
   * @param {object} code  the compiled engine
   * @param {number} memory  maximum number of bytes by which the memory of an engine may grow
   */
  constructor(code, memory) {
    this.#code = code;
    this.#memory = memory;
  }

  /** @param {number} memory  maximum number of bytes by which the memory of an engine may grow */
  static async load(memory) {
    const file = existsSync(CODE) ? CODE : new URL(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
    return new Engines(await compile(await readFile(file)), memory);
  }

  /**
   * The engine of a space; a new one if the space has none.
   * @param {string} spaceId
   */
  async of(spaceId) {
    const engine = this.#known.get(spaceId) ?? (await this.#create());
    this.#known.delete(spaceId);
    this.#known.set(spaceId, engine);
    for (const [oldest] of this.#known) {
      if (this.#known.size <= KEPT) break;
      this.#known.delete(oldest);
    }
    return engine;
  }

  /** @param {string} spaceId */
  drop(spaceId) {
    this.#known.delete(spaceId);
  }

  async #create() {
    const pages = Math.ceil(this.#memory / PAGE);
    const memory = new Memory({ initial: FIRST_PAGES, maximum: FIRST_PAGES + pages });
    const options = { wasmModule: this.#code, wasmMemory: memory };
    // The cast is needed because the package only has the types of its CommonJS form, where the variant is in `default`.
    const sync = /** @type {Variant} */ (/** @type {unknown} */ (variant));
    const module = await newQuickJSWASMModuleFromVariant(newVariant(sync, options));
    return new Engine(module, memory, (FIRST_PAGES + pages / 2) * PAGE);
  }
}
