/** Whole runs of small scenarios over HTTP, with a database, with loads, and with steps that wait. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import { runText } from './run-text.js';
import { SMALL, small } from './small.js';

describe('a run', () => {
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

  it('survives corrupted datagrams over http: all messages are delivered', async () => {
    const text = SMALL.replace('loss: 3%', 'corruption: 5%, jitter: 200ms, bandwidth: 20kbit/s');
    const result = await runText(text, { transport: 'http' });
    expect(result).toMatchObject({ failure: null, passed: true });
    expect(result.faults.corruption).toBeGreaterThan(2);
    // Over HTTP, TCP has a checksum, so corrupted messages do not reach the gateway.
    expect(result.service.refused).toEqual({});
  });

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
