/** The question of a search: which value of a scenario is varied, over which levels, and the plan of each level. */
import { GhostfleetError, UsageError } from '../../kernel/errors.js';
import { levelText } from '../../kernel/quantity.js';
import type { Millis } from '../../kernel/time.js';
import type { CapacityQuestion } from '../../report/capacity/result.js';
import { type Expectation, listTerms, type MetricTerm } from '../../scenario/expect/expectation.js';
import { kindOf } from '../../scenario/faults/index.js';
import { queuesDownlinks } from '../../scenario/load/ready.js';
import type { Plan } from '../../scenario/model/plan.js';
import { type Knob, knobOf, lasting, type Rewrite } from '../../scenario/parse/vary.js';
import { planDigest } from '../../scenario/plan/describe.js';
import { seedsFrom } from '../../scenario/values/seeds.js';
import { MOST_AT_LEVEL, type SearchRange } from './search.js';

/** Largest distance between the two levels of the result, relative to the lower one, if the user does not choose it. */
export const PRECISION = 0.05;

export function isPrecision(value: number): boolean {
  return value >= 0.001 && value <= 0.5;
}

/** A question as a user asks it. */
export interface Asked {
  /** Reads and plans the scenario. @param seed in place of its own */
  readonly read: (rewrite: Rewrite, seed?: number) => Plan;
  /** See {@link Knob.key}. */
  readonly vary: string;
  /** Levels, with or without the unit of the value: `10`, `10/s`. */
  readonly from: string;
  readonly to: string;
  readonly atLeast: string | undefined;
  /** Relative, such as 0.05. */
  readonly precision: number;
  /** Time under load after the warm-up; undefined for the duration of the scenario. */
  readonly hold: Millis | undefined;
  /** Undefined for that of the scenario. */
  readonly warmUp: Millis | undefined;
  /** Of the first run at a level; the following ones have the next seeds. Undefined for that of the scenario. */
  readonly seed: number | undefined;
  /** Address of the cloud without secrets; undefined for the embedded one. */
  readonly target: string | undefined;
}

export interface Question {
  readonly asked: CapacityQuestion;
  readonly range: SearchRange;
  readonly planAt: (value: number, repetition: number) => Plan;
  /** Facts that put every result into question. */
  readonly notes: readonly string[];
}

/**
 * Resolves a question. @throws UsageError for an unknown key, an empty range, a scenario that is not valid at one end of the
 * range, one without expectations, a seed without following ones, and one in which the level changes nothing that is expected
 */
export function questionOf(asked: Asked): Question {
  const { read, vary, precision, hold, warmUp, target } = asked;
  const timed = lasting(hold, warmUp);
  const knob = knobOf(vary, (rewrite) => read(rewrite));
  const { unit, from, to, atLeast, whole } = levelsOf(asked, knob);
  const textOf = (value: number) => `${value}${unit}`;
  const planOf = (value: number, seed: number | undefined) =>
    read((sources) => timed(knob.turn(sources, textOf(value))), seed);
  const lowest = validAt(from, () => planOf(from, asked.seed), { vary, unit });
  const highest = validAt(to, () => planOf(to, asked.seed), { vary, unit });
  const notes = rejectPointless(lowest, highest, asked, { from: levelText(from, unit), to: levelText(to, unit) });
  const { scenario, seed } = lowest;
  const seeds = seedsFrom(seed, MOST_AT_LEVEL);
  return {
    asked: {
      scenario,
      key: vary,
      unit,
      from,
      to,
      precision,
      seed,
      atLeast,
      clock: target === undefined ? 'virtual' : 'real',
      target: target ?? 'embedded',
    },
    range: { from, to, whole, precision, atLeast },
    planAt: (value, repetition) => planOf(value, seeds[repetition]),
    notes,
  };
}

/** The levels as numbers, and their common unit: the one that the user has typed, or that of the scenario. */
function levelsOf({ from, to, atLeast, vary }: Asked, { unit, whole }: Knob) {
  const typed = [from, to, ...(atLeast === undefined ? [] : [atLeast])].map((text) =>
    /^([\d.]*)\s*(.*)$/s.exec(text.trim()),
  );
  const common = typed.map((match) => match?.[2] ?? '').find((each) => each !== '') ?? unit;
  const wanted = `${whole ? 'a whole number' : 'a number'} above 0${common === '' ? '' : `, such as "10${common}"`}`;
  if (common !== unit && !(isRate(common) && isRate(unit))) {
    throw new UsageError(
      'bad-level',
      `the unit of "${vary}" is ${unit === '' ? 'none' : `"${unit}"`}, not "${common}"`,
    );
  }
  const numbers = [from, to, atLeast].map((text, index) => {
    if (text === undefined) return null;
    const [, digits = '', own = ''] = typed[index] ?? [];
    const value = Number(digits);
    const isNumber = digits !== '' && value > 0 && Number.isFinite(value) && (!whole || Number.isInteger(value));
    if (isNumber && (own === '' || own === common)) return value;
    throw new UsageError('bad-level', `--${['from', 'to', 'at-least'][index]} "${text}" is not ${wanted}`);
  });
  const [first, last, least] = [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? null];
  if (first >= last) {
    throw new UsageError('empty-range', `the range is empty: --from "${from}" is not below --to "${to}"`);
  }
  if (least !== null && (least < first || least > last)) {
    throw new UsageError('bad-level', `--at-least "${atLeast}" is not between --from "${from}" and --to "${to}"`);
  }
  return {
    unit: common,
    from: first,
    to: last,
    atLeast: least,
    whole: whole && !numbers.some((one) => (one ?? 0) % 1 !== 0),
  };
}

