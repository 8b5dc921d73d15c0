/** Chunks of firmware updates, which are downlinks of the cloud and not of users. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';
import { downlinkLife, type Life, metricsOf } from '../fixtures.js';
import { missing, numbers, times } from '../metric-numbers.js';

const DELIVERED = { contact: 10, offered: 20, received: 30, delivered: 40 };
const chunk = (id: string, life: Life = {}) => downlinkLife({ id, print: id, type: 'firmware', ...life });
const cancelled = (downlink: string): TraceEvent => ({ kind: 'downlink.cancelled', at: 50, serial: 1, downlink });

/** Twenty delivered chunks, a pending one and a cancelled one, beside a delivered and a pending downlink of a user. */
const EVENTS: readonly TraceEvent[] = [
  ...times(20, (n) => chunk(`chunk ${n}`, DELIVERED)).flat(),
  ...[...chunk('pending chunk'), ...chunk('cancelled chunk'), cancelled('cancelled chunk')],
  ...downlinkLife({ id: 'delivered', print: 'delivered', ...DELIVERED, delivered: 90 }),
  ...downlinkLife({ id: 'pending', print: 'pending' }),
];

describe('chunks of firmware updates', () => {
  it('do not count in the metrics of the downlinks of users', () => {
    const users = { 'downlink.queued': 2, 'downlink.pending': 1, 'downlink.unanswered': 1 };
    const stages = { 'downlink.contact': 1, 'downlink.offered': 1, 'downlink.received': 1, 'downlink.delivered': 1 };
    expect(numbers(metricsOf(EVENTS), 'downlink')).toEqual({ ...users, ...stages });
    expect(missing(metricsOf(EVENTS), 'downlink.delivered')).toEqual({ pending: 1 });
  });

  it('have metrics of their own', () => {
    const outcomes = { 'chunk.queued': 22, 'chunk.pending': 1, 'chunk.cancelled': 1 };
    const stages = { 'chunk.contact': 20, 'chunk.offered': 20, 'chunk.received': 20, 'chunk.delivered': 20 };
    expect(numbers(metricsOf(EVENTS), 'chunk')).toEqual({ ...outcomes, ...stages });
    expect(metricsOf(EVENTS).within('chunk.delivered', 100)).toEqual({ total: 22, within: 20, open: 1 });
  });

  it('do not raise the share of delivered downlinks, of the run or of a scope', () => {
    const metrics = new Metrics(1, 0, 0, { devices: new Map([['north', [1]]]), loads: new Map() });
    for (const event of EVENTS) metrics.take(event);
    const half = { total: 2, within: 1 };
    expect(metrics.within('downlink.delivered', 100)).toMatchObject(half);
    expect(metrics.within('downlink.delivered', 100, 'north')).toMatchObject(half);
  });

  it('do not count in the waits, the slowest downlinks and the series of a report', () => {
    const { downlinks, series } = metricsOf(EVENTS, 1, 1000).summarise();
    expect(downlinks.waits.transfer.spread?.count).toBe(1);
    expect(downlinks.slowest.map(({ id }) => id)).toEqual(['delivered']);
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    expect([sum(series.counts.downlinksQueued), sum(series.counts.downlinksDelivered)]).toEqual([2, 1]);
  });

  it('have a row of their own in the summary, which the sums leave out', () => {
    const { queued, byType } = metricsOf(EVENTS).summarise().downlinks;
    expect(queued).toBe(2);
    expect(byType).toMatchObject({ shell: { queued: 2 }, firmware: { queued: 22, delivered: 20, pending: 1 } });
  });
});
