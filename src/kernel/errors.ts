/** The errors of the program, each with its exit status. */

/** Exit statuses of the command line. */
export const EXIT = {
  fine: 0,
  /** A bug in ghostfleet. */
  internal: 1,
  /** `capacity`: the service carries less than was asked for. Other commands end with this code only because of a bug. */
  below: 1,
  /** An invalid file, option or environment. */
  usage: 2,
  /** An expectation of the scenario failed. */
  expectation: 3,
  /** The run cannot be finished, for example because it is stuck or the service is gone. */
  stuck: 4,
  /** The measurement is invalid: this machine was too slow to judge the service, or the code of a device threw an error. */
  invalid: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure, reported as a sentence without a stack trace. */
export class GhostfleetError extends Error {
  /** Stable, for programs: `bad-file`, `port-in-use`, … */
  readonly code: string;
  readonly exit: ExitCode;
  /** What the user can do; undefined if there is nothing. */
  readonly hint: string | undefined;

  constructor(code: string, message: string, exit: ExitCode, hint?: string) {
    super(message);
    this.name = 'GhostfleetError';
    this.code = code;
    this.exit = exit;
    this.hint = hint;
  }
}

/** Invalid input or environment of the user. */
export class UsageError extends GhostfleetError {
  constructor(code: string, message: string, hint?: string) {
    super(code, message, EXIT.usage, hint);
    this.name = 'UsageError';
  }
}

/** The run cannot make progress; `waitsFor` names what it waits for. */
export class StuckError extends GhostfleetError {
  readonly waitsFor: string;

  constructor(message: string, waitsFor: string) {
    super('stuck', message, EXIT.stuck);
    this.name = 'StuckError';
    this.waitsFor = waitsFor;
  }
}

/** The user pressed Ctrl-C, or the process received a termination signal. */
export class InterruptedError extends GhostfleetError {
  constructor(signal: string) {
    super('interrupted', `interrupted by ${signal}`, EXIT.interrupted);
    this.name = 'InterruptedError';
  }
}

/**
 * Whether a value is an Error, also one of another realm: a test runner may run this code in a context of its own (Jest), in
 * which the errors of Node are not `instanceof Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

/** The failures that a failure summarises, such as those of connections to several addresses; undefined for other errors. */
export function innerErrors(error: Error): readonly unknown[] | undefined {
  return 'errors' in error && Array.isArray(error.errors) ? error.errors : undefined;
}

/** The message of anything that was thrown, also of an object that is not an Error, as a worker thread may pass it on. */
export function messageOf(error: unknown): string {
  if (isError(error)) return error.message;
  if (typeof error !== 'object' || error === null) return String(error);
  if ('message' in error && typeof error.message === 'string') return error.message;
  try {
    return JSON.stringify(error);
  } catch {
    return 'an object that cannot be shown';
  }
}

/** Anything that was thrown as an Error. */
export function asError(error: unknown): Error {
  return isError(error) ? error : new Error(messageOf(error), { cause: error });
}
