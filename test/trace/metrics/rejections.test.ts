/** Downlinks that the API rejected: they never exist in the cloud, and count as never delivered. */
import { describe, expect, it } from 'vitest';
import type { DownlinkType, TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';
import { downlinkLife, metricsOf, numberOf } from '../fixtures.js';
import { missing } from '../metric-numbers.js';

const rejected = (type: DownlinkType, serial = 1): TraceEvent => ({
  ...{ kind: 'downlink.rejected', at: 5, serial, type },
});

/** A delivered downlink; rejections of two shell downlinks and of one of each other type that steps and loads can request. */
const EVENTS: readonly TraceEvent[] = [
  ...downlinkLife({ id: 'delivered', queued: 0, contact: 1, offered: 2, received: 3, delivered: 4 }),
  ...[rejected('shell'), rejected('shell', 2), rejected('config'), rejected('data'), rejected('firmware')],
];

describe('downlinks that the API rejected', () => {
  it('are counted, and are not among those that were queued', () => {
    const metrics = metricsOf(EVENTS);
    expect([numberOf(metrics, 'downlink.rejected'), numberOf(metrics, 'downlink.queued')]).toEqual([4, 1]);
  });

  it('are counted in the scope of their device', () => {
    const metrics = new Metrics(2, 0, 0, { devices: new Map([['north', [2]]]), loads: new Map() });
    for (const event of EVENTS) metrics.take(event);
    expect(metrics.read('downlink.rejected', 'north')).toEqual({ kind: 'count', value: 1 });
  });

  it('are missing in every stage', () => {
    const metrics = metricsOf(EVENTS);
    expect(missing(metrics, 'downlink.delivered')).toEqual({ 'rejected by the API': 4 });
    expect(missing(metrics, 'downlink.executed')).toEqual({ 'rejected by the API': 4, 'delivered only': 1 });
  });

  it('are missing among answers only if their type can be answered', () => {
    const answers = missing(metricsOf(EVENTS), 'downlink.answered');
    // Two shell downlinks and a configuration.
    expect(answers).toEqual({ 'rejected by the API': 3, 'delivered only': 1 });
  });

  it('count in the total of a share, and never as open', () => {
    const share = metricsOf(EVENTS).within('downlink.delivered', 100);
    expect(share).toEqual({ total: 5, within: 1, open: 0, rejected: 4 });
  });

  it('count in the share of answers only if their type can be answered', () => {
    const share = metricsOf(EVENTS).within('downlink.answered', 100);
    expect(share).toEqual({ total: 4, within: 0, open: 1, rejected: 3 });
  });
});

describe('firmware updates that the API rejected', () => {
  it('are counted, and do not count as rejected downlinks', () => {
    expect(numberOf(metricsOf(EVENTS), 'update.rejected')).toBe(1);
    expect(numberOf(metricsOf([rejected('firmware')]), 'downlink.rejected')).toBe(0);
  });

  it('are missing among the updates that succeeded; rejected downlinks of other types are not', () => {
    expect(missing(metricsOf(EVENTS), 'update.succeeded')).toMatchObject({ 'rejected by the API': 1 });
  });

  it('are not listed if the API accepted all of them', () => {
    const others = missing(metricsOf([rejected('shell'), rejected('config')]), 'update.succeeded');
    expect(others).toEqual({ failed: 0, cancelled: 0, open: 0 });
  });

  it('count in the total of the share; rejected downlinks of other types do not', () => {
    const share = metricsOf(EVENTS).within('update.succeeded', 100);
    expect(share).toEqual({ total: 1, within: 0, open: 0, rejected: 1 });
  });
});
