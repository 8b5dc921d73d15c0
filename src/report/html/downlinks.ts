/** Plots of downlinks: histogram of delivery times by cause, and the timeline of the slowest downlinks. */
import { humanDuration, type Millis, sinceStart } from '../../kernel/time.js';
import { STAGES, type Stage } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES, type WaitCause } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import type { RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';
import {
  type Area,
  areaOf,
  axisNumber,
  axisTime,
  isNarrow,
  legend,
  plot,
  px,
  svg,
  xAxis,
  xOf,
  yAxis,
  yOf,
} from './plot.js';
import { linear, type Scale, timeline } from './scale.js';

const HEIGHT = 220;

const CAUSE_TEXTS: Readonly<Record<WaitCause, string>> = {
  asleep: 'device asleep until the next report or poll',
  radio: 'waking the radio, and repetitions',
  transfer: 'packets in transfer',
  service: 'cloud processing',
  device: 'device running, saving or rebooting',
};

const CAUSE_LEGEND = WAIT_CAUSES.map((cause) => ({ look: cause, name: cause, about: CAUSE_TEXTS[cause] }));

/** Delivered downlinks by time to their last stage, each bar split by the causes of waiting. */
export function histogram({ downlinks: { times } }: RunResult): Markup {
  const totals = times.edges.map((_, i) => WAIT_CAUSES.reduce((sum, cause) => sum + (times.byCause[cause][i] ?? 0), 0));
  const first = totals.findIndex((total) => total > 0);
  const last = totals.findLastIndex((total) => total > 0);
  if (first < 0) return NOTHING;
  const bars = totals.slice(first, last + 1);
  const drawing = plot('Delivered downlinks by time and cause', (width) => {
    const area = areaOf(width, HEIGHT);
    const y = linear(Math.max(...bars));
    const step = area.width / bars.length;
    const gap = Math.min(3, step / 6);
    const drawn = bars.map((total, i) => {
      let below = 0;
      const [from = 0, until] = [times.edges[first + i], times.edges[first + i + 1]];
      const between = until === undefined ? `${axisTime(from)} or more` : `${axisTime(from)} to ${axisTime(until)}`;
      const range = `${between}: ${Math.round(total)} downlinks`;
      const parts = WAIT_CAUSES.map((cause) => {
        const share = times.byCause[cause][first + i] ?? 0;
        const top = yOf(area, y, below + share);
        const height = px(yOf(area, y, below) - top);
        below += share;
        if (height <= 0) return NOTHING;
        return markup`<rect class="fill ${cause}" x="${px(area.left + i * step + gap)}" y="${top}" width="${px(step - 2 * gap)}" height="${height}"/>`;
      });
      return markup`<g><title>${range}</title>${parts}</g>`;
    });
    const every = Math.ceil(((isNarrow(width) ? 34 : 44) * (bars.length + 1)) / area.width);
    const base = area.top + area.height;
    const marks = Array.from({ length: bars.length + 1 }, (_, i) => {
      const edge = times.edges[first + i];
      if (edge === undefined || i % every !== 0) return NOTHING;
      const x = px(area.left + i * step);
      const anchor = i === bars.length ? 'axis end' : 'axis middle';
      return markup`<line class="tick" x1="${x}" x2="${x}" y1="${base}" y2="${base + 4}"/><text class="${anchor}" x="${i === bars.length ? x + 10 : x}" y="${base + 17}">${axisTime(edge)}</text>`;
    });
    const axis = markup`<line class="base" x1="${area.left}" x2="${area.left + area.width}" y1="${base}" y2="${base}"/>`;
    return svg(width, HEIGHT, yAxis(area, y, axisNumber), ...drawn, axis, ...marks);
  });
  return markup`<figure><figcaption>Delivery times and what downlinks waited for <small>delivered downlinks by time from the API to their last stage</small></figcaption>${legend(CAUSE_LEGEND)}${drawing}</figure>`;
}

/** Number of timelines that are shown without unfolding. */
const UNFOLDED = 3;

export function slowest({ downlinks: { slowest: timelines }, names }: RunResult): Markup {
  if (timelines.length === 0) return NOTHING;
  const falls = timelines.map((timeline) => waterfall(timeline, names));
  const rest = falls.slice(UNFOLDED);
  return markup`<figure><figcaption>The slowest downlinks <small>above the line: events of the cloud; below: events of the device</small></figcaption>${legend(CAUSE_LEGEND.map(({ look, name }) => ({ look, name })))}${falls.slice(0, UNFOLDED)}${rest.length === 0 ? NOTHING : markup`<details><summary>${rest.length} more</summary>${rest}</details>`}</figure>`;
}

function waterfall(timeline: DownlinkTimeline, names: RunResult['names']): Markup {
  const { type, serial, queuedAt, total, attempts, waits } = timeline;
  const who = names[String(serial)] ?? String(serial);
  const causes = WAIT_CAUSES.filter((cause) => waits[cause] > 0).map(
    (cause) => `${cause} ${humanDuration(waits[cause])}`,
  );
  const offers = attempts > 1 ? `, offered ${attempts} times` : '';
  return markup`<div class="fall"><p><strong>${humanDuration(total)}</strong> · ${type} to ${who}, queued at ${humanDuration(sinceStart(queuedAt))}${offers} <span class="faint">· ${causes.join(', ')}</span></p>${plot(`Timeline of a downlink to ${who}`, (width) => stages(timeline, width))}</div>`;
}

interface Mark {
  readonly at: Millis;
  readonly name: string;
  readonly side: 'cloud' | 'device';
}

const SIDES: Readonly<Record<Stage, 'cloud' | 'device'>> = {
  contact: 'cloud',
  offered: 'cloud',
  received: 'device',
  delivered: 'cloud',
  executed: 'device',
  answered: 'cloud',
};

const LETTER = 6.8;
const LEVEL = 14;

/** The whole time as a thin bar and, below it, the part with the stages, enlarged. */
function stages({ stages: reached, stretches, total }: DownlinkTimeline, width: number): Markup {
  const woke = stretches.filter(({ cause }) => cause === 'asleep').map(({ until }) => until);
  const stations: readonly Mark[] = [
    { at: 0, name: 'queued', side: 'cloud' as const },
    ...woke.map((at) => ({ at, name: 'woke', side: 'device' as const })),
    ...STAGES.flatMap((stage) => {
      const at = reached[stage];
      return at === undefined ? [] : [{ at, name: stage === 'delivered' ? 'acknowledged' : stage, side: SIDES[stage] }];
    }),
  ].sort((one, other) => one.at - other.at);
  const from = enlargedFrom(stations, total);
  const shown = stations.filter(({ at }) => at >= from);
  const side = (wanted: Mark['side']) => shown.filter((station) => station.side === wanted);
  const frame = areaOf(width, 0);
  const x: Scale = spanScale(from, total, isNarrow(width) ? 4 : 8);
  const cloud = levels(side('cloud'), frame, x);
  const device = levels(side('device'), frame, x);
  const bar = 12;
  const whole = from > 0 ? 26 : 0;
  const middle = whole + cloud.depth * LEVEL + 8;
  const bottom = middle + bar + device.depth * LEVEL + 8;
  const height = bottom + 24;
  const area: Area = { ...frame, top: 0, height: bottom };
  const all = timeline(total, 8);
  const overview =
    from === 0
      ? NOTHING
      : markup`${segments(stretches, { ...area, top: 2 }, { place: all.place, ticks: [] }, 8)}<polygon class="lens" points="${xOf(area, all, from)},11 ${xOf(area, all, total)},11 ${area.left + area.width},${whole} ${area.left},${whole}"/>`;
  return svg(
    width,
    height,
    overview,
    segments(stretches, { ...area, top: middle }, x, bar),
    markup`${labels(cloud.placed, middle, -1)}${labels(device.placed, middle + bar, 1)}`,
    markup`<text class="axis end" x="${area.left - 6}" y="${middle - 2}">cloud</text><text class="axis end" x="${area.left - 6}" y="${middle + bar + 9}">device</text>`,
    xAxis(area, x),
  );
}

/** Where the enlarged part begins: when all marks lie in the last fifth of the time, that part is enlarged. */
function enlargedFrom(stations: readonly Mark[], total: Millis): Millis {
  const [, second] = stations;
  if (second === undefined || second.at < total * 0.8) return 0;
  return Math.max(0, second.at - (total - second.at) * 0.06);
}

/** Scale for the times from `from` to `until` since the downlink was queued. */
function spanScale(from: Millis, until: Millis, marks: number): Scale {
  const span = Math.max(1, until - from);
  const steps = timeline(span, marks).ticks;
  const step = Math.max(1, (steps[1] ?? span) - (steps[0] ?? 0));
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= until; at += step) ticks.push(at);
  return { place: (value) => (value - from) / span, ticks };
}

