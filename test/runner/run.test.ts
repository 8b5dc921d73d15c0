/** Whole runs of small scenarios: their results, digests and failures. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../src/kernel/errors.js';
import type { RunResult } from '../../src/report/result.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { RunControl } from '../../src/runner/run.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { profiles, runText } from './run-text.js';

const SMALL = `
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
const small = () => (first ??= runText(SMALL));

describe('a run', () => {
  it('passes its expectations, and accounts for every message', async () => {
    const result = await small();
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

  it('has the same digest with the same seed in memory and over UDP, and a different one with another seed', async () => {
    const { digest } = await small();
    expect((await runText(SMALL)).digest).toBe(digest);
    expect((await runText(SMALL, { transport: 'udp' })).digest).toBe(digest);
    expect((await runText(SMALL, { seed: 8 })).digest).not.toBe(digest);
  });

  it('works over HTTP, and is the same every time', async () => {
    const result = await runText(SMALL, { transport: 'http' });
    expect(result).toMatchObject({ failure: null, passed: true, transport: 'http' });
    expect((await runText(SMALL, { transport: 'http' })).digest).toBe(result.digest);
  });

  it('is the same whether the cloud keeps its data in memory or in a file', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
    try {
      const filed = await runText(SMALL, { db: join(directory, 'cloud.db') });
      expect(filed.digest).toBe((await small()).digest);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('works in real time over real sockets', async () => {
    const result = await runText(
      `
name: hasty
duration: 2m
settle: 5m
fleet: [{ name: clime, profile: clime, count: 3 }]
network: { latency: 1ms..2ms }
expect: [device.ready == 3, uplink.stored == uplink.sent]
`,
      { clock: 'real', speed: 30, transport: 'udp' },
    );
    expect(result.expectations.map(({ sentence }) => sentence)).toHaveLength(2);
    expect(result).toMatchObject({ failure: null, passed: true });
  });

  it('that is interrupted in real time leaves no alarm for a power-up or a step', async () => {
    let control: RunControl | undefined;
    const result = await runText(SMALL, {
      clock: 'real',
      speed: 1,
      started: (given) => {
        control = given;
        given.clock.after(0, 'Ctrl-C', () => given.stop(new InterruptedError('SIGINT')));
      },
    });
    expect(result.exitCode).toBe(EXIT.interrupted);
    expect(control?.clock.waiting).toBe(0);
    // The rest of the scenario could have changed the outcome of each expectation.
    expect(result.expectations.length).toBeGreaterThan(0);
    for (const { passed, undecided, sentence } of result.expectations) {
      expect([passed, undecided]).toEqual([false, true]);
      expect(sentence).toMatch(/^interrupted; until then: /);
    }
  });

  it('that cannot write its log ends, and closes the cloud', async () => {
    const full = new Error('no space left');
    const fails = () => {
      throw full;
    };
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
    const db = join(directory, 'cloud.db');
    try {
      await expect(runText(SMALL, { db, sinks: [{ write: fails, close: fails }] })).rejects.toBe(full);
      // Closing the store has removed its write-ahead log.
      expect(readdirSync(directory)).not.toContain('cloud.db-wal');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('with a failed expectation has an exit code of its own', async () => {
    const result = await runText(SMALL.replace('downlink.queued == 10', 'downlink.queued == 11'));
    expect(result).toMatchObject({ passed: false, exitCode: EXIT.expectation });
  });

  it('that does not come to rest names the busy devices and their activity', async () => {
    const result = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 2 }]
network: { faults: [{ outage: both, from: 10m }] }
`);
    expect(result).toMatchObject({ passed: false, exitCode: EXIT.stuck });
    expect(result.failure).toMatch(
      /^not at rest 1m after the end: clime-0001 with an exchange \(report\).*; still in force: outage$/,
    );
  });

  it.each(['memory', 'http'] as const)(
    'survives corrupted datagrams over %s: all messages are delivered',
    async (transport) => {
      const text = SMALL.replace('loss: 3%', 'corruption: 5%, jitter: 200ms, bandwidth: 20kbit/s');
      const result = await runText(text, { transport });
      expect(result).toMatchObject({ failure: null, passed: true });
      expect(result.faults.corruption).toBeGreaterThan(2);
      // Over HTTP, TCP has a checksum, so corrupted messages do not reach the gateway.
      expect(Object.keys(result.service.refused).length > 0).toBe(transport === 'memory');
    },
  );

  it('counts the pending downlinks of a deleted device as cancelled', async () => {
    const { downlinks } = await runText(`
name: deleted
duration: 20m
fleet: [{ name: clime, profile: clime, count: 1, config: { interval-report: 300 } }]
steps:
  - { at: 10m, radio: off }
  - { at: 11m, commands: [info show] }
  - { at: 12m, delete-device: }
`);
    expect(downlinks).toMatchObject({ queued: 1, cancelled: 1, pending: 0 });
  });

  it('counts a step that could not be executed, and continues', async () => {
    const result = await runText(`
name: wrong
duration: 10m
fleet: [{ name: clime, profile: clime, count: 1 }]
steps: [{ at: 5m, shell: nonsense, unknown: true }, { at: 6m, sensor: { nose.smell: 1 } }]
expect: [step.failed == 2]
`);
    expect(result.passed).toBe(true);
    expect(result.anomalies.map(({ about }) => about).join()).toContain('"nose.smell" is not a quantity of clime');
  });

  it('begins a step when its condition holds, at the same time in every run', async () => {
    const text = `
name: patient
duration: 1h
fleet: [{ name: clime, profile: clime, count: 5, boot: { over: 10m, pattern: poisson } }]
steps:
  - { after: device.ready == fleet.devices, within: 20m, to: 40%, commands: [info show] }
  - { at: +1m, after: downlink.delivered == 2, shell: send }
expect: [step.done == 7, step.failed == 0]
`;
    const once = await runText(text);
    expect(once).toMatchObject({ failure: null, passed: true });
    expect((await runText(text)).digest).toBe(once.digest);
  });

  it('fails if the condition of a step does not become true in time, or if a later step would be after the end', async () => {
    const text = `
name: impatient
duration: 20m
fleet: [{ name: clime, profile: clime, count: 1 }]
steps: [{ at: 5m, after: device.ready == 7, within: 10m, shell: send }]
`;
    const late = await runText(text);
    expect(late).toMatchObject({ exitCode: EXIT.expectation, passed: false, simulatedMs: 900_000 });
    expect(late.failure).toBe(
      'step 1, shell: send: waited 10m for "device.ready == 7"; device.ready is 1, wanted == 7',
    );
    const never = await runText(text.replace('within: 10m, ', ''));
    expect(never.failure).toContain('waited until the end of the scenario for "device.ready == 7"');
    const end = await runText(
      text.replace(/steps: .*/, 'steps: [{ after: device.ready == 1, shell: send }, { at: +19m59s, shell: send }]'),
    );
    expect(end.failure).toContain('would continue after the end of the scenario');
  });

  it('can be stopped, and then reports the results so far', async () => {
    const result = await runText(SMALL, {
      started: ({ clock, stop }) => clock.after(600_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
    });
    expect(result).toMatchObject({ exitCode: EXIT.interrupted, passed: false, fleet: { ready: 5 } });
    expect(result.simulatedMs).toBeLessThan(900_000);
  });

  it.each([
    ['before its start', 0],
    ['while it runs', 5],
  ])('is stopped by a signal that is aborted %s', async (_, ready) => {
    const abort = new AbortController();
    if (ready === 0) abort.abort();
    const result = await runText(SMALL, {
      signal: abort.signal,
      started: ({ clock }) => clock.after(600_000, 'the end', () => abort.abort()),
    });
    expect(result).toMatchObject({ exitCode: EXIT.interrupted, fleet: { ready } });
    expect(result.simulatedMs).toBeLessThan(900_000);
  });

  it('never shows a claim token in its result', async () => {
    const plan = planScenario(parseScenario(SMALL, 'test.yaml', describeDeviceTypes(profiles)), { seed: 7 });
    const text = JSON.stringify(await small());
    for (const { claimToken } of plan.devices) expect(text).not.toContain(claimToken);
  });
});

describe('the loads of a run', () => {
  const LOADED = `${SMALL.replace(
    'expect:',
    `load:
  - { latest-value:, rate: 1/s..3/s, spacing: poisson, from: 20m, until: 21m }
  - { count-devices:, users: 2, think: 5m }
  - { commands: [info show], rate: 12/h, to: control }
expect:
  - call.answered == call.planned
  - downlink.queued == 10 + 9`,
  ).replace('  - downlink.queued == 10\n', '')}`;

  it('are part of its digest: the same seed gives the same requests at the same times', async () => {
    const once = await runText(LOADED);
    expect(once.expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(Object.keys(once.calls)).toEqual(['commands to control', 'count-devices', 'latest-value']);
    expect((await runText(LOADED)).digest).toBe(once.digest);
    expect((await runText(LOADED, { seed: 8 })).digest).not.toBe(once.digest);
  });
});
