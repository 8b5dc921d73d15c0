/**
 * Twenty loads, with the times of their requests and their counts as computed by hand. Answers take no time unless a row says
 * so; between an answer and the next request of a user without think time is the least pause of virtual time, 1 ms.
 */
import { expect, it } from 'vitest';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../../scenario/fixtures.js';
import { runLoads } from './virtual-loads.js';

interface Row {
  /** The keys of the load beside its request. */
  readonly load: string;
  readonly at: readonly number[];
  /** Time of each answer, in ms. */
  readonly takes?: number;
  readonly request?: string;
}

const step = (count: number, from: number, by: number) => Array.from({ length: count }, (_, i) => from + i * by);
const sorted = (...lists: readonly (readonly number[])[]) => lists.flat().sort((a, b) => a - b);

const ROWS: readonly Row[] = [
  // Arrivals at a rate: the first one after half a gap.
  { load: 'rate: 2/s', at: step(20, 250, 500) },
  { load: 'rate: 30/m, from: 1s, until: 7s', at: [2000, 4000, 6000] },
  { load: 'rate: 1800/h', at: step(5, 1000, 2000) },
  { load: 'rate: 1/s', takes: 4000, at: step(10, 500, 1000) },
  // A ramp from 0 to 2/s in 8 s has t²/8 requests after t seconds: request n is due at √(8·(n - 1/2)).
  { load: 'rate: 0/s..2/s, until: 8s', at: [2000, 3464.102, 4472.136, 5291.503, 6000, 6633.25, 7211.103, 7745.967] },
  // The mirror image: 2t - t²/8 requests after t seconds.
  { load: 'rate: 2/s..0/s, until: 8s', at: [254.033, 788.897, 1366.75, 2000, 2708.497, 3527.864, 4535.898, 6000] },
  { load: 'rate: { 0s: 1/s, 2s: 4/s, 3s: 0/s }', at: [500, 1500, 2125, 2375, 2625, 2875] },
  // Half a request is left from the first piece.
  { load: 'rate: { 0s: 1/s, 1s500ms: 2/s, 3s: 0/s }', at: [500, 1500, 2000, 2500] },
  // Constant users: they spread over their think time at first.
  { load: 'users: 2, think: 4s', at: [0, 2000, 4000, 6000, 8000] },
  { load: 'users: 1, think: 3s', takes: 1000, at: [0, 4000, 8000] },
  { load: 'users: 3, think: 3s, from: 2s, until: 6s', at: [2000, 3000, 4000, 5000] },
  { load: 'users: 1', takes: 2500, at: [0, 2501, 5002, 7503] },
  // Ramping users, as in k6: from 0 to 2 within 4 s, one comes at 2 s and one at 4 s.
  { load: 'users: 0..2, until: 4s, think: 1s', at: [2000, 3000] },
  { load: 'users: { 0s: 0..2, 4s: 2 }, until: 7s, think: 2s', at: [2000, 4000, 4000, 6000, 6000] },
  // From 2 to 0 within 4 s, one leaves at 2 s and one at 4 s.
  { load: 'users: { 0s: 2..0, 4s: 0 }, think: 1s', at: [0, 500, 1000, 1500, 2000, 3000] },
  // Two more users come at 5 s and spread over the think time.
  { load: 'users: { 0s: 1, 5s: 3 }, think: 4s', at: [0, 4000, 5000, 7000, 8000, 9000] },
  // Seven iterations, shared: the faster user is the one that is free.
  { load: 'users: 2, iterations: 7, think: 1s', at: [0, 500, 1000, 1500, 2000, 2500, 3000] },
  { load: 'users: 3, iterations: 2, think: 3s', at: [0, 1000] },
  // One for each of the five devices.
  { load: 'per: device, over: 5s', at: step(5, 0, 1000) },
  { load: 'per: device, from: 3s', request: 'get: "/d/{serial}"', at: [3000, 3000, 3000, 3000, 3000] },
];

it('there are twenty loads', () => {
  expect(ROWS).toHaveLength(20);
});

it.each(ROWS)(
  'the load "$load" sends its requests exactly when it should',
  async ({ load, at, takes = 0, request = 'get: /a' }) => {
    const head = 'name: test\nduration: 10s\n';
    const plan = planScenario(scenarioOf({ head, load: `  - { ${load}, request: { ${request} } }\n` }));
    const { sent, count, contradictions } = await runLoads(plan, () => ({ takes }));
    expect(sent.map((one) => one.at)).toEqual(at);
    expect(contradictions).toEqual([]);
    expect(['call.planned', 'call.answered', 'iteration.planned', 'iteration.done'].map((name) => count(name))).toEqual(
      [at.length, at.length, at.length, at.length],
    );
    const divided = await runLoads(plan, () => ({ takes }), { parts: 2 });
    const times = sorted(divided.sent.map((one) => one.at));
    // Parts cannot share iterations with each other: each has those of its users.
    if (!load.includes('iterations')) expect(times).toEqual(at);
    else expect(times).toHaveLength(at.length);
  },
);

it.each([{ parts: 1 }, { parts: 2 }])(
  'iterations that users share and have not begun when their load ends are dropped ($parts parts)',
  async (options) => {
    const load = '{ users: 2, think: 4s, iterations: 100, until: 8s, request: { get: /a }, name: a }';
    const plan = planScenario(scenarioOf({ head: 'name: test\nduration: 10s\n', load: `  - ${load}\n` }));
    const { metrics, count, contradictions } = await runLoads(plan, undefined, options);
    expect(['planned', 'sent', 'answered', 'dropped'].map((name) => count(`call.${name}`))).toEqual([100, 4, 4, 96]);
    expect(metrics.summarise().calls.a?.reasons).toEqual({ 'dropped: the load ended before its iterations': 96 });
    expect(contradictions).toEqual([]);
  },
);
