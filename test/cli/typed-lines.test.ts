/** The conditions under which the program stops reading typed lines. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { processHost } from '../../src/cli/process-host.js';
import { takeLines } from '../../src/cli/typed-lines.js';

/** An input that yields these lines and then stays open. */
function typist(...typed: readonly string[]): { readonly lines: AsyncIterable<string>; released(): boolean } {
  const rest = [...typed];
  let released = false;
  const next = (): Promise<IteratorResult<string>> => {
    const value = rest.shift();
    return value === undefined ? new Promise(() => {}) : Promise.resolve({ done: false, value });
  };
  const end = async (): Promise<IteratorResult<string>> => {
    released = true;
    return { done: true, value: undefined };
  };
  return { lines: { [Symbol.asyncIterator]: () => ({ next, return: end }) }, released: () => released };
}

describe('typed lines', () => {
  it('are no longer read when the command has ended, even if the pipe stays open', async () => {
    const { lines, released } = typist();
    expect(await takeLines(lines, Promise.resolve(), async () => 'stay')).toBe(false);
    expect(released()).toBe(true);
  });

  it('leave the input of the process paused at the end, so that it does not keep the process alive', async () => {
    const stdin = new PassThrough();
    const self: NodeJS.Process = Object.create(process, { stdin: { value: stdin } });
    await takeLines(processHost(self).lines(), Promise.resolve(), async () => 'stay');
    expect(stdin.isPaused()).toBe(true);
  });

  it('are no longer read after a line that ends the reading', async () => {
    const { lines, released } = typist('info show', '.quit');
    const over = new Promise(() => {});
    expect(await takeLines(lines, over, async (line) => (line === '.quit' ? 'leave' : 'stay'))).toBe(true);
    expect(released()).toBe(true);
  });
});
