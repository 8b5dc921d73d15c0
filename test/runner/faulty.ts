/** Scenarios with faults, and what is wrong with their results. */
import { expect } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import type { RunResult } from '../../src/report/result.js';
import { runText } from './run-text.js';

export const SAFE = `
  - always uplinks-stored-once
  - always no-loss-across-reconnects
  - always downlinks-settled
  - always no-delivery-after-cancel
  - always downlinks-answered`;

/** The failure and the failed expectations of a run. */
export const broken = ({ failure, expectations }: RunResult) => ({
  failure,
  expectations: expectations.filter(({ passed }) => !passed).map(({ sentence }) => sentence),
});
export const FINE = { failure: null, expectations: [] };

export const RESTARTED = `
name: restarted
duration: 85m
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
network: { latency: 150ms..900ms, loss: 2% }
faults:
  - { service-restart: { away: 30s }, from: 20m }
  - { service-restart:, from: 50m, until: 60m }
steps:
  - { at: 15m, over: 10m, commands: [info show] }
  - { at: 55m, to: clime/3, tag: { add: [late] } }
  - { at: 65m, over: 10m, tag: { add: [late] } }
  - { at: 70m, over: 10m, config: { interval-report: 600 } }
load: [{ count-devices:, rate: 1/m, from: 40m, until: 70m }]
expect:
  - service.crashes == 2
  - downlink.delivered == downlink.queued
  - call.failed == 10
  - step.failed <= 2${SAFE}
`;

let first: Promise<RunResult> | undefined;
/** Runs the scenario in memory once; later calls return the same result. */
export const restarted = () => (first ??= runText(RESTARTED));

export const SLOW = `
name: slow
duration: 1h
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
faults: [{ api-delay: 2s, from: 20m, until: 30m }, { api-delay: 1s, from: 25m, until: 30m }]
steps: [{ at: 22m, tag: { add: [cold] } }, { at: 26m, commands: [info show] }]
load: [{ count-devices:, rate: 1/s, from: 21m, until: 21m20s }]
expect: [step.done == 6, call.failed == 0, downlink.delivered == 3]
`;

let firstSlow: Promise<RunResult> | undefined;
/** Runs the scenario in memory once; later calls return the same result. */
export const slow = () => (firstSlow ??= runText(SLOW));

export const without = (what: string) => `
name: storeless
duration: 70m
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
network: { latency: 150ms..900ms, loss: 2% }
faults: [{ store-unavailable: ${what}, from: 40m, until: 50m }]
steps: [{ at: 38m, over: 2m, commands: [info show] }, { at: 45m, to: clime/1, commands: [info show] }]
load: [{ count-devices:, rate: 1/m, from: 30m, until: 60m }]
expect:
  - downlink.delivered == 3
  - step.failed == 1
  - always downlinks-executed-once${SAFE}
`;

/** Expects that a run does not come to rest because of the fault, and that its failure matches `sentence`. */
export async function expectStuck(fault: string, sentence: RegExp): Promise<void> {
  const result = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 2 }]
faults: [{ ${fault}, from: 10m }]
load: [{ count-devices:, rate: 1/m }]
steps: [{ at: 20m, to: clime/2, commands: [info show] }]
`);
  expect(result).toMatchObject({ passed: false, exitCode: EXIT.stuck });
  expect(result.failure).toMatch(/^not at rest 1m after the end: /);
  expect(result.failure).toMatch(sentence);
}
