/** The anomalies that a report lists. */
import { describe, expect, it } from 'vitest';
import type { DeliveryEvidence, TraceEvent } from '../../src/trace/events.js';
import { METRICS } from '../../src/trace/metrics/index.js';
import { downlinkLife, metricsOf } from './fixtures.js';

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A downlink that the device receives `receptions` times. */
function delivered(id: string, receptions: number, evidence: DeliveryEvidence = 'final-ack', ok = true): TraceEvent[] {
  const received: TraceEvent = { kind: 'downlink.received', at: 2, serial: 1, type: 'data', print: id };
  return [
    ...downlinkLife({ id, print: id, type: 'data', offered: 1 }),
    ...times(receptions, () => received),
    { kind: 'downlink.delivered', at: 3, serial: 1, downlink: id, evidence },
    { kind: 'downlink.executed', at: 4, serial: 1, type: 'data', print: id, ok },
  ];
}

describe('the anomalies of a run', () => {
  const stored = (copy: boolean): TraceEvent => ({
    ...{ kind: 'cloud.stored', at: 0, serial: 1, type: 'data', message: 'm', copy },
  });
  const restart: TraceEvent = { kind: 'device.restart', at: 0, serial: 1, why: 'reset' };
  const rejected: TraceEvent = { kind: 'downlink.rejected', at: 0, serial: 1, type: 'shell' };
  const step = (note: string): TraceEvent => ({ kind: 'step', at: 0, serial: 1, step: 'config', ok: false, note });

  it('are counted and described', () => {
    const { anomalies } = metricsOf([
      ...delivered('fine', 1),
      ...times(2, (n) => delivered(`not received ${n}`, 0)).flat(),
      ...times(2, (n) => delivered(`next ${n}`, 1, 'next-packet')).flat(),
      ...delivered('zero', 1, 'sequence-zero'),
      ...times(4, (n) => delivered(`twice ${n}`, 2)).flat(),
      ...times(5, (n) => delivered(`refused ${n}`, 1, 'final-ack', false)).flat(),
      ...times(6, (n) => times(3, (m): TraceEvent => ({ kind: 'device.repeat', at: m, serial: n, waited: 1 }))).flat(),
      ...times(7, () => [restart, stored(true)]).flat(),
      ...times(8, (): TraceEvent => ({ kind: 'console.action', at: 0, serial: 1, action: 'reboot' })),
      ...times(9, () => step('timeout')),
      step('no encoder'),
      ...times(10, () => rejected),
    ]).summarise();
    expect(anomalies.map(({ name, count }) => [name, count])).toEqual([
      ['downlink-unreceived', 2],
      ['final-ack-missed', 3],
      ['downlink-received-twice', 4],
      ['downlink-rejected', 10],
      ['downlink-refused', 5],
      ['repetition-gap', 6],
      ['copy-after-restart', 7],
      ['console-action', 8],
      ['step-failed', 1],
      ['step-failed', 9],
    ]);
    const texts = anomalies.map(({ about }) => about);
    expect(texts.slice(-2)).toEqual(['failed step: config: no encoder', 'failed step: config: timeout']);
    for (const text of texts) expect(text).toMatch(/\w+ \w+/);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('contain only kinds that occurred', () => {
    expect(metricsOf(delivered('fine', 1)).summarise().anomalies).toEqual([]);
  });
});

it('every metric has a unique description and the kind of scope for which it can be read', () => {
  for (const { name, about } of METRICS) expect([name, about]).toEqual([name, expect.stringMatching(/\w+/)]);
  const about = METRICS.map((metric) => metric.about);
  expect(new Set(about).size).toBe(about.length);
  const scopes = (of: 'devices' | 'clients' | null) =>
    new Set(METRICS.filter((metric) => metric.of === of).map(({ name }) => name.split('.')[0]));
  expect(scopes('clients')).toEqual(new Set(['call', 'iteration']));
  expect(scopes(null)).toEqual(new Set(['net', 'service', 'message', 'step', 'console']));
});

it('the metrics with a share within a duration are start-ups, and stages of uplinks, downlinks, updates and requests', () => {
  const shares = METRICS.filter(({ within }) => within).map(({ name }) => name);
  const stages = ['contact', 'offered', 'received', 'delivered', 'executed', 'answered'];
  expect(shares).toEqual([
    ...['device.startup', 'uplink.acked', 'uplink.stored', ...stages.map((stage) => `downlink.${stage}`)],
    ...['chunk.contact', 'chunk.offered', 'chunk.received', 'chunk.delivered'],
    ...['update.succeeded', 'call.answered'],
  ]);
});
