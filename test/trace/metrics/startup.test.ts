/** The share of boots that led to a session within a duration, and the number of devices that were ready at least once. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';
import { numberOf } from '../fixtures.js';

const boot = (serial: number, at: number): TraceEvent => ({ kind: 'device.boot', at, serial, cause: 'power' });
const ready = (serial: number, at: number): TraceEvent => ({ kind: 'device.ready', at, serial });
const closing = (at: number): TraceEvent => ({ kind: 'world.closing', at });
/** An event whose only effect is that time advances. */
const now = (at: number): TraceEvent => ({ kind: 'service.fault', at, fault: 'slow' });

/** Metrics with the limits 100 and 200 ms, and device 1 in the scope `north`. */
function folded(...events: readonly TraceEvent[]): Metrics {
  const scopes = { devices: new Map([['north', [1]]]), loads: new Map(), limits: [100, 200] };
  const metrics = new Metrics(3, 0, 0, scopes);
  for (const event of events) metrics.take(event);
  return metrics;
}

describe('the share of boots', () => {
  it('contains those after which the device was ready within the limit', () => {
    const boots = [1, 2, 3].map((serial) => boot(serial, 1000));
    const metrics = folded(...boots, ready(1, 1100), ready(2, 1101), ready(3, 1201));
    expect(metrics.within('device.startup', 100)).toEqual({ total: 3, within: 1, open: 0 });
    expect(metrics.within('device.startup', 200)).toEqual({ total: 3, within: 2, open: 0 });
  });

  it('contains all boots of a device', () => {
    const metrics = folded(boot(1, 0), ready(1, 50), boot(1, 1000), ready(1, 1050), boot(1, 2000), ready(1, 2150));
    expect(metrics.within('device.startup', 100)).toEqual({ total: 3, within: 2, open: 0 });
  });

  it('leaves a boot open until it is as old as the limit', () => {
    expect(folded(boot(1, 1000), boot(2, 1001), now(1100)).within('device.startup', 100)).toEqual({
      ...{ total: 2, within: 0, open: 1 },
    });
  });

  it('does not leave a boot open that another boot has interrupted', () => {
    expect(folded(boot(1, 0), boot(1, 10)).within('device.startup', 100)).toEqual({ total: 2, within: 0, open: 1 });
  });

  it('rounds both times to milliseconds', () => {
    expect(folded(boot(1, 0.4), ready(1, 100.4)).within('device.startup', 100)?.within).toBe(1);
    expect(folded(boot(1, 0.4), ready(1, 100.6)).within('device.startup', 100)?.within).toBe(0);
  });

  it('can be read for a scope', () => {
    const metrics = folded(boot(1, 0), boot(2, 0), ready(1, 100), ready(2, 100));
    expect(metrics.within('device.startup', 100, 'north')).toEqual({ total: 1, within: 1, open: 0 });
  });

  it('cannot be read for a limit that the constructor did not receive', () => {
    const metrics = folded(boot(1, 0));
    expect(() => metrics.within('device.startup', 300)).toThrow('boots within 300 ms were not counted');
  });
});

describe('a device whose first session begins after the end of the scenario', () => {
  const late = [boot(1, 0), closing(100), ready(1, 101)];

  it('counts as up, but not as ready', () => {
    const metrics = folded(...late);
    expect([numberOf(metrics, 'device.ready'), numberOf(metrics, 'device.up')]).toEqual([0, 1]);
  });

  it('does not count as ready in a scope either', () => {
    const metrics = folded(...late);
    expect(metrics.read('device.ready', 'north')).toEqual({ kind: 'count', value: 0 });
    expect(metrics.read('device.up', 'north')).toEqual({ kind: 'count', value: 1 });
  });
});
