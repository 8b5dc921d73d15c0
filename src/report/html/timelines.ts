/** The timelines of the slowest downlinks: their stages, the causes of their waits, and the faults that were active. */
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration, type Millis, sinceStart } from '../../kernel/time.js';
import { STAGES, type Stage } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import type { RunResult } from '../result.js';
import { CAUSE_LEGEND } from './causes.js';
import { nameMark } from './lanes.js';
import { type Markup, markup, NOTHING } from './markup.js';
import {
  type Area,
  type Band,
  drawBands,
  drawXAxis,
  isNarrow,
  makeArea,
  placeX,
  plot,
  px,
  writeLegend,
  writeSvg,
} from './plot.js';
import type { Readout } from './readout.js';
import { makeTimeline, type Scale } from './scale.js';
import { findExplanation, makeAnchor, SLOWEST, writeLink } from './slow.js';

/** Number of timelines that are shown without unfolding. */
const UNFOLDED = 3;

export function drawSlowest(result: RunResult): Markup {
  const timelines = result.downlinks.slowest;
  if (timelines.length === 0) return NOTHING;
  const falls = timelines.map((timeline, i) => drawWaterfall(timeline, makeAnchor('slow', i), result));
  const rest = falls.slice(UNFOLDED);
  const faulty = timelines.some((timeline) => findFaults(timeline, result).length > 0);
  return markup`<figure id="${SLOWEST}"><figcaption>The slowest delivered downlinks <small>above the line: events of the cloud; below: events of the device</small></figcaption>${writeLegend([...CAUSE_LEGEND.map(({ look, name }) => ({ look, name })), ...(faulty ? [{ look: 'band', name: 'fault active' }] : [])])}${falls.slice(0, UNFOLDED)}${rest.length === 0 ? NOTHING : markup`<details><summary>${rest.length} more</summary>${rest}</details>`}</figure>`;
}

function drawWaterfall(timeline: DownlinkTimeline, anchor: string, result: RunResult): Markup {
  const { names } = result;
  const { id, type, serial, queuedAt, total, attempts, refused, waits } = timeline;
  const who = names[String(serial)] ?? String(serial);
  const causes = WAIT_CAUSES.filter((cause) => waits[cause] > 0).map(
    (cause) => `${cause} ${humanDuration(waits[cause])}`,
  );
  const faults = findFaults(timeline, result);
  const faultNames = [...new Set(faults.map(({ name }) => name))];
  const faultText =
    faults.length === 0 ? NOTHING : markup`<p class="faint">faults active: ${faultNames.join(', ')}</p>`;
  const offers = `${attempts > 1 ? `, offered ${humanCount(attempts)} times` : ''}${refused ? ', refused' : ''}`;
  return markup`<div class="fall" id="${anchor}"><p><strong>${humanDuration(total)}</strong> · ${type} to ${writeLink(who, findExplanation(result, id))}, queued at ${humanDuration(sinceStart(queuedAt))}${offers} <span class="faint"><span class="dot-before">· </span>${causes.join(', ')}</span></p>${faultText}${plot(`Timeline of a downlink to ${who}`, (width) => drawStages(timeline, faults, width), makeReadout(timeline, faults))}</div>`;
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

/** The whole time as a thin bar and, enlarged below it, the part with the stages. */
function drawStages(downlink: DownlinkTimeline, faults: readonly Band[], width: number): Markup {
  const { stretches, total } = downlink;
  const stations = listStations(downlink);
  const from = findEnlarged(stations, total);
  const shown = stations.filter(({ at }) => at >= from);
  const side = (wanted: Mark['side']) => shown.filter((station) => station.side === wanted);
  const frame = makeArea(width, 0);
  const x: Scale = makeSpanScale(from, total, isNarrow(width) ? 4 : 8);
  const cloud = placeLevels(side('cloud'), frame, x);
  const device = placeLevels(side('device'), frame, x);
  const bar = 12;
  const whole = from > 0 ? 26 : 0;
  const middle = whole + cloud.depth * LEVEL + 8;
  const bottom = middle + bar + device.depth * LEVEL + 8;
  const height = bottom + 24;
  const area: Area = { ...frame, top: 0, height: bottom };
  const all = makeTimeline(total, 8);
  const overview =
    from === 0
      ? NOTHING
      : markup`${drawSegments(stretches, { ...area, top: 2 }, { place: all.place, ticks: [] }, 8)}<polygon class="lens" points="${placeX(area, all, from)},11 ${placeX(area, all, total)},11 ${area.left + area.width},${whole} ${area.left},${whole}"/>`;
  return writeSvg(
    width,
    height,
    overview,
    drawBands({ ...area, top: whole, height: bottom - whole }, x, cutBands(faults, from)),
    drawSegments(stretches, { ...area, top: middle }, x, bar),
    markup`${drawLabels(cloud.placed, middle, -1)}${drawLabels(device.placed, middle + bar, 1)}`,
    markup`<text class="axis end" x="${area.left - 6}" y="${middle - 2}">cloud</text><text class="axis end" x="${area.left - 6}" y="${middle + bar + 9}">device</text>`,
    drawXAxis(area, x),
  );
}

/** Events of a downlink in chronological order. */
function listStations({ stages: reached, stretches }: DownlinkTimeline): readonly Mark[] {
  const woke = stretches.filter(({ cause }) => cause === 'asleep').map(({ until }) => until);
  return [
    { at: 0, name: 'queued', side: 'cloud' as const },
    ...woke.map((at) => ({ at, name: 'woke', side: 'device' as const })),
    ...STAGES.flatMap((stage) => {
      const at = reached[stage];
      return at === undefined ? [] : [{ at, name: stage, side: SIDES[stage] }];
    }),
  ].sort((one, other) => one.at - other.at);
}

/** The faults of the device while the downlink waited, as times since it was queued. */
function findFaults({ serial, queuedAt, total }: DownlinkTimeline, { planned }: RunResult): readonly Band[] {
  const affecting = new Set(planned.faultsOf[String(serial)]);
  return planned.marks.flatMap((mark) => {
    if (mark.id === undefined || !affecting.has(mark.id)) return [];
    const from = Math.max(0, mark.from - queuedAt);
    const until = Math.min(total, mark.until === null ? total : mark.until - queuedAt);
    // A fault that is always active, such as the latency of the network, does not explain why one downlink was slow.
    return until <= from || (mark.from === 0 && mark.until === null) ? [] : [{ from, until, name: nameMark(mark) }];
  });
}

/** The faults that are active after `from`. */
function cutBands(faults: readonly Band[], from: Millis): readonly Band[] {
  return faults.filter(({ until }) => until > from);
}

/** The values under the pointer in the enlarged part: causes of waiting, with the faults and the events during each. */
function makeReadout(downlink: DownlinkTimeline, faults: readonly Band[]): Readout {
  const { stretches, total } = downlink;
  const stations = listStations(downlink);
  const from = findEnlarged(stations, total);
  const shown = stretches.filter(({ from: begin, until }) => until > from && until > begin);
  const names = [...new Set(faults.map(({ name }) => name))];
  const last = shown.length - 1;
  return {
    rows: [
      ...WAIT_CAUSES.map((cause) => [cause, cause] as const),
      ['', 'ends with'],
      ...names.map((name) => ['band', name] as const),
    ],
    points: shown.map((stretch, i) => {
      const marks = stations.filter(({ at }) => at > stretch.from && (at <= stretch.until || i === last));
      const active = (wanted: string) =>
        faults.some(
          ({ name, ...fault }) => name === wanted && fault.from < stretch.until && fault.until > stretch.from,
        );
      return [
        `${humanDuration(stretch.from)} to ${humanDuration(stretch.until)} after it was queued`,
        ...WAIT_CAUSES.map((cause) => (cause === stretch.cause ? humanDuration(stretch.until - stretch.from) : '')),
        marks.map(({ name, at }) => `${name} +${humanDuration(at)}`).join(', '),
        ...names.map((name) => (active(name) ? 'active' : '')),
      ];
    }),
    ends: shown.map(({ until }) => (until - from) / Math.max(1, total - from)),
  };
}

/** Where the enlarged part begins: before the second mark, if the rest is in the last fifth; else 0. */
function findEnlarged(stations: readonly Mark[], total: Millis): Millis {
  const [, second] = stations;
  if (second === undefined || second.at < total * 0.8) return 0;
  return Math.max(0, second.at - (total - second.at) * 0.06);
}

/** Scale for the times from `from` to `until` since the downlink was queued. */
function makeSpanScale(from: Millis, until: Millis, marks: number): Scale {
  const span = Math.max(1, until - from);
  const steps = makeTimeline(span, marks).ticks;
  const step = Math.max(1, (steps[1] ?? span) - (steps[0] ?? 0));
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= until; at += step) ticks.push(at);
  return { place: (value) => (value - from) / span, ticks };
}

