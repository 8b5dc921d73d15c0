/** Times to the answers of API requests in runs that are faster than real time. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { type MetricScopes, Metrics } from '../../../src/trace/metrics/index.js';

const speed = (at: number, times: number): TraceEvent => ({ kind: 'world.speed', at, speed: times });
const sent = (intended: number): TraceEvent => ({ kind: 'call.sent', at: intended, call: 'read', intended });
const done = (intended: number, at: number, sentAt = intended): TraceEvent => ({
  ...{ kind: 'call.done', at, call: 'read', intended, sent: sentAt, status: 200, why: '' },
});
const SCOPES: MetricScopes = { devices: new Map(), loads: new Map([['client/a', ['read']]]), limits: [100] };

function folded(...events: readonly TraceEvent[]): Metrics {
  const metrics = new Metrics(0, 0, 240_000, SCOPES);
  for (const event of events) metrics.take(event);
  return metrics;
}

const maxOf = (metrics: Metrics, name: string, of?: string) => {
  const measure = metrics.read(name, of);
  return measure?.kind === 'durations' ? measure.distribution.max : undefined;
};

describe('in a run at 100 times real time', () => {
  // The answer takes 300 ms of the run, of which the request waits 100 ms for a connection.
  const metrics = folded(speed(0, 100), sent(1000), done(1000, 1300, 1100));

  it('the times to an answer are real times, for all loads and for those of a client', () => {
    expect([undefined, 'client/a'].map((of) => maxOf(metrics, 'call.latency', of))).toEqual([3, 3]);
    expect(maxOf(metrics, 'call.service')).toBe(2);
    expect(metrics.summarise().calls.read?.latency?.p95).toBe(3);
  });

  it('the series and the samples have the same times', () => {
    const { series, samples } = metrics.summarise();
    expect(series.callLatency.p99.filter((value) => value !== null)).toEqual([3]);
    expect(samples.durations['call.latency']?.max).toBe(3);
    expect(samples.durations['call.service']?.max).toBe(2);
  });

  it('a share within a duration has a limit in real time', () => {
    // 9,900 ms and 10,100 ms of the run are 99 ms and 101 ms.
    const share = folded(speed(0, 100), sent(0), done(0, 9900), sent(0), done(0, 10_100)).within('call.answered', 100);
    expect(share).toMatchObject({ total: 2, within: 1, open: 0 });
  });

  it('a request stays open until its deadline in real time', () => {
    const open = folded(speed(0, 100), sent(1000));
    const openAt = (now: number) => open.at(now).within('call.answered', 100)?.open;
    expect([openAt(1100), openAt(10_900), openAt(11_100)]).toEqual([1, 1, 0]);
  });
});

describe('if the speed changes during a request', () => {
  it('its time is the sum of the parts before and after the change', () => {
    // 1,000 ms at 10 times, 1,000 ms at 100 times, and 500 ms at 2 times real time.
    const changing = folded(speed(0, 10), sent(1000), speed(2000, 100), speed(3000, 2), done(1000, 3500));
    expect(maxOf(changing, 'call.latency')).toBe(100 + 10 + 250);
  });

  it('a request before the change and one after it have the times of their speeds', () => {
    const both = folded(speed(0, 10), done(0, 500), speed(1000, 50), done(2000, 2500));
    const latency = both.read('call.latency');
    expect(latency?.kind === 'durations' && [latency.distribution.min, latency.distribution.max]).toEqual([10, 50]);
  });
});

it('without an event about the speed, time of the run is real time', () => {
  expect(maxOf(folded(done(1000, 1300)), 'call.latency')).toBe(300);
});
