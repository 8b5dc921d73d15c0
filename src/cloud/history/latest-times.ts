/**
 * Percentiles of the delivery times of a space over the last hour, from counts of rounded times: without sorting, and without
 * an object for each time. The samples of thousands of spaces are taken at the same moment.
 */
import { hours, type Seconds, type UnixMillis } from '../../kernel/time.js';

/** Long enough that a single delivery does not change the percentiles much. */
const KEPT_FOR = hours(1);
/** Maximum number of times that are kept: the latest ones. */
export const MOST_TIMES = 10_000;
/** Length of the smallest ring. */
const FEWEST = 16;
const PERCENTILES = [50, 95] as const;
/** Shared by all spaces without times. */
const NONE = new Uint16Array(0);

export class LatestTimes {
  /** A ring of rounded times ({@link round}): the n-th one is at n modulo its length. */
  #ring = NONE;
  /** How often each rounded time is in the ring; empty without times. */
  #counts = NONE;
  /** Number of the oldest time that is kept. */
  #first = 0;
  /** Number of the next time. */
  #next = 0;
  /** The samples of the last hour that have times, oldest first, with the number of the time after theirs. */
  readonly #samples: { readonly at: UnixMillis; readonly end: number }[] = [];
  /** Percentiles of the latest sample; undefined if its times are not those of now. */
  #found: readonly Seconds[] | undefined = [];

  /** Adds a time, which belongs to the next sample. */
  note(time: Seconds): void {
    const count = this.#next - this.#first;
    if (count === 0) this.#counts = new Uint16Array(STEPS);
    if (count === MOST_TIMES) this.#forgetUntil(this.#first + 1);
    else if (count === this.#ring.length) this.#resize(Math.max(FEWEST, 2 * count));
    const rounded = round(time);
    this.#ring[this.#next++ % this.#ring.length] = rounded;
    this.#counts[rounded] = (this.#counts[rounded] ?? 0) + 1;
  }

  /** The median and the 95th percentile (nearest rank) of the times of the last hour, at most 0.4 % off; empty without times. */
  sample(at: UnixMillis): readonly Seconds[] {
    const samples = this.#samples;
    if (this.#next > (samples.at(-1)?.end ?? this.#first)) {
      samples.push({ at, end: this.#next });
      this.#found = undefined;
    }
    for (let oldest = samples[0]; oldest && at - oldest.at >= KEPT_FOR; oldest = samples[0]) {
      this.#forgetUntil(oldest.end);
      samples.shift();
      this.#found = undefined;
    }
    this.#found ??= this.#find();
    return this.#found;
  }

  #find(): readonly Seconds[] {
    const count = this.#next - this.#first;
    if (FEWEST * count < this.#ring.length) this.#resize(2 * count);
    if (count === 0) {
      this.#counts = NONE;
      return [];
    }
    let [rounded, before] = [-1, 0];
    return PERCENTILES.map((percent) => {
      for (const rank = Math.ceil((percent * count) / 100); before < rank; ) before += this.#counts[++rounded] ?? 0;
      return read(rounded);
    });
  }

  #forgetUntil(end: number): void {
    for (; this.#first < end; this.#first++) {
      const rounded = this.#ring[this.#first % this.#ring.length] ?? 0;
      this.#counts[rounded] = (this.#counts[rounded] ?? 0) - 1;
    }
  }

  #resize(length: number): void {
    const old = this.#ring;
    this.#ring = new Uint16Array(Math.min(MOST_TIMES, length));
    for (let n = this.#first; n < this.#next; n++) this.#ring[n % this.#ring.length] = old[n % old.length] ?? 0;
  }
}

const asNumber = new Float32Array(1);
const asBits = new Uint32Array(asNumber.buffer);
/** Bits of a floating point number after its first eight digits, which are its sign, its exponent and seven bits more. */
const DROPPED = 16;
/** Times are whole ms: those below 1/1024 s are rounded to 0, and those above 2^26 s, two years, to this. */
const [LEAST, LONGEST] = [1 / 1024, 67_108_864];
const BEFORE_LEAST = digitsOf(LEAST) - 1;
const STEPS = digitsOf(LONGEST) - BEFORE_LEAST + 1;

/** Rounds a time to eight binary digits. Returns the number of the rounded time in the order of all of them, from 0 on. */
function round(time: Seconds): number {
  // A time is negative if the clock was set back.
  return Math.max(0, digitsOf(Math.max(0, Math.min(LONGEST, time))) - BEFORE_LEAST);
}

function read(rounded: number): Seconds {
  if (rounded === 0) return 0;
  asBits[0] = (rounded + BEFORE_LEAST) << DROPPED;
  return asNumber[0] ?? 0;
}

/** The first digits of a number of at least 0, as bits: their order is that of the numbers. */
function digitsOf(number: number): number {
  asNumber[0] = number;
  return ((asBits[0] ?? 0) + (1 << (DROPPED - 1))) >>> DROPPED;
}
