/** Expectations as plain data. grammar.ts has the grammar, parse.ts reads them, evaluate.ts evaluates them. */
import { type Selector, selectorName } from '../selector/selector.js';

export type Expectation = MetricExpectation | InvariantExpectation;

/** At all times: `always uplinks-stored-once` */
export interface InvariantExpectation {
  /** As the user wrote it. */
  readonly line: string;
  /** Name of the invariant. */
  readonly invariant: string;
}

/** At the end: `downlink.delivered p(95) < 40m` */
export interface MetricExpectation {
  /** As the user wrote it. */
  readonly line: string;
  readonly left: Sum;
  readonly comparison: Comparison;
  readonly right: Sum;
  /** Both sides are counts, or both are durations. */
  readonly unit: Unit;
}

export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Counts are plain numbers, durations are milliseconds. */
export type Unit = 'count' | 'ms';

/** Terms that are added; a subtracted one has the sign -1. */
export type Sum = readonly { readonly sign: 1 | -1; readonly term: Term }[];

export type Term =
  | { readonly kind: 'number'; readonly value: number; readonly unit: Unit }
  | {
      readonly kind: 'metric';
      readonly metric: string;
      readonly aggregate: Aggregate;
      /** Restricts the metric to a scope; left out: not restricted. */
      readonly of?: Scope;
    };

/** Devices, or the loads of a client. */
export type Scope = Selector | { readonly kind: 'client'; readonly client: string };

/** The text of a scope. */
export function scopeName(scope: Scope): string {
  return scope.kind === 'client' ? `${CLIENT}${scope.client}` : selectorName(scope);
}

/** Prefix of the name of a client in a scope. */
export const CLIENT = 'client/';

/** The aggregate of a metric. A counter has only `count`; a distribution has all of them. */
export type Aggregate =
  | { readonly kind: 'count' | 'min' | 'max' | 'mean' }
  | { readonly kind: 'percentile'; readonly percentile: number };
