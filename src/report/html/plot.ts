/**
 * Parts of plots: axes, lines, stacked areas, bands for faults, legends. Every plot is drawn twice when the page is created,
 * for wide and for narrow screens, because text in a scaled-down plot would be too small to read. Why we draw plots ourselves:
 * docs/adr/0014-plots-drawn-by-ourselves.md.
 */
import { formatDuration, type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { type Markup, markup, NOTHING } from './markup.js';
import { type Readout, writeReadout } from './readout.js';
import type { Scale } from './scale.js';
import { makeTimeline } from './scale.js';

const WIDE = 1080;
const NARROW = 356;

type Plot = (width: number) => Markup;

/**
 * The plot for wide and for narrow screens. @param about description for screen readers @param values shown under the pointer
 */
export function plot(about: string, draw: Plot, values: Readout): Markup {
  const areas = [WIDE, NARROW].map((whole) => {
    const { left, width } = makeArea(whole, 0);
    return [left, width, whole];
  });
  return markup`<div class="plot" role="img" aria-label="${about}">${drawBothWidths(draw)}${writeReadout(values, areas)}</div>`;
}

/** Like {@link plot}, for a drawing that already shows all of its values. */
export function drawPlot(about: string, draw: Plot): Markup {
  return markup`<div role="img" aria-label="${about}">${drawBothWidths(draw)}</div>`;
}

function drawBothWidths(draw: Plot): Markup {
  return markup`<div class="wide">${draw(WIDE)}</div><div class="narrow">${draw(NARROW)}</div>`;
}

export function isNarrow(width: number): boolean {
  return width < 600;
}

/** The rectangle between the axes of a plot, in pixels. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function makeArea(width: number, height: number): Area {
  const left = isNarrow(width) ? 46 : 60;
  return { left, top: 8, width: width - left - 14, height: height - 34 };
}

export function writeSvg(width: number, height: number, ...body: readonly Markup[]): Markup {
  return markup`<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${body}</svg>`;
}

/** Grid lines with their values at the left. */
export function drawYAxis(area: Area, scale: Scale, written: (value: number) => string): Markup {
  const lines = scale.ticks.map((tick) => {
    const y = placeY(area, scale, tick);
    return markup`<line class="grid" x1="${area.left}" x2="${area.left + area.width}" y1="${y}" y2="${y}"/><text class="axis end" x="${area.left - 6}" y="${px(y + 4)}">${written(tick)}</text>`;
  });
  return markup`${lines}`;
}

/** Axis below the area with its times, or other values. */
export function drawXAxis(area: Area, scale: Scale, written: (value: number) => string = formatAxisTime): Markup {
  const base = area.top + area.height;
  const marks = scale.ticks.map((tick) => {
    const x = placeX(area, scale, tick);
    // A label at the right edge ends at its tick, so that it stays inside the plot.
    const anchor = x > area.left + area.width - 14 ? 'axis end' : 'axis middle';
    return markup`<line class="tick" x1="${x}" x2="${x}" y1="${base}" y2="${base + 4}"/><text class="${anchor}" x="${x}" y="${base + 17}">${written(tick)}</text>`;
  });
  return markup`<line class="base" x1="${area.left}" x2="${area.left + area.width}" y1="${base}" y2="${base}"/>${marks}`;
}

/** The scale of simulated time, the same for all plots of a run. */
export function timeAxis(end: Instant, width: number): Scale {
  return makeTimeline(sinceStart(end), isNarrow(width) ? 5 : 10);
}

export interface Band {
  readonly from: Instant;
  readonly until: Instant;
  readonly name: string;
}

/** Bands narrower than this, in pixels, have no edges. */
const LEAST_WITH_EDGES = 8;

/**
 * Shaded bands for the times at which faults were active. The names of the faults are shown with the values under the pointer.
 */
export function drawBands(area: Area, scale: Scale, held: readonly Band[]): Markup {
  const bottom = area.top + area.height;
  return markup`${held.map(({ from, until }) => {
    const x = placeX(area, scale, from);
    const width = Math.max(1, px(placeX(area, scale, until) - x));
    const shade = markup`<rect class="band" x="${x}" y="${area.top}" width="${width}" height="${area.height}"/>`;
    if (width < LEAST_WITH_EDGES) return shade;
    const edges = [x, px(x + width)].filter((edge) => edge > area.left && edge < area.left + area.width);
    return markup`${shade}${edges.map((edge) => markup`<line class="edge" x1="${edge}" x2="${edge}" y1="${area.top}" y2="${bottom}"/>`)}`;
  })}`;
}

/** A line through the centres of the bins. It has a gap at null values; a single value between gaps is a dot. */
export function drawLine(
  area: Area,
  x: Scale,
  y: Scale,
  bin: Millis,
  values: readonly (number | null)[],
  look: string,
): Markup {
  const runs: string[][] = [[]];
  values.forEach((value, i) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push(`${placeX(area, x, (i + 0.5) * bin)},${placeY(area, y, value)}`);
  });
  return markup`${runs.map((points) => {
    const [first] = points;
    if (first === undefined) return NOTHING;
    if (points.length > 1) return markup`<polyline class="line ${look}" points="${points.join(' ')}"/>`;
    const [cx = '', cy = ''] = first.split(',');
    return markup`<circle class="dot ${look}" cx="${cx}" cy="${cy}" r="${look.includes('broad') ? 3.2 : 2}"/>`;
  })}`;
}

