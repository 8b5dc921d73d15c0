/** The report of a run in real time about the process that simulates the fleet. */
import { expect, it } from 'vitest';
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
