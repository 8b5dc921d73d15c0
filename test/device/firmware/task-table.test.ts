import { expect, it } from 'vitest';
import { TaskTable } from '../../../src/device/firmware/task-table.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

interface Tasks {
  /** Milliseconds after which each task is due again. */
  readonly every: readonly number[];
  /** `quiet` tasks set no alarm. */
  readonly quiet?: readonly boolean[];
  readonly replaced?: readonly number[];
}

/** A table that records its runs. */
function fixture({ every, quiet = [], replaced = [] }: Tasks) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const owner = {
    clock,
    perform(task: number, at: number): number {
      done.push(`${task}@${at}`);
      return every[task] ?? Number.POSITIVE_INFINITY;
    },
  };
  return { clock, done, table: new TaskTable(owner, every.length, quiet, replaced) };
}

const ONCE = Number.POSITIVE_INFINITY;

it('a task table runs each task whenever it is due, and simultaneous tasks in the order of their numbers', async () => {
  const { clock, done, table } = fixture({ every: [ONCE, 100, 200] });
  table.set(2, 200);
  table.set(1, 100);
  table.set(0, 300);
  await clock.runUntil(400);
  expect(done).toEqual(['1@100', '1@200', '2@200', '0@300', '1@300', '1@400', '2@400']);
});

it('a task table sets one alarm, for the earliest task', () => {
  const { clock, table } = fixture({ every: [ONCE, ONCE, ONCE] });
  for (const [task, delay] of [300, 100, 200].entries()) table.set(task, delay);
  expect(clock.waiting).toBe(1);
  table.clear();
  expect(clock.waiting).toBe(0);
});

it('a task that is planned again does not run at its old time', async () => {
  const { clock, done, table } = fixture({ every: [ONCE, ONCE] });
  table.set(0, 100);
  table.set(1, 150);
  table.set(0, 300);
  await clock.runUntil(400);
  expect(done).toEqual(['1@150', '0@300']);
});

it('a task table runs overdue quiet tasks before the next task that is not quiet, each with the time at which it was due', async () => {
  const { clock, done, table } = fixture({ every: [100, ONCE], quiet: [true] });
  table.set(0, 100);
  await clock.runUntil(50);
  expect(clock.waiting).toBe(0);
  table.set(1, 200);
  await clock.runUntil(300);
  expect(done).toEqual(['0@100', '0@200', '1@250']);
  table.catchUp();
  expect(done).toEqual(['0@100', '0@200', '1@250', '0@300']);
});

it('of overdue runs that replace each other, only the last one is carried out, before and at the next other task', async () => {
  const { clock, done, table } = fixture({
    every: [100, 100, ONCE],
    quiet: [true, true],
    replaced: [100, ONCE],
  });
  table.set(0, 100);
  table.set(1, 150);
  table.set(2, 360);
  await clock.runUntil(500);
  expect(done).toEqual(['1@150', '1@250', '0@300', '1@350', '2@360']);
  table.catchUp();
  expect(done.slice(5)).toEqual(['1@450', '0@500']);
});

it('takeOverdue returns the quiet tasks that are due, without running them', async () => {
  const { clock, done, table } = fixture({ every: [100, 100, 100], quiet: [true, true, true] });
  table.set(0, 100);
  table.set(2, 50);
  table.set(1, 500);
  await clock.runUntil(200);
  expect(table.takeOverdue()).toEqual([0, 2]);
  table.catchUp();
  expect(done).toEqual([]);
});
