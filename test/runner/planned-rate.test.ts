/** Loads that plan more requests a second than the limit of requests allows. */
import { describe, expect, it } from 'vitest';
import { checkRate } from '../../src/runner/planned-rate.js';
import { targetCloud } from '../../src/runner/targets/remote-api.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { scenarioOf } from '../scenario/fixtures.js';

/** Why a run with these loads is refused; undefined if it is not. */
function refusalOf(load: string, perSecond: number | null, { speed = 1, workers = 1 } = {}): string | undefined {
  const plan = planScenario(scenarioOf({ head: 'name: test\nduration: 10m\n', load }));
  const cloud = targetCloud({ api: 'http://cloud', apiKey: 'secret', pace: { perSecond } });
  try {
    checkRate({ plan, cloud, speed, workers });
    return undefined;
  } catch (error) {
    const { message, hint } = error as { readonly message: string; readonly hint: string };
    return `${message}: ${hint}`;
  }
}

const request = 'request: { get: "/v2/x" }';
const one = `  - { name: one, rate: 8/s, from: 1m, until: 2m, ${request} }\n`;
const other = `  - { name: other, rate: 4.5/s, from: 90s, until: 3m, ${request} }\n`;
const later = `  - { name: later, rate: 8/s, from: 2m, until: 3m, ${request} }\n`;
const ramp = `  - { name: ramp, rate: 1/s..50/s, until: 2m, ${request} }\n`;
const users = `  - { name: users, users: 500, ${request} }\n`;
const chain = '  - { name: chain, rate: 3/s, chain: [{ get: "/v2/x", name: a }, { get: "/v2/y", name: b }] }\n';

describe('a load with a rate above the limit of requests a second', () => {
  it('is refused with its rate, the limit and the remedy', () => {
    expect(refusalOf(one, 5)).toBe(
      'the load "one" plans up to 8 requests/s, more than the limit of 5/s (--rate): lower its rate, or use --rate 8 or more',
    );
  });

  it.each([
    ['two loads at the same time', one + other, 12, {}, /^the loads "one", "other" together plan up to 12\.5 req/],
    [
      'the highest rate of a ramp',
      ramp,
      49,
      {},
      /^the load "ramp" plans up to 50 requests\/s, .*use --rate 50 or more$/,
    ],
    ['each request of a chain', chain, 5, {}, /^the load "chain" plans up to 6 requests/],
    ['a speed', one, 40, { speed: 6 }, /up to 48 requests\/s at × 6, .*use --rate 48 or more$/],
    [
      'a device whose worker has only its share of the limit',
      '  - { name: last, latest-value: null, to: control/1, rate: 4/s }\n',
      6,
      { workers: 2 },
      /up to 4 requests\/s for one of 2 workers, each of which may send 3\/s, .*use --rate 8 or more$/,
    ],
    [
      'a request for each device in a time',
      '  - { name: all, latest-value: null, per: device, over: 100ms }\n',
      1,
      {},
      /"all" plans/,
    ],
  ])('is counted with %s', (_, load, perSecond, options, why) => {
    expect(refusalOf(load, perSecond, options)).toMatch(why);
  });

  it.each([
    ['two loads one after the other', one + later, 8, {}],
    ['users, who wait', users, 1, {}],
    ['two workers that share a load', one, 8, { workers: 2 }],
    ['no limit', one + other + ramp, null, {}],
  ])('is not refused with %s', (_, load, perSecond, options) => {
    expect(refusalOf(load, perSecond, options)).toBeUndefined();
  });
});
