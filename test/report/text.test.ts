import { describe, expect, it } from 'vitest';
import { renderText } from '../../src/report/renderers/text.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife } from '../trace/fixtures.js';
import { busyRun, resultOf } from './fixtures.js';

const linesOf = (report: string) => report.trimEnd().split('\n');

describe('the text report', () => {
  it('begins and ends with seed, digest and the command that reproduces the run', () => {
    const lines = linesOf(renderText(resultOf()));
    for (const line of [lines[0], lines.at(-1)]) {
      expect(line).toContain('seed 7 · digest 0123456789abcdef · ghostfleet run scenarios/first-fleet.yaml --seed 7');
    }
    expect(lines.at(-1)).toMatch(/^passed · /);
  });

  it('fits into 100 columns, without colour codes', () => {
    const failed = {
      line: 'a < 1',
      passed: false,
      left: 1,
      right: 1,
      unit: 'count',
      sentence: 'word '.repeat(60).trim(),
    } as const;
    const report = renderText(resultOf({ expectations: [failed], failure: 'something '.repeat(30).trim() }));
    for (const line of linesOf(report)) expect(line.length).toBeLessThanOrEqual(100);
    expect(report).not.toContain('\u001b');
  });

  it('escapes control characters in the texts of a scenario', () => {
    const report = renderText(resultOf({ scenario: 'a\u001b[2Jb', failure: 'tag \u001b[31mx\nsecond' }));
    expect(report).not.toContain('\u001b');
    expect(report).toContain('a\\u001b[2Jb');
    expect(report).toContain('tag \\u001b[31mx\\nsecond');
  });

  it('has colour codes on request, and the same words', () => {
    const coloured = renderText(resultOf(), { colour: true });
    expect(coloured).toContain('\u001b[32m✓\u001b[0m');
    const plain = ['32', '33', '1', '0'].reduce((words, code) => words.replaceAll(`\u001b[${code}m`, ''), coloured);
    expect(plain).toBe(renderText(resultOf()));
  });

  it('counts uplinks and downlinks by type and outcome', () => {
    const report = renderText(resultOf());
    expect(report).toMatch(
      /uplinks +made +sent +acked +dropped +waiting +stored +copies\n +data +1 +1 +1 +0 +0 +1 +0\n/,
    );
    expect(report).toMatch(/downlinks +queued +answered +delivered only +pending +cancelled +expired\n/);
    expect(report).toMatch(/\n +config +1 +0 +0 +1 +0 +0\n +shell +1 +1 +0 +0 +0 +0\n +data +1 +0 +1 +0 +0 +0\n/);
  });

  it('shows times by stage and by cause of waiting', () => {
    const report = renderText(resultOf());
    expect(report).toMatch(/shell +→ first contact +1 +11m 02s/);
    expect(report).toMatch(/ → answered +1 +11m 06s/);
    // The device was asleep for 660 of 785.6 s.
    expect(report).toMatch(/asleep until next report\/poll +█{20}░{4} +84\.0%/);
  });

  it('counts firmware updates and lists reasons of failures', () => {
    const moved = { kind: 'update.moved', serial: 1, offset: 0 } as const;
    const events: readonly TraceEvent[] = [
      { ...moved, at: 0, update: 'u1', state: 'scheduled', why: '' },
      { ...moved, at: 60_000, update: 'u1', state: 'succeeded', why: '' },
      { ...moved, at: 70_000, update: 'u2', state: 'failed', why: 'image size too big' },
    ];
    const report = renderText(resultOf({}, events));
    expect(report).toMatch(/firmware updates {2}scheduled .*\n +2 +1 +1 +0 +0 +0\n {2}1 failed: image size too big\n/);
    expect(report).toMatch(/scheduled → succeeded +1 +1m/);
    expect(renderText(resultOf())).not.toContain('firmware updates');
  });

  it('shows the slowest downlink in chronological order, with the name of the device', () => {
    const report = renderText(resultOf()).replaceAll(/\s+/g, ' ');
    expect(report).toContain(
      'slowest delivered downlinks 11m 06s · shell to clime-0001, queued at 1m queued → first contact +11m 02s',
    );
    expect(report).toContain('→ executed +11m 04s → delivered +11m 04s → answered +11m 06s');
    expect(report).toContain('waited: asleep 11m, radio 2.1s, transfer 2s, device 1.9s');
  });

  it('lists service faults, crashes and rejected datagrams', () => {
    const report = renderText(
      resultOf({}, [
        ...busyRun(),
        { kind: 'cloud.refused', at: 1, why: 'wrong tag' },
        { kind: 'cloud.refused', at: 2, why: 'wrong tag' },
        { kind: 'cloud.refused', at: 3, why: 'unreadable' },
        { kind: 'service.process', at: 4, runs: false },
        { kind: 'service.fault', at: 5, fault: 'service-restart' },
        { kind: 'service.process', at: 6, runs: true },
      ]),
    );
    expect(report).toContain('  service faults: service-restart 1\n  crashes of the service: 1\n');
    expect(report).toContain('  datagrams that the gateway rejected: unreadable 1, wrong tag 2\n');
  });

  it('lists anomalies', () => {
    const report = renderText(resultOf());
    expect(report).toContain('network faults: loss 1');
    expect(report).toContain('1 × downlink counted as delivered although its only fragment was lost');
    expect(report).toContain('1 × failed step: downlink: the device has no encoder');
  });

  it('shows the result of a failed expectation', () => {
    const sentence = 'downlink.delivered p(95) is 44m, wanted < 40m';
    const failed = {
      line: 'downlink.delivered p(95) < 40m',
      passed: false,
      left: 2_640_000,
      right: 2_400_000,
      unit: 'ms',
      sentence,
    } as const;
    const report = renderText(resultOf({ passed: false, expectations: [failed] }));
    expect(report).toContain(`✗ ${failed.line}\n      ${sentence}`);
    expect(linesOf(report).at(-1)).toMatch(/^FAILED · /);
  });

  it('shows the value of an expectation that is met', () => {
    const held = {
      line: 'downlink.delivered max < 40m',
      passed: true,
      left: 724_000,
      right: 2_400_000,
      unit: 'ms',
      sentence: '',
    } as const;
    expect(renderText(resultOf({ expectations: [held] }))).toContain('✓ downlink.delivered max < 40m  12m 04s');
  });

  it('of a run without events has no empty tables', () => {
    const report = renderText(resultOf({}, []));
    expect(report).toContain('downlinks\n  none');
    expect(report).not.toContain('time waited, by cause');
    expect(report).not.toContain('uplinks');
  });

  it('shows why a run ended early', () => {
    expect(renderText(resultOf({ failure: 'interrupted by SIGINT' }))).toContain('✗ interrupted by SIGINT');
  });

  it('shows the serial number of a device without a name', () => {
    const events = downlinkLife({ serial: 55, contact: 5, offered: 5, delivered: 10 });
    expect(renderText(resultOf({}, [...busyRun(), ...events]))).toContain('shell to 55');
  });

  it('marks an expectation that is not decidable with a question mark', () => {
    const open = {
      line: 'downlink.answered p(95) < 1h',
      passed: false,
      undecided: true,
      left: 5000,
      right: 3_600_000,
      unit: 'ms',
      sentence: 'not decidable: downlink.answered p(95) is 5s without them, but leaves out 2 of 4 (2 pending)',
    } as const;
    const result = resultOf({ passed: false, exitCode: 3, expectations: [open] });
    expect(renderText(result)).toContain(`  ? ${open.line}\n      not decidable: `);
    expect(renderText(result, { colour: true })).toContain('\u001b[33m?\u001b[0m downlink.answered');
    expect(linesOf(renderText(result)).at(-1)).toMatch(/^FAILED · /);
  });

  it('says that a run was interrupted, not that it failed', () => {
    const report = renderText(resultOf({ passed: false, exitCode: 130, failure: 'interrupted by SIGINT' }));
    expect(report).toContain('\n! interrupted by SIGINT\n');
    expect(linesOf(report).at(-1)).toMatch(/^interrupted · seed 7 · /);
    expect(report).not.toContain('FAILED');
  });

  it.each([60, 80, 100, 200])(
    'fits into %d columns, except for commands, with the same numbers as at the default width',
    (width) => {
      const expectation = { passed: true, left: 12_345, right: 1, unit: 'count', sentence: '' } as const;
      const result = resultOf({
        startedAt: '2026-01-02T03:04:05.678Z',
        version: '1.2.3',
        failure: 'something '.repeat(30).trim(),
        expectations: [
          { ...expectation, line: 'uplink.stored > 1' },
          { ...expectation, line: `uplink.stored > ${'1 + '.repeat(10)}1` },
          { ...expectation, line: 'a < 1', passed: false, sentence: 'word '.repeat(60).trim() },
        ],
      });
      const report = renderText(result, { width });
      const lines = linesOf(report);
      const tooLong = lines.filter((line) => line.length > width && !line.includes('ghostfleet run'));
      expect(tooLong).toEqual([]);
      expect(lines.filter((line) => line !== line.trimEnd())).toEqual([]);
      const numbers = (some: string) => [...new Set(some.match(/\d[\d,.]*(?:h \d\dm|m \d\ds|s|%)?/g))].sort();
      expect(numbers(report)).toEqual(numbers(renderText(result)));
    },
  );

  it('has the comments of the `next` lines beside the commands, or above them if a line would be too wide', () => {
    const next = ['ghostfleet plan a.yaml  # what happens', 'ghostfleet run a.yaml --seed 2'];
    const lines = (width: number) => renderText(resultOf({ next }), { width }).split('try next\n')[1]?.split('\n\n')[0];
    expect(lines(80)).toBe('  ghostfleet plan a.yaml  # what happens\n  ghostfleet run a.yaml --seed 2');
    expect(lines(39)).toBe('  # what happens\n  ghostfleet plan a.yaml\n  ghostfleet run a.yaml --seed 2');
  });

  it('indents the further lines of a paragraph, so that its beginning is visible', () => {
    const about = 'downlink whose last acknowledgement was lost or late: the next packet confirmed the delivery';
    const report = renderText(resultOf({ anomalies: [{ name: 'x', count: 3, about }], faults: {} }), { width: 62 });
    expect(report).toContain('\n  3 × downlink whose last acknowledgement was lost or late:\n    the next packet');
  });
});
