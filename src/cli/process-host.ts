/** The Host of the real process. */
import { createInterface } from 'node:readline';
import type { Clock } from '../kernel/clock.js';
import { EXIT } from '../kernel/errors.js';
import { fileReason } from '../kernel/file-failure.js';
import { RealClock } from '../kernel/real-clock.js';
import type { Host, Output } from './host.js';
import { Interrupts } from './interrupts.js';
import { processTerminal } from './process-terminal.js';

export function processHost(self: NodeJS.Process, clock: Clock = new RealClock()): Host {
  const interrupts = new Interrupts(self, clock);
  return {
    args: self.argv.slice(2),
    env: self.env,
    out: output(self.stdout, (why) => {
      self.stderr.write(`ghostfleet: the output is incomplete: ${why}\n`);
      // Exit code 0 would mean that the output is complete.
      self.on('exit', () => {
        self.exitCode ||= EXIT.usage;
      });
    }),
    err: output(self.stderr),
    lines: () => linesOf(self.stdin),
    terminal: (options) => processTerminal(self, options, () => interrupts.interrupt('SIGINT')),
    onInterrupt: (handler, left) => interrupts.listen(handler, left),
    wallClock: () => clock.wall,
    stopwatch: () => performance.now(),
  };
}

/** Lines of a pipe. Ending the iteration also closes the pipe, which Node's own iterator does not. */
function linesOf(input: NodeJS.ReadableStream): AsyncIterable<string> {
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<string>> => {
    reader.close();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => lines.next(), return: end }) };
}

/** @param failed called once with the reason when output is lost */
function output(stream: NodeJS.WriteStream, failed: (why: string) => void = () => {}): Output {
  let lost = false;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // EPIPE is normal: a reader such as `head` closes the pipe early.
    if (lost || error.code === 'EPIPE') return;
    lost = true;
    failed(fileReason(error, error.message));
  });
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    // Read each time because the window may be resized; some terminals report 0.
    get columns() {
      return stream.columns || 100;
    },
  };
}
