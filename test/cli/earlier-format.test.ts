/** Runs that an earlier version stored, with `"format": 1` in summary.json. `fixtures/format-1` has one, and its scenario. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const EARLIER = 'test/fixtures/format-1/run';
const SCENARIO = 'test/fixtures/format-1/lost-hour.yaml';
const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-earlier-'));
const again = join(folder, 'again');
beforeAll(() => ghostfleet(['run', SCENARIO, '--out', again]));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a run with the format 1', () => {
  it('is explained by its events, without the time of a repetition', async () => {
    const { exit, out } = await ghostfleet(['explain', EARLIER]);
    expect(exit).toBe(0);
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'It waited 48m 51s because of outage, 6m 13s for the next report or poll (every 1h, every 20m). It is not known ' +
        'how long it would have taken without a cause, because its summary.json has the format of another version; run ' +
        'the scenario again.',
    );
  });

  it('is not repeated by what-if, which says what to do', async () => {
    const { exit, err } = await ghostfleet(['what-if', EARLIER, '--without', 'outage']);
    expect([exit, err]).toEqual([
      2,
      'ghostfleet: the run cannot be repeated, because its summary.json has the format of another version; run the ' +
        'scenario again\n',
    ]);
  });

  it('is compared with a new run only by force, because its fingerprint of the scenario is another one', async () => {
    const { exit, err } = await ghostfleet(['compare', EARLIER, again]);
    expect([exit, err]).toEqual([2, expect.stringContaining('is the same is unknown; repeat this run')]);
    expect(await ghostfleet(['compare', EARLIER, again, '--force'])).toMatchObject({ exit: 0 });
    expect(await ghostfleet(['compare', EARLIER, EARLIER])).toMatchObject({ exit: 0 });
  });

  it('has the events of a new run, as diverge shows', async () => {
    const { exit, out } = await ghostfleet(['diverge', EARLIER, again]);
    expect(exit).toBe(0);
    expect(out).toContain('the format of summary.json differs, so plans cannot be compared: 1 in A, 2 in B\n');
    expect(out).toContain('The same: 197 events.\n');
  });
});