function isRate(unit: string): boolean {
  return /^\/[smh]$/.test(unit);
}

function validAt(
  value: number,
  plan: () => Plan,
  { vary, unit }: { readonly vary: string; readonly unit: string },
): Plan {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof GhostfleetError)) throw error;
    throw new UsageError(
      'bad-level',
      `the scenario is not valid with ${vary} = ${value}${unit}:\n${error.message}`,
      error.hint,
    );
  }
}

/** Returns notes on expectations that say nothing. @throws UsageError if no run could answer the question */
function rejectPointless(
  lowest: Plan,
  highest: Plan,
  { vary, target }: Asked,
  range: { readonly from: string; readonly to: string },
): readonly string[] {
  const example = target === undefined ? 'call.refused == 0' : 'call.latency p(95) < 500ms';
  const orTarget = target === undefined ? '; for the speed of a service, use --target' : '';
  if (lowest.expectations.length === 0) {
    throw new UsageError(
      'no-expectations',
      'the scenario has no expectations, so every level would hold',
      `say under "expect" what a good service does, for example: ${example}${orTarget}`,
    );
  }
  if (planDigest(lowest) === planDigest(highest)) {
    throw new UsageError(
      'unchangeable',
      `"${vary}" changes nothing: the runs at ${range.from} and ${range.to} are the same`,
    );
  }
  const isSameSize = lowest.devices.length === highest.devices.length;
  const ofSize = ({ metric }: MetricTerm) => metric === 'fleet.devices' && isSameSize;
  const ofSpeed = target === undefined ? findSpeed(highest) : () => false;
  const linesOf = (isFixed: (term: MetricTerm) => boolean) =>
    lowest.expectations
      .filter((one, index) => hasOnly(isFixed, one, highest.expectations[index]))
      .map(({ line }) => `"${line}"`);
  const [fixed, withSpeed] = [linesOf(ofSize), linesOf((term) => ofSize(term) || ofSpeed(term))];
  const timeless = withSpeed.filter((line) => !fixed.includes(line));
  if (withSpeed.length === lowest.expectations.length) {
    const why = timeless.length === 0 ? '' : '; requests take no time in virtual time';
    throw new UsageError(
      'unchangeable',
      `no level of "${vary}" can change the expectations: ${withSpeed.join(', ')}${why}`,
      `expect something that depends on the load, for example: ${example}${orTarget}`,
    );
  }
  return timeless.map(
    (line) => `${line} says nothing here, because requests take no time in virtual time; use --target`,
  );
}

/** Whether an expectation has the same line at both levels, and no terms but those. */
function hasOnly(isFixed: (term: MetricTerm) => boolean, one: Expectation, other: Expectation | undefined): boolean {
  if ('invariant' in one || one.line !== other?.line) return false;
  return [...listTerms(one.left), ...listTerms(one.right)].every(isFixed);
}

/** Terms that depend only on how fast the embedded cloud answers, which takes no time in virtual time. */
function findSpeed({ faults, cloud, loads }: Plan): (term: MetricTerm) => boolean {
  if (faults.some((fault) => kindOf(fault).part === 'service')) return () => false;
  // A request that is refused is not answered in time.
  const canRefuse = cloud?.rateLimit != null || loads.some(({ call }) => queuesDownlinks(call));
  return ({ metric, aggregate: { kind } }) => {
    switch (metric) {
      case 'call.latency':
      case 'call.service':
        return kind !== 'count';
      case 'call.answered':
        return kind === 'within' && !canRefuse;
      default:
        return metric === 'call.in-flight';
    }
  };
}

/** What to add to a generator that is too slow. @param threads threads of a run @param cores cores of this machine */
export function moreGenerators(threads: number, cores: number): string {
  return threads < cores
    ? `add threads: --workers ${cores} uses all ${cores} cores of this machine`
    : `add machines: all ${cores} cores of this one are in use; start workers on others and use --queue (docs/DISTRIBUTED.md)`;
}
