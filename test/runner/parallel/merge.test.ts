/** The logs of the parts of a divided run become one log. */
import { expect, it } from 'vitest';
import { merged } from '../../../src/runner/parallel/merge.js';
import type { TraceEvent } from '../../../src/trace/events.js';

const text = (...events: readonly TraceEvent[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const wake = (at: number, serial: number): TraceEvent => ({ kind: 'device.wake', at, serial, why: 'poll' });
const closing: TraceEvent = { kind: 'world.closing', at: 5 };
const pruned = (messages: number): TraceEvent => ({ kind: 'cloud.pruned', at: 5, messages });

it('events of several parts are merged by time, then by device', () => {
  const parts = [text(wake(1, 3), wake(2, 3)), text(wake(1, 2), wake(1, 4))];
  expect(merged(parts).map(({ event }) => event)).toEqual([wake(1, 2), wake(1, 3), wake(1, 4), wake(2, 3)]);
});

it('the end of the scenario is one event, in its place between the events before and after it', () => {
  const parts = [text(wake(5, 9), closing, wake(5, 1)), text(wake(5, 8), closing, wake(5, 2))];
  const order = [wake(5, 8), wake(5, 9), closing, wake(5, 1), wake(5, 2)];
  expect(merged(parts).map(({ event }) => event)).toEqual(order);
});

it('the numbers of messages that the parts delete at one time are added up, in the event and in its line', () => {
  const [sum, ...rest] = merged([text(pruned(2)), text(pruned(3)), '']);
  expect([sum?.event, sum?.line, rest]).toEqual([pruned(5), JSON.stringify(pruned(5)), []]);
});