function segments(stretches: DownlinkTimeline['stretches'], area: Area, x: Scale, height: number): Markup {
  return markup`${stretches.map(({ cause, from, until }) => {
    const [left, right] = [xOf(area, x, from), xOf(area, x, until)];
    if (right <= left) return NOTHING;
    return markup`<rect class="fill ${cause}" x="${left}" y="${area.top}" width="${px(right - left)}" height="${height}"><title>${cause}: ${humanDuration(until - from)}</title></rect>`;
  })}`;
}

interface PlacedMark extends Mark {
  readonly x: number;
  /** Horizontal extent of line and name, in pixels. */
  readonly from: number;
  readonly until: number;
  readonly anchor: 'start' | 'end';
  readonly level: number;
}

/**
 * Places the names of marks so that no line crosses a name. A name is to the right of its line; where two names would
 * overlap, the earlier one is further out. Names that would exceed the right edge are to the left of their lines.
 */
function levels(
  stations: readonly Mark[],
  area: Area,
  x: Scale,
): { readonly placed: readonly PlacedMark[]; readonly depth: number } {
  const placed: PlacedMark[] = [];
  const toTheLeft: Mark[] = [];
  let edge = area.left + area.width;
  for (const station of [...stations].reverse()) {
    const at = xOf(area, x, station.at);
    const end = at + 3 + station.name.length * LETTER;
    if (end > edge) {
      toTheLeft.unshift(station);
      edge = at;
      continue;
    }
    const inTheWay = placed.filter((later) => later.x < end + 4);
    placed.push({ ...station, x: at, from: at, until: end, anchor: 'start', level: outside(inTheWay) });
  }
  for (const station of toTheLeft) {
    const at = xOf(area, x, station.at);
    const from = at - 3 - station.name.length * LETTER;
    const inTheWay = placed.filter((other) => other.until > from - 4);
    placed.push({ ...station, x: at, from, until: at, anchor: 'end', level: outside(inTheWay) });
  }
  return { placed, depth: outside(placed) || 1 };
}

function outside(placed: readonly PlacedMark[]): number {
  return placed.reduce((most, { level }) => Math.max(most, level + 1), 0);
}

/** @param way -1: upwards, 1: downwards */
function labels(stations: readonly PlacedMark[], from: number, way: 1 | -1): Markup {
  return markup`${stations.map(({ x, anchor, level, name, at }) => {
    const end = from + way * (level + 1) * LEVEL;
    const text = way < 0 ? end + LEVEL - 5 : end - 2;
    const look = anchor === 'end' ? 'label end' : 'label';
    return markup`<g><title>${name} +${humanDuration(at)}</title><line class="station" x1="${x}" x2="${x}" y1="${from}" y2="${way < 0 ? text - 8 : text}"/><text class="${look}" x="${px(anchor === 'end' ? x - 3 : x + 3)}" y="${text}">${name}</text></g>`;
  })}`;
}
