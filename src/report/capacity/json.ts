/** The result of a search for programs, and to be continued. */
import { UsageError } from '../../kernel/errors.js';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-size.js';
import { isObject } from '../../kernel/json-text.js';
import { printableTexts } from '../../kernel/printable.js';
import { CAPACITY_FORMAT, type CapacityQuestion, type CapacityResult, type LevelRun } from './result.js';

/** One indented JSON object. Durations are in milliseconds, `precision` is relative: 0.05 for 5%. */
export function capacityJson(result: CapacityResult): string {
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** What an earlier search looked for. */
type EarlierQuestion = Omit<CapacityQuestion, 'seed' | 'clock'>;

/** What a continued search takes from an earlier one. */
interface EarlierSearch {
  readonly question: EarlierQuestion;
  readonly runs: readonly LevelRun[];
}

/**
 * Reads a `capacity.json`. The file is not trusted.
 * @param name path of the file, for messages
 * @throws UsageError if the text is not the result of a search, or has another format version
 */
export function readCapacity(text: string, name: string): EarlierSearch {
  const wrong = (why: string) => new UsageError('not-a-search', `"${name}" is not the result of a search: ${why}`);
  if (isTooDeep(text)) throw wrong(TOO_DEEP);
  let read: Partial<CapacityResult>;
  try {
    // The cast is safe because the parts that are used are checked below.
    read = (JSON.parse(text) ?? {}) as Partial<CapacityResult>;
  } catch {
    throw wrong('it is not JSON');
  }
  const { format, scenario, target, key, unit, from, to, precision, atLeast, levels } = read;
  if (format !== CAPACITY_FORMAT) throw wrong(`"format" is ${JSON.stringify(format)}, expected ${CAPACITY_FORMAT}`);
  const question = { scenario, target, key, unit, from, to, precision, atLeast };
  if (!isQuestion(question)) throw wrong('a part of its question is missing or not valid');
  const runs = Array.isArray(levels) ? levels.flatMap((level) => (Array.isArray(level?.runs) ? level.runs : [])) : [];
  if (!runs.every(isRun)) throw wrong('a run in "levels" is incomplete or not valid');
  return { question: printableTexts(question), runs: printableTexts(runs) };
}

function isQuestion(question: Readonly<Record<keyof EarlierQuestion, unknown>>): question is EarlierQuestion {
  const { scenario, target, key, unit, from, to, precision, atLeast } = question;
  const numbers = [from, to, precision, ...(atLeast === null ? [] : [atLeast])];
  return [scenario, target, key, unit].every(isText) && numbers.every(Number.isFinite);
}

const KINDS: readonly unknown[] = ['holds', 'fails', 'generator limit'];

/** Maximum number of characters of a text; the reasons of real runs are sentences. */
const LONGEST = 10_000;

function isRun(run: Partial<LevelRun> | null): run is LevelRun {
  if (!isObject(run)) return false;
  const { value, repetition, seed, kind, why, recovery, service, digest, plan, expectations } =
    run as Partial<LevelRun>;
  const { throughput, latency } = run as Partial<LevelRun>;
  return (
    [value, repetition, seed].every(Number.isFinite) &&
    [recovery, service].every((each) => each === null || Number.isFinite(each)) &&
    KINDS.includes(kind) &&
    [digest, plan, why ?? ''].every(isText) &&
    why !== undefined &&
    hasNumbers(throughput, ['offered', 'done']) &&
    hasNumbers(latency, ['p50', 'p95', 'p99']) &&
    Array.isArray(expectations) &&
    expectations.every(isExpectation)
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length <= LONGEST;
}

/** Whether a value is null, or an object with the word `of` and these numbers. */
function hasNumbers(value: unknown, names: readonly string[]): boolean {
  return value === null || (isObject(value) && isText(value.of) && names.every((name) => Number.isFinite(value[name])));
}

function isExpectation(value: unknown): boolean {
  if (!isObject(value) || !isText(value.line) || !isText(value.sentence) || typeof value.passed !== 'boolean')
    return false;
  return [value.left, value.right].every((side) => side === null || Number.isFinite(side));
}
