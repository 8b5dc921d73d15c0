/** Comparisons of many pairs of runs: differences that are there, and differences that are not. */
import { describe, expect, it } from 'vitest';
import { findLeastShown } from '../../src/report/compare/compare.js';
import { writeComparisonHtml } from '../../src/report/compare/html.js';
import { openPage, startBrowser } from '../web/console.js';
import { compareRuns, rowOf, runOf } from './generated-run.js';

describe('comparing two runs', () => {
  it('rarely reports a difference between runs that differ only in their seeds', () => {
    const alike = Array.from({ length: 10 }, (_, seed) => runOf({ seed }));
    const pairs = alike.flatMap((a, i) => alike.slice(i + 1, i + 5).map((b) => [a, b] as const));
    const different = pairs.filter(([a, b]) => compareRuns(a, b).different).length;
    // 30 pairs with 9 numbers each: at a confidence level of 95 %, some 13 of these numbers would count as different.
    expect(pairs).toHaveLength(30);
    expect(different).toBeLessThanOrEqual(1);
  });

  it('finds a change that is larger than the smallest one that it claims to show, and no smaller one', () => {
    for (const metric of ['call.latency p(50)', 'call.latency p(95)', 'downlink.delivered p(50)']) {
      const row = rowOf(compareRuns(runOf({ seed: 1 }), runOf({ seed: 2 })), metric);
      const { increase = 0, decrease = 0 } = (row && findLeastShown(row)) ?? {};
      expect(row?.verdict).toBe('undetected');
      const change = (row?.b ?? 0) / (row?.a ?? 1);
      const changed = (to: number) => {
        const b = runOf({ seed: 2, slower: to / change });
        return rowOf(compareRuns(runOf({ seed: 1 }), b), metric)?.verdict;
      };
      // The histograms round durations by up to 2 %.
      expect([changed((1 + increase) * 1.03), changed((1 + increase) / 1.03)]).toEqual(['slower', 'undetected']);
      expect([changed((1 + decrease) / 1.03), changed((1 + decrease) * 1.03)]).toEqual(['faster', 'undetected']);
    }
  });
});

it('the page of a comparison has no cell over another one on a narrow screen', async () => {
  const comparison = compareRuns(runOf({ seed: 1 }), runOf({ seed: 2 }));
  const wide = comparison.rows.map((row) => ({ ...row, interval: [0.095, 9.071] as const }));
  const browser = await startBrowser();
  const { page } = await openPage(browser, { theme: 'light', width: 400 });
  await page.setContent(writeComparisonHtml({ ...comparison, rows: wide }));
  const cells = await page.locator('td, th').evaluateAll((all) => {
    return all.map(({ textContent, scrollWidth, clientWidth }) => ({ textContent, over: scrollWidth - clientWidth }));
  });
  await browser.close();
  expect(cells.map(({ textContent }) => textContent)).toContain('-90.5% … +807.1%');
  expect(cells.filter(({ over }) => over > 1)).toEqual([]);
});
