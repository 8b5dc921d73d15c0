/** Whole runs of small scenarios: their results, digests and failures. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../src/kernel/errors.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { RunControl } from '../../src/runner/run.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { profiles, runText } from './run-text.js';
import { SMALL, small } from './small.js';

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

  it('survives corrupted datagrams over memory: all messages are delivered', async () => {
    const result = await runText(SMALL.replace('loss: 3%', 'corruption: 5%, jitter: 200ms, bandwidth: 20kbit/s'));
    expect(result).toMatchObject({ failure: null, passed: true });
    expect(result.faults.corruption).toBeGreaterThan(2);
    expect(result.service.refused).not.toEqual({});
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