function drawSegments(stretches: DownlinkTimeline['stretches'], area: Area, x: Scale, height: number): Markup {
  return markup`${stretches.map(({ cause, from, until }) => {
    const [left, right] = [placeX(area, x, from), placeX(area, x, until)];
    if (right <= left) return NOTHING;
    return markup`<rect class="fill ${cause}" x="${left}" y="${area.top}" width="${px(right - left)}" height="${height}"/>`;
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
 * Places the names of marks so that no line crosses a name. A name is to the right of its line. If two names would overlap, the
 * earlier one is further away from the bar. Names that would exceed the right edge are to the left of their lines.
 */
function placeLevels(
  stations: readonly Mark[],
  area: Area,
  x: Scale,
): { readonly placed: readonly PlacedMark[]; readonly depth: number } {
  const placed: PlacedMark[] = [];
  const toTheLeft: Mark[] = [];
  let edge = area.left + area.width;
  for (const station of [...stations].reverse()) {
    const at = placeX(area, x, station.at);
    const end = at + 3 + station.name.length * LETTER;
    if (end > edge) {
      toTheLeft.unshift(station);
      edge = at;
      continue;
    }
    const inTheWay = placed.filter((later) => later.x < end + 4);
    placed.push({ ...station, x: at, from: at, until: end, anchor: 'start', level: countOutside(inTheWay) });
  }
  for (const station of toTheLeft) {
    const at = placeX(area, x, station.at);
    const from = at - 3 - station.name.length * LETTER;
    const inTheWay = placed.filter((other) => other.until > from - 4);
    placed.push({ ...station, x: at, from, until: at, anchor: 'end', level: countOutside(inTheWay) });
  }
  return { placed, depth: countOutside(placed) || 1 };
}

function countOutside(placed: readonly PlacedMark[]): number {
  return placed.reduce((most, { level }) => Math.max(most, level + 1), 0);
}

/** @param way -1: upwards, 1: downwards */
function drawLabels(stations: readonly PlacedMark[], from: number, way: 1 | -1): Markup {
  return markup`${stations.map(({ x, anchor, level, name }) => {
    const end = from + way * (level + 1) * LEVEL;
    const text = way < 0 ? end + LEVEL - 5 : end - 2;
    const look = anchor === 'end' ? 'label end' : 'label';
    return markup`<line class="station" x1="${x}" x2="${x}" y1="${from}" y2="${way < 0 ? text - 8 : text}"/><text class="${look}" x="${px(anchor === 'end' ? x - 3 : x + 3)}" y="${text}">${name}</text>`;
  })}`;
}
