/** Reads metrics as plain numbers. */
import { METRICS, type Metrics } from '../../src/trace/metrics/index.js';
import { numberOf } from './fixtures.js';

export const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The values of all metrics whose names begin with one of `families`, without those that are 0. */
export function numbers(metrics: Metrics, ...families: readonly string[]): Readonly<Record<string, number>> {
  const named = METRICS.filter(({ name }) => families.some((family) => name.startsWith(`${family}.`)));
  const entries = named.map(({ name }) => [name, numberOf(metrics, name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== 0));
}

export function missing(metrics: Metrics, name: string): Readonly<Record<string, number>> | undefined {
  const measure = metrics.read(name);
  return measure?.kind === 'durations' ? measure.missing : undefined;
}
