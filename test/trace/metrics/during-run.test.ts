/** Metrics that are read during a run, or at its early end. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';
import { downlinkLife } from '../fixtures.js';

const closing = (at: number): TraceEvent => ({ kind: 'world.closing', at });
/** An event whose only effect is that time advances. */
const event = (at: number): TraceEvent => ({ kind: 'service.fault', at, fault: 'slow' });

/** Metrics of two downlinks that were queued at 0 and wait, one of them in the scope `north`, and of later events. */
function waiting(...later: readonly TraceEvent[]): Metrics {
  const metrics = new Metrics(2, 0, 0, { devices: new Map([['north', [1]]]), loads: new Map() });
  const queued = [1, 2].flatMap((serial) => downlinkLife({ id: `d${serial}`, serial }));
  for (const one of [...queued, ...later]) metrics.take(one);
  return metrics;
}

/** Number of downlinks that can still be delivered within 100 ms. */
function openAt(now: number, metrics: Metrics, of?: string): number | undefined {
  return metrics.at(now).within('downlink.delivered', 100, of)?.open;
}

describe('the metrics during a run', () => {
  it('have the values of all events so far, for the whole run and for a scope', () => {
    const metrics = waiting().at(50);
    expect(metrics.read('downlink.queued')).toEqual({ kind: 'count', value: 2 });
    expect(metrics.read('downlink.queued', 'north')).toEqual({ kind: 'count', value: 1 });
  });

  it('count an exchange as late after its deadline, even without an event', () => {
    const metrics = waiting();
    expect([openAt(100, metrics), openAt(101, metrics)]).toEqual([2, 0]);
    expect([openAt(100, metrics, 'north'), openAt(101, metrics, 'north')]).toEqual([1, 0]);
  });

  it('leave an exchange open at its deadline although there was an event at this instant', () => {
    expect([openAt(100, waiting(event(100))), openAt(101, waiting(event(101)))]).toEqual([2, 0]);
    // Another event of the same instant delivers the first downlink in time.
    const delivered: TraceEvent = {
      kind: 'downlink.delivered',
      at: 100,
      serial: 1,
      downlink: 'd1',
      evidence: 'final-ack',
    };
    const share = waiting(event(100), delivered).at(100).within('downlink.delivered', 100);
    expect(share).toEqual({ total: 2, within: 1, open: 1 });
  });

  it('count up to the latest event if it is later than the given time', () => {
    expect([openAt(50, waiting(event(100))), openAt(50, waiting(event(101)))]).toEqual([2, 0]);
  });

  it('do not count the time after the end of the scenario', () => {
    expect(openAt(5000, waiting(closing(99)))).toBe(2);
    expect(openAt(5000, waiting(closing(100)))).toBe(0);
  });
});
