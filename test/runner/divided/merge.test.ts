/** The events of the parts of a run become one stream. Each worker of the run has one part, and sends events in batches. */
import { expect, it } from 'vitest';
import { Merge } from '../../../src/runner/divided/merge.js';
import type { TraceEvent } from '../../../src/trace/events.js';

const text = (...events: readonly TraceEvent[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const wake = (at: number, serial = 1): TraceEvent => ({ kind: 'device.wake', at, serial, why: 'poll' });
const closing = (at: number): TraceEvent => ({ kind: 'world.closing', at });
const times = (merge: Merge) => merge.take().map(({ event }) => event.at);

it('a merge passes events on when no part can send an earlier one', () => {
  const merge = new Merge(2);
  merge.add(0, text(wake(1), wake(30)), 40);
  expect(times(merge)).toEqual([]);
  merge.add(1, text(wake(2), wake(20)), 20);
  expect(merge.complete).toBe(20);
  expect(times(merge)).toEqual([1, 2, 20]);
  merge.add(1, '', 50);
  expect(times(merge)).toEqual([30]);
});

it('the events of a part keep their order, even if the clock of the target gives one of them an earlier time', () => {
  const merge = new Merge(2);
  merge.add(0, text(wake(10, 1), wake(7, 2), wake(12, 3)), 20);
  merge.add(1, text(wake(8, 4), wake(11, 5)), 20);
  expect(merge.take().map(({ event }) => 'serial' in event && event.serial)).toEqual([4, 1, 2, 5, 3]);
});

it('a late event, older than the events of an earlier batch, is placed after that batch', () => {
  const merge = new Merge(1);
  merge.add(0, text(wake(10)), 15);
  merge.add(0, text(wake(9), wake(16)), 20);
  expect(times(merge)).toEqual([10, 9, 16]);
});

it('the events of the other parts do not wait for a part that has ended', () => {
  const merge = new Merge(2);
  merge.add(0, text(wake(5)), 10);
  merge.add(1, text(wake(3)), 4);
  expect(times(merge)).toEqual([3]);
  merge.end(1);
  expect(times(merge)).toEqual([5]);
});

it('a merge passes on one `world.closing`, when all parts have closed', () => {
  const merge = new Merge(2);
  merge.add(0, text(closing(100), wake(101)), 200);
  merge.add(1, text(wake(102), closing(103), wake(104)), 200);
  expect(times(merge)).toEqual([101, 102, 103, 104]);
});

it('`world.closing` does not wait for a part that was lost before it closed', () => {
  const merge = new Merge(2);
  merge.add(0, text(wake(1), closing(100), wake(101)), 200);
  merge.add(1, text(wake(2)), 50);
  merge.end(1);
  expect(times(merge)).toEqual([1, 2, 100, 101]);
});

it('a merge passes on no `world.closing` if no part has closed', () => {
  const merge = new Merge(1);
  merge.add(0, text(wake(1)), 50);
  merge.end(0);
  expect(times(merge)).toEqual([1]);
});
