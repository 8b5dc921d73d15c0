import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/report/renderers/html.js';
import { renderJson } from '../../src/report/renderers/json.js';
import { renderJunit } from '../../src/report/renderers/junit.js';
import { renderText } from '../../src/report/renderers/text.js';
import { summariseSeeds, writeSeedsText } from '../../src/report/seeds.js';
import { runText } from './run-text.js';

const scenario = (line: string) => `
name: dead-spot
duration: 20m
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults: [{ no-signal:, from: 0s, until: 20m, to: clime/1 }]
expect: ['${line}']
`;

/** A run that loses so many packets that some devices get a session and do not complete their uploads. */
const cutOff = (share: string) => `
name: cut-off
duration: 2h
fleet: [{ name: clime, profile: clime, count: 40, boot: { over: 1m } }]
faults: [{ loss: ${share}, from: 0s, until: 2h }]
expect: ['device.boots == 40']
`;

describe('the warning of devices that were never ready', () => {
  it('says what they lacked, by stage, and the stages add up', async () => {
    const { fleet, warnings } = await runText(cutOff('75%'));
    const [warning = ''] = warnings;
    const missing = fleet.devices - fleet.ready;
    expect(fleet.sessions).toBeGreaterThan(fleet.ready);
    expect(warning).toContain(`${missing} of 40 devices were never ready: `);
    expect(warning).toMatch(/ had a session, but could not upload the codec/);
    const stages = [...warning.matchAll(/(\d+) had /g)].map(([, count]) => Number(count));
    expect(stages.reduce((sum, count) => sum + count, 0)).toBe(missing);
  });
});

describe('the warnings of a run', () => {
  it('name devices that were never ready, and say that no expectation covers such devices', async () => {
    const result = await runText(scenario('uplink.stored within 2m >= 95%'));
    expect(result.passed).toBe(true);
    const warning =
      '1 of 2 devices was never ready: it had no session, and no expectation is about device.ready, device.up or device.startup';
    expect(renderText(result, { width: 200 })).toContain(`\n! ${warning}\n`);
    expect(renderHtml(result)).toContain(warning);
    expect(JSON.parse(renderJson(result))).toMatchObject({ passed: true, warnings: [warning] });
    expect(renderJunit(result)).toContain(`<system-out>warning: ${warning}</system-out>`);
    const seeds = summariseSeeds(result.scenario, [result, { ...result, seed: 9 }], 2);
    expect(seeds.runs.map(({ warnings }) => warnings)).toEqual([[warning], [warning]]);
    const cut = result.expectations.map((each) => ({ ...each, passed: false, undecided: true }) as const);
    const mixed = summariseSeeds(result.scenario, [result, { ...result, seed: 9, expectations: cut }], 2);
    expect(mixed.expectations).toMatchObject([{ passed: 1, failed: [], undecided: [9] }]);
    expect(writeSeedsText(mixed)).toMatch(/\? +uplink\.stored within 2m >= 95% +1 of 2 .*not decided with seed 9$/m);
    expect(writeSeedsText(seeds)).toContain(`\n! seed 7, 9: ${warning}\n`);
  });

  it('name each fault without an effect, in the result and in all reports', async () => {
    const idle = 'fleet: [{ name: clime, profile: control, count: 2 }]\nfaults: [{ brown-out:, from: 5m, until: 10m }]';
    const result = await runText(`name: supplied\nduration: 20m\n${idle}\nexpect: ['device.ready == 2']\n`);
    expect(result).toMatchObject({
      passed: true,
      warnings: [expect.stringMatching(/^fault brown-out at 5m: no effect/)],
    });
    const [warning = ''] = result.warnings;
    expect(renderText(result, { width: 400 })).toContain(`\n! ${warning}\n`);
    expect(JSON.parse(renderJson(result))).toMatchObject({ warnings: [warning] });
    expect(renderJunit(result)).toContain('<system-out>warning: fault brown-out at 5m');
    expect(summariseSeeds(result.scenario, [result], 1).runs[0]?.warnings).toEqual([warning]);
  });

  it('name devices that were never ready even if an expectation about device.startup fails because of them', async () => {
    const result = await runText(scenario('device.startup within 5m >= 95%'));
    expect(result.expectations[0]).toMatchObject({ passed: false, left: 0.5 });
    expect(renderText(result, { width: 200 })).toContain('\n! 1 of 2 devices was never ready: it had no session\n');
  });
});
