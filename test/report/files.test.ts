/** The formats that other programs read: JUnit, CSV, and the text format of Prometheus. */
import { describe, expect, it } from 'vitest';
import { makeRegistry } from '../../src/report/exposition.js';
import { writeDownlinksCsv, writeSeriesCsv } from '../../src/report/renderers/csv.js';
import { renderJunit } from '../../src/report/renderers/junit.js';
import type { RunResult } from '../../src/report/result.js';
import { METRICS } from '../../src/trace/metrics/index.js';
import { metricsOf } from '../trace/fixtures.js';
import { busyRun, resultOf } from './fixtures.js';
import { violations } from './junit-schema.js';

describe('the JUnit report', () => {
  const failed = {
    line: 'a < "1" & b',
    passed: false,
    left: 1,
    right: 1,
    unit: 'count',
    sentence: 'a is 1 <\u0000>',
  } as const;

  it('has one test case per expectation and one for the run', () => {
    const xml = renderJunit(resultOf({ expectations: [failed, ...resultOf().expectations] }));
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml).toContain('tests="3" failures="1" errors="0"');
  });

  it.each([
    [null, 'first-fleet'],
    ['out', 'first-fleet'],
    ['runs/my-seed-3', 'first-fleet'],
    ['runs/seed-3', 'first-fleet (seed 3)'],
    ['runs\\seed-3', 'first-fleet (seed 3)'],
    ['runs/a/seed-3', 'first-fleet (A, seed 3)'],
    ['b/seed-3', 'first-fleet (B, seed 3)'],
  ])('of a run in %s has the suite and the class %s', (out, name) => {
    const workers = [
      { number: 1, host: 'field-1', pid: 1, devices: 1, requests: 0, clock: null, generator: null, lost: null },
    ];
    const xml = renderJunit(resultOf({ scenario: 'first-fleet', seed: 3, out, workers }));
    const names = [...xml.matchAll(/<testsuite name="([^"]*)"|classname="([^"]*)"/g)].map(
      ([, one, other]) => one ?? other,
    );
    expect(names).toEqual(names.map(() => name));
    expect(names.length).toBeGreaterThan(3);
  });

  it('numbers the test cases of equal expectations', () => {
    const other = { ...failed, line: 'step.failed == 0' };
    const xml = renderJunit(resultOf({ expectations: [other, failed, other, other] }));
    const names = [...xml.matchAll(/<testcase classname="[^"]*" name="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual([
      'the run finishes',
      'step.failed == 0',
      'a &lt; &quot;1&quot; &amp; b',
      'step.failed == 0 (2)',
      'step.failed == 0 (3)',
    ]);
  });

  it('escapes markup, control characters and direction marks, and has no line of a text', () => {
    const sentence = `${failed.sentence}\u009b2J\u202e\nreproduce: evil`;
    const xml = renderJunit(resultOf({ expectations: [{ ...failed, sentence }], warnings: [sentence] }));
    expect(xml).toContain('name="a &lt; &quot;1&quot; &amp; b"');
    const shown = 'a is 1 &lt;\\u0000&gt;\\u009b2J\\u202e\\nreproduce: evil';
    expect(xml).toContain(`message="${shown}"`);
    expect(xml).toContain(`<system-out>warning: ${shown}</system-out>`);
  });

  it('has a failure of the type "undecided" for an expectation that is not decidable', () => {
    const open = {
      line: 'downlink.answered p(95) < 1h',
      passed: false,
      undecided: true,
      left: null,
      right: 3_600_000,
      unit: 'ms',
      sentence: 'not decidable: it leaves out 2 of 4',
    } as const;
    const xml = renderJunit(resultOf({ passed: false, exitCode: 3, expectations: [open] }));
    expect(xml).toContain('tests="2" failures="1" errors="0"');
    expect(xml).toContain(
      'name="downlink.answered p(95) &lt; 1h"><failure type="undecided" message="not decidable: it leaves out 2 of 4">',
    );
  });

  it('has an error of the type "interrupted" for a run that the user interrupted', () => {
    const xml = renderJunit(
      resultOf({ failure: 'interrupted by SIGINT', exitCode: 130, passed: false, expectations: [] }),
    );
    expect(xml).toContain('name="the run finishes"><error type="interrupted" message="interrupted by SIGINT">');
  });

  it('has skipped test cases for the expectations that the end of a run left undecided, and no failures', () => {
    const [met] = resultOf().expectations;
    const open = { ...failed, undecided: true, cutShort: true } as const;
    const expectations = met === undefined ? [open] : [open, met];
    const xml = renderJunit(resultOf({ failure: 'interrupted by SIGINT', exitCode: 130, passed: false, expectations }));
    expect(xml).toContain('tests="3" failures="0" errors="1"');
    expect(xml).toContain(' skipped="1">');
    expect(xml).toContain('<skipped message="a is 1');
    expect(xml).not.toContain('<failure');
  });

  it('has the simulated duration of a run in virtual time, so that equal runs have equal files; otherwise the real duration', () => {
    const times = { simulatedMs: 7_200_000, wallMs: 1234 };
    expect(renderJunit(resultOf({ ...times, clock: 'virtual' }))).toContain('time="7200.000"');
    expect(renderJunit(resultOf({ ...times, clock: 'real' }))).toContain('time="1.234"');
  });

  it.each<[string, Partial<RunResult>]>([
    ['that passed', {}],
    ['that failed', { passed: false, expectations: [failed] }],
    ['that was interrupted', { failure: 'interrupted', exitCode: 130, passed: false, expectations: [failed] }],
    ['that is invalid', { failure: 'the run is invalid: late', exitCode: 5, passed: false }],
    ['with warnings', { warnings: ['one <warning>', 'another'] }],
  ])("of a run %s contains only what the schema of Jenkins' xunit plugin allows", (_, changes) => {
    expect(violations(renderJunit(resultOf(changes)))).toEqual([]);
  });

  it('has all warnings in one element of the suite', () => {
    const xml = renderJunit(resultOf({ warnings: ['one', 'another'] }));
    expect(xml).toContain('<system-out>warning: one\nwarning: another</system-out>');
  });

  it('counts an invalid run as an error', () => {
    const xml = renderJunit(resultOf({ failure: 'the run is invalid: late', exitCode: 5, passed: false }));
    expect(xml).toContain('errors="1"');
    expect(xml).toContain('<error message="the run is invalid: late">');
  });
});

