/** Metrics by group, region, profile, firmware, tag and client: in expectations, in the result and in its reports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineScenario, type RunResult, run } from '../../src/index.js';
import { writePartsCsv } from '../../src/report/renderers/csv.js';
import { renderHtml } from '../../src/report/renderers/html.js';
import { renderText } from '../../src/report/renderers/text.js';
import { problemsOf, yamlOf } from '../scenario/fixtures.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { SCENARIO } from './parts-scenario.js';

let result: RunResult;
beforeAll(async () => {
  const plan = defineScenario({
    ...SCENARIO,
    by: ['profile', 'firmware', 'tag', 'client'],
    expect: [
      'device.ready by group == fleet.devices by group',
      'downlink.answered by region >= 1',
      'call.answered by client > 100',
      'downlink.queued == 4',
    ],
  });
  result = await run(plan, { workers: 1 });
});

const partsBy = (by: string) => (result.parts ?? []).filter((part) => part.by === by);
const countsOf = (by: string, metric: string) =>
  Object.fromEntries(
    partsBy(by).map(({ value, counts, durations }) => [value, counts[metric] ?? durations[metric]?.spread?.count ?? 0]),
  );

describe('an expectation by a dimension', () => {
  it('is judged for each part of the run', () => {
    const outcomes = result.expectations.map(({ line, passed, left }) => [line, passed, left]);
    expect(outcomes).toEqual([
      ['device.ready of group/cellar == fleet.devices of group/cellar', true, 4],
      ['device.ready of group/attic == fleet.devices of group/attic', true, 3],
      ['device.ready of group/gate == fleet.devices of group/gate', true, 2],
      ['downlink.answered of region/north >= 1', true, 4],
      ['downlink.answered of region/south >= 1', false, 0],
      ['downlink.answered of region/(none) >= 1', false, 0],
      ['call.answered of client/dashboard > 100', true, 120],
      ['call.answered of client/(none) > 100', false, 60],
      ['downlink.queued == 4', true, 4],
    ]);
  });

  it.each([
    [
      'uplink.sent by colour > 1',
      /"colour" does not divide "uplink.sent"; expected group, region, profile, firmware or tag/,
    ],
    ['uplink.sent by client > 1', /"client" does not divide "uplink.sent"/],
    ['call.sent by region > 1', /"region" does not divide "call.sent"; expected client/],
    ['step.failed by region > 1', /"step.failed" is counted for the whole run only: it has no "by"/],
    ['uplink.sent by > 1', /">" does not divide "uplink.sent"/],
    ['uplink.sent by group == uplink.sent by region', /one "by", not group and region/],
    ['uplink.sent of clime by group > 1', /clime by group/],
    [
      'downlink.answered / downlink.queued by region >= 95%',
      /^7:5: "by region" divides the whole expectation: write it after "downlink.answered", too/,
    ],
    ['downlink.answered by region >= downlink.queued', /:36: .*: write it after "downlink.queued", too/],
    ['uplink.sent >= call.sent by client', /"by client" .*: "uplink.sent" cannot be divided so/],
  ])('is refused if the metric cannot be divided so: %s', (line, message) => {
    expect(problemsOf(yamlOf({ expect: `  - ${line}\n` }))).toEqual([expect.stringMatching(message)]);
  });

  it('is refused as a condition of a step', () => {
    const steps = '  - { after: device.ready by group >= 1, shell: send }\n';
    expect(problemsOf(yamlOf({ steps }))).toEqual([expect.stringContaining('a condition about the whole run')]);
  });
});

describe('the parts of a result', () => {
  it('add up to the whole run, unless a device has several tags', () => {
    for (const by of ['group', 'region', 'profile', 'firmware']) {
      const sum = Object.values(countsOf(by, 'uplink.sent')).reduce((all, count) => all + count, 0);
      expect([by, sum]).toEqual([by, result.uplinks.sent]);
    }
    expect(countsOf('tag', 'fleet.devices')).toEqual({ cold: 4, indoor: 7, '(none)': 2 });
    expect(countsOf('firmware', 'fleet.devices')).toEqual({ '3.5.5': 4, '4.0.0': 5 });
    expect(countsOf('client', 'call.sent')).toEqual({ dashboard: 120, '(none)': 60 });
  });

  it('by firmware are those of the versions at the start, also of groups that name none', () => {
    const fleet = [
      { name: 'aa', profile: 'clime', count: 2 },
      { name: 'bb', profile: 'clime', firmware: '4.0.0', count: 3 },
      { name: 'cc', profile: 'hio-node', count: 1 },
    ];
    const { parts = [], scopes = [] } = defineScenario({ name: 'fw', duration: '1h', fleet, by: ['firmware'] });
    expect(parts.map(({ value }) => value)).toEqual(['4.0.0', '1.0.0']);
    expect(scopes).toContainEqual({ name: 'firmware/4.0.0', devices: [0, 1, 2, 3, 4] });
  });

  it('have durations, with the number of exchanges without one', () => {
    const [clime, control] = partsBy('profile').map(({ durations }) => durations['downlink.answered']);
    expect(clime).toEqual({ spread: expect.objectContaining({ count: 4 }), missing: 0 });
    expect(control).toEqual({ spread: null, missing: 0 });
  });
});

describe('reports', () => {
  it('have a table for each dimension', () => {
    const text = renderText(result);
    expect(text).toMatch(/by region +devices +ready .*\n +north +4 +4 /);
    expect(text).toMatch(/by client +requests .*\n +dashboard +120 +120 +0 /);
    const page = renderHtml(result);
    for (const by of ['group', 'region', 'profile', 'firmware', 'tag', 'client']) expect(page).toContain(`By ${by}`);
  });

  it('have every metric of each part as CSV, with the same cells in each row', () => {
    const rows = writePartsCsv(result.parts ?? [])
      .trimEnd()
      .split('\r\n')
      .map((row) => row.split(','));
    expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([11]));
    expect(rows).toContainEqual([
      'region',
      'north',
      'uplink.sent',
      String(countsOf('region', 'uplink.sent').north),
      ...Array(7).fill(''),
    ]);
    expect(rows.filter(([by, value]) => by === 'client' && value === 'dashboard')).toHaveLength(14);
  });

  it('are written to parts.csv and summary.json', async () => {
    const out = join(folderOfTest(), 'run');
    const { parts } = await run(defineScenario({ ...SCENARIO, duration: '15m', by: ['group'] }), { out });
    expect(readFileSync(join(out, 'parts.csv'), 'utf8')).toBe(writePartsCsv(parts ?? []));
    expect(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8')).parts).toEqual(parts);
  });
});

it('of more than 20 values, the largest have a part each, and the others are one part', () => {
  const fleet = Array.from({ length: 30 }, (_, i) => ({
    name: `group-${i}`,
    profile: 'clime',
    count: i === 29 ? 5 : 1 + (i % 2),
  }));
  const {
    parts = [],
    scopes = [],
    expectations,
  } = defineScenario({
    ...{ name: 'many', duration: '1h', fleet },
    expect: ['uplink.sent by group >= 0'],
  });
  expect(parts).toHaveLength(21);
  expect(parts.at(-1)).toEqual({ by: 'group', value: '(others)', scope: 'group/(others)' });
  expect(parts.map(({ value }) => value)).toContain('group-29');
  expect(expectations).toHaveLength(21);
  const devices = scopes.flatMap((scope) => ('devices' in scope ? scope.devices : []));
  expect([...devices].sort((a, b) => a - b)).toEqual(Array.from({ length: 48 }, (_, i) => i));
});
