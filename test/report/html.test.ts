import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { days } from '../../src/kernel/time.js';
import { axisTime } from '../../src/report/html/plot.js';
import { farDurations } from '../../src/report/html/scale.js';
import { html } from '../../src/report/renderers/html.js';
import { resultOf } from './fixtures.js';

const HOSTILE = '</script></style><img src=x onerror=alert(1)>"\' &amp; \u202e';

describe('the HTML report', () => {
  it('loads nothing and runs no script', () => {
    const page = html(resultOf());
    expect(page).not.toMatch(/<script|<link|<img|<iframe|javascript:|https?:\/\/|@import|url\(/i);
    expect(page).not.toMatch(/\son\w+\s*=/i);
    expect(page).not.toMatch(/\sstyle=/);
  });

  it('forbids everything except its own style sheet', () => {
    const page = html(resultOf());
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
  });

  it('shows hostile names as text', () => {
    const mark = { kind: 'fault', what: HOSTILE, whom: HOSTILE, from: 600_000, until: 1_200_000 } as const;
    const expectation = { line: HOSTILE, passed: false, left: 1, right: 2, unit: 'count', sentence: HOSTILE } as const;
    const base = resultOf();
    const page = html(
      resultOf({
        scenario: HOSTILE,
        failure: HOSTILE,
        reproduce: HOSTILE,
        next: [HOSTILE],
        target: HOSTILE,
        names: { 2159017985: HOSTILE },
        expectations: [expectation],
        planned: { ...base.planned, marks: [mark, { ...mark, from: 0, until: null }] },
        anomalies: [{ name: 'x', count: 1, about: HOSTILE }],
        faults: { [HOSTILE]: 1 },
      }),
    );
    expect(page).toContain('&lt;/script&gt;&lt;/style&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39; &amp;amp;');
    expect(page).not.toMatch(/<img|<\/script|\u202e/);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
  });

  it('begins with a warning when the run is invalid', () => {
    const page = html(resultOf({ passed: false, exitCode: 5, failure: 'the run is invalid: too slow' }));
    const body = page.slice(page.indexOf('<main>'));
    expect(body.replace('<main>', '').trimStart()).toMatch(
      /^<div class="alarm" role="alert"><strong>This run is invalid/,
    );
    expect(page).toContain('INVALID</span>');
  });

  it('shows failed expectations first, with their result', () => {
    const held = { line: 'a == 1', passed: true, left: 1, right: 1, unit: 'count', sentence: 'a is 1' } as const;
    const failed = { ...held, line: 'b == 2', passed: false, sentence: 'b is 1, wanted == 2' } as const;
    const page = html(resultOf({ passed: false, expectations: [held, failed] }));
    expect(page.indexOf('b is 1, wanted == 2')).toBeLessThan(page.indexOf('a is 1'));
    expect(page).toContain('FAILED</span>');
  });

  it('draws every plot for wide and for narrow screens, without NaN or undefined', () => {
    const page = html(resultOf());
    const count = (text: string) => page.split(text).length - 1;
    expect(count('class="wide"')).toBeGreaterThan(4);
    expect(count('class="wide"')).toBe(count('class="narrow"'));
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('has ticks of a logarithmic time axis at 1s, 10s, 1m, 10m, 1h, not at powers of ten', () => {
    expect(farDurations(12_000, 1_400_000).ticks.map(axisTime)).toEqual(['10s', '1m', '10m', '1h']);
    const { place, ticks } = farDurations(0.4, 90);
    expect(ticks.map(axisTime)).toEqual(['0.1ms', '1ms', '10ms', '100ms']);
    expect(ticks.map(place).map((at) => at.toFixed(5))).toEqual(['0.00000', '0.33333', '0.66667', '1.00000']);
    expect(farDurations(60_000, days(4000)).ticks.map(axisTime).at(-1)).toBe('365d');
  });

  it('has tables that are scrollable by keyboard, with named rows and columns', () => {
    const page = html(resultOf());
    const tables = page.split('<table>').length - 1;
    expect(tables).toBeGreaterThan(3);
    expect(page.match(/<div class="scroll" tabindex="0" role="region" aria-label="[^"]+"><table>/g)).toHaveLength(
      tables,
    );
    expect(page).toContain('<th scope="row">devices in the plan</th><td>');
    expect(page).not.toMatch(/<th(?!ead| scope=)/);
  });

  it('shows a fault as a band with its name', () => {
    expect(html(resultOf())).toMatch(/<rect class="band"[^>]*><title>loss 10% → clime<\/title>/);
  });

  it('of a run without events is a complete page', () => {
    const page = html(resultOf({ expectations: [] }, []));
    expect(page).toContain('</html>');
    expect(page).not.toMatch(/NaN|Infinity|undefined|<h2>Over time/);
  });
});
