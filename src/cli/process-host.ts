/** The Host of the real process. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Clock } from '../kernel/clock.js';
import { EXIT } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { realTimers } from '../kernel/real-timers.js';
import { fileReason } from '../kernel/system-errors.js';
import { type AgainOptions, type AnotherRun, type Host, type Output, withoutSettings } from './host.js';
import { Interrupts } from './interrupts.js';
import { openBrowser } from './open-browser.js';
import { processTerminal } from './process-terminal.js';

export function processHost(
  self: NodeJS.Process,
  interrupts = new Interrupts(self),
  clock: Clock = new RealClock(),
): Host {
  return {
    args: self.argv.slice(2),
    env: self.env,
    out: makeOutput(self.stdout, (why) => {
      self.stderr.write(`ghostfleet: the output is incomplete: ${why}\n`);
      // Exit code 0 would mean that the output is complete.
      self.on('exit', () => {
        self.exitCode ||= EXIT.usage;
      });
    }),
    err: makeOutput(self.stderr),
    lines: () => readLines(self.stdin),
    terminal: (options) => processTerminal(self, options, () => interrupts.interrupt('SIGINT')),
    begun: () => interrupts.release(),
    onInterrupt: (handler, left) => interrupts.listen(handler, left),
    wallClock: () => clock.wall,
    nodeVersion: self.versions.node,
    cores: availableParallelism(),
    again: (args, options) => again(self, args, options),
    openBrowser: (address) => openBrowser(address, (remove) => self.once('exit', remove)),
    stopwatch: () => realTimers.now(),
  };
}

/** Starts the program of this process again, with a channel: it ends when this process is gone (see {@link Interrupts}). */
function again(
  self: NodeJS.Process,
  args: readonly string[],
  { env, errLine, workingDirectory }: AgainOptions = {},
): AnotherRun {
  // The cast is safe because these streams are pipes: the types of Node.js do not know a list of four.
  const child = spawn(self.execPath, [...self.execArgv, self.argv[1] ?? '', ...args], {
    cwd: workingDirectory,
    env: { ...withoutSettings(self.env), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const out = text(child.stdout);
  const err = readText(child.stderr, errLine ?? (() => {}));
  const ended = once(child, 'close').then(async ([code, signal]: readonly unknown[]) => ({
    // A process that a signal has ended has no code.
    exit: typeof code === 'number' ? code : EXIT.interrupted,
    out: await out,
    err: await err,
    ...(typeof signal === 'string' && { signal }),
  }));
  return { ended, stop: () => void child.kill('SIGTERM') };
}

/** The whole text of a stream. @param take receives each complete line when it arrives */
async function readText(stream: NodeJS.ReadableStream, take: (line: string) => void): Promise<string> {
  let all = '';
  let taken = 0;
  stream.setEncoding('utf8');
  for await (const piece of stream) {
    all += piece;
    for (let end = all.indexOf('\n', taken); end >= 0; end = all.indexOf('\n', taken)) {
      take(all.slice(taken, end));
      taken = end + 1;
    }
  }
  return all;
}

/** The lines of a pipe. The end of the iteration also closes the pipe; Node's own iterator leaves it open. */
function readLines(input: NodeJS.ReadableStream): AsyncIterable<string> {
  const reader = createInterface({ input, terminal: false });
  const lines = reader[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorResult<string>> => {
    reader.close();
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => lines.next(), return: end }) };
}

/** @param failed called once with the reason when output is lost */
function makeOutput(stream: NodeJS.WriteStream, failed: (why: string) => void = () => {}): Output {
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
    // Read at each use, because the window may be resized. Some terminals report 0.
    get columns() {
      return stream.columns || 100;
    },
  };
}
