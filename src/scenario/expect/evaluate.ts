/** Evaluates expectations with the metrics and the verdicts on invariants of a run. */
import { formatDuration, humanDuration } from '../../kernel/time.js';
import type { InvariantVerdict } from '../../trace/invariants/index.js';
import type { Measure } from '../../trace/metrics/metric.js';
import {
  type Aggregate,
  type Comparison,
  type Expectation,
  type InvariantExpectation,
  type MetricExpectation,
  type Sum,
  scopeName,
  type Term,
  type Unit,
} from './expectation.js';
import { describeViolation, type NameOf } from './violation.js';

/** Access to the metrics of a run. */
export interface MetricSource {
  /** @param of name of a scope: the metric of its devices or loads only */
  read(name: string, of?: string): Measure | undefined;
}

/** Access to the verdicts on invariants; undefined for an invariant that was not checked. */
interface VerdictSource {
  verdict(name: string): InvariantVerdict | undefined;
}

export interface ExpectationOutcome {
  /** The expectation as the user wrote it. */
  readonly line: string;
  readonly passed: boolean;
  /**
   * Milliseconds if the sides are durations; for an invariant, the number of violations. null: nothing was measured, and the
   * expectation has failed.
   */
  readonly left: number | null;
  readonly right: number | null;
  readonly unit: Unit;
  /** The result: `downlink.delivered p(95) is 12m 04s, wanted < 40m`. */
  readonly sentence: string;
}

/** The results of a run that expectations are evaluated with. */
interface Evidence {
  readonly metrics: MetricSource;
  readonly invariants: VerdictSource;
  readonly nameOf: NameOf;
}

/** Never throws: without data an expectation has failed, with a sentence that says so. */
export function evaluate(expectation: Expectation, evidence: Evidence): ExpectationOutcome {
  return 'invariant' in expectation
    ? judgeInvariant(expectation, evidence)
    : judgeMetrics(expectation, evidence.metrics);
}

function judgeInvariant({ line, invariant }: InvariantExpectation, evidence: Evidence): ExpectationOutcome {
  const found = evidence.invariants.verdict(invariant);
  const outcome = { line, left: found?.violations ?? null, right: 0, unit: 'count' as const };
  if (found === undefined) return { ...outcome, passed: false, sentence: `${invariant} was not checked` };
  const { violations, first } = found;
  if (first === undefined) return { ...outcome, passed: true, sentence: `${invariant} held at all times` };
  const times = violations === 1 ? 'once' : `${violations} times, first`;
  return { ...outcome, passed: false, sentence: `violated ${times} ${describeViolation(first, evidence.nameOf)}` };
}

/** Like {@link evaluate}, for an expectation about metrics. */
export function judgeMetrics(expectation: MetricExpectation, metrics: MetricSource): ExpectationOutcome {
  const { line, comparison, unit } = expectation;
  const left = sumOf(expectation.left, metrics);
  const right = sumOf(expectation.right, metrics);
  if (typeof left === 'string' || typeof right === 'string') {
    const empty = typeof left === 'string' ? left : right;
    return {
      line,
      passed: false,
      left: number(left),
      right: number(right),
      unit,
      sentence: `no data: ${empty} was never measured`,
    };
  }
  const passed = holds(left, comparison, right);
  const found = `${textOf(expectation.left)} is ${shown(left, unit)}`;
  const literal = expectation.right.length === 1 && expectation.right[0]?.term.kind === 'number';
  const wanted = literal ? exact(right, unit) : `${textOf(expectation.right)}, which is ${shown(right, unit)}`;
  return { line, passed, left, right, unit, sentence: `${found}, wanted ${comparison} ${wanted}` };
}

function holds(left: number, comparison: Comparison, right: number): boolean {
  switch (comparison) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return comparison satisfies never;
  }
}

/** The value, or the text of the first term without a value. */
function sumOf(sum: Sum, metrics: MetricSource): number | string {
  let total = 0;
  for (const { sign, term } of sum) {
    const value = term.kind === 'number' ? term.value : measured(readTerm(term, metrics), term.aggregate);
    if (value === undefined) return textOfTerm(term);
    total += sign * value;
  }
  return total;
}

function readTerm({ metric, of }: Extract<Term, { kind: 'metric' }>, metrics: MetricSource): Measure | undefined {
  return of === undefined ? metrics.read(metric) : metrics.read(metric, scopeName(of));
}

function measured(measure: Measure | undefined, aggregate: Aggregate): number | undefined {
  if (measure === undefined) return undefined;
  if (measure.kind === 'count') return aggregate.kind === 'count' ? measure.value : undefined;
  const { distribution } = measure;
  switch (aggregate.kind) {
    case 'count':
      return distribution.count;
    case 'min':
      return distribution.min;
    case 'max':
      return distribution.max;
    case 'mean':
      return distribution.mean;
    case 'percentile':
      return distribution.percentile(aggregate.percentile);
    default:
      return aggregate satisfies never;
  }
}

function number(value: number | string): number | null {
  return typeof value === 'number' ? value : null;
}

function shown(value: number, unit: Unit): string {
  return unit === 'ms' ? humanDuration(value) : String(value);
}

function exact(value: number, unit: Unit): string {
  return unit === 'ms' ? formatDuration(value) : String(value);
}

function textOf(sum: Sum): string {
  return sum.map(({ sign, term }, i) => `${i === 0 ? '' : sign === 1 ? ' + ' : ' - '}${textOfTerm(term)}`).join('');
}

function textOfTerm(term: Term): string {
  if (term.kind === 'number') return exact(term.value, term.unit);
  const { aggregate, metric, of } = term;
  const whose = of === undefined ? '' : ` of ${scopeName(of)}`;
  if (aggregate.kind === 'count') return metric + whose;
  const asked = aggregate.kind === 'percentile' ? `p(${aggregate.percentile})` : aggregate.kind;
  return `${metric} ${asked}${whose}`;
}
