/** Evaluates expectations with the metrics and the verdicts on invariants of a run. */
import { exactValue, fullValue, humanCount, humanValue, type Unit, valueBeside } from '../../kernel/quantity.js';
import { formatDuration, type Millis } from '../../kernel/time.js';
import type { InvariantVerdict } from '../../trace/invariants/index.js';
import type { Measure, Missing, Share } from '../../trace/metrics/metric.js';
import { type Bounds, boundDistribution, boundShare, calculate, compare, makeExact } from './bounds.js';
import {
  type Expectation,
  type Expression,
  type InvariantExpectation,
  listTerms,
  type MetricExpectation,
  type MetricTerm,
  nameScope,
  type Operator,
} from './expectation.js';
import { describeViolation, type NameOf } from './violation.js';

/** Access to the metrics of a run. */
export interface MetricSource {
  /** @param of name of a scope, to read the metric of its devices or loads only */
  read(name: string, of?: string): Measure | undefined;
  /** The share of exchanges that completed within a duration; undefined for a metric without such a share. */
  within(name: string, limit: Millis, of?: string): Share | undefined;
}

/** Access to the verdicts on invariants; undefined for an invariant that was not checked. */
interface VerdictSource {
  getVerdict(name: string): InvariantVerdict | undefined;
}

export interface ExpectationOutcome {
  /** The expectation as the user wrote it. */
  readonly line: string;
  readonly passed: boolean;
  /** Set if the run did not have the data for a verdict; the expectation has then not passed. */
  readonly undecided?: true;
  /** Set if the run ended early and its rest could have changed the outcome; `undecided` is then set too. */
  readonly cutShort?: true;
  /** The left side, in ms for durations; for an invariant, its violations; null if not measured. */
  readonly left: number | null;
  readonly right: number | null;
  /** Set if the right side has metrics: its value is then not in `line`. */
  readonly compared?: true;
  /**
   * Lowest and highest value that the left side could have with the missing measurements, in the unit of `left`; null for no
   * limit. If `undecided` is left out, the verdict is the same for all values between them. Left out if no measurement is
   * missing.
   */
  readonly range?: readonly [low: number | null, high: number | null];
  readonly unit: Unit;
  /** For an invariant: number of cases that the protocol itself causes and that are not violations. Left out if 0. */
  readonly byProtocol?: number;
  /** The result: `downlink.delivered p(95) is 12m 04s, wanted < 40m`. */
  readonly sentence: string;
}

/** The results of a run with which expectations are evaluated. */
export interface Evidence {
  readonly metrics: MetricSource;
  readonly invariants: VerdictSource;
  readonly nameOf: NameOf;
}

/** Never throws. Without data, the expectation is undecided, and its sentence gives the reason. */
export function evaluate(expectation: Expectation, evidence: Evidence): ExpectationOutcome {
  return 'invariant' in expectation
    ? judgeInvariant(expectation, evidence)
    : judgeMetrics(expectation, evidence.metrics);
}

function judgeInvariant({ line, invariant }: InvariantExpectation, evidence: Evidence): ExpectationOutcome {
  const found = evidence.invariants.getVerdict(invariant);
  const outcome = { line, left: found?.violations ?? null, right: 0, unit: 'count' as const };
  if (found === undefined)
    return { ...outcome, passed: false, undecided: true, sentence: `${invariant} was not checked` };
  const { violations, first, byProtocol } = found;
  const held = first === undefined;
  const sentence = held
    ? `${invariant} held at all times`
    : `violated ${formatTimes(violations)} ${describeViolation(first, evidence.nameOf)}`;
  if (byProtocol === undefined) return { ...outcome, passed: held, sentence };
  const { count } = byProtocol;
  const apart = `by the protocol itself, not counted: ${formatTimes(count)} ${describeViolation(byProtocol.first, evidence.nameOf)}`;
  return { ...outcome, passed: held, byProtocol: count, sentence: `${sentence}; ${apart}` };
}