/**
 * A line with one step per bin, which shows where a bin begins and ends. @param end end of the last bin, which may be shorter
 * than the others
 */
export function drawSteps(
  area: Area,
  x: Scale,
  y: Scale,
  bin: Millis,
  values: readonly number[],
  look: string,
  end: Instant,
): Markup {
  const points = values.flatMap((value, i) => {
    const height = placeY(area, y, value);
    return [`${placeX(area, x, i * bin)},${height}`, `${placeX(area, x, Math.min(end, (i + 1) * bin))},${height}`];
  });
  return markup`<polyline class="line ${look}" points="${points.join(' ')}"/>`;
}

/** Stacked areas with one step per bin. */
export function drawStack(
  area: Area,
  x: Scale,
  y: Scale,
  bin: Millis,
  layers: readonly { readonly values: readonly number[]; readonly look: string }[],
): Markup {
  const below = (layers[0]?.values ?? []).map(() => 0);
  return markup`${layers.map(({ values, look }) => {
    const floor = [...below];
    values.forEach((value, i) => {
      below[i] = (below[i] ?? 0) + value;
    });
    if (values.every((value) => value === 0)) return NOTHING;
    const edge = (heights: readonly number[]) =>
      heights.flatMap((height, i) => [
        `${placeX(area, x, i * bin)},${placeY(area, y, height)}`,
        `${placeX(area, x, (i + 1) * bin)},${placeY(area, y, height)}`,
      ]);
    return markup`<polygon class="fill ${look}" points="${[...edge(below), ...edge(floor).reverse()].join(' ')}"/>`;
  })}`;
}

export function placeX(area: Area, scale: Scale, value: number): number {
  return px(area.left + Math.max(0, Math.min(1, scale.place(value))) * area.width);
}

export function placeY(area: Area, scale: Scale, value: number): number {
  return px(area.top + (1 - Math.max(0, Math.min(1, scale.place(value)))) * area.height);
}

/** Rounds to a tenth of a pixel, to keep the page small. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Label of a time: `0`, `0.5ms`, `30s`, `1h30m`. */
export function formatAxisTime(time: Millis): string {
  if (time === 0) return '0';
  if (time < 1) return `${Number(time.toPrecision(2))}ms`;
  return time > 1000 && time < 60_000 ? `${Number((time / 1000).toPrecision(3))}s` : formatDuration(time);
}

/** Label of a number: `0.5`, `250`, `20k`. */
export function formatAxisNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  return value >= 10_000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));
}

/** Legend for areas. @param entries CSS class, name and optional description */
export function writeLegend(
  entries: readonly { readonly look: string; readonly name: string; readonly about?: string }[],
): Markup {
  return markup`<ul class="legend">${entries.map(
    ({ look, name, about = '' }) =>
      markup`<li><svg width="18" height="10" aria-hidden="true"><rect class="fill ${look}" x="0" y="0" width="18" height="10" rx="2"/></svg>${name}${about === '' ? NOTHING : markup` <span class="faint">${about}</span>`}</li>`,
  )}</ul>`;
}

/** Legend for lines, which differ in colour and in pattern. */
export function writeLineLegend(entries: readonly { readonly look: string; readonly name: string }[]): Markup {
  return markup`<ul class="legend">${entries.map(
    ({ look, name }) =>
      markup`<li><svg width="26" height="10" aria-hidden="true"><line class="line ${look}" x1="0" x2="26" y1="5" y2="5"/></svg>${name}</li>`,
  )}</ul>`;
}
