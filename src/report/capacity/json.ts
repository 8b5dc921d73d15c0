/** The result of a search for programs, and to be continued. */
import { UsageError } from '../../kernel/errors.js';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-size.js';
import { CAPACITY_FORMAT, type CapacityQuestion, type CapacityResult, type LevelRun } from './result.js';

/** One indented JSON object. Durations are in milliseconds, `precision` is relative: 0.05 for 5%. */
export function capacityJson(result: CapacityResult): string {
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** What a continued search takes from an earlier one. */
interface EarlierSearch {
  readonly question: Pick<CapacityQuestion, 'scenario' | 'target'>;
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
  const { format, scenario, target, levels } = read;
  if (format !== CAPACITY_FORMAT) throw wrong(`"format" is ${JSON.stringify(format)}, expected ${CAPACITY_FORMAT}`);
  if (typeof scenario !== 'string' || typeof target !== 'string') throw wrong('"scenario" or "target" is missing');
  const runs = Array.isArray(levels) ? levels.flatMap((level) => (Array.isArray(level?.runs) ? level.runs : [])) : [];
  if (!runs.every(isRun)) throw wrong('a run in "levels" is incomplete');
  return { question: { scenario, target }, runs };
}

const KINDS: readonly unknown[] = ['holds', 'fails', 'generator limit'];

function isRun(run: Partial<LevelRun> | null): run is LevelRun {
  return (
    typeof run?.value === 'number' &&
    typeof run.repetition === 'number' &&
    typeof run.plan === 'string' &&
    KINDS.includes(run.kind) &&
    Array.isArray(run.expectations)
  );
}
