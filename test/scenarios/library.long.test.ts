/** The scenarios of the library that do not run for each change, with smaller fleets, and with other variables. */
import { expect, it } from 'vitest';
import { NAMES, play, problemsOf } from '../../scripts/support/library.js';
import { ALWAYS, smallPlan } from './small-library.js';

/** The scenario that also runs over UDP: its outages interrupt exchanges in every state, and it takes little time. */
const ALSO_OVER_UDP = 'flapping-link';
/** This scenario is three days long and has at least three devices of each type, so only `npm run prove -- library` runs it. */
const LONG = 'soak';

it.each(NAMES.filter((name) => name !== LONG && !ALWAYS.includes(name)))(
  '%s passes with a small fleet, and accounts for every downlink',
  async (name) => {
    expect(problemsOf(await play(smallPlan(name)))).toEqual([]);
  },
);

it('flapping-link has the same digest over UDP', async () => {
  const { digest } = await play(smallPlan(ALSO_OVER_UDP));
  expect((await play(smallPlan(ALSO_OVER_UDP), 'udp')).digest).toBe(digest);
});

it('config-rollout stops at its first gate if the firmware refuses the configuration, and does not affect the other devices', async () => {
  const plan = smallPlan('config-rollout', { interval: '5' });
  const { exitCode, failure, downlinks } = await play(plan);
  expect(exitCode).toBe(3);
  expect(failure).toMatch(/waited 55m for "downlink\.answered of canary == fleet\.devices of canary"/);
  // Only the downlinks of the canary group were queued.
  expect(downlinks.queued).toBe(plan.groups[0]?.count);
});

it('flapping-link passes with outages that are too short for a poll to fail', async () => {
  const { expectations, exitCode } = await play(smallPlan('flapping-link', { away: '1m' }));
  expect(expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence))).toEqual([]);
  expect(exitCode).toBe(0);
});
