/** The goals of the benchmarks have rows in docs/SCALE.md with the same wanted figures. */
import { expect, it } from 'vitest';
import { GOALS, type GoalName, rowOf } from '../../bench/goals.js';

it.each(Object.keys(GOALS) as GoalName[])('the goal "%s" has a row in SCALE.md with the same wanted figure', (name) => {
  const goal: { least?: number; most?: number; unit?: string } = GOALS[name];
  const wanted = [goal.least ?? goal.most, goal.unit].filter((part) => part !== undefined).join(' ');
  expect(rowOf(name)[1]).toBe(wanted);
});
