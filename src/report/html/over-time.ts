/** The plots over simulated time: rates, percentiles and states of the fleet. */
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration, type Millis } from '../../kernel/time.js';
import { FLEET_STATES, type FleetState } from '../../trace/metrics/fleet-states.js';
import { chooseBins, type SeriesCount, type Trend } from '../../trace/metrics/series.js';
import type { RunResult } from '../result.js';
import { drawLanes, findEnd, formatRange, listFaultBands } from './lanes.js';
import { type Markup, markup, NOTHING } from './markup.js';
import { fitDurations, PERCENTILES } from './percentiles.js';
import {
  type Area,
  drawBands,
  drawLine,
  drawStack,
  drawSteps,
  drawXAxis,
  drawYAxis,
  formatAxisNumber,
  formatAxisTime,
  makeArea,
  plot,
  timeAxis,
  writeLegend,
  writeLineLegend,
  writeSvg,
} from './plot.js';
import type { Readout } from './readout.js';
import { makeLinear, type Scale } from './scale.js';
import { linkSlowest } from './slow.js';

const HEIGHT = 190;

export function drawOverTime(result: RunResult): Markup {
  const { series, clock } = result;
  if (series.bins === 0) return NOTHING;
  return markup`${drawLanes(result)}
${drawRates('Uplinks', 'stored messages of all types', result, [['uplinksStored', 'c1', 'stored']])}
${drawRates('Downlinks', 'downlinks of users', result, [
  ['downlinksQueued', 'c2 dashed', 'queued'],
  ['downlinksDelivered', 'c1', 'delivered'],
  ['downlinksAnswered', 'c3 dotted', 'answered'],
])}
${drawPercentiles('Delivery time of downlinks', 'from the API to the confirmed delivery, shown at the time of delivery', result, series.trends.deliveryTime)}
${series.trends.deliveryTime.p50.some((value) => value !== null) ? linkSlowest(result) : NOTHING}
${drawRates('API requests of loads', 'by when they were answered, failed or dropped', result, [
  ['callsAnswered', 'c1', 'answered'],
  ['callsFailed', 'c4 dashed', 'failed'],
  ['callsDropped', 'c5 dotted', 'dropped'],
])}
${clock === 'virtual' ? NOTHING : drawPercentiles('API latency', 'in real time, from when a request was due; shown at that time', result, series.trends.callLatency)}
${drawFleet(result)}`;
}

const RATES = [
  { unit: 'per second', short: 's', ms: 1000 },
  { unit: 'per minute', short: 'min', ms: 60_000 },
  { unit: 'per hour', short: 'h', ms: 3_600_000 },
] as const;

/** Minimum number of events per point, on average. A rate of fewer events would mostly be random. */
const ENOUGH = 8;

function drawRates(
  title: string,
  about: string,
  result: RunResult,
  wanted: readonly (readonly [SeriesCount, string, string])[],
): Markup {
  const { series } = result;
  const lines = wanted.filter(([name]) => series.counts[name].some((count) => count > 0));
  if (lines.length === 0) return NOTHING;
  const every = Math.max(...lines.map(([name]) => chooseBins(series.counts[name], ENOUGH)));
  const bin = series.bin * every;
  const columns = lines.map(([name]) => groupCounts(series.counts[name], every));
  // The last point may have fewer bins.
  const lengthOf = (point: number) => Math.min(bin, findEnd(series) - point * bin);
  const perMs = columns.map((counts) => counts.map((count, point) => count / lengthOf(point)));
  const greatest = perMs.flat().reduce((a, b) => Math.max(a, b), 0);
  const { unit, short, ms } = RATES.find((rate) => greatest * rate.ms >= 2) ?? RATES[2];
  const y = makeLinear(greatest * ms);
  const draw = drawLines(result, y, formatAxisNumber, (area, x) =>
    lines.map(([, look], i) => {
      const values = (perMs[i] ?? []).map((rate) => rate * ms);
      return drawSteps(area, x, y, bin, values, look, findEnd(series));
    }),
  );
  const values = timeReadout(result, every, lines, (row, point) => {
    const [count = 0, rate = 0] = [columns[row]?.[point], perMs[row]?.[point]];
    return `${humanCount(count)} (${formatAxisNumber(rate * ms)}/${short})`;
  });
  return markup`<figure><figcaption>${title} <small>${unit}; ${about}</small></figcaption>${writeLineLegend(lines.map(([, look, name]) => ({ look, name })))}${plot(`${title} ${unit}`, draw, values)}</figure>`;
}

function groupCounts(counts: readonly number[], every: number): readonly number[] {
  const sums = new Array<number>(Math.ceil(counts.length / every)).fill(0);
  counts.forEach((count, i) => {
    const point = Math.floor(i / every);
    sums[point] = (sums[point] ?? 0) + count;
  });
  return sums;
}

