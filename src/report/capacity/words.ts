/** The words and cells that the views of a search share. */
import { humanCount, humanShare, levelText } from '../../kernel/quantity.js';
import { humanDuration } from '../../kernel/time.js';
import type { CapacityQuestion, CapacityResult, Level, LevelExpectation, LevelRun } from './result.js';

type Look = 'good' | 'bad' | 'open';

/** The verdict in a few words. */
export function verdictOf({ outcome, reached, atLeast, unit }: CapacityResult): {
  readonly word: string;
  readonly look: Look;
} {
  if (atLeast !== null && reached !== null) {
    return reached
      ? { word: `at least ${levelText(atLeast, unit)}`, look: 'good' }
      : { word: `less than ${levelText(atLeast, unit)}`, look: 'bad' };
  }
  switch (outcome) {
    case 'found':
      return { word: 'limit found', look: 'good' };
    case 'no limit':
    case 'unfinished':
    case 'generator limit':
      return { word: outcome === 'unfinished' ? 'NOT FINISHED' : outcome, look: 'open' };
    case 'below range':
    case 'target broken':
      return { word: outcome, look: 'bad' };
    default:
      return outcome satisfies never;
  }
}

export function lookOf({ kind }: Pick<Level, 'kind'>): Look {
  return kind === 'holds' ? 'good' : kind === 'fails' ? 'bad' : 'open';
}

/** What was measured: `offered` and `done` of all runs are about the same things. */
export function columnsOf(result: CapacityResult): readonly string[] {
  const [first] = result.levels;
  const done = first?.throughput?.of === 'uplinks' ? ['sent/s', 'stored/s'] : ['offered/s', 'answered/s'];
  return ['runs', ...done, ...(latencyName(result) === undefined ? [] : ['p50', 'p95', 'p99'])];
}

/** What the percentiles are about; undefined without percentiles. */
export function latencyName({ levels }: CapacityResult): string | undefined {
  const latency = levels.find((level) => level.latency !== null)?.latency;
  if (latency == null) return undefined;
  return latency.of === 'requests' ? 'time from due to answer of API requests' : 'time to the delivery of downlinks';
}

/** What the figures of a level with several runs are; undefined if no level has several. */
export function worstName({ levels }: CapacityResult): string | undefined {
  return levels.some(({ runs }) => runs.length > 1) ? 'of several runs, the worst figures are shown' : undefined;
}

/** The cells of {@link columnsOf}. */
export function cellsOf({ runs, throughput, latency }: Level, result: CapacityResult): readonly string[] {
  const hasTimes = latencyName(result) !== undefined;
  return [
    humanCount(runs.length),
    ...[throughput?.offered, throughput?.done].map((rate) => (rate === undefined ? '' : rateText(rate))),
    ...(hasTimes ? [latency?.p50, latency?.p95, latency?.p99] : []).map((time) => {
      return time === undefined ? '' : humanDuration(time);
    }),
  ];
}

export function rateText(rate: number): string {
  return humanCount(Number(rate.toPrecision(rate < 1000 ? 3 : 6)));
}

/** `call.latency p(95) is 812ms, wanted < 500ms (62.4% above the limit)` */
function missText(expectation: LevelExpectation): string {
  const { sentence, left, right } = expectation;
  if (left === null || right === null || right === 0 || left === right) return sentence;
  return `${sentence} (${humanShare(Math.abs(left - right) / Math.abs(right))} ${left > right ? 'above' : 'below'} the limit)`;
}

/** Why a run does not hold, as sentences. */
export function reasonsOf({ why, expectations }: LevelRun): readonly string[] {
  const missed = expectations.filter(({ passed }) => !passed);
  if (why === null) return [];
  return missed.length === 0 || !missed.every(({ sentence }) => why.includes(sentence)) ? [why] : missed.map(missText);
}

type Searched = Pick<CapacityQuestion, 'key' | 'from' | 'to' | 'unit' | 'precision'>;

/** `load.latest-value.rate from 5/s to 100/s, to 5%` */
export function questionText({ key, from, to, unit, precision }: Searched): string {
  return `${key} from ${levelText(from, unit)} to ${levelText(to, unit)}, to ${humanShare(precision).replace('.0%', '%')}`;
}

export function placeText({ target, clock }: CapacityResult): string {
  return target === 'embedded' ? `${clock} time · embedded cloud` : `${clock} time · ${target}`;
}

/** The first run at a level that does not hold, for its reasons. */
export function failedRun(result: CapacityResult): LevelRun | undefined {
  const level = result.levels.find(({ value }) => value === result.fails);
  return level?.runs.find(({ kind }) => kind === level.kind) ?? level?.runs[0];
}
