/** The plots over simulated time: faults, steps and loads; rates; percentiles; states of the fleet. */
import type { Instant } from '../../kernel/time.js';
import { FLEET_STATES, type FleetState } from '../../trace/metrics/fleet-states.js';
import type { PercentileColumns, SeriesCount, SeriesSummary } from '../../trace/metrics/series.js';
import type { PlannedMark, RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';
import {
  areaOf,
  axisNumber,
  axisTime,
  type Band,
  bands,
  legend,
  line,
  lineLegend,
  plot,
  px,
  stack,
  svg,
  timeAxis,
  xAxis,
  xOf,
  yAxis,
} from './plot.js';
import { durations, farDurations, linear } from './scale.js';

const HEIGHT = 190;

export function overTime(result: RunResult): Markup {
  const { series, clock } = result;
  if (series.bins === 0) return NOTHING;
  return markup`<section><h2>Over time</h2>
${lanes(result)}
${rates('Uplinks', 'stored messages of all types', result, [['uplinksStored', 'c1', 'stored']])}
${rates('Downlinks', 'downlinks of users', result, [
  ['downlinksQueued', 'c2 dashed', 'queued'],
  ['downlinksDelivered', 'c1', 'delivered'],
  ['downlinksAnswered', 'c3 dotted', 'answered'],
])}
${percentiles('Delivery time of downlinks', 'from the API to the confirmed delivery, shown at the time of delivery', result, series.deliveryTime)}
${rates('API requests of loads', 'by when they were answered, failed or dropped', result, [
  ['callsAnswered', 'c1', 'answered'],
  ['callsFailed', 'c4 dashed', 'failed'],
  ['callsDropped', 'c5 dotted', 'dropped'],
])}
${clock === 'virtual' ? NOTHING : percentiles('API latency', 'from when a request was due, shown at that time', result, series.callLatency)}
${fleet(result)}
</section>`;
}

/** End of the time axis. */
function endOf({ bin, bins }: SeriesSummary): Instant {
  return bin * bins;
}

/** Faults that were active for a part of the run. Faults that were always active are listed in a table instead. */
function faultBands({ planned, series }: RunResult): readonly Band[] {
  const end = endOf(series);
  return planned.marks
    .filter((mark) => mark.kind === 'fault' && !isConstant(mark) && mark.from < end)
    .map((mark) => ({ from: mark.from, until: Math.min(end, mark.until ?? end), name: nameOf(mark) }));
}

export function isConstant({ from, until }: PlannedMark): boolean {
  return from === 0 && until === null;
}

export function nameOf({ what, whom }: PlannedMark): string {
  return whom === '' ? what : `${what} → ${whom}`;
}

/** Maximum number of lanes in the plot. */
const MOST_LANES = 16;
const LANE = 24;
/** Approximate width of a letter, in pixels. */
const LETTER = 6.1;

/** One lane per fault, step and load, with its name. */
function lanes({ planned, series }: RunResult): Markup {
  const end = endOf(series);
  const marks = planned.marks.filter((mark) => !isConstant(mark) && mark.from < end).slice(0, MOST_LANES);
  if (marks.length === 0) return NOTHING;
  const drawing = plot('Faults, steps and loads over time', (width) => {
    const height = marks.length * LANE + 34;
    const area = areaOf(width, height);
    const x = timeAxis(end, width);
    const letters = Math.floor(area.width / LETTER);
    const drawn = marks.map((mark, i) => {
      const from = xOf(area, x, mark.from);
      const until = Math.max(from + 3, xOf(area, x, mark.until ?? end));
      const y = area.top + i * LANE;
      const name = nameOf(mark);
      const shown = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
      const left = px(Math.min(from, area.left + area.width - shown.length * LETTER));
      return markup`<g><title>${name}</title><rect class="lane ${mark.kind}" x="${from}" y="${y + 14}" width="${px(until - from)}" height="6" rx="2"/><text class="label" x="${Math.max(area.left, left)}" y="${y + 11}">${shown}</text></g>`;
    });
    return svg(width, height, bands(area, x, faultBandsOf(marks, end)), markup`${drawn}`, xAxis(area, x));
  });
  const kinds = (['fault', 'step', 'load'] as const).filter((kind) => marks.some((mark) => mark.kind === kind));
  return markup`<figure><figcaption>Faults, steps and loads <small>faults are shaded in all plots below</small></figcaption>${legend(kinds.map((kind) => ({ look: kind, name: `${kind}s` })))}${drawing}</figure>`;
}

function faultBandsOf(marks: readonly PlannedMark[], end: Instant): readonly Band[] {
  return marks
    .filter(({ kind }) => kind === 'fault')
    .map((mark) => ({ from: mark.from, until: Math.min(end, mark.until ?? end), name: nameOf(mark) }));
}

const RATES = [
  { unit: 'per second', ms: 1000 },
  { unit: 'per minute', ms: 60_000 },
  { unit: 'per hour', ms: 3_600_000 },
] as const;

function rates(
  title: string,
  about: string,
  result: RunResult,
  wanted: readonly (readonly [SeriesCount, string, string])[],
): Markup {
  const { bin, counts } = result.series;
  const lines = wanted.filter(([name]) => counts[name].some((count) => count > 0));
  if (lines.length === 0) return NOTHING;
  const greatest = lines.reduce((most, [name]) => counts[name].reduce((a, b) => Math.max(a, b), most), 0) / bin;
  const { unit, ms } = RATES.find((rate) => greatest * rate.ms >= 2) ?? RATES[2];
  const drawing = plot(`${title} ${unit}`, (width) => {
    const area = areaOf(width, HEIGHT);
    const x = timeAxis(endOf(result.series), width);
    const y = linear(greatest * ms);
    const drawn = lines.map(([name, look]) =>
      line(
        area,
        x,
        y,
        bin,
        counts[name].map((count) => (count * ms) / bin),
        look,
      ),
    );
    return svg(width, HEIGHT, bands(area, x, faultBands(result)), yAxis(area, y, axisNumber), xAxis(area, x), ...drawn);
  });
  return markup`<figure><figcaption>${title} <small>${unit}; ${about}</small></figcaption>${lineLegend(lines.map(([, look, name]) => ({ look, name })))}${drawing}</figure>`;
}

const PERCENTILES = [
  ['p99', 'c4 dotted', '99 %'],
  ['p95', 'c2 dashed', '95 %'],
  ['p50', 'c1', 'median'],
] as const;

function percentiles(title: string, about: string, result: RunResult, columns: PercentileColumns): Markup {
  const values = PERCENTILES.flatMap(([name]) => columns[name].filter((value) => value !== null));
  if (values.length === 0) return NOTHING;
  const greatest = values.reduce((a, b) => Math.max(a, b), 0);
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), greatest);
  // Values that differ by more than a factor of 50 need a logarithmic axis.
  const far = least > 0 && greatest / least > 50;
  const drawing = plot(`${title}, percentiles over time`, (width) => {
    const area = areaOf(width, HEIGHT);
    const x = timeAxis(endOf(result.series), width);
    const y = far ? farDurations(least, greatest) : durations(greatest);
    const drawn = PERCENTILES.map(([name, look]) => line(area, x, y, result.series.bin, columns[name], look));
    return svg(width, HEIGHT, bands(area, x, faultBands(result)), yAxis(area, y, axisTime), xAxis(area, x), ...drawn);
  });
  return markup`<figure><figcaption>${title} <small>${about}${far ? '; logarithmic' : ''}</small></figcaption>${lineLegend(PERCENTILES.map(([, look, name]) => ({ look, name })).reverse())}${drawing}</figure>`;
}

