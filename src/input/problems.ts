/** Problems of a user's file with their places, and helpers for their messages. */
import { UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';

export { didYouMean } from '../kernel/did-you-mean.js';

/** A problem of a user's input. */
export interface Problem {
  readonly file: string;
  /** From 1. It is 0 if the input is not a file; then `file` is the path of a value. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** What is wrong, with the value in quotation marks, and what is expected. */
  readonly message: string;
}

/** Limit of problems in one message; a file with more problems is probably the wrong file. */
const MOST_SHOWN = 50;

/** Thrown if a file has problems; the message lists them, one on each line. */
export class InputError extends UsageError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], hint?: string) {
    const shown = problems.slice(0, MOST_SHOWN).map(formatProblem);
    if (problems.length > MOST_SHOWN) shown.push(`… and ${problems.length - MOST_SHOWN} more problems`);
    super('bad-file', shown.join('\n'), hint);
    this.name = 'InputError';
    this.problems = problems;
  }
}

/** `scenarios/a.yaml:12:9: "1 hour" is not a duration …` */
export function formatProblem(problem: Problem): string {
  if (problem.line === 0) return `${problem.file}: ${problem.message}`;
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** A user's value for a message: in quotation marks, on one line, and shortened if it is longer than 60 characters. */
export function quote(value: unknown): string {
  return `"${oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)), 60)}"`;
}

/** A text on one line, shortened if it is longer than `most` characters. */
export function oneLine(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most - 3)}…` : text;
  // Control characters are escaped: they could break the line or control the terminal.
  return printableLine(short);
}

/** `a`, `a or b`, `a, b or c`. */
export function orList(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
}
