/** Every metric at many moments of a run, compared with a recomputation from the events so far. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { METRICS, type Metrics } from '../../src/trace/metrics/index.js';
import { numberOf } from '../trace/fixtures.js';
import { recompute } from '../trace/recompute.js';
import { runText } from './run-text.js';

const RUNS = {
  'with loads, steps of every kind of downlink, and faults of the API': `
name: busy
duration: 1h
cloud: { rate-limit: 120/m }
setup: [{ client: { name: dashboard } }]
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300, interval-poll: 120 } }]
load:
  - { count-devices:, rate: 3/m, as: dashboard }
  - { commands: [info show], to: clime, rate: 3/h }
  - { list-devices:, users: 2, think: 3m }
faults:
  - { api-errors: { share: 30% }, from: 20m, until: 40m }
  - { loss: 20%, from: 25m, until: 35m }
steps:
  - { at: 10m, config: { interval-report: 240 } }
  - { at: 15m, to: clime/1, radio: off }
  - { at: 16m, to: clime/1, commands: [app config] }
  - { at: 17m, to: clime/1, cancel: all }
  - { at: 30m, commands: [config show] }
  - { at: 45m, to: clime/2, shell: kernel reboot cold }
`,
  'with an update of the firmware, lost packets, restarts and a killed service': `
name: updates
duration: 2h
setup: [{ firmware: { name: v2, profile: clime, version: v9.0.0, size: 9000 } }]
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 600, interval-poll: 60 } }]
faults:
  - { loss: 10%, from: 0s, until: 2h }
  - { duplication: 5%, from: 0s, until: 2h }
  - { service-restart: { away: 30s }, from: 70m }
  - { reboot:, from: 75m, to: clime/2 }
steps:
  - { at: 30m, firmware: v2 }
  - { at: 1h, commands: [info show] }
`,
};

/** Names and values of the metrics that differ from the recomputation. */
function differences(metrics: Metrics, events: readonly TraceEvent[]): readonly string[] {
  const wanted = recompute(events, 3);
  return METRICS.flatMap(({ name }) => {
    const [got, want] = [numberOf(metrics, name), wanted.get(name)];
    return got === want ? [] : [`${name} is ${got} instead of ${want} after ${events.length} events`];
  });
}

describe('every metric equals a recomputation from the events so far', () => {
  it.each(Object.entries(RUNS))('in a run %s', async (_, text) => {
    const events: TraceEvent[] = [];
    const found: string[] = [];
    let metrics: Metrics | undefined;
    const watch = {
      take: (event: TraceEvent) => {
        events.push(event);
        // The number of the event decides, so that the looks fall on all kinds of events.
        if (metrics !== undefined && events.length % 37 === 0) found.push(...differences(metrics, events));
      },
    };
    const started = (control: { readonly metrics: Metrics }) => {
      metrics = control.metrics;
    };
    const result = await runText(text, { watch, started });
    expect(result.failure).toBeNull();
    expect(found).toEqual([]);
    expect(metrics && differences(metrics, events)).toEqual([]);
    expect(events.length).toBeGreaterThan(500);
  });
});
