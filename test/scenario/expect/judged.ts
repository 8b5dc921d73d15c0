/** Judges expectations about the events of a run. */
import { judgeMetrics } from '../../../src/scenario/expect/evaluate.js';
import { parseExpectation } from '../../../src/scenario/expect/grammar.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { Metrics } from '../../../src/trace/metrics/index.js';

/** Judges a line about a run of `duration` with these events. */
export function judged(line: string, events: readonly TraceEvent[], duration: number) {
  const [result] = allJudged([line], events, duration);
  if (result === undefined) throw new Error('one line has one result');
  return result;
}

/** Judges several lines about the same run. */
export function allJudged(lines: readonly string[], events: readonly TraceEvent[], duration: number) {
  const read = lines.map((line) => {
    const expectation = parseExpectation(line, {
      devices: (group) => ({ kind: 'group', group }),
      tags: [],
      clients: [],
      loads: [],
    });
    if ('invariant' in expectation) throw new Error('not about metrics');
    return expectation;
  });
  const limits = read
    .flatMap(({ left, right }) => [left, right])
    .flatMap((side) => (side.kind === 'metric' && side.aggregate.kind === 'within' ? side.aggregate.limit : []));
  const metrics = new Metrics(1, 0, duration, { devices: new Map([['north', [1]]]), loads: new Map(), limits });
  const closing: TraceEvent = { kind: 'world.closing', at: duration };
  for (const event of [...events, closing].sort((a, b) => a.at - b.at)) metrics.take(event);
  return read.map((expectation) => judgeMetrics(expectation, metrics));
}
