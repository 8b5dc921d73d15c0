/** The timers and the clock of the browser, with the names of `node:timers` and `node:perf_hooks`. */

// Bound, because browsers reject these functions as methods of another object.
export const clearInterval = globalThis.clearInterval.bind(globalThis);
export const clearTimeout = globalThis.clearTimeout.bind(globalThis);
export const setInterval = globalThis.setInterval.bind(globalThis);
export const setTimeout = globalThis.setTimeout.bind(globalThis);
export const { performance } = globalThis;

export function setImmediate(action: () => void): void {
  setTimeout(action, 0);
}