const STATE_TEXTS: Readonly<Record<FleetState, { readonly look: string; readonly about: string }>> = {
  asleep: { look: 'asleep', about: 'not active for a while' },
  awake: { look: 'awake', about: 'recently active' },
  unheard: { look: 'unheard', about: 'repeating, failed, or waking without sending' },
  starting: { look: 'starting', about: 'booted, no session yet' },
  off: { look: 'off', about: 'not switched on yet' },
};

function fleet(result: RunResult): Markup {
  const { bin, fleet: states } = result.series;
  const greatest = states.off.reduce(
    (most, _, i) =>
      Math.max(
        most,
        FLEET_STATES.reduce((sum, state) => sum + (states[state][i] ?? 0), 0),
      ),
    0,
  );
  if (greatest === 0) return NOTHING;
  const shown = FLEET_STATES.filter((state) => states[state].some((count) => count > 0));
  const drawing = plot('The fleet over time', (width) => {
    const area = areaOf(width, HEIGHT);
    const x = timeAxis(endOf(result.series), width);
    const y = linear(greatest);
    const layers = shown.map((state) => ({ values: states[state], look: STATE_TEXTS[state].look }));
    return svg(
      width,
      HEIGHT,
      yAxis(area, y, axisNumber),
      stack(area, x, y, bin, layers),
      bands(area, x, faultBands(result)),
      xAxis(area, x),
    );
  });
  const entries = shown.map((state) => ({ name: state, ...STATE_TEXTS[state] }));
  return markup`<figure><figcaption>The fleet <small>devices</small></figcaption>${legend(entries)}${drawing}</figure>`;
}
