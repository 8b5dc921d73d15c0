/** Exports of one run, one after the other: readers take a cumulative value that falls for a restart. */
import { expect, it } from 'vitest';
import { runMetrics } from '../../src/cli/run-metrics.js';
import { defineScenario, runPlan } from '../../src/library/scenario.js';
import type { RunControl } from '../../src/runner/run.js';
import { makeRunMetric } from '../../src/telemetry/measures.js';
import { METRICS } from '../../src/trace/metrics/index.js';

const PLAN = defineScenario({
  name: 'exports',
  duration: '3h',
  network: { latency: '200ms..900ms', loss: '20%' },
  faults: [{ 'api-delay': '3s', from: '30m' }],
  fleet: [{ name: 'site', profile: 'clime', count: 4, config: { 'interval-report': 900 } }],
  steps: [{ at: '10m', over: '90m', commands: ['info show'] }],
  load: [{ 'list-devices': null, rate: '60/h' }],
});

/** All cumulative values so far, by name. */
async function readValues(control: RunControl): Promise<ReadonlyMap<string, number>> {
  const values = new Map<string, number>();
  for (const info of METRICS) {
    const measure = control.metrics.read(info.name);
    if (measure?.kind !== 'durations') continue;
    for (const { value } of makeRunMetric(info, [{ measure, attributes: {} }], { since: 0, now: 0 }).dataPoints) {
      if (typeof value !== 'object' || !('buckets' in value)) continue;
      const { count, sum = 0, buckets } = value;
      values.set(`${info.name} count`, count).set(`${info.name} sum`, sum);
      for (const [i, each] of buckets.counts.entries()) values.set(`${info.name} bucket ${i}`, each);
    }
  }
  for (const line of (await runMetrics(PLAN, control).metrics()).split('\n')) {
    const [, name, value] = /^(\w+_(?:sum|count|bucket|total))\{.*\} (\S+)$/.exec(line) ?? [];
    if (name !== undefined) values.set(name, Number(value));
  }
  return values;
}

it('no cumulative value falls during a run', async () => {
  let control: RunControl | undefined;
  const read: Promise<ReadonlyMap<string, number>>[] = [];
  const take = ({ kind }: { readonly kind: string }) => {
    if (control && /^(?:downlink|cloud|call|world)\./.test(kind)) read.push(readValues(control));
  };
  const started = (given: RunControl) => {
    control = given;
  };
  await runPlan(PLAN, { started, watch: { take } });
  const exports = await Promise.all(read);
  const fallen = exports.flatMap((values, i) =>
    [...values].filter(([name, value]) => value < (exports[i - 1]?.get(name) ?? 0)).map(([name]) => name),
  );
  expect(exports.length).toBeGreaterThan(100);
  expect(exports.at(-1)?.get('wait.radio count')).toBe(4);
  expect([...new Set(fallen)]).toEqual([]);
});
