/** Metrics of API requests. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { Metrics } from '../../src/trace/metrics/index.js';

const done = (
  intended: number,
  at: number,
  options: { sent?: number; status?: number; why?: string } = {},
): TraceEvent => {
  const { sent = intended, status = 200, why = '' } = options;
  return { kind: 'call.done', at, call: 'read', intended, sent, status, why };
};
const sent = (intended: number): TraceEvent => ({ kind: 'call.sent', at: intended, call: 'read', intended });
const closed = (planned: number): TraceEvent => {
  return { kind: 'load.closed', at: 9000, call: 'read', planned, closedLoop: false };
};

function folded(events: readonly TraceEvent[], warmUp = 0): Metrics {
  const metrics = new Metrics(1, warmUp);
  for (const event of events) metrics.take(event);
  return metrics;
}

describe('API requests', () => {
  it('have a latency that counts from when they were due', () => {
    const { latency, service } = folded([done(100, 600, { sent: 400 })]).summarise().calls.read ?? {};
    expect([latency?.max, service?.max]).toEqual([500, 200]);
  });

  it('have a latency in milliseconds, with a resolution of microseconds', () => {
    expect(folded([done(0, 0.123)]).summarise().calls.read?.latency?.max).toBe(0.123);
  });

  it('that were due in the warm-up count in totals, but not in latencies', () => {
    const { answered, latency } = folded([done(0, 5000), done(2000, 2010)], 1000).summarise().calls.read ?? {};
    expect([answered, latency?.count, latency?.max]).toEqual([2, 1, 10]);
  });

  it('that fail are counted by reason, and not in latencies', () => {
    const events = [done(0, 1, { status: 503 }), done(0, 1, { status: 0, why: 'ECONNREFUSED' }), done(0, 1)];
    const { failed, reasons, latency } = folded(events).summarise().calls.read ?? {};
    expect(failed).toBe(2);
    expect(reasons).toEqual({ 'no answer: ECONNREFUSED, connection refused': 1, 'status 503': 1 });
    expect(latency?.count).toBe(1);
  });

  it('with a 2xx status and an unusable answer count as failed', () => {
    const why = 'the answer names no downlink';
    const metrics = folded([done(0, 1, { status: 201, why }), done(0, 1, { status: 201 })]);
    const { calls, series } = metrics.summarise();
    expect(calls.read).toMatchObject({ failed: 1, answered: 1 });
    expect(calls.read?.reasons).toEqual({ 'status 201: the answer names no downlink': 1 });
    expect([series.counts.callsAnswered[0], series.counts.callsFailed[0]]).toEqual([1, 1]);
  });

  it('with status 429 count as refused and as failed', () => {
    const { failed, refused } =
      folded([done(0, 1, { status: 429 }), done(0, 1, { status: 503 })]).summarise().calls.read ?? {};
    expect([failed, refused]).toEqual([2, 1]);
  });

  it('of some loads can be read separately', () => {
    const loads = new Map([
      ['client/poller', ['read', 'never made']],
      ['client/dashboard', ['list']],
    ]);
    const metrics = new Metrics(1, 0, 0, { devices: new Map(), loads });
    for (const status of [200, 429, 429]) for (const event of [sent(0), done(0, 10, { status })]) metrics.take(event);
    for (const event of [sent(0), done(0, 30)]) metrics.take({ ...event, call: 'list' } as TraceEvent);
    const count = (name: string, of?: string) => {
      const measure = metrics.read(name, of);
      return measure?.kind === 'count' ? measure.value : measure?.distribution.max;
    };
    const scopes = [undefined, 'client/poller', 'client/dashboard'];
    expect(scopes.map((of) => count('call.refused', of))).toEqual([2, 2, 0]);
    expect(scopes.map((of) => count('call.sent', of))).toEqual([4, 3, 1]);
    expect(scopes.map((of) => count('call.latency', of))).toEqual([30, 10, 30]);
    expect(count('device.boots', 'client/poller')).toBeUndefined();
  });

  it('add up when each planned request is answered, failed, in flight or dropped', () => {
    const events: TraceEvent[] = [
      ...[sent(0), done(0, 1), sent(0), done(0, 1, { status: 500 })],
      sent(1),
      { kind: 'call.dropped', at: 9000, call: 'read', intended: 3, why: 'the run was over' },
    ];
    expect(folded([...events, closed(4)]).contradictions).toEqual([]);
    expect(folded([...events, closed(5)]).contradictions).toEqual(['read: 5 planned, but 3 sent and 1 dropped']);
  });
});
