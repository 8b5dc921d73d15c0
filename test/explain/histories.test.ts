/** The events of a long run that are kept for explanations. */
import { describe, expect, it } from 'vitest';
import { Histories } from '../../src/explain/histories.js';
import type { TraceEvent } from '../../src/trace/events.js';

const wake = (serial: number, at: number): TraceEvent => ({ kind: 'device.wake', at, serial, why: 'report' });
/** Histories with a limit of 20 events that take one event of device 1 and then 50 events of device 2. */
const filled = (rolls: boolean) => {
  const histories = new Histories(undefined, 20, rolls);
  histories.take(wake(1, 0));
  for (let at = 1; at <= 50; at++) histories.take(wake(2, at));
  return histories;
};
const times = (histories: Histories, serial: number) => histories.getHistory(serial).events.map(({ at }) => at);

describe('a run with more events than are kept', () => {
  it('has no histories', () => {
    const histories = filled(false);
    expect([histories.overflowed, times(histories, 1), times(histories, 2)]).toEqual([true, [], []]);
  });

  it('has the latest events of each device while a user watches the run, and all events of a device with few events', () => {
    const histories = filled(true);
    const latest = times(histories, 2);
    expect([histories.overflowed, times(histories, 1), latest.at(-1)]).toEqual([true, [0], 50]);
    expect(latest.length).toBeLessThanOrEqual(20);
    expect(latest).toEqual(Array.from({ length: latest.length }, (_, i) => 51 - latest.length + i));
  });
});

it('events of devices that are not collected count, so that the limit does not depend on the choice', () => {
  const histories = new Histories((serial) => serial === 1, 20);
  for (let at = 0; at < 20; at++) histories.take(wake(at % 2, at));
  expect([histories.overflowed, times(histories, 0), times(histories, 1).length]).toEqual([false, [], 10]);
  histories.take(wake(0, 20));
  expect([histories.overflowed, times(histories, 1)]).toEqual([true, []]);
});

it('histories list devices with downlinks of users, but not devices that have only downlinks of the cloud itself', () => {
  const histories = new Histories();
  const queued = (serial: number, type: 'session' | 'shell'): TraceEvent => {
    return { kind: 'downlink.queued', at: serial, serial, downlink: `d${serial}`, type };
  };
  for (const event of [queued(1, 'session'), queued(2, 'shell')]) histories.take(event);
  expect(histories.withDownlinks).toEqual([2]);
});
