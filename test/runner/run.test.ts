/** Whole runs: the same seed takes the same course, whatever carries the datagrams. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../src/kernel/errors.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { deviceTypes } from '../../src/runner/bench-config.js';
import { type RunOptions, run } from '../../src/runner/run.js';
import { parseScenario } from '../../src/scenario/parse.js';
import { planScenario } from '../../src/scenario/plan-scenario.js';
import { QUIET } from '../support/cloud.js';

const profiles = packagedProfiles();

const SMALL = `
name: small
duration: 90m
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

function runText(text: string, options: Partial<RunOptions> & { readonly seed?: number } = {}): Promise<RunResult> {
  const { seed = 7, ...rest } = options;
  return run({
    plan: planScenario(parseScenario(text, 'test.yaml', deviceTypes(profiles)), { seed }),
    profiles,
    clock: 'virtual',
    speed: 1,
    transport: 'memory',
    db: 'memory',
    sinks: [],
    log: QUIET,
    reproduce: 'again',
    out: null,
    stopwatch: () => 0,
    ...rest,
  });
}

describe('a run', () => {
  it('passes its expectations, and accounts for every message', async () => {
    const result = await runText(SMALL);
    expect(result.failure).toBeNull();
    expect(result.expectations.map(({ line, passed }) => [line, passed])).toEqual([
      ['device.ready == 5', true],
      ['uplink.stored == uplink.sent', true],
      ['downlink.queued == 10', true],
    ]);
    expect(result).toMatchObject({ passed: true, exitCode: EXIT.fine, steps: { done: 10, failed: 0 } });
    for (const counts of Object.values(result.uplinks.byType)) {
      expect(counts.made).toBe(counts.acked + counts.dropped + counts.waiting);
    }
  });

  it('has the same digest with the same seed, in memory and over UDP, and another with another seed', async () => {
    const { digest } = await runText(SMALL);
    expect((await runText(SMALL)).digest).toBe(digest);
    expect((await runText(SMALL, { transport: 'udp' })).digest).toBe(digest);
    expect((await runText(SMALL, { seed: 8 })).digest).not.toBe(digest);
  });

  it('goes over HTTP as well, and takes the same course every time', async () => {
    const result = await runText(SMALL, { transport: 'http' });
    expect(result).toMatchObject({ failure: null, passed: true, transport: 'http' });
    expect((await runText(SMALL, { transport: 'http' })).digest).toBe(result.digest);
  });

  it('takes the same course whether the cloud keeps its data in memory or in a file', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
    try {
      const filed = await runText(SMALL, { db: join(directory, 'cloud.db') });
      expect(filed.digest).toBe((await runText(SMALL)).digest);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('in real time carries the same fleet over real sockets', async () => {
    const result = await runText(
      `
name: hasty
duration: 2m
settle: 5m
fleet: [{ name: clime, profile: clime, count: 3 }]
network: { latency: 1ms..2ms }
expect: [device.ready == 3, uplink.stored == uplink.sent]
`,
      { clock: 'real', speed: 60, transport: 'udp' },
    );
    expect(result.expectations.map(({ sentence }) => sentence)).toHaveLength(2);
    expect(result).toMatchObject({ failure: null, passed: true });
  });

  it('whose expectation does not hold ends with its own exit code', async () => {
    const result = await runText(SMALL.replace('downlink.queued == 10', 'downlink.queued == 11'));
    expect(result).toMatchObject({ passed: false, exitCode: EXIT.expectation });
  });

  it('that does not come to rest says who is busy, and with what', async () => {
    const result = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 2 }]
network: { faults: [{ outage: both, from: 10m }] }
`);
    expect(result).toMatchObject({ passed: false, exitCode: EXIT.stuck });
    expect(result.failure).toMatch(/^not at rest 1m after the end: clime-0001 with an exchange \(report\)/);
  });

  it('counts a step that could not be done, and goes on', async () => {
    const result = await runText(`
name: wrong
duration: 10m
fleet: [{ name: clime, profile: clime, count: 1 }]
steps: [{ at: 5m, shell: nonsense }, { at: 6m, sensor: { nose.smell: 1 } }]
expect: [step.failed == 2]
`);
    expect(result.passed).toBe(true);
    expect(result.anomalies.map(({ about }) => about).join()).toContain('"nose.smell" is not a quantity of clime');
  });

  it('can be stopped, and then tells what there was until then', async () => {
    const result = await runText(SMALL, {
      started: ({ clock, stop }) => clock.after(600_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
    });
    expect(result).toMatchObject({ exitCode: EXIT.interrupted, passed: false, fleet: { ready: 5 } });
    expect(result.simulatedMs).toBeLessThan(900_000);
  });

  it('never shows a claim token or an API key in its result', async () => {
    const plan = planScenario(parseScenario(SMALL, 'test.yaml', deviceTypes(profiles)), { seed: 7 });
    const text = JSON.stringify(await runText(SMALL));
    for (const { claimToken } of plan.devices) expect(text).not.toContain(claimToken);
  });
});

describe('the loads of a run', () => {
  const LOADED = `${SMALL.replace(
    'expect:',
    `load:
  - { latest-value:, rate: 1/s..3/s, spacing: poisson, from: 20m, until: 25m }
  - { count-devices:, users: 2, think: 5m }
  - { commands: [info show], rate: 12/h, to: control }
expect:
  - call.answered == call.planned
  - downlink.queued == 10 + 18`,
  ).replace('  - downlink.queued == 10\n', '')}`;

  it('are part of its course: the same seed makes the same requests at the same times', async () => {
    const once = await runText(LOADED);
    expect(once.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(Object.keys(once.calls)).toEqual(['commands to control', 'count-devices', 'latest-value']);
    expect((await runText(LOADED)).digest).toBe(once.digest);
    expect((await runText(LOADED, { seed: 8 })).digest).not.toBe(once.digest);
  });
});
