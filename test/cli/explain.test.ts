/** `ghostfleet explain`, as its user sees it. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, run, useRun } from './explain-support.js';

const explainAll = useRun();

describe('ghostfleet explain', () => {
  it('rejects an event log with a line that does not end, with its number', async () => {
    const endless = join(directory, 'endless');
    mkdirSync(endless);
    writeFileSync(join(endless, 'events.jsonl'), '{"kind":"world.closing","at":0}\n');
    // A sparse file: it occupies no space on the disk.
    truncateSync(join(endless, 'events.jsonl'), 6_000_000_000);
    const { exit, err } = await ghostfleet(['explain', endless]);
    expect([exit, err]).toEqual([
      2,
      expect.stringContaining('events.jsonl:2: not an event: the line is longer than 1 MiB'),
    ]);
  });

  it('explains the slowest downlinks, the slowest first', async () => {
    const { exit, out } = await ghostfleet(['explain', run, '--slowest', '2']);
    expect(exit).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toContain('The cloud has no encoder of the device');
    expect(out.indexOf('no encoder')).toBeLessThan(out.indexOf('outage (clime/1)'));
    expect(out).toMatch(/✗ report.*: outage \(clime\/1\)/);
    expect(out).toContain('without outage (clime/1)');
  });

  it('explains the downlinks that were not delivered: pending ones, and those that were cancelled or have expired', async () => {
    const { out } = await ghostfleet(['explain', run, '--pending', '--json']);
    expect(JSON.parse(out).downlinks).toMatchObject([
      { device: 'clime-0002', outcome: 'pending', causes: [{ kind: 'encoder' }] },
      { device: 'clime-0003', outcome: 'cancelled' },
    ]);
    const { out: help } = await ghostfleet(['explain', '--help']);
    expect(help.replace(/\s+/g, ' ')).toContain('incomplete downlinks: pending, cancelled or expired');
  });

  it('prints the same explanations as the report of the run', async () => {
    const { explanations } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
    expect(explanations).toEqual(await explainAll());
    expect(readFileSync(join(run, 'report.txt'), 'utf8')).toContain('why it took so long');
    expect(readFileSync(join(run, 'report.html'), 'utf8')).toContain('Why it took so long');
  });

  it('finds a device as a selector names it, and rejects an unknown name with the nearest one, an ambiguous name, and a name with --pending', async () => {
    const unknown = await ghostfleet(['explain', run, 'clime-002']);
    expect(unknown.exit).toBe(2);
    expect(unknown.err).toContain('no device or downlink "clime-002" (did you mean "clime-0002"?)');
    expect((await ghostfleet(['explain', run, 'clime/2'])).out).toContain('clime-0002');
    const ambiguous = await ghostfleet(['explain', run, '0']);
    expect(ambiguous.err).toContain('5 downlinks match "0"');
    const both = await ghostfleet(['explain', run, 'clime-0001', '--pending']);
    expect(both.err).toContain('use either a device or downlink, or --slowest and --pending');
  });

  it('explains downlinks of a run that was killed, and says that the faults of the run are unknown', async () => {
    const killed = join(directory, 'events.jsonl');
    writeFileSync(killed, readFileSync(join(run, 'events.jsonl'), 'utf8').slice(0, -20));
    const { exit, out } = await ghostfleet(['explain', killed]);
    expect(exit).toBe(0);
    expect(out.replace(/\s+/g, ' ')).toContain('The run has no summary.json, so its faults and intervals are unknown.');
  });

  it('rejects a log that is damaged', async () => {
    const damaged = mkdtempSync(join(directory, 'damaged-'));
    copyFileSync(join(run, 'summary.json'), join(damaged, 'summary.json'));
    const log = readFileSync(join(run, 'events.jsonl'), 'utf8');
    writeFileSync(join(damaged, 'events.jsonl'), log.slice(0, log.length / 2));
    const { exit, err } = await ghostfleet(['explain', damaged]);
    expect(exit).toBe(2);
    expect(err).toMatch(/is damaged or of another run: its digest is [0-9a-f]{16}, and that of summary\.json is/);
  });

  it('rejects a folder without events', async () => {
    const { exit, err } = await ghostfleet(['explain', tmpdir()]);
    expect(exit).toBe(2);
    expect(err).toContain('has no events.jsonl');
  });
});