/** The values of a plot over time, and the faults that were active. @param value returns the text of a row at a point */
function timeReadout(
  result: RunResult,
  every: number,
  lines: readonly (readonly [key: string, look: string, name: string])[],
  value: (row: number, point: number) => string,
): Readout {
  const { series } = result;
  const end = findEnd(series);
  const faults = listFaultBands(result);
  const bin = series.bin * every;
  const points = Array.from({ length: Math.ceil(series.bins / every) }, (_, point) => {
    const [from, until] = [point * bin, Math.min(end, (point + 1) * bin)];
    const active = faults.map((fault) => (fault.from < until && fault.until > from ? 'active' : ''));
    return [formatRange(from, until), ...lines.map((_line, row) => value(row, point)), ...active] as const;
  });
  return {
    rows: [
      ...lines.map(([, look, name]) => [look, name] as const),
      ...faults.map(({ name }) => ['band', name] as const),
    ],
    points,
    ...(series.bins % every !== 0 && { ends: points.map((_, i) => Math.min(1, ((i + 1) * bin) / end)) }),
  };
}

/** The drawing of a plot with lines: over the bands of the faults. @param y scale of the values @param written its labels */
function drawLines(
  result: RunResult,
  y: Scale,
  written: (value: number) => string,
  lines: (area: Area, x: Scale) => readonly Markup[],
): (width: number) => Markup {
  return (width) => {
    const area = makeArea(width, HEIGHT);
    const x = timeAxis(findEnd(result.series), width);
    return writeSvg(
      width,
      HEIGHT,
      drawBands(area, x, listFaultBands(result)),
      drawYAxis(area, y, written),
      drawXAxis(area, x),
      ...lines(area, x),
    );
  };
}

function drawPercentiles(title: string, about: string, result: RunResult, trend: Trend): Markup {
  const values = PERCENTILES.flatMap(({ key }) => trend[key].filter((value) => value !== null));
  if (values.length === 0) return NOTHING;
  const { scale: y, far } = fitDurations(values);
  const bin: Millis = result.series.bin * trend.every;
  const draw = drawLines(result, y, formatAxisTime, (area, x) =>
    PERCENTILES.map(({ key, look }) => drawLine(area, x, y, bin, trend[key], look)),
  );
  const rows = [
    ...PERCENTILES.map(({ key, look, name }) => [key, look, name] as const),
    ['count', '', 'values'] as const,
  ];
  const shown = timeReadout(result, trend.every, rows, (row, point) => {
    const count = trend.count[point] ?? 0;
    const percentile = PERCENTILES[row];
    if (percentile === undefined) return humanCount(count);
    return count === 0 ? '' : humanDuration(trend[percentile.key][point] ?? 0);
  });
  return markup`<figure><figcaption>${title} <small>${about}${far ? '; logarithmic' : ''}</small></figcaption>${writeLineLegend([...PERCENTILES].reverse())}${plot(`${title}, percentiles over time`, draw, shown)}</figure>`;
}

const STATE_TEXTS: Readonly<Record<FleetState, { readonly look: string; readonly about: string }>> = {
  asleep: { look: 'asleep', about: 'not active for a while' },
  awake: { look: 'awake', about: 'recently active' },
  unheard: { look: 'unheard', about: 'repeating, failed, or waking without sending' },
  starting: { look: 'starting', about: 'booted, not ready yet' },
  off: { look: 'off', about: 'not switched on yet' },
};

function drawFleet(result: RunResult): Markup {
  const { bin, fleet: states } = result.series;
  const sums = states.off.map((_, i) => FLEET_STATES.reduce((sum, state) => sum + (states[state][i] ?? 0), 0));
  const greatest = sums.reduce((a, b) => Math.max(a, b), 0);
  if (greatest === 0) return NOTHING;
  const shown = FLEET_STATES.filter((state) => states[state].some((count) => count > 0));
  const draw = (width: number) => {
    const area = makeArea(width, HEIGHT);
    const x = timeAxis(findEnd(result.series), width);
    const y = makeLinear(greatest);
    const layers = shown.map((state) => ({ values: states[state], look: STATE_TEXTS[state].look }));
    return writeSvg(
      width,
      HEIGHT,
      drawYAxis(area, y, formatAxisNumber),
      drawStack(area, x, y, bin, layers),
      drawBands(area, x, listFaultBands(result)),
      drawXAxis(area, x),
    );
  };
  const lines = shown.map((state) => [state, STATE_TEXTS[state].look, state] as const);
  const values = timeReadout(result, 1, lines, (row, point) => {
    const state = shown[row];
    return state === undefined ? '' : humanCount(states[state][point] ?? 0);
  });
  const entries = shown.map((state) => ({ name: state, ...STATE_TEXTS[state] }));
  return markup`<figure><figcaption>The fleet <small>devices by state</small></figcaption>${writeLegend(entries)}${plot('The fleet over time', draw, values)}</figure>`;
}
