/** Time travel: what differs between two runs, in sentences and as curves. */
import { describe, expect, it } from 'vitest';
import type { History } from '../../src/client/types.js';
import type { RunComparison, RunEnd } from '../../src/control/travel.js';
import { CHARTS } from '../../web/src/model/charts.js';
import { questionFor } from '../../web/src/model/many.js';
import { curvesOf, differencesOf } from '../../web/src/model/travel.js';

function historyOf(onTime: number, waiting: number): History {
  const series = (value: number | null) => ({ min: [value], mean: [value], max: [value] });
  const figures = {
    ...{ devices_on_time: series(onTime), reports_per_minute: series(20), downlinks_waiting: series(waiting) },
    ...{ delivery_p50_seconds: series(null), delivery_p95_seconds: series(null) },
  };
  return { from: '2026-01-01T00:00:00.000Z', starts: [0], devices: 300, figures };
}

function endOf(passed: boolean, history: History | null): RunEnd {
  const expectation = { line: 'a < b', passed, undecided: false, sentence: 'a is 1' };
  return { passed, failure: null, digest: 'd', events: 10, expectations: [expectation], faults: [], history };
}

const OUTAGE: RunEnd['faults'][number] = {
  ...{ id: 'f', fault: 'outage', part: 'network', to: 'cellar', from: 3_600_000, until: 10_800_000, state: 'over' },
};

const COMPARED: RunComparison = {
  ...{ until_ms: 7_200_000, same: 1000 },
  original: endOf(false, historyOf(240, 12)),
  fork: endOf(true, historyOf(299, 1)),
  difference: {
    at_ms: 3_123_000,
    original: { sentence: 'cellar-0003 sends a datagram that is hit by outage', text: '{}' },
    fork: null,
  },
};

describe('a comparison of two runs', () => {
  it('says when they began to differ, which expectations changed, and the figures at the end', () => {
    expect(differencesOf(COMPARED)).toEqual([
      'The first difference is after 52m 03s: in the original, cellar-0003 sends a datagram that is hit by outage; in the ' +
        'fork, there are no more events.',
      'a < b fails in the original, and holds in the fork.',
      'At the end, 240 devices are on time in the original, and 299 in the fork.',
      'At the end, 12 downlinks wait in the original, and 1 in the fork.',
    ]);
  });

  it('names the faults that only one of them has', () => {
    const [original, fork] = [OUTAGE, { ...OUTAGE, until: 5_400_000 }].map((fault) => ({
      ...endOf(true, null),
      faults: [fault],
    }));
    const sentences = differencesOf({ ...COMPARED, ...(original && { original }), ...(fork && { fork }) });
    expect(sentences.slice(1)).toEqual([
      'Only in the original: outage (cellar) from 1h to 3h.',
      'Only in the fork: outage (cellar) from 1h to 1h 30m.',
    ]);
  });

  it('does not write two equal halves: events that differ only in details, and figures that differ by less than is shown', () => {
    const event = { sentence: 'cellar-0003 sends an uplink (data)', text: '{}' };
    const difference = { at_ms: 60_000, original: event, fork: { ...event, text: '{"bytes":1}' } };
    const [original, fork] = [endOf(true, historyOf(239.6, 12)), endOf(true, historyOf(240.4, 12))];
    expect(differencesOf({ ...COMPARED, original, fork, difference })).toEqual([
      'The first difference is after 1m: in both, cellar-0003 sends an uplink (data), with other details.',
    ]);
  });

  it('says that nothing differs', () => {
    expect(differencesOf({ ...COMPARED, difference: null })).toEqual([
      'Nothing differs: both runs have the same 1,000 events.',
    ]);
  });

  it('has two curves over each other, and none if the cloud of a run was down at the end', () => {
    expect(curvesOf(COMPARED, CHARTS.devices).map(({ name, curve }) => [name, curve.mean])).toEqual([
      ['original', [240]],
      ['fork', [299]],
    ]);
    expect(curvesOf({ ...COMPARED, fork: endOf(true, null) }, CHARTS.devices)).toEqual([]);
  });
});

describe('an action', () => {
  it('asks from 11 devices on', () => {
    expect([10, 11, 300].map((devices) => questionFor('Send the line to', devices))).toEqual([
      ...[undefined, 'Send the line to 11 devices?', 'Send the line to 300 devices?'],
    ]);
  });
});
