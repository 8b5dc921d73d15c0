import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../src/report/renderers/html.js';
import { renderJunit } from '../../src/report/renderers/junit.js';
import { renderText } from '../../src/report/renderers/text.js';
import type { GeneratorReport, WorkerReport } from '../../src/report/result.js';
import { resultOf } from './fixtures.js';
import { violations } from './junit-schema.js';

function generator(p99: number, spoiled: string | null = null): GeneratorReport {
  const lateness = { count: 9, min: 0, mean: 1, p50: 1, p95: 2, p99, max: 2 * p99 };
  return { lateness, eventLoopDelay: 11, stall: 30, busy: 0.25, cpu: 0.4, gc: 0.01, spoiled };
}

function worker(number: number, changes: Partial<WorkerReport> = {}): WorkerReport {
  const clock = { offset: 1_000_000, uncertainty: 0.4, system: -1500 };
  const place = { host: 'field-1', pid: 100 + number };
  return { number, ...place, devices: 10, requests: 120, clock, generator: generator(3), lost: null, ...changes };
}

const LOST = {
  ...{ generator: null, requests: 7 },
  lost: { at: 90_000, why: 'no heartbeat for 5 s', uplinks: 1, downlinks: 0, steps: 2, requests: 113 },
};
const slow = worker(2, { generator: generator(400, 'its actions were late') });
const three = {
  ...{ clock: 'real' as const, exitCode: 5 as const, failure: 'worker 3 was lost', passed: false },
  workers: [worker(1), slow, worker(3, LOST)],
  generator: generator(400, 'worker 2: its actions were late'),
};
const single = (report: string) => report.replaceAll(/\s+/g, ' ');

describe('the workers of a divided run', () => {
  it('have a row each in the text, with lateness, saturation and clock, and one row for all together', () => {
    const report = single(renderText(resultOf(three)));
    expect(report).toContain('workers devices requests late, p99 busy clock');
    expect(report).toContain('worker 1 10 120 3ms 25.0% -1.5s ±0.4ms kept up (field-1, process 101)');
    expect(report).toContain('worker 2 10 120 400ms 25.0% -1.5s ±0.4ms too slow: its actions were late');
    expect(report).toContain('worker 3 10 7 -1.5s ±0.4ms lost at 1m 30s: no heartbeat for 5 s (field-1, process 103)');
    expect(report).toContain('all 30 247 400ms 25.0% 1 lost, 1 too slow');
  });

  it('fit into the width of the text', () => {
    for (const width of [60, 100]) {
      for (const line of renderText(resultOf(three), { width }).split('\n'))
        expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  it('have a section of the page, which comes before the plots on a phone if a worker did not keep up', () => {
    expect(renderHtml(resultOf(three))).toMatch(
      /<section id="workers" class="urgent">.*<th scope="row">worker 2<\/th>/s,
    );
    expect(renderHtml(resultOf({ ...three, workers: [worker(1)] }))).toMatch(/<section id="workers"><h2>/);
  });

  it('are test cases of the JUnit report, with an error for a worker that was lost or too slow', () => {
    const xml = renderJunit(resultOf({ ...three, expectations: [] }));
    expect(xml).toContain('tests="4" failures="0" errors="3"');
    expect(xml).toContain('name="worker 1 keeps up"/>');
    expect(xml).toContain('name="worker 2 keeps up"><error type="slow" message="too slow: its actions were late">');
    expect(xml).toContain('<property name="all" value="devices: 30; requests: 247; late, p99: 400ms;');
    const unknown = renderJunit(resultOf({ workers: [worker(1, { generator: null })], expectations: [] }));
    expect(unknown).toContain('skipped="1"');
    expect([...violations(xml), ...violations(unknown)]).toEqual([]);
  });

  it('are not in the reports of a run that was not divided', () => {
    const [words, page, xml] = [renderText(resultOf()), renderHtml(resultOf()), renderJunit(resultOf())];
    expect(words + xml).not.toContain('worker');
    expect(page).not.toContain('id="workers"');
  });
});
