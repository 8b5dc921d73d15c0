import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/explain/explanation.js';
import { days } from '../../src/kernel/time.js';
import { formatAxisTime } from '../../src/report/html/plot.js';
import { makeFarDurations } from '../../src/report/html/scale.js';
import { renderHtml } from '../../src/report/renderers/html.js';
import { resultOf } from './fixtures.js';

const HOSTILE = '</script></style><img src=x onerror=alert(1)>"\' &amp; \u202e';

describe('the HTML report', () => {
  it('loads no other file, and contains exactly one script', () => {
    const page = renderHtml(resultOf());
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).not.toMatch(
      /<script(?! type="application\/json">|>)|<link|<img|<iframe|javascript:|https?:\/\/|@import|url\(/i,
    );
    expect(page).not.toMatch(/\son\w+\s*=/i);
    expect(page).not.toMatch(/\sstyle=/);
  });

  it('forbids everything except its own style sheet and its own script', () => {
    const page = renderHtml(resultOf());
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1]?.replaceAll('&#39;', "'");
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const script = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    const [styles, scripts] = [style, script].map((text) => createHash('sha256').update(text).digest('base64'));
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${styles}'; script-src 'sha256-${scripts}'; base-uri 'none'; form-action 'none'`,
    );
  });

  it('shows hostile names as text', () => {
    const mark = { kind: 'fault', what: HOSTILE, whom: HOSTILE, from: 600_000, until: 1_200_000 } as const;
    const expectation = { line: HOSTILE, passed: false, left: 1, right: 2, unit: 'count', sentence: HOSTILE } as const;
    const base = resultOf();
    const page = renderHtml(
      resultOf({
        scenario: HOSTILE,
        about: HOSTILE,
        version: HOSTILE,
        startedAt: HOSTILE,
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
    expect(page).not.toMatch(/<img|\u202e/);
    // Only the elements for the data of the plots and for the script of the page end like this.
    expect(page.match(/<\/script>/g)?.length).toBe(page.match(/<script[ >]/g)?.length);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
  });

  it('begins with a warning when the run is invalid', () => {
    const page = renderHtml(resultOf({ passed: false, exitCode: 5, failure: 'the run is invalid: too slow' }));
    const body = page.slice(page.indexOf('<main>'));
    expect(body.replace('<main>', '').trimStart()).toMatch(
      /^<div class="alarm bad" role="alert"><strong>This run is invalid/,
    );
    expect(page).toContain('INVALID</span>');
  });

  it('shows failed expectations first, with their result', () => {
    const held = { line: 'a == 1', passed: true, left: 1, right: 1, unit: 'count', sentence: 'a is 1' } as const;
    const failed = { ...held, line: 'b == 2', passed: false, sentence: 'b is 1, wanted == 2' } as const;
    const page = renderHtml(resultOf({ passed: false, expectations: [held, failed] }));
    expect(page.indexOf('b is 1, wanted == 2')).toBeLessThan(page.indexOf('a == 1'));
    expect(page).toContain('FAILED</span>');
  });

  it('moves the expectations below the plots on a phone, unless one of them failed', () => {
    const held = { line: 'a == 1', passed: true, left: 1, right: 1, unit: 'count', sentence: 'a is 1' } as const;
    expect(renderHtml(resultOf({ expectations: [held] }))).toContain('<section id="expectations"><h2>');
    const page = renderHtml(resultOf({ passed: false, expectations: [held, { ...held, passed: false }] }));
    expect(page).toContain('<section id="expectations" class="urgent"><h2>');
    expect(page).toMatch(/section,footer\{order:2\}#over-time,#downlinks,\.urgent\{order:1\}/);
  });

  it('puts long names of a table above their numbers on a phone, and leaves short ones beside them', () => {
    const calls = { planned: 1, sent: 1, answered: 1, failed: 0, refused: 0, inFlight: 0, dropped: 0 };
    const load = { ...calls, closedLoop: true, reasons: {}, latency: undefined, service: undefined };
    const page = renderHtml(resultOf({ calls: { 'latest-value as poller': load } }));
    const lookOf = (title: string) => new RegExp(`aria-label="${title}"><table class="(\\w+)"`).exec(page)?.[1];
    expect(lookOf('Uplinks by type')).toBe('short');
    // The numbers of this table have one column, which fits beside a long name.
    expect(lookOf('The fleet and its network')).toBe('short');
    expect(lookOf('Requests')).toBe('long');
  });

  it('draws every plot for wide and for narrow screens, without NaN or undefined', () => {
    const page = renderHtml(resultOf());
    const count = (text: string) => page.split(text).length - 1;
    expect(count('class="wide"')).toBeGreaterThan(4);
    expect(count('class="wide"')).toBe(count('class="narrow"'));
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('has ticks of a logarithmic time axis at 10s, 1m, 10m and 1h, but at powers of ten below 1s', () => {
    expect(makeFarDurations(12_000, 1_400_000).ticks.map(formatAxisTime)).toEqual(['10s', '1m', '10m', '1h']);
    const { place, ticks } = makeFarDurations(0.4, 90);
    expect(ticks.map(formatAxisTime)).toEqual(['0.1ms', '1ms', '10ms', '100ms']);
    expect(ticks.map(place).map((at) => at.toFixed(5))).toEqual(['0.00000', '0.33333', '0.66667', '1.00000']);
    expect(makeFarDurations(60_000, days(4000)).ticks.map(formatAxisTime).at(-1)).toBe('365d');
  });

  it('has tables that are scrollable by keyboard, with named rows and columns', () => {
    const page = renderHtml(resultOf());
    const tables = page.match(/<table class="(?:long|short)">/g)?.length ?? 0;
    expect(tables).toBeGreaterThan(3);
    expect(page.match(/<div class="scroll" tabindex="0" role="region" aria-label="[^"]+"><table /g)).toHaveLength(
      tables,
    );
    expect(page).toContain('<th scope="row">devices in the plan</th><td>');
    expect(page).not.toMatch(/<th(?!ead| scope=)/);
  });

  it('shows a fault as a band with its name', () => {
    const page = renderHtml(resultOf());
    expect(page).toContain('<rect class="band"');
    expect(page).toContain('<line class="edge"');
    expect(page).toContain('["band","loss 10% → clime"]');
  });

  it('says that faults are shaded only if there is one', () => {
    const base = resultOf();
    const planned = (kind: 'fault' | 'step') => {
      const mark = { kind, what: 'x', whom: '', from: 600_000, until: 1_200_000 };
      return resultOf({ planned: { ...base.planned, marks: [mark] } });
    };
    expect(renderHtml(planned('fault'))).toContain('faults are shaded in all plots below');
    expect(renderHtml(planned('step'))).not.toContain('faults are shaded');
  });

  it('of a run without events is a complete page', () => {
    const page = renderHtml(resultOf({ expectations: [] }, []));
    expect(page).toContain('</html>');
    expect(page).not.toMatch(/NaN|Infinity|undefined|id="over-time"/);
  });

  it('is the same for the same run, except for its start time and its duration', () => {
    const page = (startedAt: string, wallMs: number) => renderHtml(resultOf({ startedAt, wallMs }));
    const [one, other] = [page('2026-01-02T03:04:05.678Z', 2345), page('2027-01-02T03:04:05.678Z', 9876)];
    const without = (text: string) => text.replaceAll(/202[67]-01-02/g, '').replaceAll(/in \d\.\ds/g, '');
    expect(one).not.toBe(other);
    expect(without(one)).toBe(without(other));
    expect(page('2026-01-02T03:04:05.678Z', 2345)).toBe(one);
  });

  it('shows when the run started, the version and the description of the scenario', () => {
    const page = renderHtml(
      resultOf({ startedAt: '2026-01-02T03:04:05.678Z', version: '1.2.3', about: 'A small fleet.' }),
    );
    expect(page).toContain('<time datetime="2026-01-02T03:04:05.678Z">2026-01-02 03:04 UTC</time>');
    expect(page).toContain('ghostfleet 1.2.3');
    expect(page).toContain('<p class="about">A small fleet.</p>');
  });

  it('has an anchor for every section and table, and its links lead to existing anchors', () => {
    const page = renderHtml(resultOf());
    expect(page.match(/<section(?! id="[a-z-]+")/g)).toBeNull();
    expect(page.match(/<h3(?! id="[a-z-]+")/g)).toBeNull();
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(8);
    for (const id of links) expect(page.split(`id="${id}"`)).toHaveLength(2);
  });

  it('has every number of the plots as text for the pointer, with the faults that were active', () => {
    const blocks = [...renderHtml(resultOf()).matchAll(/<script type="application\/json">(.*?)<\/script>/g)];
    const plots = blocks.map(([, json = '']) => JSON.parse(json));
    expect(plots.length).toBeGreaterThan(5);
    for (const { rows, points, areas, ends } of plots) {
      expect(areas).toHaveLength(2);
      for (const point of points) expect(point).toHaveLength(rows.length + 1);
      if (ends !== undefined) expect([ends.length, ends.at(-1)]).toEqual([points.length, 1]);
    }
    const times = plots.find(({ rows }) => rows[0][1] === 'p99');
    expect(times.rows.map(([, name]: [string, string]) => name)).toEqual([
      ...['p99', 'p95', 'p50, the median', 'values', 'loss 10% → clime'],
    ]);
    // Two downlinks, delivered at 12:04 and 22:00; the fault is active until 20:00.
    const filled = times.points.filter(([, , , , values]: readonly string[]) => values !== '0');
    expect(filled).toEqual([['0 to 31m30s', '11m 04s', '11m 04s', '2m', '2', 'active']]);
  });

  it('draws the faults of the device in the timelines of the slowest downlinks', () => {
    const page = renderHtml(resultOf());
    // Queued at 1 min, delivered at 12 min; the fault begins at 10 min.
    const [, shell = '', data = ''] = page.split('<div class="fall" ');
    expect(shell).toContain('faults active: loss 10% → clime');
    expect(shell).toContain('<rect class="band"');
    // Queued at 20 min, when the fault ends.
    expect(data).not.toContain('class="band"');
  });

  it('leads from delivery times and unmet expectations to the devices of the slowest downlinks', () => {
    const [first] = resultOf().downlinks.slowest;
    const device = resultOf().names[String(first?.serial)] ?? '';
    const unmet = {
      line: 'downlink.delivered max < 1s',
      passed: false,
      left: 660_000,
      right: 1000,
      unit: 'ms',
    } as const;
    const page = renderHtml(resultOf({ expectations: [{ ...unmet, sentence: 'too slow' }] }));
    expect(page).toContain(`<li><a href="#slow-1">${device} 11m 06s</a></li>`);
    expect(page).toContain('too slow<span class="to"> · <a href="#slowest">the slowest devices</a></span>');
    expect(page).toMatch(/<figure id="slowest"><figcaption>The slowest.*<div class="fall" id="slow-1"><p>/s);
    expect(renderHtml(resultOf({ expectations: [{ ...unmet, passed: true, sentence: 'fine' }] }))).not.toContain(
      'the slowest devices',
    );
  });

  it('leads from a timeline to the explanation of its downlink, and back', () => {
    const [first] = resultOf().downlinks.slowest;
    const { id: downlink = '', serial = 0, type = 'shell' } = first ?? {};
    const explanation = {
      downlink,
      serial,
      device: 'x',
      type,
      queuedAt: 0,
      outcome: 'answered',
      received: true,
      took: 1,
    };
    const lists = { causes: [], waits: [], sooner: [], timeline: [], text: 'It waited.', unknown: [] };
    const page = renderHtml(resultOf({ explanations: [{ ...explanation, ...lists } as Explanation] }));
    expect(page).toMatch(/id="slow-1"><p><strong>11m 06s<\/strong> · shell to <a href="#why-1">/);
    expect(page).toContain('id="why-1"><p>It waited.<span class="to"> <a href="#slow-1">Drawn above</a></span></p>');
  });

  it('explains each section with figures in a folded text, without a script', () => {
    const page = renderHtml(resultOf());
    const sections = [...page.matchAll(/<section id="([a-z-]+)"(.*?)<\/section>/gs)];
    const explained = sections.flatMap(([, id, body = '']) => {
      return /<\/h2><details class="how"><summary>How to read this<\/summary><p>[^<]{60,}<\/p><\/details>/.test(body)
        ? [id]
        : [];
    });
    expect(explained).toEqual(sections.map(([, id]) => id).filter((id) => id !== 'repeat-and-continue'));
    expect(explained).toContain('downlinks');
  });

  it('has the times of each stage by type, like the text report', () => {
    const page = renderHtml(resultOf());
    const table = page.slice(page.indexOf('id="time-from-the-api-to-each-stage"'));
    const names = [...table.matchAll(/<tr><th scope="(?:row|col)">([^<]*)</g)].map(([, name]) => name);
    expect(names.slice(0, 12)).toEqual([
      ...['shell', 'first contact', 'offered', 'received', 'delivered', 'executed', 'answered'],
      ...['data', 'first contact', 'offered', 'delivered', 'all types'],
    ]);
  });

  it('has thousands separators', () => {
    const base = resultOf();
    const page = renderHtml(resultOf({ fleet: { ...base.fleet, devices: 12_345, ready: 12_344 } }));
    expect(page).toContain('<b>12,344 of 12,345</b>');
    expect(page).toContain('<th scope="row">devices in the plan</th><td>12,345</td>');
  });

  it('says that a run was interrupted, not that it failed', () => {
    const open = { line: 'a == 1', passed: false, undecided: true, left: 0, right: 1, unit: 'count' } as const;
    const page = renderHtml(
      resultOf({
        passed: false,
        exitCode: 130,
        failure: 'interrupted by SIGINT',
        expectations: [{ ...open, sentence: 'interrupted; until then: a is 0, wanted == 1' }],
      }),
    );
    expect(page).toContain('<span class="verdict open">interrupted</span>');
    expect(page).toContain('<strong>This run was interrupted: its numbers cover only a part of the scenario.</strong>');
    expect(page).toContain('<tr class="open"><td class="mark" title="not decided">?</td>');
    expect(page).not.toMatch(/FAILED|✗/);
  });
});