/** `once`, or `6 times, first`. */
function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${humanCount(count)} times, first`;
}

/** Like {@link evaluate}, for an expectation about metrics. */
export function judgeMetrics(expectation: MetricExpectation, metrics: MetricSource): ExpectationOutcome {
  const { line, comparison, unit } = expectation;
  const left = findBounds(expectation.left, metrics);
  const right = findBounds(expectation.right, metrics);
  const outcome = {
    line,
    passed: false,
    left: getMeasured(left),
    right: getMeasured(right),
    ...(listTerms(expectation.right).length > 0 && { compared: true as const }),
    ...getRange(left),
    unit,
  };
  if (typeof left === 'string') return { ...outcome, undecided: true, sentence: `no data: ${left}` };
  if (typeof right === 'string') return { ...outcome, undecided: true, sentence: `no data: ${right}` };
  const holds = compare(left, comparison, right);
  const found = `${writeExpression(expectation.left)} is ${describeFound(expectation, left, right, metrics)}${describeRange(expectation, left, right, metrics)}`;
  const wanted = `wanted ${comparison} ${describeWanted(expectation, right, left)}`;
  if (holds !== undefined) return { ...outcome, passed: holds, sentence: `${found}, ${wanted}` };
  const reasons = [...listTerms(expectation.left), ...listTerms(expectation.right)].flatMap((term) =>
    listGaps(term, metrics),
  );
  const sentence = `not decidable: ${[...new Set(reasons)].join('; ')}; ${wanted}`;
  return { ...outcome, undecided: true, sentence };
}

/** The value, or a sentence with the reason for a missing value. */
function findBounds(expression: Expression, metrics: MetricSource): Bounds | string {
  switch (expression.kind) {
    case 'number':
      return makeExact(expression.value);
    case 'metric':
      return readTerm(expression, metrics) ?? `${writeExpression(expression)} was never measured`;
    case 'operation': {
      const left = findBounds(expression.left, metrics);
      if (typeof left === 'string') return left;
      const right = findBounds(expression.right, metrics);
      if (typeof right === 'string') return right;
      return (
        calculate(expression.operator, left, right) ?? `${writeExpression(expression.right)} is 0, a division by zero`
      );
    }
    default:
      return expression satisfies never;
  }
}

function readTerm(term: MetricTerm, metrics: MetricSource): Bounds | undefined {
  const { aggregate } = term;
  if (aggregate.kind === 'within') {
    const share = findShare(term, aggregate.limit, metrics);
    return share === undefined || share.total === 0 ? undefined : boundShare(share);
  }
  const measure = findMeasure(term, metrics);
  if (measure === undefined) return undefined;
  if (measure.kind === 'count') return aggregate.kind === 'count' ? makeExact(measure.value) : undefined;
  const { distribution, missing } = measure;
  if (aggregate.kind === 'count') return makeExact(distribution.count);
  const percent = aggregate.kind === 'percentile' ? aggregate.percentile : undefined;
  return boundDistribution(aggregate.kind, distribution, sumMissing(missing), percent);
}

function findMeasure({ metric, of }: MetricTerm, metrics: MetricSource): Measure | undefined {
  return of === undefined ? metrics.read(metric) : metrics.read(metric, nameScope(of));
}

function findShare({ metric, of }: MetricTerm, limit: Millis, metrics: MetricSource): Share | undefined {
  return of === undefined ? metrics.within(metric, limit) : metrics.within(metric, limit, nameScope(of));
}

/** The missing measurements of a term, as texts; empty if nothing is missing. */
function listGaps(term: MetricTerm, metrics: MetricSource): readonly string[] {
  const { aggregate } = term;
  const name = writeExpression(term);
  if (aggregate.kind === 'within') {
    const share = findShare(term, aggregate.limit, metrics);
    if (share === undefined || share.open === 0) return [];
    const { low, high } = boundShare(share);
    const time = formatDuration(aggregate.limit);
    return [
      `${name} is ${humanValue(low, 'ratio')} to ${humanValue(high, 'ratio')}, because ${humanCount(share.open)} of ${humanCount(share.total)} began less than ${time} before the end and can still come in time${describeRejected(share)}: extend the run`,
    ];
  }
  const measure = aggregate.kind === 'count' ? undefined : findMeasure(term, metrics);
  if (measure?.kind !== 'durations') return [];
  const { distribution, missing } = measure;
  const left = sumMissing(missing);
  if (left === 0) return [];
  const value = readTerm(term, metrics)?.measured;
  const counted = value === undefined ? '' : ` is ${humanValue(value, 'ms')} without them, but`;
  return [
    `${name}${counted} leaves out ${humanCount(left)} of ${humanCount(distribution.count + left)} (${listStates(missing)})`,
  ];
}

/** `2 pending, 1 cancelled` */
function listStates(missing: Missing): string {
  return Object.entries(missing)
    .flatMap(([state, count]) => (count === 0 ? [] : `${humanCount(count)} ${state}`))
    .join(', ');
}

function sumMissing(missing: Missing): number {
  return Object.values(missing).reduce((sum, count) => sum + count, 0);
}

function getMeasured(value: Bounds | string): number | null {
  return typeof value === 'string' ? null : (value.measured ?? null);
}

function isExact({ low, high }: Bounds): boolean {
  return low === high;
}

function getRange(left: Bounds | string): Pick<ExpectationOutcome, 'range'> {
  if (typeof left === 'string' || isExact(left)) return {};
  const { low, high } = left;
  return { range: [Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null] };
}

/** The range that decided the verdict if measurements are missing: `, or 40ms to 100ms with the missing ones (6 pending)`. */
function describeRange(
  { left, unit }: MetricExpectation,
  bounds: Bounds,
  right: Bounds,
  metrics: MetricSource,
): string {
  if (isExact(bounds) || bounds.measured === undefined) return '';
  const { low, high } = bounds;
  const [least, most] = [valueBeside(low, right.high, unit), valueBeside(high, right.low, unit)];
  const range = !Number.isFinite(high)
    ? `at least ${least}`
    : !Number.isFinite(low)
      ? `at most ${most}`
      : `${least} to ${most}`;
  const states = listTerms(left).flatMap((term) => listMissing(term, metrics));
  return `, or ${range} with the missing ones (${[...new Set(states)].join('; ')})`;
}

/** `6 pending`, or `2 can still come in time`; empty if nothing is missing. */
function listMissing(term: MetricTerm, metrics: MetricSource): readonly string[] {
  const { aggregate } = term;
  if (aggregate.kind === 'within') {
    const open = findShare(term, aggregate.limit, metrics)?.open ?? 0;
    return open === 0 ? [] : [`${humanCount(open)} can still come in time`];
  }
  const measure = aggregate.kind === 'count' ? undefined : findMeasure(term, metrics);
  return measure?.kind !== 'durations' || sumMissing(measure.missing) === 0 ? [] : [listStates(measure.missing)];
}

/** The text of the value on the left side. A share is followed by its numbers: `94% (47 of 50)`. */
function describeFound(
  { left, unit }: MetricExpectation,
  { measured, low }: Bounds,
  right: Bounds,
  metrics: MetricSource,
): string {
  if (measured === undefined) return `at least ${valueBeside(low, right.high, unit)}`;
  const share =
    left.kind === 'metric' && left.aggregate.kind === 'within'
      ? findShare(left, left.aggregate.limit, metrics)
      : undefined;
  return (
    valueBeside(measured, right.measured ?? right.low, unit) +
    (share === undefined
      ? ''
      : ` (${humanCount(share.within)} of ${humanCount(share.total)}${describeRejected(share)})`)
  );
}

/** `; 3 were rejected by the API`; empty if none was. */
function describeRejected({ rejected = 0 }: Share): string {
  return rejected === 0 ? '' : `; ${humanCount(rejected)} ${rejected === 1 ? 'was' : 'were'} rejected by the API`;
}

function describeWanted({ right, unit }: MetricExpectation, { measured, low }: Bounds, left: Bounds): string {
  if (right.kind === 'number') return writeExpression({ ...right, unit });
  return `${writeExpression(right)}, which is ${
    measured === undefined
      ? `at least ${valueBeside(low, left.high, unit)}`
      : valueBeside(measured, left.measured ?? left.low, unit)
  }`;
}

function writeExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      // A limit such as 99.99999% has more digits than a measured share is shown with.
      return expression.unit === 'ratio'
        ? fullValue(expression.value, 'ratio')
        : exactValue(expression.value, expression.unit);
    case 'metric':
      return writeTerm(expression);
    case 'operation': {
      const { operator, left, right } = expression;
      return `${writeOperand(left, operator, false)} ${operator} ${writeOperand(right, operator, true)}`;
    }
    default:
      return expression satisfies never;
  }
}

/** An operand, in parentheses if the expression would have another meaning without them. */
function writeOperand(expression: Expression, operator: Operator, isRight: boolean): string {
  const text = writeExpression(expression);
  if (expression.kind !== 'operation') return text;
  const product = (one: Operator) => one === '*' || one === '/';
  const [inner, outer] = [product(expression.operator), product(operator)];
  return (outer && !inner) || (isRight && outer === inner) ? `(${text})` : text;
}

function writeTerm({ aggregate, metric, of }: MetricTerm): string {
  const whose = of === undefined ? '' : ` of ${nameScope(of)}`;
  switch (aggregate.kind) {
    case 'count':
      return metric + whose;
    case 'percentile':
      return `${metric} p(${aggregate.percentile})${whose}`;
    case 'within':
      return `${metric} within ${formatDuration(aggregate.limit)}${whose}`;
    default:
      return `${metric} ${aggregate.kind}${whose}`;
  }
}
