/**
 * Decides which level a search for a capacity measures next. It doubles the level until one does not hold, then halves the
 * interval, and at the end repeats both levels at its border. It does no I/O: the same measurements give the same decisions,
 * for any number of runs at a time.
 */
import type { LevelKind } from '../../report/capacity/result.js';

/** The range of a search. */
export interface SearchRange {
  readonly from: number;
  readonly to: number;
  /** Whether levels are whole numbers. */
  readonly whole: boolean;
  /** Largest distance between the two levels at the border, relative to the lower one. */
  readonly precision: number;
  /** A level that is measured itself, because the user asks whether it holds; null for none. */
  readonly atLeast: number | null;
}

/** A measurement to make. */
export interface Ask {
  readonly value: number;
  /** Number of earlier measurements at this level. */
  readonly repetition: number;
}

/** A measurement. */
export interface Taken extends Ask {
  readonly kind: LevelKind;
}

type Step =
  | ({ readonly step: 'measure' } & Ask)
  /** The search has ended. `holds` and `fails` are confirmed; each is null if no level has this verdict. */
  | { readonly step: 'end'; readonly holds: number | null; readonly fails: number | null };

/** Measurements that confirm a level at the border: the first one, and two more. */
const CONFIRMED = 3;
/** Most measurements at one level, whatever they say. */
export const MOST_AT_LEVEL = 4;
/** Measurements in which the generator was the limit before a level counts as out of its reach: one may be bad luck. */
const OUT_OF_REACH = 2;

/** The next measurement, or the end of the search. */
export function nextStep(range: SearchRange, taken: readonly Taken[]): Step {
  const open = valuesOf(taken).find((value) => kindOf(value, taken) === undefined);
  if (open !== undefined) return measure(open, taken);
  const { holds, fails } = borderOf(taken);
  const further = fails === null ? climb(range, holds) : (above(range, taken) ?? descend(range, holds, fails));
  if (further !== undefined) return measure(further, taken);
  const unconfirmed = [holds, fails].find((value) => value !== null && kindOf(value, taken, CONFIRMED) === undefined);
  if (unconfirmed !== undefined && unconfirmed !== null) return measure(unconfirmed, taken);
  return { step: 'end', holds, fails };
}

/**
 * The next measurements under every combination of results, most urgent first, to make several at a time. Empty at the end of
 * the search.
 */
export function stepsAhead(range: SearchRange, taken: readonly Taken[], most: number): readonly Ask[] {
  const asks: Ask[] = [];
  const futures: (readonly Taken[])[] = [taken];
  // Each future has two successors, so `2 * most` of them contain `most` different measurements, or nearly as many.
  for (let i = 0; i < futures.length && i < 2 * most && asks.length < most; i++) {
    const future = futures[i] ?? [];
    const next = nextStep(range, future);
    if (next.step === 'end') continue;
    const { value, repetition } = next;
    if (!asks.some((ask) => ask.value === value && ask.repetition === repetition)) asks.push({ value, repetition });
    for (const kind of ['holds', 'fails'] as const) futures.push([...future, { value, repetition, kind }]);
  }
  return asks;
}

/** The lowest level that does not hold, and the highest one below it that holds. */
export function borderOf(taken: readonly Taken[]): { readonly holds: number | null; readonly fails: number | null } {
  const values = valuesOf(taken);
  const fails = values.find((value) => isBad(kindOf(value, taken))) ?? null;
  const held = values.filter((value) => (fails === null || value < fails) && kindOf(value, taken) === 'holds');
  return { holds: held.at(-1) ?? null, fails };
}

function isBad(kind: LevelKind | undefined): boolean {
  return kind === 'fails' || kind === 'generator limit';
}

/**
 * What most measurements at a level say; undefined if more are needed.
 * @param wanted number of measurements that describe the service
 */
export function kindOf(value: number, taken: readonly Taken[], wanted = 1): LevelKind | undefined {
  const kinds = taken.filter((one) => one.value === value).map(({ kind }) => kind);
  const count = (kind: LevelKind) => kinds.filter((each) => each === kind).length;
  const [holds, fails] = [count('holds'), count('fails')];
  if (count('generator limit') >= OUT_OF_REACH) return 'generator limit';
  if (holds + fails < wanted || holds === fails) return undefined;
  return holds > fails ? 'holds' : 'fails';
}

/** All measured levels, ascending. */
export function valuesOf(taken: readonly Ask[]): readonly number[] {
  return [...new Set(taken.map(({ value }) => value))].sort((a, b) => a - b);
}

function measure(value: number, taken: readonly Taken[]): Step {
  return { step: 'measure', value, repetition: taken.filter((one) => one.value === value).length };
}

/** The next level above all that hold; undefined at the end of the range. */
function climb({ from, to }: SearchRange, holds: number | null): number | undefined {
  if (holds === null) return from;
  return holds >= to ? undefined : Math.min(2 * holds, to);
}

/**
 * If the lowest level fails, the next one shows whether the level matters at all: an expectation with the same value at both
 * levels has nothing to do with it.
 */
function above({ from, to }: SearchRange, taken: readonly Taken[]): number | undefined {
  const [only, ...others] = valuesOf(taken);
  if (only !== from || others.length > 0 || from >= to || kindOf(from, taken) !== 'fails') return undefined;
  return Math.min(2 * from, to);
}

/** A level between the two; undefined if they are near enough. */
function descend(range: SearchRange, holds: number | null, fails: number): number | undefined {
  // All levels below `fails` failed when they were repeated.
  if (holds === null) return undefined;
  const { precision, whole, atLeast } = range;
  if (fails - holds <= precision * holds * (1 + ROUNDING) || (whole && fails - holds <= 1)) {
    return atLeast !== null && atLeast > holds && atLeast < fails ? atLeast : undefined;
  }
  const step = roundStep((precision * holds) / 4, whole);
  const middle = clean(Math.round((holds + fails) / 2 / step) * step);
  if (middle > holds && middle < fails) return middle;
  return whole ? Math.floor((holds + fails) / 2) : clean((holds + fails) / 2);
}

/** A rounding error must not cost a measurement: (1.05 - 1) / 1 is 0.050000000000000044. */
const ROUNDING = 1e-9;

/** The largest power of ten up to `most`, so that levels are short numbers. */
function roundStep(most: number, whole: boolean): number {
  let step = 1;
  while (step > most) step /= 10;
  while (step * 10 <= most) step *= 10;
  return whole ? Math.max(1, step) : step;
}

/** Without the rounding error of a sum or product. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}
