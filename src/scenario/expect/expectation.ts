/** What must hold in a run, as data. Grammar and reading: parse.ts; judging: evaluate.ts. */
import { type Selector, selectorName } from '../selector/selector.js';

export type Expectation = MetricExpectation | InvariantExpectation;

/** At all times: `always uplinks-stored-once` */
export interface InvariantExpectation {
  /** As the user wrote it. */
  readonly line: string;
  /** Its name in the registry. */
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
      /** Of these alone; left out: of everything. */
      readonly of?: Scope;
    };

/** Devices, or the loads of a client. */
export type Scope = Selector | { readonly kind: 'client'; readonly client: string };

/** The scope as one writes it. */
export function scopeName(scope: Scope): string {
  return scope.kind === 'client' ? `${CLIENT}${scope.client}` : selectorName(scope);
}

/** What the name of a client follows in a scope. */
export const CLIENT = 'client/';

/** What is asked of a metric. `count` is all that a counter has; the others ask a distribution. */
export type Aggregate =
  | { readonly kind: 'count' | 'min' | 'max' | 'mean' }
  | { readonly kind: 'percentile'; readonly percentile: number };
