/** Reads and checks the part of a `summary.json` that a comparison needs. The file is not trusted. */
import { EXIT, UsageError } from '../../kernel/errors.js';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-size.js';
import { foreignNumber, isObject } from '../../kernel/json-text.js';
import { printableLine } from '../../kernel/printable.js';
import type { UnixMillis } from '../../kernel/time.js';
import { MOST_BUCKETS } from '../../trace/histogram.js';
import { BATCHES, type SampledDurations, type SampleSummary } from '../../trace/metrics/samples.js';
import { SUMMARY_FORMAT } from '../result.js';
import { getVerdict } from '../verdict.js';
import type { ComparedRun } from './side.js';

/** A run with what a list of runs shows of it. What the summary does not have, or has in another form, is null. */
export interface ReadRun extends ComparedRun {
  readonly startedAt: UnixMillis | null;
  readonly verdict: string | null;
  readonly devices: number | null;
  /** The expectations that were not met, as the user wrote them. */
  readonly unmet: readonly string[];
}

/** The parts that a comparison needs are the same in these formats, except for the fingerprint of the scenario. */
const READABLE: readonly number[] = [1, SUMMARY_FORMAT];

/**
 * Reads the text of a `summary.json`.
 * @param name path of the file, for messages
 * @throws UsageError when the text is not a summary, or has another format version
 */
export function readSummary(text: string, name: string): ReadRun {
  const summary = asObject(parseJson(text, name));
  if (summary === undefined) throw makeFileError(name, 'not a JSON object');
  const { format } = summary;
  if (typeof format !== 'number' || !READABLE.includes(format)) {
    const found = format === undefined ? 'is missing' : `is ${JSON.stringify(format)}`;
    throw makeFileError(name, `"format" ${found}, expected ${READABLE.join(' or ')}`);
  }
  const { scenario, seed, digest, failure, exitCode } = summary;
  const actions = asObject(summary.console)?.actions;
  const situation = asObject(summary.planned)?.situation;
  const samples = readSamples(summary.samples);
  if (typeof scenario !== 'string') throw makeFileError(name, '"scenario" is missing');
  if (typeof seed !== 'number') throw makeFileError(name, '"seed" is missing');
  if (typeof situation !== 'string') throw makeFileError(name, '"planned.situation" is missing');
  if (samples === undefined)
    throw makeFileError(
      name,
      '"samples" is missing or invalid; if another version of ghostfleet wrote the file, repeat the run',
    );
  const end = {
    failure: typeof failure === 'string' ? failure : null,
    spoiled: exitCode === EXIT.invalid,
    touched: foreignNumber(actions) > 0,
  };
  return {
    name,
    format,
    scenario,
    seed,
    digest: typeof digest === 'string' ? digest : null,
    situation,
    options: readOptions(summary.source),
    ...end,
    samples,
    ...readOutcome(summary),
  };
}

function readOutcome({
  startedAt,
  passed,
  exitCode,
  failure,
  fleet,
  expectations,
}: Readonly<Record<string, unknown>>): Pick<ReadRun, 'startedAt' | 'verdict' | 'devices' | 'unmet'> {
  const started = typeof startedAt === 'string' ? Date.parse(startedAt) : Number.NaN;
  const devices = asObject(fleet)?.devices;
  const unmet = (Array.isArray(expectations) ? expectations : []).flatMap((one) => {
    const { line, passed: met, undecided } = asObject(one) ?? {};
    return typeof line === 'string' && met === false && undecided !== true ? [line] : [];
  });
  return {
    startedAt: Number.isNaN(started) ? null : started,
    verdict:
      typeof passed !== 'boolean'
        ? null
        : getVerdict({ passed, exitCode, failure: typeof failure === 'string' ? failure : null }).word,
    devices: typeof devices === 'number' ? devices : null,
    unmet,
  };
}

/** @param source the scenario file of the run with its variables; runs of a program have none */
function readOptions(source: unknown): ComparedRun['options'] {
  const { firmware, vars } = asObject(source) ?? {};
  const given = Object.entries(asObject(vars) ?? {}).map(([name, value]) => [`--var ${printableLine(name)}`, value]);
  const all = [...given, ['--firmware', firmware]];
  return new Map(all.flatMap(([name, value]) => (isOption(value) ? [[String(name), value] as const] : [])));
}

function isOption(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function parseJson(text: string, name: string): unknown {
  if (isTooDeep(text)) throw makeFileError(name, TOO_DEEP);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw makeFileError(name, (error as Error).message);
  }
}

function makeFileError(name: string, why: string): UsageError {
  return new UsageError('bad-file', `"${name}" is not the summary of a run: ${why}`);
}

function readSamples(value: unknown): SampleSummary | undefined {
  const samples = asObject(value);
  const [counts, durations] = [asObject(samples?.counts), asObject(samples?.durations)];
  if (samples?.batches !== BATCHES || counts === undefined || durations === undefined) return undefined;
  const isCounts = (value: unknown) => isNumbers(value, BATCHES);
  if (!Object.values(counts).every(isCounts) || !Object.values(durations).every(isDurations)) return undefined;
  return { batches: BATCHES, counts, durations } as SampleSummary;
}

function isDurations(value: unknown): value is SampledDurations {
  const durations = asObject(value);
  if (durations === undefined || !(typeof durations.steps === 'number' && durations.steps > 0)) return false;
  const { min, max, batches } = durations;
  if (typeof min !== 'number' || typeof max !== 'number') return false;
  if (!Array.isArray(batches) || batches.length > BATCHES) return false;
  return batches.every((batch) => isNumbers(batch, 2 * MOST_BUCKETS) && batch.length % 2 === 0);
}

/** @param most more numbers than a run can have would take hours to compare */
function isNumbers(value: unknown, most: number): value is readonly number[] {
  return Array.isArray(value) && value.length <= most && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}
