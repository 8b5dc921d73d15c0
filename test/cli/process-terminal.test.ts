/** The prompt of a process, also of one that was stopped and continues. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { processTerminal } from '../../src/cli/process-terminal.js';

beforeEach(() => {
  // Ctrl-Z must not stop the process of the tests.
  vi.spyOn(process, 'kill').mockReturnValue(true);
});
afterEach(() => vi.restoreAllMocks());

function open() {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
  const stdout = Object.assign(new PassThrough().resume(), { isTTY: true, columns: 80 });
  const self = Object.assign(new EventEmitter(), { stdin, stdout, env: {} });
  // The cast is safe because nothing else of the process is used.
  const own = self as unknown as NodeJS.Process;
  const terminal = processTerminal(own, { prompt: '> ', complete: async () => [] }, () => {});
  if (terminal === undefined) throw new Error('no terminal');
  const lines = terminal.lines[Symbol.asyncIterator]();
  const next = lines.next();
  return { modes, stdin, self, terminal, next };
}

it.each(['by Ctrl-Z', 'by a signal'])('reads lines after it was stopped %s and continues', async (how) => {
  const { modes, stdin, self, terminal, next } = open();
  if (how === 'by Ctrl-Z') {
    stdin.write('\u001a');
    await vi.waitFor(() => expect(process.kill).toHaveBeenCalledWith(process.pid, 'SIGTSTP'));
  }
  modes.length = 0;
  self.emit('SIGCONT');
  process.emit('SIGCONT');
  expect(modes.slice(0, 2)).toEqual([false, true]);
  expect([modes.at(-1), stdin.isPaused()]).toEqual([true, false]);
  stdin.write('info show\r');
  expect(await next).toEqual({ done: false, value: 'info show' });
  terminal.close();
  expect(self.listenerCount('SIGCONT')).toBe(0);
});

it('takes a TAB in pasted text for a blank, which a device would drop', async () => {
  const { stdin, terminal, next } = open();
  stdin.write('app config\tmode\r');
  expect(await next).toEqual({ done: false, value: 'app config mode' });
  terminal.close();
});
