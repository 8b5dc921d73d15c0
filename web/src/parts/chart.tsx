/**
 * A chart of one or more curves over time, with the range between least and greatest values, and faults as bands. Dragging or
 * the key + zooms all charts of the page, a double click or Escape shows everything again; below the pointer, the captions show
 * the values of that time. This file contains uPlot and is loaded only when needed.
 */
import '../platform/language.js';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { humanDuration } from '../../../src/kernel/time.js';
import { type Band, fromZero, shownPart } from '../model/charts.js';
import type { Curve } from '../model/history.js';
import { isPresenting } from '../present.js';
import { theme } from '../theme.js';

/** A line of a chart. */
export interface ChartLine {
  readonly name: string;
  readonly curve: Curve;
}

interface ChartProps {
  readonly title: string;
  /** The number of lines must not change. */
  readonly lines: readonly ChartLine[];
  /** The present value of each line; undefined: the last one of its curve. */
  readonly present?: readonly (number | undefined)[];
  /** Text of a value. */
  readonly text: (value: number) => string;
  /** Whether the values are lengths of time, in ms. */
  readonly isTime?: boolean;
  /** Whether the values are whole numbers. */
  readonly isCount?: boolean;
  /** Whether the axis fits the values and gaps stay open, as for measured values; otherwise the axis begins at 0. */
  readonly fits?: boolean;
  /** The times that the whole chart shows, in Unix ms; default: those of the curves. */
  readonly range?: readonly [from: number, until: number];
  /** Start of the run in Unix ms, from which the axis counts; undefined: the axis has times of the day. */
  readonly start: number | undefined;
  readonly bands: readonly Band[];
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** Possible distances between the ticks of a time axis. */
const TIME_STEPS = [
  ...[1, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 30, 100].map((n) => n * DAY),
];

/** Those of an axis of whole numbers. */
const COUNT_STEPS = [1, 1_000, 1_000_000].flatMap((size) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * size));

/** Charts that are zoomed together. */
const GROUP = 'time';

/** Colours of the lines, as names of CSS variables of the page. */
const COLOURS = ['--link', '--cause-4'];
const HEIGHT = isPresenting ? { figure: 260, fits: 200 } : { figure: 190, fits: 130 };

