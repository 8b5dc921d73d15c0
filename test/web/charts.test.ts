/** What the charts of the console show of the faults of a run. */
import { describe, expect, it } from 'vitest';
import { fromZero, shownPart } from '../../web/src/model/charts.js';

describe('the band of a fault', () => {
  it.each([
    ['with its beginning in the chart', [30, 70], [50, 70]],
    ['with its end in the chart', [60, 120], [60, 100]],
    ['without an end', [10, 60], [50, 60]],
    ['that is over', [110, 120], undefined],
  ] as const)('is shown as far as the chart goes: %s', (what, edges, part) => {
    expect(shownPart({ from: 50, until: what === 'without an end' ? null : 100 }, edges, false)).toEqual(part);
  });

  it('is left out if it holds over the whole chart, but not if the chart shows only a part of its time', () => {
    expect(shownPart({ from: 50, until: 100 }, [50, 100], false)).toBeUndefined();
    expect(shownPart({ from: 50, until: 100 }, [60, 80], true)).toEqual([60, 80]);
  });
});

describe('an axis that begins at 0', () => {
  it('is filled by small values, such as a report in ten minutes, and has room for 1 if the values are whole numbers', () => {
    expect([fromZero(200, false)[1], fromZero(0.1, false)[1]]).toEqual([expect.closeTo(220), expect.closeTo(0.11)]);
    expect([fromZero(0, true), fromZero(null, false)]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});
