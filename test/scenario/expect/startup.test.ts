import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/trace/events.js';
import { allJudged, judged } from './judged.js';

const DURATION = 2000;

/** A boot of one device; each boot has a different device. `took`: time to the session; null if there was none. */
interface Boot {
  readonly at: number;
  readonly took: number | null;
}

function eventsOf(boots: readonly Boot[]): readonly TraceEvent[] {
  return boots.flatMap(({ at, took }, i): TraceEvent[] => {
    const serial = i + 1;
    const boot = { kind: 'device.boot', at, serial, cause: 'power', version: '1.0.0' } as const;
    return took === null ? [boot] : [boot, { kind: 'device.ready', at: at + took, serial }];
  });
}

const boots = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 1000 }),
    took: fc.option(fc.integer({ min: 0, max: 900 }), { nil: null }),
  }),
  { minLength: 1, maxLength: 8 },
);

describe('device.startup', () => {
  const half = eventsOf(Array.from({ length: 20 }, (_, i) => ({ at: 0, took: i < 10 ? 100 : null })));

  it('within a duration is a share of all boots, including those of devices that were never ready', () => {
    expect(judged('device.startup within 1s >= 95%', half, DURATION)).toMatchObject({
      passed: false,
      sentence: 'device.startup within 1s is 50% (10 of 20), wanted >= 95%',
    });
    expect(judged('device.startup within 1s of north == 100%', half, DURATION).passed).toBe(true);
  });

  it('has no decidable percentile above the share of boots that led to a session', () => {
    expect(judged('device.startup p(95) < 1s', half, DURATION)).toMatchObject({
      undecided: true,
      sentence:
        'not decidable: device.startup p(95) is 100ms without them, but leaves out 10 of 20 (10 not ready); wanted < 1s',
    });
  });

  it('counts a boot that another one interrupted as a start that did not succeed', () => {
    const again = [...eventsOf([{ at: 0, took: null }]), ...eventsOf([{ at: 50, took: 100 }])];
    expect(judged('device.startup within 1m == 50%', again, 60).passed).toBe(true);
  });

  it('has the verdict that all possible continuations of the run share', () => {
    fc.assert(
      fc.property(boots, fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 0, max: 8 }), (fleet, limit, wanted) => {
        const came = fleet.filter(({ took }) => took !== null && took <= limit).length;
        const open = fleet.filter(({ at, took }) => took === null && DURATION - at < limit).length;
        const share = wanted / 8;
        const line = `device.startup within ${limit}ms >= ${share * 100}%`;
        const [result] = allJudged([line], eventsOf(fleet), DURATION);
        const [worst, best] = [came, came + open].map((ready) => ready / fleet.length >= share);
        expect(result?.undecided ?? false).toBe(worst !== best);
        expect(result?.passed).toBe(worst === true && best === true);
      }),
    );
  });
});