export function Chart(props: ChartProps) {
  const { title, lines, present, text, fits, start, bands, range } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [isZoomed, setZoomed] = useState(false);
  /** Index of the values below the pointer. */
  const [pointed, setPointed] = useState<number | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const names = lines.map(({ name }) => name).join('\n');
  useEffect(() => {
    const { current: element } = box;
    if (!element) return;
    const events = { zoomed: setZoomed, pointed: setPointed };
    const options = optionsOf(() => latest.current, element.clientWidth, events);
    const created = new uPlot(options, [[], ...latest.current.lines.flatMap(() => [[], [], []])], element);
    plot.current = created;
    const observer = new ResizeObserver(() =>
      created.setSize({ width: element.clientWidth, height: fits ? HEIGHT.fits : HEIGHT.figure }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [theme.value, start, names, fits]);
  useEffect(() => {
    const columns = lines.flatMap(({ curve: { min, mean, max } }) => [[...min], [...mean], [...max]]);
    // New values must not end the zoom.
    plot.current?.setData([[...(lines[0]?.curve.times ?? [])], ...columns], !isZoomed);
    if (isZoomed) plot.current?.redraw();
  }, [lines, bands, theme.value, start, names, fits, isZoomed, range?.[0], range?.[1]]);
  const said = lines.map(({ name, curve }, n) => {
    const latest = present?.[n] ?? curve.mean.at(-1);
    const value = pointed === null ? latest : curve.mean[pointed];
    return `${name} ${value === undefined || value === null ? '–' : text(value)}`.trim();
  });
  const at = pointed === null ? undefined : lines[0]?.curve.times[pointed];
  return (
    <figure class={lines.length === 1 ? 'chart single' : 'chart'}>
      <figcaption>
        <div class="dim title">{title}</div>
        <div class="keys">
          {said.map((each, n) => (
            <span key={lines[n]?.name} class={`key key-${n}`}>
              {each}
            </span>
          ))}
          {at !== undefined && <span class="dim">{momentText(at, start)}</span>}
        </div>
      </figcaption>
      <div
        ref={box}
        role="img"
        aria-label={`${title}: ${said.join(', ')}`}
        aria-description="The keys + and - zoom, the arrow keys move, and Escape shows everything."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard zooms the chart that has the focus
        tabIndex={0}
        onKeyDown={(event) => plot.current && zoomBy(event, plot.current, range)}
      />
    </figure>
  );
}

interface ChartEvents {
  readonly zoomed: (isZoomed: boolean) => void;
  readonly pointed: (index: number | null) => void;
}

/** @param props the present properties of the chart; name and number of the lines, `start` and `fits` do not change */
function optionsOf(props: () => ChartProps, width: number, events: ChartEvents): uPlot.Options {
  const { lines, isTime = false, isCount = false, fits = false, start } = props();
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const large = Number.parseFloat(style.fontSize) * 0.8;
  const axis = {
    ...{ stroke: colour('--dim'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } },
    ...(isPresenting && { font: `${large}px ${getComputedStyle(document.body).fontFamily}` }),
  };
  const colours = lines.map((_, n) => colour(COLOURS[n] ?? '--text'));
  return {
    width,
    height: fits ? HEIGHT.fits : HEIGHT.figure,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false }, sync: { key: GROUP } },
    // Room at the right for the text of the last tick.
    padding: [8, 24, 0, 0],
    scales: {
      x: { time: false, range: (plot, from, until) => xRange(plot, from, until, props().range) },
      y: { range: (_, least, most) => (fits ? fitted(least, most) : fromZero(most, isCount)) },
    },
    axes: [
      {
        ...axis,
        size: isPresenting ? large * 2.2 : 30,
        space: isPresenting ? 110 : 60,
        incrs: TIME_STEPS,
        // In a run, the ticks are at whole times since its start.
        splits: (_, __, min, max, step) => ticks(min, max, step, start ?? 0),
        values: (_, places, __, ___, step) => places.map((at) => timeText(at, start, step)),
      },
      {
        ...axis,
        // As wide as its longest text. Charts of measured values are below each other, and their plots begin at one line.
        size: (_, texts) => {
          const longest = fits ? 6 : Math.max(2, ...(texts ?? []).map((each) => each.length));
          return (longest * 0.6 + 1) * (isPresenting ? large : 12);
        },
        ...(fits && { space: isPresenting ? 50 : 30 }),
        ...(isTime ? { incrs: TIME_STEPS } : isCount && { incrs: COUNT_STEPS }),
        ...(!fits && { splits: (plot, _, min, max, step) => (isFlat(plot) ? [0] : ticks(min, max, step, 0)) }),
        // The caption has the unit.
        values: (_, places) =>
          places.map((value) => (fits && !isTime ? String(Number(value.toPrecision(6))) : props().text(value))),
      },
    ],
    series: [
      {},
      ...lines.flatMap(({ name }, n) => {
        const drawn = { spanGaps: !fits, ...(!fits && { points: { show: false } }) };
        const edge = { stroke: 'transparent', width: 0, ...drawn, points: { show: false } };
        return [edge, { label: name, stroke: colours[n] ?? 'gray', width: 1.5, ...drawn }, edge];
      }),
    ],
    bands: lines.map((_, n) => ({ series: [3 * n + 3, 3 * n + 1] as [number, number], fill: `${colours[n]}38` })),
    hooks: {
      drawClear: [(plot) => drawBands(plot, props(), { band: colour('--bad'), mark: colour('--text') })],
      setCursor: [({ cursor: { left = -1, idx = null } }) => events.pointed(left < 0 ? null : (idx ?? null))],
      setScale: [(plot, scale) => scale === 'x' && events.zoomed(isPart(plot, props().range))],
    },
  };
}

/** Zooms all charts of the page as the key says. */
function zoomBy(event: KeyboardEvent, { data: [times], scales: { x } }: uPlot, range: ChartProps['range']): void {
  const [first, last] = [times[0], times.at(-1)];
  const { min: from, max: until } = x ?? {};
  if (first === undefined || last === undefined || from == null || until == null) return;
  const [least, most] = range ?? [first, last];
  const length = until - from;
  const places: Readonly<Record<string, readonly [from: number, until: number]>> = {
    '+': [from + length / 4, until - length / 4],
    '-': [from - length / 2, until + length / 2],
    ArrowLeft: [from - Math.min(length / 4, from - least), until - Math.min(length / 4, from - least)],
    ArrowRight: [from + Math.min(length / 4, most - until), until + Math.min(length / 4, most - until)],
    Escape: [least, most],
  };
  const [begin = from, end = until] = places[event.key] ?? [];
  const isWhole = begin <= least && end >= most;
  if ((begin === from && end === until) || end - begin < SECOND) return;
  event.preventDefault();
  // In the presenter mode, Escape otherwise leaves the mode.
  event.stopPropagation();
  for (const plot of uPlot.sync(GROUP).plots) {
    const { 0: own } = plot.data;
    // uPlot shows the whole chart for the times of its own data.
    const [min, max] = isWhole ? [own[0] ?? begin, own.at(-1) ?? end] : [Math.max(begin, least), Math.min(end, most)];
    plot.setScale('x', { min, max });
  }
}

/** uPlot asks with the times of the data for the whole chart, otherwise with the times that the user has chosen. */
function xRange({ data: [times] }: uPlot, from: number, until: number, range: ChartProps['range']): [number, number] {
  // Around a single time, uPlot asks for times of its own choice.
  const isWhole = times.length < 2 || (from === times[0] && until === times.at(-1));
  return range && isWhole ? [...range] : [from, until];
}

/** Whether the chart shows only a part of its time. */
function isPart({ data, scales }: uPlot, range: ChartProps['range']): boolean {
  const [from, until] = range ?? [data[0][0], data[0].at(-1)];
  const { min, max } = scales.x ?? {};
  return min != null && max != null && from !== undefined && until !== undefined && (min > from || max < until);
}

/** The range of an axis for measured values. One that hardly changes is a calm line in the middle. */
function fitted(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const room = Math.max((most - least) * 0.1, Math.abs(most) * 0.01, 0.05);
  return [least - room, most + room];
}

/** Whether all values are 0: then the axis has no other number. */
function isFlat({ data: [, ...columns] }: uPlot): boolean {
  return columns.every((values) => Array.from(values).every((value) => !value));
}

function ticks(min: number, max: number, step: number, start: number): number[] {
  const places: number[] = [];
  for (let at = start + Math.ceil((min - start) / step) * step; at <= max; at += step) places.push(at);
  return places;
}

const DAY_TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const MOMENT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

function timeText(at: number, start: number | undefined, step: number): string {
  if (start !== undefined) return humanDuration(Math.round((at - start) / SECOND) * SECOND);
  return (step >= DAY ? DATE : DAY_TIME).format(at);
}

function momentText(at: number, start: number | undefined): string {
  return start === undefined ? MOMENT.format(at) : `at ${timeText(at, start, 0)}`;
}

/** Draws the times in which something is different as bands behind the lines. */
function drawBands(
  plot: uPlot,
  { bands, range }: Pick<ChartProps, 'bands' | 'range'>,
  colours: { readonly band: string; readonly mark: string },
): void {
  const { ctx, bbox, scales } = plot;
  const { min = 0, max = 0 } = scales.x ?? {};
  if (min === null || max === null) return;
  ctx.save();
  ctx.globalAlpha = 0.15;
  ctx.fillStyle = colours.band;
  ctx.beginPath();
  for (const band of bands) {
    const part = shownPart(band, [min, max], isPart(plot, range));
    if (!part) continue;
    const [begin, end] = part;
    const left = plot.valToPos(begin, 'x', true);
    ctx.rect(left, bbox.top, plot.valToPos(end, 'x', true) - left, bbox.height);
  }
  // Filled together, so that a time with two faults is not darker.
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.fillStyle = colours.mark;
  for (const { from, isMark = false } of bands) {
    if (isMark && from >= min && from <= max) ctx.fillRect(plot.valToPos(from, 'x', true), bbox.top, 2, bbox.height);
  }
  ctx.restore();
}
