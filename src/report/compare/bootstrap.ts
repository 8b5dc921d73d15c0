/**
 * Bootstrap interval for the ratio of a number between two runs. The batches of each run are resampled with replacement, a
 * thousand times; the interval spans the resulting ratios. Batches are resampled instead of single values, because the values
 * of one device, or of one minute, are correlated: with single values, the interval would be too narrow.
 *
 * The interval spans all thousand ratios, about 99.8 %: a comparison checks two dozen numbers at once, and at the usual 95 %,
 * one in twenty of them would be "different" by chance.
 */
import { type Draws, seededRandom } from '../../kernel/random.js';
import { percentileOf } from '../../trace/buckets.js';

const RESAMPLES = 1000;
/** With fewer non-empty batches, their variation is unknown. */
const FEWEST_BATCHES = 8;
/** Width of the interval in standard deviations, for small counts whose variation is mainly chance. */
const SIGMAS = 3.1;

/** A number of run B relative to run A: 1.2 is a fifth more. */
export interface Ratio {
  readonly a: number;
  readonly b: number;
  /** Least and greatest ratio; null: too little data. */
  readonly interval: readonly [number, number] | null;
}

/** Batches as bucket index, count, bucket index, count, … (trace/buckets.ts). */
type Batches = readonly (readonly number[])[];

/** The ratio of a percentile of durations. @param percent 0 to 100 @param steps per millisecond */
export function percentileRatio(a: Batches, b: Batches, percent: number, steps: number): Ratio {
  const [one, other] = [new Sample(a), new Sample(b)];
  const enough = [one, other].every(
    ({ total, filled }) => filled >= FEWEST_BATCHES && total * (1 - percent / 100) >= FEWEST_BEYOND,
  );
  const value = (sample: Sample) => sample.percentile(percent) / steps;
  const found = { a: value(one), b: value(other) };
  if (!enough) return { ...found, interval: null };
  const [first, second] = generators();
  return {
    ...found,
    interval: span(
      () => one.resampled(percent, first),
      () => other.resampled(percent, second),
    ),
  };
}

/** With fewer values above it, a percentile is too uncertain. */
const FEWEST_BEYOND = 10;

/** The ratio of the sums of counts. */
export function countRatio(a: readonly number[], b: readonly number[]): Ratio {
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const found = { a: sum(a), b: sum(b) };
  const filled = (counts: readonly number[]) => counts.filter((count) => count > 0).length;
  if (Math.max(filled(a), filled(b)) < FEWEST_BATCHES || Math.min(found.a, found.b) === 0)
    return { ...found, interval: null };
  const [first, second] = generators();
  const drawn = span(
    () => sum(draw(a, first)),
    () => sum(draw(b, second)),
  );
  if (drawn === null) return { ...found, interval: null };
  // Small counts vary by chance, even when the batches happen to be alike.
  const ratio = found.b / found.a;
  const chance = SIGMAS * ratio * Math.sqrt(1 / found.a + 1 / found.b);
  return { ...found, interval: [Math.min(drawn[0], ratio - chance), Math.max(drawn[1], ratio + chance)] };
}

/** Fixed seeds, so that the same two runs always get the same verdict. */
function generators(): readonly [Draws, Draws] {
  const random = seededRandom('compare');
  return [random.fork('a'), random.fork('b')];
}

function span(a: () => number, b: () => number): readonly [number, number] | null {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < RESAMPLES; i++) {
    const [below, above] = [a(), b()];
    if (below <= 0) return null;
    least = Math.min(least, above / below);
    most = Math.max(most, above / below);
  }
  return [least, most];
}

function draw<T>(items: readonly T[], random: Draws): readonly T[] {
  // Because the index lies within the list.
  return items.map(() => items[Math.floor(random.next() * items.length)] as T);
}

/** Batches of durations, with a buffer for their sum. */
class Sample {
  readonly #batches: Batches;
  readonly #counts: Uint32Array;
  readonly total: number;
  /** Number of non-empty batches. */
  readonly filled: number;

  constructor(batches: Batches) {
    this.#batches = batches;
    this.filled = batches.filter((batch) => batch.length > 0).length;
    const greatest = batches.reduce((most, batch) => Math.max(most, batch.at(-2) ?? 0), 0);
    this.#counts = new Uint32Array(greatest + 1);
    this.total = this.#fill(batches);
  }

  percentile(percent: number): number {
    return percentileOf(this.#counts, this.#fill(this.#batches), percent);
  }

  resampled(percent: number, random: Draws): number {
    return percentileOf(this.#counts, this.#fill(draw(this.#batches, random)), percent);
  }

  #fill(batches: Batches): number {
    this.#counts.fill(0);
    let total = 0;
    for (const batch of batches) {
      for (let i = 0; i < batch.length; i += 2) {
        const [bucket = 0, count = 0] = [batch[i], batch[i + 1]];
        this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
        total += count;
      }
    }
    return total;
  }
}