describe('CSV', () => {
  it('of the series has one row per bin and as many cells as titles', () => {
    const result = resultOf();
    const rows = writeSeriesCsv(result).split('\r\n');
    expect(rows.at(-1)).toBe('');
    expect(rows).toHaveLength(result.series.bins + 2);
    expect(new Set(rows.slice(0, -1).map((row) => row.split(',').length)).size).toBe(1);
  });

  it('of the downlinks has one row per downlink, with times since the downlink was queued', () => {
    const records = metricsOf(busyRun(), 3).downlinks;
    const rows = [...writeDownlinksCsv(records, { 2159017985: 'a "quoted", name' })].join('').split('\r\n');
    expect(rows).toHaveLength(5);
    expect(rows[1]).toBe(
      'a,"a ""quoted"", name",2159017985,shell,60000,answered,1,1,final-ack,false,666000,662100,663000,663600,664100,663700,666000,660000,2100,2000,0,1900',
    );
    expect(rows[3]).toContain('pending');
  });

  it.each(['=HYPERLINK("http://x")', '+1+1', '-2+3', '@SUM(1)', '\tx', '=cmd|" /C calc"!A0'])(
    'of a device named %j is a text for spreadsheets',
    (name) => {
      const records = metricsOf(busyRun(), 3).downlinks;
      const [, row = ''] = [...writeDownlinksCsv(records, { 2159017985: name })].join('').split('\r\n');
      expect(row).toMatch(/^a,"?'[=+@\t-]/);
    },
  );
});

describe('the metrics for Prometheus', () => {
  const metrics = metricsOf(busyRun(), 3);
  const registry = makeRegistry({
    metrics: METRICS,
    read: (name) => metrics.read(name),
    simulatedMs: 1500,
    labels: { scenario: 'with "quotes" and \\' },
  });

  it('follow the text format line by line', async () => {
    const lines = (await registry.metrics()).split('\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(METRICS.length);
    for (const line of lines) {
      expect(line).toMatch(
        /^# (HELP|TYPE) [a-z_]+ .+$|^[a-z_]+\{[a-z]+="(?:[^"\\]|\\.)*"(,quantile="0\.\d+")?\} [\d.e+-]+$/,
      );
    }
  });

  it('have counts as gauges and durations as summaries in seconds', async () => {
    const text = await registry.metrics();
    expect(text).toContain('ghostfleet_run_simulated_seconds{scenario="with \\"quotes\\" and \\\\"} 1.5');
    expect(text).toMatch(/# TYPE ghostfleet_run_downlink_queued gauge\nghostfleet_run_downlink_queued\{.*\} 3\n/);
    expect(text).toMatch(/ghostfleet_run_downlink_answered_seconds\{.*quantile="0.95"\} 666\n/);
    expect(text).toMatch(/ghostfleet_run_downlink_answered_seconds_count\{.*\} 1\n/);
  });
});
