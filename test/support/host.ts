/** Runs the whole program in memory with given arguments, and returns its output and exit code. */
import { type Host, type Terminal, type TerminalOptions, withoutSettings } from '../../src/cli/host.js';
import { main } from '../../src/cli/index.js';
import { unhurried } from './unhurried.js';
import { until } from './until.js';

export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface HostOptions {
  readonly env?: Host['env'];
  /** Lines that the user types; at a pattern, the user waits until the output matches it. */
  readonly typed?: readonly (string | RegExp)[];
  /** Gives the user a terminal. Before typing, the user presses TAB after each text in `completing`. */
  readonly terminal?: { readonly completing?: readonly string[] };
  /** Presses Ctrl-C as soon as the output matches. */
  readonly interruptOn?: RegExp;
  /** Receives the error output so far, after each change. */
  readonly watch?: (err: string) => void;
  /** Receives the output so far, after each change. */
  readonly watchOut?: (out: string) => void;
  /** Receives the addresses that the program opens in the browser. */
  readonly browser?: (address: string) => void;
  /** Folder with the built web console. */
  readonly webConsole?: string;
  /** Receives the arguments of each further process of the program. */
  readonly started?: (args: readonly string[]) => void;
  /** The signal that ends a further process at once; undefined if it runs. */
  readonly killed?: (args: readonly string[]) => string | undefined;
  /** Called when the command has begun, with the number of its handlers of Ctrl-C. */
  readonly begun?: (handlers: number) => void;
  /** Presses Ctrl-C when this promise is settled. */
  readonly interruptWhen?: Promise<unknown>;
}

export async function ghostfleet(args: readonly string[], options: HostOptions = {}): Promise<Outcome> {
  let out = '';
  let err = '';
  const handlers = new Set<(signal: string) => void>();
  let interrupted = false;
  let ended = false;
  const interrupt = () => {
    interrupted = true;
    for (const handler of handlers) handler('SIGINT');
  };
  const look = () => {
    if (!interrupted && options.interruptOn?.test(out + err)) interrupt();
  };
  void options.interruptWhen?.then(interrupt);
  let now = 0;
  async function* lines() {
    for (const line of options.typed ?? []) {
      if (typeof line === 'string') yield line;
      else await until(() => ended || line.test(out + err));
    }
  }
  const terminal = (asked: TerminalOptions): Terminal => {
    out += asked.prompt;
    queueMicrotask(look);
    return {
      lines: (async function* () {
        for (const begun of options.terminal?.completing ?? []) {
          out += `\n${begun}[TAB] ${(await asked.complete(begun)).join(' ')}\n`;
        }
        yield* lines();
      })(),
      print: (printed) => {
        out += printed.map((line) => `${line}\n`).join('');
        queueMicrotask(look);
      },
      prompt: (text) => {
        out += text;
      },
      close: () => {},
    };
  };
  const exit = await main({
    args,
    env: options.env ?? {},
    out: {
      write: (text) => {
        out += text;
        options.watchOut?.(out);
        queueMicrotask(look);
      },
      isTerminal: options.terminal !== undefined,
      columns: 100,
    },
    err: {
      write: (text) => {
        err += text;
        options.watch?.(err);
        queueMicrotask(look);
      },
      isTerminal: false,
      columns: 100,
    },
    lines,
    terminal: (asked) => (options.terminal ? terminal(asked) : undefined),
    begun: () => options.begun?.(handlers.size),
    onInterrupt: (handler) => {
      handlers.add(handler);
      queueMicrotask(look);
      return () => handlers.delete(handler);
    },
    wallClock: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    nodeVersion: process.versions.node,
    cores: 2,
    again: (more, { env, errLine } = {}) => {
      options.started?.(more);
      const killed = options.killed?.(more);
      if (killed !== undefined) {
        return { ended: Promise.resolve({ exit: 130, signal: killed, out: '', err: '' }), stop: () => {} };
      }
      let stop = () => {};
      const stopped = new Promise<void>((resolve) => {
        stop = resolve;
      });
      const watch = (text: string) => errLine?.(text.trimEnd().split('\n').at(-1) ?? '');
      return {
        ended: ghostfleet(more, {
          interruptWhen: stopped,
          watch,
          env: { ...withoutSettings(options.env ?? {}), ...env },
        }),
        stop: () => stop(),
      };
    },
    openBrowser: (address) => options.browser?.(address),
    ...(options.webConsole !== undefined && { webConsole: options.webConsole }),
    stopwatch: () => now++,
    meter: unhurried,
  });
  ended = true;
  return { exit, out, err };
}
