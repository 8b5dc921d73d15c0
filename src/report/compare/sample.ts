/** Durations in parts: the batches of a run, or the runs of one side of a comparison. */
import type { Draws } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import { clampPercentile } from '../../trace/distribution.js';
import { findRank, roundUp } from '../../trace/histogram.js';
import type { SampledDurations } from '../../trace/metrics/samples.js';

/** Parts of durations, and the histogram of some of them: at first, of all. */
export class Sample {
  readonly #steps: number;
  readonly #min: number;
  readonly #max: number;
  /** The values of all parts, ascending. */
  readonly #values: Float64Array;
  /** Each part as a list: index into the values, count, index, count, … */
  readonly #parts: readonly Float64Array[];
  readonly #counts: Float64Array;
  readonly total: number;
  /** Number of non-empty parts. */
  readonly filled: number;
  #drawn = 0;

  constructor({ steps, min, max, batches }: SampledDurations) {
    this.#steps = steps;
    this.#min = min;
    this.#max = max;
    this.filled = batches.filter((batch) => batch.length > 0).length;
    const values = new Set(batches.flatMap((batch) => batch.filter((_, i) => i % 2 === 0)));
    this.#values = Float64Array.from(values).sort();
    const indices = new Map(Array.from(this.#values, (value, index) => [value, index]));
    this.#parts = batches.map((batch) =>
      Float64Array.from(batch, (item, i) => (i % 2 === 0 ? (indices.get(item) ?? 0) : item)),
    );
    this.#counts = new Float64Array(this.#values.length);
    this.#fill(this.#parts);
    this.total = this.#drawn;
  }

  /** Whether every part has a value. */
  get isWhole(): boolean {
    return this.filled === this.#parts.length;
  }

  /** The same rule as that of a Distribution (trace/distribution.ts). */
  getPercentile(percent: number): Millis {
    const rank = findRank(percent, this.#drawn);
    let before = 0;
    let index = -1;
    while (before < rank && index < this.#counts.length - 1) {
      index++;
      before += this.#counts[index] ?? 0;
    }
    return clampPercentile(roundUp(this.#values[index] ?? 0) / this.#steps, this.#min, this.#max);
  }

  /** The percentiles of each part alone, and of all parts but this one. */
  listPercentiles(
    percents: readonly number[],
  ): readonly { readonly alone: Percentiles; readonly without: Percentiles }[] {
    const read = (parts: readonly Float64Array[]) => {
      this.#fill(parts);
      return percents.map((percent) => this.getPercentile(percent));
    };
    return this.#parts.map((part) => ({
      alone: read([part]),
      without: read(this.#parts.filter((other) => other !== part)),
    }));
  }

  /** Replaces the histogram by that of parts drawn with replacement. */
  resample(random: Draws): void {
    this.#fill(drawWithReplacement(this.#parts, random));
  }

  #fill(parts: readonly Float64Array[]): void {
    const counts = this.#counts.fill(0);
    let drawn = 0;
    for (const part of parts) {
      // This loop allocates nothing, because a comparison runs it some million times.
      for (let i = 0; i + 1 < part.length; i += 2) {
        const index = part[i] ?? 0;
        const count = part[i + 1] ?? 0;
        counts[index] = (counts[index] ?? 0) + count;
        drawn += count;
      }
    }
    this.#drawn = drawn;
  }
}

type Percentiles = readonly Millis[];

export function drawWithReplacement<T>(items: readonly T[], random: Draws): readonly T[] {
  return items.map(() => items[Math.floor(random.next() * items.length)] as T);
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
