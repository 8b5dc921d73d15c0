/** The folder of a run that is in progress or was killed: what the commands that read it say, and how far they judge. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-unfinished-'));
const WHOLE = join(top, 'whole');
afterAll(() => rmSync(top, { recursive: true }));

beforeAll(async () => {
  const scenario = join(top, 'small.yaml');
  writeFileSync(
    scenario,
    `name: small
duration: 4h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults: [{ outage: both, from: 66m, to: clime/1 }]
steps: [{ at: 65m, commands: [info show] }]
`,
  );
  await ghostfleet(['run', scenario, '--out', WHOLE]);
});

/** A run that was killed after its events up to `minutes` had been written, and a part of the next line. */
function killedAfter(minutes: number): { readonly folder: string; readonly lines: number } {
  const folder = mkdtempSync(join(top, 'killed-'));
  const lines = readFileSync(join(WHOLE, 'events.jsonl'), 'utf8').split('\n');
  const count = lines.findIndex((line) => JSON.parse(line).at > minutes * 60_000);
  writeFileSync(join(folder, 'events.jsonl'), `${lines.slice(0, count).join('\n')}\n${lines[count]?.slice(0, 20)}`);
  return { folder, lines: count };
}

const WHAT = /has no summary\.json: it is in progress, or was killed; its events go up to \d+m/;

it('explain says it, and counts the time of a pending downlink up to the last event of the run', async () => {
  const { folder } = killedAfter(130);
  const { exit, out } = await ghostfleet(['explain', folder, '--pending']);
  expect(exit).toBe(0);
  expect(out.replace(/\s+/g, ' ')).toMatch(
    /^The run has no summary\.json: it is in progress, or was killed; its events go up to 2h (09|10)m\. /,
  );
  expect(out.replace(/\s+/g, ' ')).toContain('queued at 1h 05m, was still pending after 1h 05m.');
});

it('explain names no missing downlinks of a run that was killed before the first one, also as JSON', async () => {
  const { folder } = killedAfter(30);
  for (const [args, said] of [
    [[], 'the run has no downlinks so far'],
    [['--pending'], 'all downlinks so far were delivered'],
  ] as const) {
    const { out } = await ghostfleet(['explain', folder, ...args]);
    expect(out).toMatch(WHAT);
    expect(out).toContain(said);
  }
  const { out } = await ghostfleet(['explain', folder, '--json']);
  expect(JSON.parse(out)).toEqual({ unfinished: expect.stringMatching(WHAT), downlinks: [] });
});

it('explain says it of a run whose first events are not written yet', async () => {
  const folder = mkdtempSync(join(top, 'begun-'));
  writeFileSync(join(folder, 'events.jsonl'), '');
  const { exit, out } = await ghostfleet(['explain', folder]);
  expect([exit, out]).toEqual([0, expect.stringContaining('or was killed; no event is known.')]);
});

it.each([
  ['report', (folder: string) => ['report', folder]],
  ['report --open', (folder: string) => ['report', folder, '--open']],
  ['what-if', (folder: string) => ['what-if', folder, '--without', 'outage']],
  ['compare', (folder: string) => ['compare', WHOLE, folder]],
  ['compare without another run', (folder: string) => ['compare', folder]],
])('%s needs a run that has ended, and says so', async (_, args) => {
  const { folder } = killedAfter(130);
  const { exit, err } = await ghostfleet(args(folder));
  expect(exit).toBe(2);
  expect(err).toContain(`"${folder}" has no summary.json: it is in progress, or was killed`);
  expect(err).not.toContain('run --out');
});

it('compare leaves out the one of several seeds, and names it', async () => {
  const { folder } = killedAfter(130);
  const seeds = mkdtempSync(join(top, 'seeds-'));
  cpSync(WHOLE, join(seeds, 'seed-1'), { recursive: true });
  cpSync(folder, join(seeds, 'seed-2'), { recursive: true });
  const compared = await ghostfleet(['compare', seeds, WHOLE]);
  expect([compared.exit, compared.err]).toEqual([0, '']);
  expect(compared.out.replace(/\s+/g, ' ')).toContain(
    'seed-2" does not count: it has no summary.json: it is in progress',
  );
  const { out } = await ghostfleet(['runs', seeds]);
  expect(out.replace(/\s+/g, ' ')).toContain('seed-2" has no summary.json: it is in progress, or was killed');
});

it('diverge compares up to the last complete instant, and does not count what is missing as a difference', async () => {
  const { folder, lines } = killedAfter(130);
  for (const [a, b, side] of [
    [folder, WHOLE, 'A'],
    [WHOLE, folder, 'B'],
  ] as const) {
    const { exit, out } = await ghostfleet(['diverge', a, b]);
    expect(out).toMatch(new RegExp(`\\n${side} has no summary\\.json: it is in progress, or was killed`));
    const [, same] = /The same as far as both logs go: (\d+) events\./.exec(out) ?? [];
    expect(Number(same)).toBeGreaterThan(lines - 10);
    expect(Number(same)).toBeLessThanOrEqual(lines);
    expect(exit).toBe(0);
  }
});

it('diverge shows an earlier difference of a run that was killed', async () => {
  const { folder } = killedAfter(130);
  const changed = join(top, 'changed');
  mkdirSync(changed);
  const log = readFileSync(join(WHOLE, 'events.jsonl'), 'utf8');
  writeFileSync(join(changed, 'events.jsonl'), log.replace('"kind":"uplink.acked"', '"kind":"uplink.sent"'));
  const { exit, out } = await ghostfleet(['diverge', folder, changed]);
  expect([exit, out]).toEqual([3, expect.stringContaining('the next ones differ')]);
});
