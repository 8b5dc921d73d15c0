/** The interface between the command line and its process. Tests run the command line in memory with a host of their own. */
import { UsageError } from '../kernel/errors.js';
import type { Millis, UnixMillis } from '../kernel/time.js';
import type { RunOptions } from '../runner/run.js';

export interface Output {
  /** Writes a text. @param own `styled`: the text has control characters on purpose, and its other parts are already escaped */
  write(text: string, own?: 'styled'): void;
  /** Whether lines can be overwritten. */
  readonly isTerminal: boolean;
  /** Width in characters. */
  readonly columns: number;
}

/** A prompt at the user's terminal. */
export interface Terminal {
  /** Typed lines, until the user presses Ctrl-D or the terminal is closed. Ctrl-C is an interrupt. */
  readonly lines: AsyncIterable<string>;
  /** Writes lines above the prompt and keeps the line that is being typed. */
  print(lines: readonly string[]): void;
  prompt(text: string): void;
  close(): void;
}

export interface TerminalOptions {
  readonly prompt: string;
  /** Completions for the last word of a line. */
  readonly complete: (line: string) => Promise<readonly string[]>;
}

/** A process that has ended. */
export interface EndedRun {
  readonly exit: number;
  /** The signal that has ended the process, such as `SIGKILL`; undefined if it has ended by itself. */
  readonly signal?: string | undefined;
  readonly out: string;
  readonly err: string;
}

/** This program in another process. */
export interface AnotherRun {
  readonly ended: Promise<EndedRun>;
  /** Sends a termination signal to the process. */
  stop(): void;
}

export interface AgainOptions {
  /** Added to the environment, which is that of this process {@link withoutSettings}. */
  readonly env?: Host['env'];
  /** Receives the lines of the error output as they arrive. */
  readonly errLine?: (line: string) => void;
  /** Default: that of this process. */
  readonly workingDirectory?: string;
}

export type InterruptHandler = (signal: string) => void;

export interface Host {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Output;
  /** The output for progress, logs and errors. */
  readonly err: Output;
  /** Lines of the standard input as they arrive. */
  lines(): AsyncIterable<string>;
  /** Opens a prompt with history and completion; undefined unless input and output are terminals. */
  terminal(options: TerminalOptions): Terminal | undefined;
  /**
   * Calls `handler` at the first Ctrl-C or termination signal; a second one exits the process at once.
   * @param left the message for such an exit: what the command leaves behind
   * @returns a function that removes the handler
   */
  onInterrupt(handler: InterruptHandler, left?: () => string | undefined): () => void;
  /** Called when the command has begun: a signal without a handler ends the process from now on. */
  begun(): void;
  /** The time of this machine. */
  wallClock(): UnixMillis;
  /** The version of Node.js, such as `20.19.0`. */
  readonly nodeVersion: string;
  /** Cores of this machine that the process may use. */
  readonly cores: number;
  /** Starts this program again. Other users of the machine can read the arguments of a process, but not its environment. */
  again(args: readonly string[], options?: AgainOptions): AnotherRun;
  openBrowser(address: string): void;
  /** Real milliseconds since an arbitrary moment. */
  stopwatch(): Millis;
  /** Folder with the built web console. Default: the console in the package. */
  readonly webConsole?: string;
  /** Measures whether this process keeps up with a run in real time. Default: event loop, CPU and lateness. */
  readonly meter?: RunOptions['meter'] | undefined;
}

/** How the names of this program's variables begin. Their values are keys, tokens, and values for scenarios. */
const SETTING = 'GHOSTFLEET_';

/** The rest of the name of a variable with a value for scenarios follows. Modules of scenarios would make the start slow. */
const VALUE = `${SETTING}VAR_`;

/** The variables of this program in an environment. */
export function settingsIn(env: Host['env']): Host['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(SETTING)));
}

/**
 * Values for scenarios may be in quotation marks. In any other setting, these are most likely left from a file of Docker.
 * @throws UsageError `quoted-setting` with the names of the variables
 */
export function checkSettings(env: Host['env']): void {
  const quoted = Object.entries(settingsIn(env)).flatMap(([name, value = '']) =>
    /^(["']).*\1$/s.test(value) && !name.startsWith(VALUE) ? [name] : [],
  );
  if (quoted.length === 0) return;
  throw new UsageError(
    'quoted-setting',
    `the value of ${quoted.join(', of ')} begins and ends with a quotation mark`,
    'remove the quotation marks, which "docker run --env-file" passes on as a part of the value',
  );
}

/** The environment of another process, which may read what others wrote, such as the text of a scenario. */
export function withoutSettings(env: Host['env']): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(SETTING)));
}

/** Maximum width of a text in characters: longer lines are hard to read. */
const WIDEST = 120;
const NARROWEST = 40;

/** Whether to colour a text: FORCE_COLOR decides, then NO_COLOR, then whether the output is a terminal with colours. */
export function isColoured(output: Pick<Output, 'isTerminal'>, env: Host['env']): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return !refused && movesCursor(output, env);
}

/** Whether lines on the output can be overwritten: a terminal with TERM=dumb only appends. */
export function movesCursor({ isTerminal }: Pick<Output, 'isTerminal'>, { TERM }: Host['env']): boolean {
  return isTerminal && TERM !== 'dumb';
}

/** The width of a report: the width of the terminal, within limits; undefined for a file or a pipe. */
export function getTextWidth({ isTerminal, columns }: Output): number | undefined {
  return isTerminal ? Math.max(NARROWEST, Math.min(WIDEST, columns)) : undefined;
}
