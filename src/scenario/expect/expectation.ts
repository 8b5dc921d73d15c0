/** Expectations as plain data. grammar.ts has the grammar, parse.ts reads them, evaluate.ts evaluates them. */
import type { Unit } from '../../kernel/quantity.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { nameSelector, type Selector } from '../selector/selector.js';

export type Expectation = MetricExpectation | InvariantExpectation;

interface Ending {
  /**
   * From this time on, the run ends as soon as the expectation fails. Left out if the expectation is judged only at the end.
   */
  readonly abort?: Instant;
}

/** An expectation about an invariant: `always uplinks-stored-once` */
export interface InvariantExpectation extends Ending {
  /** As the user wrote it. */
  readonly line: string;
  readonly invariant: string;
}

/** An expectation about metrics: `downlink.delivered p(95) < 40m` */
export interface MetricExpectation extends Ending {
  /** As the user wrote it. */
  readonly line: string;
  readonly left: Expression;
  readonly comparison: ComparisonOperator;
  readonly right: Expression;
  /** Unit of both sides. */
  readonly unit: Unit;
}

export const COMPARISON_OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type ComparisonOperator = (typeof COMPARISON_OPERATORS)[number];

/** `uplink.acked + 2 * (uplink.dropped - 1)` */
export type Expression = Literal | MetricTerm | Operation;

interface Literal {
  readonly kind: 'number';
  readonly value: number;
  readonly unit: Unit;
}

export interface MetricTerm {
  readonly kind: 'metric';
  readonly metric: string;
  readonly aggregate: Aggregate;
  /** Restricts the metric to a scope; left out if it is not restricted. */
  readonly of?: Scope | undefined;
  /** The expectation is about each part of the run: the plan has one expectation for each, in which `of` is the part. */
  readonly by?: Dimension | undefined;
}

/** What divides a run into parts: the devices by a property of their group, or the API requests by their client. */
export const DIMENSIONS = ['group', 'region', 'profile', 'firmware', 'tag', 'client'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

interface Operation {
  readonly kind: 'operation';
  readonly operator: Operator;
  readonly left: Expression;
  readonly right: Expression;
}

export type Operator = '+' | '-' | '*' | '/';

/** The metrics of an expression, from left to right. */
export function listTerms(expression: Expression): readonly MetricTerm[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'metric':
      return [expression];
    case 'operation':
      return [...listTerms(expression.left), ...listTerms(expression.right)];
    default:
      return expression satisfies never;
  }
}

/** The dimension of an expectation about each part of the run, which has at most one; undefined for another expectation. */
export function findDimension(expectation: Expectation): Dimension | undefined {
  if ('invariant' in expectation) return undefined;
  return [expectation.left, expectation.right].flatMap(listTerms).find(({ by }) => by !== undefined)?.by;
}

/** Devices, the loads of a client, a load or a request of its chain, or a part of the run. */
export type Scope =
  | Selector
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'load'; readonly load: string }
  | { readonly kind: 'part'; readonly by: Dimension; readonly value: string };

export function nameScope(scope: Scope): string {
  if (scope.kind === 'part') return `${scope.by}/${scope.value}`;
  if (scope.kind === 'load') return `${LOAD}${scope.load}`;
  return scope.kind === 'client' ? `${CLIENT}${scope.client}` : nameSelector(scope);
}

/** Prefix of the name of a client in a scope. */
export const CLIENT = 'client/';
/** Prefix of the name of a load in a scope. */
export const LOAD = 'load/';

/**
 * The aggregate of a metric. A count has only `count`; a distribution also has `min`, `max`, `mean` and percentiles. `within`
 * is the share of exchanges that completed within `limit` ms; `MetricInfo.within` says which metrics have it.
 */
export type Aggregate =
  | { readonly kind: 'count' | 'min' | 'max' | 'mean' }
  | { readonly kind: 'percentile'; readonly percentile: number }
  | { readonly kind: 'within'; readonly limit: Millis };
