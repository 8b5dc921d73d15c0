/**
 * What can go wrong, whose fault it is, and the exit code that says so. One table, so that a message, its code and the
 * exit status never disagree.
 */

/** Exit statuses of the command line. */
export const EXIT = {
  fine: 0,
  /** Our fault: a bug. */
  internal: 1,
  /** The user's file, flags or environment. */
  usage: 2,
  /** An expectation of the scenario failed. */
  expectation: 3,
  /** The world did not come to rest. */
  stuck: 4,
  /** The machine or the generator spoiled the measurement: it says nothing about the service. */
  invalid: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that is worth a sentence rather than a stack trace. */
export class GhostfleetError extends Error {
  /** Stable, for programs: `bad-file`, `port-in-use`, … */
  readonly code: string;
  readonly exit: ExitCode;
  /** What to do about it, when there is something to do. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, exit: ExitCode, hint?: string) {
    super(message);
    this.name = 'GhostfleetError';
    this.code = code;
    this.exit = exit;
    this.hint = hint;
  }
}

/** The user's input or environment is at fault. */
export class UsageError extends GhostfleetError {
  constructor(code: string, message: string, hint?: string) {
    super(code, message, EXIT.usage, hint);
    this.name = 'UsageError';
  }
}

/** Something never came to an end; `waitsFor` names it. */
export class StuckError extends GhostfleetError {
  readonly waitsFor: string;

  constructor(message: string, waitsFor: string) {
    super('stuck', message, EXIT.stuck);
    this.name = 'StuckError';
    this.waitsFor = waitsFor;
  }
}

/** The user pressed Ctrl-C, or the process was told to end. */
export class InterruptedError extends GhostfleetError {
  constructor(signal: string) {
    super('interrupted', `interrupted by ${signal}`, EXIT.interrupted);
    this.name = 'InterruptedError';
  }
}
