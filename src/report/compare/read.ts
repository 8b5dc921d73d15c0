/** Reads what a comparison needs out of the text of a `summary.json`, which may be anybody's. */
import { UsageError } from '../../kernel/errors.js';
import { BATCHES, type SampledDurations, type SampleSummary } from '../../trace/metrics/samples.js';
import { SUMMARY_FORMAT } from '../result.js';
import type { ComparedRun } from './compare.js';

/** @throws UsageError that says why the text is no summary, or one of another version */
export function readSummary(text: string, name: string): ComparedRun {
  const summary = objectIn(parsed(text, name));
  if (summary === undefined) throw wrong(name, 'it is not an object');
  if (summary.format !== SUMMARY_FORMAT) {
    const found = summary.format === undefined ? 'it has none' : `its is ${JSON.stringify(summary.format)}`;
    throw wrong(name, `"format" must be ${SUMMARY_FORMAT}, and ${found}`);
  }
  const { scenario, seed, failure } = summary;
  const actions = objectIn(summary.console)?.actions;
  const situation = objectIn(summary.planned)?.situation;
  const samples = samplesIn(summary.samples);
  if (typeof scenario !== 'string') throw wrong(name, '"scenario" is missing');
  if (typeof seed !== 'number') throw wrong(name, '"seed" is missing');
  if (typeof situation !== 'string') throw wrong(name, '"planned.situation" is missing');
  if (samples === undefined) throw wrong(name, '"samples" is missing or not as it should be');
  const course = { failure: typeof failure === 'string' ? failure : null, touched: Number(actions ?? 0) > 0 };
  return { name, scenario, seed, situation, ...course, samples };
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wrong(name, (error as Error).message);
  }
}

function wrong(name: string, why: string): UsageError {
  return new UsageError('bad-file', `"${name}" is not the summary of a run: ${why}`);
}

function samplesIn(value: unknown): SampleSummary | undefined {
  const samples = objectIn(value);
  const [counts, durations] = [objectIn(samples?.counts), objectIn(samples?.durations)];
  if (samples?.batches !== BATCHES || counts === undefined || durations === undefined) return undefined;
  if (!Object.values(counts).every(isNumbers) || !Object.values(durations).every(isDurations)) return undefined;
  // Because every value of both has just been looked at.
  return { batches: BATCHES, counts, durations } as SampleSummary;
}

function isDurations(value: unknown): value is SampledDurations {
  const durations = objectIn(value);
  if (durations === undefined || !(typeof durations.steps === 'number' && durations.steps > 0)) return false;
  const { batches } = durations;
  return (
    Array.isArray(batches) && batches.every((batch) => isNumbers(batch) && batch.length % 2 === 0 && inBuckets(batch))
  );
}

/** There are fewer than a thousand buckets; a larger number would ask for that much memory. */
function inBuckets(batch: readonly number[]): boolean {
  return batch.every((value, i) => i % 2 === 1 || value < 1000);
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isInteger(item) && item >= 0);
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // Because an object can be asked for any key.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
