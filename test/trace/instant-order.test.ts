import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/trace/events.js';
import { InstantOrder } from '../../src/trace/instant-order.js';

/** The events in the order in which they are passed on. */
function ordered(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const passed: TraceEvent[] = [];
  const order = new InstantOrder({ emit: (event) => passed.push(event) });
  for (const event of events) order.emit(event);
  order.settle();
  return passed;
}

const wake = (at: number, serial: number, why: 'report' | 'poll' = 'report'): TraceEvent => {
  return { kind: 'device.wake', at, serial, why };
};
const refused = (why: 'unreadable' | 'wrong tag'): TraceEvent => ({ kind: 'cloud.refused', at: 1, why });

describe('the order within an instant', () => {
  it('is by serial number; the events of one device stay in their order', () => {
    const given = [wake(1, 5), wake(1, 2, 'poll'), wake(1, 5, 'poll'), wake(1, 2), wake(2, 1)];
    expect(ordered(given)).toEqual([wake(1, 2, 'poll'), wake(1, 2), wake(1, 5), wake(1, 5, 'poll'), wake(2, 1)]);
  });

  it('begins with events that belong to no known device', () => {
    const pruned: TraceEvent = { kind: 'cloud.pruned', at: 1, messages: 3 };
    const given = [wake(1, 1), refused('wrong tag'), refused('unreadable'), pruned];
    expect(ordered(given)).toEqual([pruned, refused('unreadable'), refused('wrong tag'), wake(1, 1)]);
  });

  it('never moves an event past an event that concerns all devices', () => {
    const closing: TraceEvent = { kind: 'world.closing', at: 1 };
    const given = [wake(1, 2), wake(1, 1), closing, wake(1, 4), wake(1, 3)];
    expect(ordered(given)).toEqual([wake(1, 1), wake(1, 2), closing, wake(1, 3), wake(1, 4)]);
  });

  it('is the same for every interleaving of the devices', () => {
    const event = fc.record({ at: fc.nat(3), serial: fc.nat(4), n: fc.nat() });
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(9)), (drawn, lots) => {
        const events = drawn.map(({ at, serial, n }): TraceEvent => {
          return { kind: 'uplink.sent', at, serial, uplink: n, type: 'data' };
        });
        const inTime = events.toSorted((a, b) => a.at - b.at);
        // The order of devices within an instant changes; the order of the events of one device does not.
        const lotOf = (entry: TraceEvent) => ('serial' in entry ? (lots[entry.serial] ?? 0) : 0);
        const mixed = inTime.toSorted((a, b) => a.at - b.at || lotOf(a) - lotOf(b));
        expect(ordered(mixed)).toEqual(ordered(inTime));
      }),
    );
  });
});
