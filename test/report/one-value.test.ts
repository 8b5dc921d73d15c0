import { describe, expect, it } from 'vitest';
import { humanValue } from '../../src/kernel/quantity.js';
import { between, seededRandom } from '../../src/kernel/random.js';
import { humanDuration } from '../../src/kernel/time.js';
import { compareSides } from '../../src/report/compare/compare.js';
import { readSummary } from '../../src/report/compare/read.js';
import { writeComparisonText } from '../../src/report/compare/text.js';
import { RENDERERS } from '../../src/report/renderers/index.js';
import { evaluate } from '../../src/scenario/expect/evaluate.js';
import { parseExpectation } from '../../src/scenario/expect/grammar.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, metricsOf } from '../trace/fixtures.js';
import { resultOf } from './fixtures.js';

const HOUR = 3_600_000;
const METRICS = ['downlink.delivered', 'downlink.answered', 'device.startup', 'call.latency', 'call.service'] as const;
const PERCENTS = [50, 95, 99] as const;

/**
 * Events with durations of all magnitudes, from fractions of a millisecond for requests to hours for downlinks. All end in the
 * first bin.
 */
function events(): readonly TraceEvent[] {
  const random = seededRandom(3).fork('one value');
  const all: TraceEvent[] = [];
  for (let i = 0; i < 1031; i++) {
    const sent = (i + 1) * 1000;
    const took = between(random, 0.2, 2) * (i % 10 === 0 ? between(random, 20, 200) : 1);
    const load = i % 3 === 0 ? 'poll' : 'push';
    const due = sent - between(random, 0, 5);
    all.push({ kind: 'call.done', call: load, intended: due, sent, at: sent + took, status: 200, why: '' });
  }
  for (let i = 0; i < 1031; i++) {
    const serial = 1 + (i % 200);
    const delivered = Math.round(between(random, 10_000, 3 * HOUR));
    const life = { id: `${i}`, print: `${i}`, serial, queued: 0, contact: delivered, offered: delivered, delivered };
    all.push({ kind: 'device.boot', at: 0, serial: 1000 + i, cause: 'power' });
    all.push({ kind: 'device.ready', at: Math.round(between(random, 2000, 90_000)), serial: 1000 + i });
    all.push(...downlinkLife({ ...life, answered: delivered + Math.round(between(random, 100, 100_000)) }));
  }
  return all;
}

/** A run of 1,000 hours, so that a bin is longer than four hours. */
const metrics = metricsOf(events(), 1031, 1000 * HOUR);
const expectations = METRICS.flatMap((metric) =>
  PERCENTS.map((percent) => {
    const read = parseExpectation(`${metric} p(${percent}) < 5h`, {
      devices: () => undefined,
      clients: undefined,
      loads: undefined,
      tags: [],
    });
    return evaluate(read, { metrics, invariants: { getVerdict: () => undefined }, nameOf: String });
  }),
);
const result = resultOf({ ...metrics.summarise(), clock: 'real', speed: 1, expectations }, []);

/** The percentile as the metric itself returns it. */
function percentileOf(metric: string, percent: number): number {
  const measure = metrics.read(metric);
  if (measure?.kind !== 'durations') throw new Error(`${metric} has no durations`);
  return measure.distribution.findPercentile(percent) ?? Number.NaN;
}

const each = METRICS.flatMap((metric) => PERCENTS.map((percent) => [metric, percent] as const));
/** The same events in a run without a planned duration, so that all batches have requests. */
const compared = readSummary(RENDERERS.json(resultOf(metricsOf(events(), 1031).summarise(), [])), 'x');
const side = { name: 'x', runs: [compared] };
const comparison = compareSides(side, side);
const cellsOf = (metric: string) => PERCENTS.map((percent) => humanDuration(percentileOf(metric, percent)));
const text = RENDERERS.text(result);
const html = RENDERERS.html(result);

describe('a percentile of a run', () => {
  it.each(each)('%s p(%d) is the same in an expectation and in a comparison', (metric, percent) => {
    const value = percentileOf(metric, percent);
    const expectation = expectations.find(({ line }) => line.startsWith(`${metric} p(${percent})`));
    expect(expectation?.left).toBe(value);
    expect(expectation?.sentence).toContain(` is ${humanValue(value, 'ms')}, wanted`);
    const row = comparison.rows.find((one) => one.metric === `${metric} p(${percent})`);
    expect([row?.a, row?.b]).toEqual([value, value]);
    const [a, b] = [humanDuration(value), humanDuration(value)];
    expect(writeComparisonText(comparison).replaceAll(/ +/g, ' ')).toContain(`${metric} p(${percent}) ${a} ${b}`);
  });

  it('is the same in the tables of the terminal and of the page', () => {
    const row = (name: string, metric: string) => [name, '1,031', ...cellsOf(metric)];
    const rows = [
      row('delivered', 'downlink.delivered'),
      row('answered', 'downlink.answered'),
      row('all, since due', 'call.latency'),
      row('all, since sent', 'call.service'),
    ];
    for (const [name, ...cells] of rows) {
      expect(text.replaceAll(/ +/g, ' ')).toContain(`${name} ${cells.join(' ')}`);
      const inPage = cells.map((cell) => `<td>${cell}</td>`).join('');
      expect(html).toContain(`<th scope="row">${name}</th>${inPage}`);
    }
  });

  it('is the same in the tiles of the page', () => {
    expect(html).toContain(
      `<b>${humanDuration(percentileOf('downlink.delivered', 95))}</b><span>delivery time, p95</span>`,
    );
    expect(html).toContain(
      `<b>${humanDuration(percentileOf('call.latency', 99))}</b><span>API latency in real time, p99</span>`,
    );
  });

  it('is the same number in the JSON summary', () => {
    const { downlinks, allCalls } = JSON.parse(RENDERERS.json(result));
    const three = ({ p50, p95, p99 }: Record<string, number>) => [p50, p95, p99];
    const expected = (metric: string) => PERCENTS.map((percent) => percentileOf(metric, percent));
    expect(three(downlinks.stages.delivered)).toEqual(expected('downlink.delivered'));
    expect(three(downlinks.stages.answered)).toEqual(expected('downlink.answered'));
    expect(three(allCalls.latency)).toEqual(expected('call.latency'));
    expect(three(allCalls.service)).toEqual(expected('call.service'));
  });

  it('is the same number in the series, when all events are in one bin', () => {
    const [head = '', first = ''] = RENDERERS.series(result).split('\r\n');
    const cells = first.split(',');
    const column = (name: string) => Number(cells[head.split(',').indexOf(name)]);
    for (const percent of PERCENTS) {
      expect(column(`delivery_time_p${percent}_ms`)).toBe(percentileOf('downlink.delivered', percent));
      expect(column(`call_latency_p${percent}_ms`)).toBe(percentileOf('call.latency', percent));
    }
  });
});
