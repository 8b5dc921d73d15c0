/**
 * The value of a metric with missing measurements. A missing exchange could have taken any time, so the value lies between two
 * bounds. A comparison then holds, does not hold, or is not decidable.
 */
import type { Distribution } from '../../trace/distribution.js';
import { findRank } from '../../trace/histogram.js';
import type { Share } from '../../trace/metrics/metric.js';
import type { Aggregate, ComparisonOperator, Operator } from './expectation.js';

export interface Bounds {
  /** The value of the existing measurements, within the bounds; undefined without measurements. */
  readonly measured: number | undefined;
  readonly low: number;
  /** Infinity if the value has no upper bound. */
  readonly high: number;
}

/** A value without missing measurements. */
export function makeExact(value: number): Bounds {
  return { measured: value, low: value, high: value };
}

/**
 * The share of exchanges that completed in time. Open exchanges, which can still complete in time, count as missing.
 * @param share with a total above 0
 */
export function boundShare({ total, within, open }: Share): Bounds {
  const low = within / total;
  return { measured: low, low, high: (within + open) / total };
}

type SpreadAggregate = Exclude<Aggregate['kind'], 'count' | 'within'>;

/**
 * An aggregate of a distribution that lacks `missing` durations of unknown length; undefined if there are no durations at all.
 * @param percent for a percentile: its percentage, above 0
 */
export function boundDistribution(
  kind: SpreadAggregate,
  distribution: Distribution,
  missing: number,
  percent = 100,
): Bounds | undefined {
  const { count } = distribution;
  if (count + missing === 0) return undefined;
  const measured = measureAggregate(kind, distribution, percent);
  if (missing === 0) return makeExact(measured ?? 0);
  return { measured, ...findExtremes(kind, distribution, missing, percent) };
}

function measureAggregate(kind: SpreadAggregate, distribution: Distribution, percent: number): number | undefined {
  return kind === 'percentile' ? distribution.findPercentile(percent) : distribution[kind];
}

function findExtremes(
  kind: SpreadAggregate,
  distribution: Distribution,
  missing: number,
  percent: number,
): { readonly low: number; readonly high: number } {
  const total = distribution.count + missing;
  switch (kind) {
    case 'min':
      return { low: 0, high: distribution.min ?? Number.POSITIVE_INFINITY };
    case 'max':
      return { low: distribution.max ?? 0, high: Number.POSITIVE_INFINITY };
    case 'mean':
      return { low: distribution.sum / total, high: Number.POSITIVE_INFINITY };
    case 'percentile': {
      const rank = findRank(percent, total);
      return { low: findAtRank(distribution, rank - missing, 0), high: findAtRank(distribution, rank, 0) };
    }
    default:
      return kind satisfies never;
  }
}

/** The value with this rank, from 1. Below 1: `below`; above the number of values: Infinity. */
function findAtRank(distribution: Distribution, rank: number, below: number): number {
  if (rank < 1) return below;
  if (rank > distribution.count) return Number.POSITIVE_INFINITY;
  return distribution.findAtRank(rank);
}

/** The bounds of the result of an operation; undefined for a division by zero. */
export function calculate(operator: Operator, left: Bounds, right: Bounds): Bounds | undefined {
  if (operator === '/' && right.low === 0 && right.high === 0) return undefined;
  const corners = listCorners(operator, left, right);
  const measured =
    left.measured === undefined || right.measured === undefined
      ? undefined
      : keepFinite(operate(operator, left.measured, right.measured));
  return { measured, low: Math.min(...corners), high: Math.max(...corners) };
}

function listCorners(operator: Operator, left: Bounds, right: Bounds): readonly number[] {
  // A quotient has no bounds if the divisor can be 0.
  if (operator === '/' && right.low <= 0 && right.high >= 0)
    return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [left.low, left.high].flatMap((one) => [right.low, right.high].map((other) => operate(operator, one, other)));
}

export function operate(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      // 0 times any value is 0, even if the other operand is Infinity, for which JavaScript would return NaN.
      return left === 0 || right === 0 ? 0 : left * right;
    case '/':
      return left / right;
    default:
      return operator satisfies never;
  }
}

function keepFinite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Relative difference (below 1: absolute) of equal values: in floating point, 100 times 7% is more than 7. */
const ROUNDING = 1e-12;

function areEqual(one: number, other: number): boolean {
  return one === other || Math.abs(one - other) <= ROUNDING * Math.max(1, Math.min(Math.abs(one), Math.abs(other)));
}

function isBelow(one: number, other: number): boolean {
  return one < other && !areEqual(one, other);
}

/** Whether the comparison holds; undefined if that depends on missing measurements. */
export function compare(left: Bounds, comparison: ComparisonOperator, right: Bounds): boolean | undefined {
  switch (comparison) {
    case '<':
      return isBelow(left.high, right.low) ? true : isBelow(left.low, right.high) ? undefined : false;
    case '<=':
      return isBelow(right.low, left.high) ? (isBelow(right.high, left.low) ? false : undefined) : true;
    case '>':
      return compare(right, '<', left);
    case '>=':
      return compare(right, '<=', left);
    case '==': {
      if (isBelow(left.high, right.low) || isBelow(right.high, left.low)) return false;
      return areEqual(left.low, left.high) && areEqual(right.low, right.high) ? true : undefined;
    }
    case '!=': {
      const equal = compare(left, '==', right);
      return equal === undefined ? undefined : !equal;
    }
    default:
      return comparison satisfies never;
  }
}
