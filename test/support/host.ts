/** The whole program in memory: arguments in, output and exit code out. */
import { main } from '../../src/cli/index.js';

export interface Outcome {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface HostOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Lines that the user types. */
  readonly typed?: readonly string[];
  /** Presses Ctrl-C as soon as the output matches. */
  readonly interruptOn?: RegExp;
  /** Presses Ctrl-C when it is fulfilled. */
  readonly interruptWhen?: Promise<void>;
}

export async function ghostfleet(args: readonly string[], options: HostOptions = {}): Promise<Outcome> {
  let out = '';
  let err = '';
  const handlers = new Set<(signal: string) => void>();
  let interrupted = false;
  const look = () => {
    if (interrupted || !options.interruptOn?.test(out + err)) return;
    interrupted = true;
    for (const handler of handlers) handler('SIGINT');
  };
  void options.interruptWhen?.then(() => {
    for (const handler of handlers) handler('SIGINT');
  });
  let now = 0;
  const exit = await main({
    args,
    env: options.env ?? {},
    out: {
      write: (text) => {
        out += text;
        queueMicrotask(look);
      },
      isTerminal: false,
      columns: 100,
    },
    err: {
      write: (text) => {
        err += text;
        queueMicrotask(look);
      },
      isTerminal: false,
      columns: 100,
    },
    lines: async function* () {
      yield* options.typed ?? [];
    },
    onInterrupt: (handler) => {
      handlers.add(handler);
      queueMicrotask(look);
      return () => handlers.delete(handler);
    },
    stopwatch: () => now++,
  });
  return { exit, out, err };
}
