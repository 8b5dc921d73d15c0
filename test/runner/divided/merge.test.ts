/** The events of the parts of a run become one stream. Each worker of the run has one part, and sends events in batches. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Merge } from '../../../src/runner/divided/merge.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { InstantOrder } from '../../../src/trace/instant-order.js';

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

it('events that wait for another part are not parsed yet', () => {
  const merge = new Merge(2);
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  merge.add(0, text(wake(1)), 10);
  merge.add(0, text(wake(11), wake(12)), 20);
  merge.add(1, '', 10);
  expect(times(merge)).toEqual([1]);
  expect(parse).toHaveBeenCalledTimes(1);
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

describe('in virtual time', () => {
  /** The events of a window of each part, and their lines, in the order in which the journal records them. */
  function recorded(...parts: readonly string[]) {
    const merge = new Merge(parts.length);
    parts.forEach((lines, part) => void merge.add(part, lines, 10));
    const logged: { readonly event: TraceEvent; readonly line: string | undefined }[] = [];
    const order = new InstantOrder({ emit: (event, line) => void logged.push({ event, line }) });
    for (const { event, line } of merge.take()) order.emit(event, line);
    order.settle();
    return { events: logged.map(({ event }) => event), lines: logged.map(({ line }) => line) };
  }

  it('events of several parts are recorded by time, then by device, each with its line', () => {
    const { events, lines } = recorded(text(wake(1, 3), wake(2, 3)), text(wake(1, 2), wake(1, 4)));
    expect(events).toEqual([wake(1, 2), wake(1, 3), wake(1, 4), wake(2, 3)]);
    expect(lines).toEqual(events.map((event) => JSON.stringify(event)));
  });

  it('the end of the scenario is one event, in its place between the events before and after it', () => {
    const parts = [text(wake(5, 9), closing(5), wake(5, 1)), text(wake(5, 8), closing(5), wake(5, 2))];
    expect(recorded(...parts).events).toEqual([wake(5, 8), wake(5, 9), closing(5), wake(5, 1), wake(5, 2)]);
  });

  it('the numbers of messages that the parts delete at one time are added up, in the event and in its line', () => {
    const pruned = (messages: number): TraceEvent => ({ kind: 'cloud.pruned', at: 5, messages });
    const sum = pruned(5);
    const parts = [text(wake(5, 1), pruned(2)), text(wake(5, 2), pruned(3)), ''];
    expect(recorded(...parts)).toEqual({
      events: [sum, wake(5, 1), wake(5, 2)],
      lines: [sum, wake(5, 1), wake(5, 2)].map((event) => JSON.stringify(event)),
    });
  });
});
