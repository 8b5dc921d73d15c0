/** Loads under a limit of requests a second. */
import { describe, expect, it } from 'vitest';
import { warnOfHeld } from '../../../src/runner/idle-loads.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../../scenario/fixtures.js';
import { runLoads } from './virtual-loads.js';

const planOf = (load: string) => planScenario(scenarioOf({ head: 'name: test\nduration: 10s\n', load }));

/** The most requests in any second. */
function busiestSecond(sent: readonly { readonly at: number }[]): number {
  return Math.max(...sent.map(({ at }) => sent.filter((other) => other.at >= at && other.at < at + 1000).length));
}

const USERS = '  - { name: users, users: 4, until: 8s, request: { get: "/v2/x" } }\n';
const BURST = '  - { name: burst, rate: 20/s, until: 1s, request: { get: "/v2/x" } }\n';
const TEN_MS = () => ({ takes: 10 });

describe('a limit of requests a second', () => {
  it('holds users back, and the time for which it does is in no latency', async () => {
    const { sent, metrics, contradictions } = await runLoads(planOf(USERS), TEN_MS, { perSecond: 5 });
    expect(busiestSecond(sent)).toBe(5);
    expect(sent).toHaveLength(40);
    expect(contradictions).toEqual([]);
    const { users } = metrics.summarise().calls;
    expect(users).toMatchObject({ planned: 40, answered: 40, latency: { max: 10 }, held: { longest: 988.75 } });
  });

  it('sends no request of users after the end of their load', async () => {
    const { sent, stillOpen } = await runLoads(planOf(USERS), TEN_MS, { perSecond: 0.5 });
    expect([sent.map(({ at }) => at), stillOpen]).toEqual([[0, 2000, 4000, 6000], []]);
  });

  it('holds back the requests of a load with a rate, and sends and reports all of them', async () => {
    const plan = planOf(BURST);
    const { sent, metrics, contradictions } = await runLoads(plan, TEN_MS, { perSecond: 5 });
    expect(busiestSecond(sent)).toBe(5);
    expect(contradictions).toEqual([]);
    const { calls } = metrics.summarise();
    expect(calls.burst).toMatchObject({ planned: 20, answered: 20, latency: { max: 10 }, held: { count: 15 } });
    expect(warnOfHeld(plan, calls)).toEqual([
      'the limit of requests a second (--rate) held back the load burst: 15 requests by up to 2.3s, which no latency contains',
    ]);
  });

  it('leaves requests unsent at the end of the run, and the run names the limit as the reason', async () => {
    const plan = planOf(BURST);
    const { metrics, contradictions, stillOpen } = await runLoads(plan, TEN_MS, { perSecond: 5, stopAt: 1500 });
    expect(contradictions).toEqual([]);
    expect(stillOpen).toEqual(['the load "burst" with 10 requests that --rate holds back']);
    const { calls } = metrics.summarise();
    expect(calls.burst).toMatchObject({ planned: 20, sent: 10, dropped: 10 });
    expect(warnOfHeld(plan, calls)).toEqual([
      expect.stringMatching(/5 requests by up to 7\d\dms, .*; 10 requests until the end$/),
    ]);
  });

  it('holds while all connections are in use, and after that', async () => {
    const load = '  - { name: steady, rate: 4/s, until: 8s, request: { get: "/v2/x" } }\n';
    const stalled = ({ at }: { readonly at: number }) => ({ takes: at < 3000 ? 5000 - at : 10 });
    const { sent, contradictions } = await runLoads(planOf(load), stalled, { perSecond: 5, connections: 2 });
    expect(contradictions).toEqual([]);
    expect(sent).toHaveLength(32);
    expect(busiestSecond(sent)).toBe(5);
  });

  it('is in no time of an iteration', async () => {
    const load = `  - name: journey
    users: 3
    until: 8s
    chain: [{ get: "/v2/a", name: a, think: 100ms }, { get: "/v2/b", name: b }]
`;
    const { sent, metrics } = await runLoads(planOf(load), TEN_MS, { perSecond: 2 });
    expect(busiestSecond(sent)).toBe(2);
    expect(metrics.summarise().iterations?.journey).toMatchObject({ failed: 0, time: { max: 120 } });
  });

  it.each([USERS, BURST])('is free for the run when the load has ended early: %s', async (load) => {
    const never = () => ({ takes: 100_000 });
    const { freeAfter } = await runLoads(planOf(load), never, { perSecond: 5, connections: 1, stopAt: 3000 });
    expect(freeAfter[0]).toBeLessThanOrEqual(1000);
  });
});
