import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hours } from '../../../src/kernel/time.js';
import { UplinkOrder } from '../../../src/runner/targets/uplink-order.js';
import type { TraceEvent } from '../../../src/trace/events.js';

const DEVICE = { serial: 1, type: 'data' } as const;

function sent(uplink: number, at = 0): TraceEvent {
  return { kind: 'uplink.sent', at, ...DEVICE, uplink };
}

function stored(copy = false): TraceEvent {
  return { kind: 'cloud.stored', at: 0, ...DEVICE, message: 'm', copy };
}

function acked(uplink: number, at = 0): TraceEvent {
  return { kind: 'uplink.acked', at, ...DEVICE, uplink };
}

function dropped(uplink: number): TraceEvent {
  return { kind: 'uplink.dropped', at: 0, ...DEVICE, uplink, why: 'test' };
}

const repeat: TraceEvent = { kind: 'device.repeat', at: 0, serial: 1, waited: 1 };
const restart: TraceEvent = { kind: 'device.restart', at: 0, serial: 1, why: 'test' };
const session: TraceEvent = { ...sent(9), type: 'session' } as TraceEvent;

function isUnclear(...events: readonly TraceEvent[]): boolean {
  const order = new UplinkOrder({ emit: () => {} });
  for (const event of events) order.emit(event);
  return order.isUnclear(1);
}

it('the next message is clear while a new uplink is the only one in transfer', () => {
  expect(isUnclear(sent(1))).toBe(false);
  expect(isUnclear(sent(1), session)).toBe(false);
  expect(isUnclear(sent(1), stored(), acked(1), sent(2))).toBe(false);
  expect(isUnclear(sent(1), dropped(1), sent(2))).toBe(false);
});

it.each([
  ['nothing was sent', []],
  ['the uplink is stored', [sent(1), stored()]],
  ['the uplink was acknowledged before', [sent(1), acked(1)]],
  ['the uplink was dropped', [sent(1), dropped(1)]],
  ['the uplink is sent again', [sent(1), sent(1)]],
  ['an earlier uplink is open', [sent(1), stored(), sent(2)]],
  ['a datagram was repeated', [sent(1), repeat]],
  ['the transfer was started over', [sent(1), restart]],
] as const)('the next message is unclear if %s', (_, events) => {
  expect(isUnclear(...events)).toBe(true);
});

it('the next message stays unclear for an hour after a repeated datagram', () => {
  expect(isUnclear(repeat, sent(1, hours(1) - 1))).toBe(true);
  expect(isUnclear(repeat, sent(1, hours(1) - 2), acked(1, hours(1) - 1), sent(2, hours(1)))).toBe(false);
});

it('passes on all events', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(sent(1), stored(), acked(1), dropped(1), repeat, session)), (events) => {
      const seen: TraceEvent[] = [];
      const order = new UplinkOrder({ emit: (event) => seen.push(event) });
      for (const event of events) order.emit(event);
      expect(seen).toEqual(events);
    }),
  );
});
