/** A rate limit for several clients, whose requests last a minute. */
import { describe, expect, it } from 'vitest';
import { runPlan } from '../../src/library/scenario.js';
import { planOf } from './run-text.js';

describe('a rate limit of the embedded cloud', () => {
  it('rejects requests only of clients that exceed it, and does not apply to the creation of the fleet', async () => {
    // 5 requests a second for a minute are 300, of which 50 are answered. One request every 2 s makes 30.
    const result = await runPlan(
      planOf(`
name: limited
duration: 1m
cloud: { rate-limit: 50/m }
setup:
  - client: { name: poller }
  - client: { name: dashboard }
  - client: { name: neighbour, space: next-door }
fleet: [{ name: clime, profile: clime, count: 60 }]
load:
  - { latest-value:, rate: 5/s, as: poller }
  - { latest-value:, rate: 30/m, as: dashboard }
  - { list-devices:, rate: 5/s, as: neighbour }
  - { count-devices:, rate: 30/m }
expect:
  - call.answered of client/poller == 50
  - call.refused of client/poller == 250
  - call.answered of client/dashboard == 30
  - call.refused of client/neighbour == 250
  - call.refused == 500
  - device.up == 60
`),
    );
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(result.calls['count-devices']).toMatchObject({ answered: 30, refused: 0 });
  });
});
