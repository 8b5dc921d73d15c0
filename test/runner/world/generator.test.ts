/** The report of a run in real time about the process that simulates the fleet. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endOfTurn } from '../../../src/kernel/real-timers.js';
import { GeneratorWatch } from '../../../src/runner/world/generator.js';
import { runText } from '../run-text.js';

it('the watch of a generator reports how late actions were, and makes a run invalid if they were too late', () => {
  const watch = new GeneratorWatch();
  for (let i = 0; i < 100; i++) watch.late(i < 90 ? 1 : 500);
  const { lateness, busy, cpu, gc, spoiled } = watch.end();
  expect(lateness).toMatchObject({ count: 100, p50: 1, max: 500 });
  for (const figure of [busy, cpu, gc]) expect(figure).toBeGreaterThanOrEqual(0);
  expect(spoiled).toMatch(
    /^the load generator was the bottleneck: 1 % of its actions were more than 500ms late, the worst /,
  );
});

it('a run in real time is measured from its first action on', async () => {
  const text = 'name: short\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';
  const meter = (speed: number) => new GeneratorWatch(speed);
  const { generator } = await runText(text, { clock: 'real', speed: 600, meter });
  expect(generator?.lateness?.count).toBeGreaterThan(0);
});

it('a run in virtual time has no report about its load generator', async () => {
  const text = 'name: short\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';
  expect((await runText(text)).generator).toBeNull();
});

describe('simulated timers of a test runner', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  // Vitest cannot replace nextTick in the processes in which these tests run.
  const replaced = [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'Date',
    'performance',
    'hrtime',
    'queueMicrotask',
  ] as const;

  it.each([
    { when: 'before the measurement', first: true },
    { when: 'in it', first: false },
  ])('do not change the figures of a generator if they begin $when', async ({ first }) => {
    if (first) vi.useFakeTimers({ toFake: [...replaced] });
    const watch = new GeneratorWatch();
    if (!first) vi.useFakeTimers({ toFake: [...replaced] });
    await endOfTurn();
    const { busy, cpu, gc } = watch.end();
    expect(busy).toBeLessThanOrEqual(1);
    for (const figure of [busy, cpu, gc]) {
      expect(figure).toBeGreaterThanOrEqual(0);
      // One that was computed with two different clocks is in the millions.
      expect(figure).toBeLessThan(1000);
    }
  });

  it('do not change the figures of a run in real time', async () => {
    vi.useFakeTimers();
    const text = 'name: short\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';
    const meter = (speed: number) => new GeneratorWatch(speed);
    const { generator } = await runText(text, { clock: 'real', speed: 600, meter });
    expect(generator?.busy).toBeGreaterThan(0);
    expect(generator?.busy).toBeLessThanOrEqual(1);
    expect(generator?.cpu).toBeGreaterThan(0);
    expect(generator?.lateness?.count).toBeGreaterThan(0);
  });
});
