/** A run against another cloud with a limit of requests a second. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { runPlan } from '../../../src/library/scenario.js';
import { RequestLimit } from '../../../src/runner/targets/request-limit.js';
import { unhurried } from '../../support/unhurried.js';
import { planOf } from '../run-text.js';
import { cloudAt, theirClouds } from './their-cloud.js';

const serve = theirClouds();

const scenario = (load: string) => `
name: limited
duration: 2s
settle: 2s
fleet: [{ name: clime, profile: clime, count: 2 }]
load: [{ name: reads, ${load}, request: { get: "/v2/spaces/{space}/devices/count" } }]
`;

async function visit(load: string, workers = 1) {
  const cloud = { ...cloudAt(await serve(), 'http'), pace: { atOnce: 4, perSecond: 20 } };
  return runPlan(planOf(scenario(load), 1), { clock: 'real', speed: 1, meter: unhurried, cloud, workers });
}

describe('a run with a limit of requests a second', () => {
  it.each([1, 2])('sends the requests of users within it, and says so, with %i workers', async (workers) => {
    const { calls, wallMs, warnings } = await visit('users: 6', workers);
    expect(calls.reads?.sent).toBeLessThanOrEqual(20 * (wallMs / 1000 + 1));
    expect(warnings.join('\n')).toContain('the limit of requests a second (--rate) held back the load reads: ');
  });

  it('does not begin with a load of a higher rate', async () => {
    await expect(visit('rate: 21/s')).rejects.toThrow('the load "reads" plans up to 21 requests/s');
  });
});

it('a request that waits for its turn ends when the run is interrupted, and the next one gets the turn', async () => {
  const clock = new VirtualClock();
  const limit = new RequestLimit(0.01, clock);
  await limit.turn();
  const interrupt = new AbortController();
  const waiting = expect(limit.turn(interrupt.signal)).rejects.toThrow('interrupted');
  interrupt.abort(new Error('interrupted'));
  await waiting;
  const next = limit.turn();
  await clock.runUntil(seconds(100));
  await next;
});
