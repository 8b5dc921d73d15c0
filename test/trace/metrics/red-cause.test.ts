/** The likely cause of an expectation that fails. */
import { beforeAll, expect, it } from 'vitest';
import { runScenario } from '../../../src/index.js';
import { findCause } from '../../../src/report/cause.js';
import type { RunResult } from '../../../src/report/result.js';
import { findRedCause } from '../../../src/trace/metrics/red-cause.js';

let result: RunResult;

beforeAll(async () => {
  result = await runScenario({
    name: 'red',
    duration: '2h',
    setup: [{ firmware: { name: 'bad', profile: 'clime', version: 'v9.0.0', size: 512, damaged: true } }],
    fleet: [{ name: 'clime', profile: 'clime', count: 3, config: { 'interval-report': 300 } }],
    network: { faults: [{ outage: 'both', from: '20m', until: '80m', to: 'clime/1..2' }] },
    steps: [
      { at: '25m', to: 'clime/1', commands: ['info show'] },
      { at: '25m', to: 'clime/3', firmware: 'bad' },
    ],
    expect: ['update.failed == 0'],
  });
});

const causeOf = (line: string) => findRedCause(line, [result], () => result.explanations?.[0]);

it('is the longest wait of the slowest downlink, for an expectation about downlinks', () => {
  expect(causeOf('downlink.delivered p(95) of clime < 5m')).toMatch(
    /^The slowest downlink, to clime-0001, took .*: .* for outage \(clime\/1\.\.2\)\.$/,
  );
});

it('is the reason of failed updates, and of nothing that the run does not know', () => {
  expect(causeOf('update.failed == 0')).toMatch(/^Updates failed: 1 × reverted: .*\.$/);
  expect(causeOf('call.failed == 0')).toBeUndefined();
  expect(causeOf('always uplinks-stored-once')).toBeUndefined();
});

it('is the faults that hit datagrams, if no report was dropped', () => {
  expect(causeOf('uplink.stored == uplink.made')).toMatch(/^(Reports were dropped|The network hit datagrams): /);
});

it('names a downlink of the selector only, also if another one is slower', async () => {
  const scoped = await runScenario({
    name: 'scoped',
    duration: '2h',
    fleet: [
      { name: 'north', profile: 'clime', count: 2, tags: ['n'], config: { 'interval-report': 60 } },
      { name: 'south', profile: 'clime', count: 2, tags: ['s'], config: { 'interval-report': 3600 } },
    ],
    steps: [{ at: '1h', commands: ['info show'] }],
  });
  const named = ['', ' of north', ' of south', ' of north/2', ' of tag/n', ' by tag'].map((selector) => {
    const line = `downlink.answered within 1s${selector} >= 99%`;
    return /to (\w+)-/.exec(findCause({ line }, [scoped]) ?? '')?.[1];
  });
  expect(named).toEqual(['south', 'north', 'south', 'north', undefined, undefined]);
});
