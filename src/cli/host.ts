/**
 * What the command line needs of the outside, so that a test can run the whole program in memory and look at its output and
 * exit code.
 */

export interface Output {
  write(text: string): void;
  /** A terminal, on which a line can be written over. */
  readonly isTerminal: boolean;
  /** Width of the terminal. */
  readonly columns: number;
}

export interface Host {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results. */
  readonly out: Output;
  /** Progress, logs and complaints. */
  readonly err: Output;
  /** Lines typed by the user, as they come. */
  lines(): AsyncIterable<string>;
  /** Calls `handler` when the user or the system wants the program to end; returns the way to stop listening. */
  onInterrupt(handler: (signal: string) => void): () => void;
  /** Real milliseconds since some moment. */
  stopwatch(): number;
}
