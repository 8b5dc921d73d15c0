/** Further tests beside explain.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeRecording } from '../../src/record/write.js';
import { downlink, recording, uplink } from '../record/fixtures.js';
import { ghostfleet } from '../support/host.js';
import { directory, run, useRun } from './explain-support.js';

const explainAll = useRun();

describe('ghostfleet explain', () => {
  it('counts the downlinks of a device that the user names by its name or its serial number', async () => {
    const { out } = await ghostfleet(['explain', run, 'clime-0002']);
    expect(out).toContain('clime-0002 (2159017986)');
    expect(out).toContain('Downlinks of users: 2, pending: 1.');
    expect((await ghostfleet(['explain', run, '2159017986'])).out).toBe(out);
  });

  it('lists with --pending the downlinks that were received but never answered', async () => {
    const [scenario, silent] = [join(directory, 'silent.yaml'), join(directory, 'silent')];
    writeFileSync(
      scenario,
      `
name: ab
duration: 4h
network: { loss: 1% }
fleet: [{ name: clime, profile: clime, count: 1, serial: 2159017990, config: { interval-report: 900 } }]
faults: [{ duplication: 5%, from: 1h }]
steps: [{ at: 2h5m, commands: [info show] }]
`,
    );
    await ghostfleet(['run', scenario, '--out', silent]);
    const { out } = await ghostfleet(['explain', silent, '--pending']);
    expect(out.replace(/\s+/g, ' ')).toContain('No answer came: fragment in place of an acknowledgement');
    const device = await ghostfleet(['explain', silent, 'clime-0001']);
    expect(device.out).toContain('pending: 0, received but never answered: 1.');
  });

  it('lists with --pending the downlinks that count as delivered but were never received', async () => {
    const [scenario, lost] = [join(directory, 'lost.yaml'), join(directory, 'lost')];
    writeFileSync(
      scenario,
      `
name: lost
duration: 3h
fleet: [{ name: ctl, profile: control, count: 1, config: { interval-poll: 300 } }]
faults: [{ outage: down, from: 1h, until: 2h }]
steps: [{ at: 61m, downlink: { output_1_state: 1 } }]
`,
    );
    await ghostfleet(['run', scenario, '--out', lost]);
    const { out } = await ghostfleet(['explain', lost, '--pending', '--json']);
    const { downlinks } = JSON.parse(out);
    expect(downlinks).toMatchObject([
      { outcome: 'delivered', received: false, causes: [{ name: 'outage, down only' }] },
    ]);
    expect((await ghostfleet(['explain', lost, 'ctl-0001'])).out).toContain(
      'pending: 0, delivered but never received: 1.',
    );
  });

  it('prints one JSON object with --json, however the user selects downlinks', async () => {
    // Other tests read the objects of --slowest and --pending.
    for (const what of [['clime-0002'], []]) {
      const printed = JSON.parse((await ghostfleet(['explain', run, ...what, '--json'])).out);
      expect(Array.isArray(printed)).toBe(false);
      expect(Array.isArray(printed.downlinks)).toBe(true);
    }
  });

  it('explains a downlink that the user names by the last twelve characters of its id', async () => {
    const explained = await explainAll();
    expect(explained).toHaveLength(5);
    const [, second] = explained;
    const { out } = await ghostfleet(['explain', run, second?.downlink.slice(-12) ?? '', '--json']);
    expect(JSON.parse(out)).toEqual({ downlinks: [second] });
  });

  it('explains with the hint of a report what the report explains, also of downlinks that all wait equally long', async () => {
    const [scenario, out] = [join(directory, 'equal.yaml'), join(directory, 'equal')];
    writeFileSync(
      scenario,
      `
name: equal
duration: 30m
fleet: [{ name: clime, profile: clime, count: 7, boot: { over: 10m, pattern: random } }]
faults: [{ outage: both, from: 14m }]
steps: [{ at: 15m, commands: [info show] }]
`,
    );
    await ghostfleet(['run', scenario, '--out', out]);
    const { explanations } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
    const [, hint = ''] = /more: ghostfleet (.*)/.exec(readFileSync(join(out, 'report.txt'), 'utf8')) ?? [];
    const hinted = await ghostfleet([...hint.split(' '), '--json']);
    expect(JSON.parse(hinted.out).downlinks).toEqual(explanations);
    const two = await ghostfleet(['explain', out, '--pending', '--slowest', '2', '--json']);
    expect(JSON.parse(two.out).downlinks).toEqual(explanations.slice(0, 2));
  });

  it.each(['019cad26-62e0-74e0-aa66-eda59181746a', '2159017985', 'cellar-0001', '3'])(
    'says how a recording names devices and downlinks if it does not contain %s',
    async (what) => {
      const recorded = join(directory, 'depot.jsonl');
      const downlinks = [downlink(60_000, 120_000), downlink(180_000, null, { device: 'd3' })];
      writeFileSync(recorded, writeRecording(recording([uplink(30_000, { device: 'd2' })], downlinks)));
      const { exit, err } = await ghostfleet(['explain', recorded, what]);
      expect(exit).toBe(2);
      expect(err).toContain(`no device or downlink "${what}"`);
      expect(err).toContain(
        'by its pseudonym, such as d1 (or give --names), or a downlink by its number, which --slowest shows',
      );
      expect((await ghostfleet(['explain', recorded, '2'])).out).toMatch(/^data to d3 · 2\n/);
      expect((await ghostfleet(['explain', recorded, 'd3'])).out).toMatch(/^d3\n/);
    },
  );
});
