/**
 * What the command line needs of the outside, so that a test can run the whole program in memory and look at its output and
 * exit code.
 */
import type { Millis } from '../kernel/time.js';

export interface Output {
  write(text: string): void;
  /** A terminal, on which a line can be written over. */
  readonly isTerminal: boolean;
  /** Width of the terminal. */
  readonly columns: number;
}

/** A prompt at the user's terminal. */
export interface Terminal {
  /** Lines as they are typed; ends when the user presses Ctrl-D, or the terminal is closed. Ctrl-C is an interrupt. */
  readonly lines: AsyncIterable<string>;
  /** Writes lines above the prompt; what is being typed stays. */
  print(lines: readonly string[]): void;
  prompt(text: string): void;
  close(): void;
}

export interface TerminalOptions {
  readonly prompt: string;
  /** What may stand in place of the last word of a line. */
  readonly complete: (line: string) => Promise<readonly string[]>;
}

export type InterruptHandler = (signal: string) => void;

export interface Host {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: Output;
  /** Progress, logs and complaints. */
  readonly err: Output;
  /** Lines typed by the user, as they come. */
  lines(): AsyncIterable<string>;
  /** Opens a prompt with history and completion; undefined when input or output is no terminal. */
  terminal(options: TerminalOptions): Terminal | undefined;
  /**
   * Calls `handler` once, when the user or the system wants the program to end; who insists ends it at once.
   * @param left what is then left behind, in words
   * @returns the way to stop listening, for when the program has ended what it began
   */
  onInterrupt(handler: InterruptHandler, left?: string): () => void;
  /** Real milliseconds since some moment. */
  stopwatch(): Millis;
}
