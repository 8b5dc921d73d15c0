/** A small scenario that has most of what a run can have. */
import type { RunResult } from '../../src/report/result.js';
import { runText } from './run-text.js';

export const SMALL = `
name: small
duration: 45m
fleet:
  - { name: clime, profile: clime, count: 3, boot: { over: 2m }, tags: [cold] }
  - { name: control, profile: control, count: 2, config: { interval-poll: 300 } }
network: { latency: 150ms..900ms, loss: 3% }
steps:
  - { at: 10m, to: clime, config: { interval-report: 900 } }
  - { at: 10m, commands: [info serial-number] }
  - { at: 12m, to: control, over: 2m, downlink: { output_1_state: 1 } }
expect:
  - device.ready == 5
  - uplink.stored == uplink.sent
  - downlink.queued == 10
`;

let first: Promise<RunResult> | undefined;
/** Runs the scenario in memory once; later calls return the same result. */
export const small = () => (first ??= runText(SMALL));
