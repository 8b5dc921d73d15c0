/** Errors in a text of one line, such as an expectation or a check of an answer. */
import type { Place, Problems } from './document.js';

/** A syntax error; `column` counts from 1 within the text. */
export class LineError extends Error {
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.name = 'LineError';
    this.column = column;
  }
}

/** Reads a text, and notes a LineError as a problem. @param at the place of a column */
export function noteLineError<T>(problems: Problems, at: (column: number) => Place, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    problems.add(at(error.column), error.message);
    return undefined;
  }
}
