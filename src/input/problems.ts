/** Everything that is wrong with a user's file, all at once, each with its place. */
import { UsageError } from '../kernel/errors.js';

/** One thing that is wrong with a user's input. */
export interface Problem {
  readonly file: string;
  /** From 1; 0: not a file, `file` is the path of a value. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** What is wrong, with the value in quotes, and what was wanted. */
  readonly message: string;
}

/** Limit of problems in one message: more of them mean that it is the wrong file. */
const MOST_SHOWN = 50;

/** Raised when a file has problems; its message lists them, one a line. */
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

/** Shows a value of the user's in a message: quoted, on one line, and cut when it is long. */
export function quote(value: unknown): string {
  return `"${oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)), 60)}"`;
}

/** A text on one line, cut when it is longer than `most`. */
export function oneLine(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most - 3)}…` : text;
  // Control characters are escaped: they could break the line, or do things to a terminal.
  return short.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

/** ` (did you mean "count"?)` when one of the candidates is close, otherwise nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

/** `a`, `a or b`, `a, b or c`. */
export function orList(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words[words.length - 1]}`;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`; `limit` when it takes that many. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[b.length] ?? limit, limit);
}
