/** Explanations divide the time of a downlink as the tables of the run do, after each kind of fault. */
import { describe, expect, it } from 'vitest';
import type { ScenarioDefinition } from '../../src/index.js';
import { waitDisagreements } from '../support/agreement.js';
import { commands, play } from './agreement-run.js';

describe('an explanation', () => {
  it.each<[string, Partial<ScenarioDefinition>]>([
    ['an outage', { faults: [{ outage: 'both', from: '62m', until: '75m' }] }],
    ['lost and late datagrams', { faults: [{ loss: '40%', from: '50m' }, { reorder: { ratio: '30%', by: '20s' } }] }],
    [
      'an offer after the end of the run, while it settles',
      { duration: '95m', faults: [{ loss: '40%', from: '50m' }, { reorder: { ratio: '30%', by: '20s' } }] },
    ],
    ['copied datagrams', { faults: [{ duplication: '30%', from: '50m' }] }],
    ['a dead modem', { faults: [{ outage: 'up', from: '61m', until: '61m40s' }], network: { latency: '2s..9s' } }],
    ['a cloud that restarts', { faults: [{ 'service-restart': null, from: '65m', until: '67m' }] }],
    ['the end of the run', { duration: '83m', settle: '1s', faults: [{ outage: 'both', from: '70m' }] }],
  ])('agrees with the tables after %s', async (_, change) => {
    const config = { 'interval-report': 900, 'interval-poll': 300 };
    const result = await play({
      fleet: [
        { name: 'control', profile: 'control', count: 3, config },
        { name: 'node', profile: 'hio-node', count: 1 },
      ],
      steps: [...commands(20, 67), { at: '64m', to: 'control', config: { 'interval-poll': 120 } }],
      ...change,
    });
    expect(result.downlinks.queued).toBeGreaterThan(20);
    expect(waitDisagreements(result)).toEqual([]);
  });
});
