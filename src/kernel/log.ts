/** The part of a pino logger that ghostfleet uses. Claim tokens, passwords and API keys are never logged. */
export interface Log {
  /** @param fields structured fields of the log line @param message fixed text of the log line */
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Writes nothing. */
export const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };
