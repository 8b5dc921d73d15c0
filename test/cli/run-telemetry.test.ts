/** The telemetry of a run: callers of its API, downlinks that have not ended, and fleets of many groups. */
import { afterEach, describe, expect, it } from 'vitest';
import { beginRunTelemetry } from '../../src/cli/run-telemetry.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { defineScenario } from '../../src/library/scenario.js';
import { divideByGroup } from '../../src/scenario/plan/parts.js';
import { readTelemetrySettings } from '../../src/telemetry/settings.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { Metrics } from '../../src/trace/metrics/index.js';
import { type Collector, openCollector } from '../support/collector.js';

const START = Date.UTC(2026, 4, 1);
const closing: Collector[] = [];
afterEach(() => {
  for (const collector of closing.splice(0)) collector.close();
});

/** What a collector gets of a run with these groups and events, which is observed for ten seconds. */
async function exportOf(groups: number, eventsOf: (serial: number) => readonly TraceEvent[]): Promise<Collector> {
  const collector = await openCollector();
  closing.push(collector);
  const settings = readTelemetrySettings(collector.url, {});
  if (settings === undefined) throw new Error('no settings');
  const fleet = Array.from({ length: groups }, (_, n) => ({ name: `g${n}`, profile: 'clime', count: groups - n }));
  const plan = defineScenario({ name: 'many', start: new Date(START).toISOString(), duration: '1h', fleet });
  const clock = new VirtualClock({ start: START });
  const scopes = divideByGroup(plan).scopes.flatMap((scope) =>
    'devices' in scope ? [[scope.name, scope.devices.map((i) => plan.devices[i]?.serial ?? 0)] as const] : [],
  );
  const metrics = new Metrics(plan.devices.length, 0, 0, { devices: new Map(scopes), loads: new Map() });
  for (const event of eventsOf(plan.devices[0]?.serial ?? 0)) metrics.take(event);
  await clock.runUntil(10_000);
  const refuse = () => {
    throw new Error('not used');
  };
  const control = {
    clock,
    metrics,
    stop: refuse,
    evidence: refuse,
    explainer: refuse,
    causeOf: () => null,
    lastEvent: () => null,
  };
  const complain = (sentence: string) => expect.unreachable(sentence);
  await beginRunTelemetry({ settings, plan, control, clock: 'virtual', complain }).end();
  return collector;
}

describe('the telemetry of a run', () => {
  it('has a pending downlink below the span of the caller, until the end of the run', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const { spans } = await exportOf(1, (serial) => [
      { kind: 'downlink.queued', at: 1000, serial, downlink: 'd', type: 'shell', traceparent },
      { kind: 'downlink.contact', at: 3000, serial, downlink: 'd' },
    ]);
    const times = spans.map(({ name, from, until }) => [name, from - START, until - START]);
    expect(times).toEqual([
      ['downlink shell', 1000, 10_000],
      ['queued', 1000, 3000],
      ['waiting', 3000, 10_000],
    ]);
    expect(spans[0]).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) });
    expect(spans[0]?.attributes).toMatchObject({ 'ghostfleet.downlink.outcome': 'pending', 'ghostfleet.group': 'g0' });
  });

  it('has an error in the trace of a downlink that expired, at the time at which it expired', async () => {
    const { spans } = await exportOf(1, (serial) => [
      { kind: 'downlink.queued', at: 0, serial, downlink: 'd', type: 'data' },
      { kind: 'downlink.expired', at: 4000, serial, downlink: 'd' },
    ]);
    expect(spans[0]).toMatchObject({ name: 'downlink data', until: START + 4000, status: 'expired' });
  });

  it('has no traces of what the cloud queues itself, and of the chunks of firmware', async () => {
    const types = ['session', 'timestamp', 'firmware'] as const;
    const { spans } = await exportOf(1, (serial) =>
      types.map((type) => ({ kind: 'downlink.queued', at: 0, serial, downlink: type, type })),
    );
    expect(spans).toEqual([]);
  });

  it('has the metrics of the 20 largest groups, and of the others as one', async () => {
    const { points } = await exportOf(25, () => []);
    const planned = points.filter(({ name }) => name === 'ghostfleet.run.uplink.sent');
    const groups = planned.map(({ attributes }) => attributes.group);
    expect(groups).toEqual([...Array.from({ length: 20 }, (_, n) => `g${n}`), '(others)']);
    expect(planned.at(-1)?.attributes).toMatchObject({ region: '(others)', profile: '(others)' });
  });
});
