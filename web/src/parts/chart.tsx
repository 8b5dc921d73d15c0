/**
 * A chart of figures over the whole time of a service or a run, with the range between least and greatest values, and faults
 * as bands. Dragging zooms, a double click shows everything again. This file contains uPlot and is loaded only when needed.
 */
import '../platform/language.js';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { RunState } from '../../../src/control/run-state.js';
import { formatDuration } from '../../../src/kernel/time.js';
import { type Band, bandsOf, type ChartPlan, linesOf, startOf, textOf } from '../model/charts.js';
import { history } from '../model/history.js';
import { theme } from '../theme.js';

interface ChartProps {
  readonly title: string;
  readonly plan: ChartPlan;
  /** State of the run, whose faults are the bands; undefined without a run: the axis has times of the day. */
  readonly state: RunState | undefined;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** Possible distances between the ticks of a time axis. */
const TIME_STEPS = [
  ...[1, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 30, 100].map((n) => n * DAY),
];

/** Colours of the lines, as names of CSS variables of the page. */
const COLOURS = ['--link', '--cause-4'];
const HEIGHT = 190;

export function Chart({ title, plan, state }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [isZoomed, setZoomed] = useState(false);
  const latest = useRef(state);
  latest.current = state;
  const { value: past } = history;
  const lines = useMemo(() => linesOf(plan, past), [plan, past]);
  const text = textOf(plan);
  const start = startOf(state);
  useEffect(() => {
    const { current: element } = box;
    if (!element) return;
    const options = optionsOf(plan, start, element.clientWidth, () => bandsOf(latest.current));
    const created = new uPlot(options, [[], ...plan.lines.flatMap(() => [[], [], []])], element);
    created.over.addEventListener('dblclick', () => setZoomed(false));
    created.over.addEventListener('mouseup', () => setZoomed(created.select.width > 0 || isZoomed));
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [theme.value, start, plan]);
  useEffect(() => {
    const columns = lines.flatMap(({ curve: { min, mean, max } }) => [[...min], [...mean], [...max]]);
    // New values must not end the zoom.
    plot.current?.setData([[...(lines[0]?.curve.times ?? [])], ...columns], !isZoomed);
    if (isZoomed) plot.current?.redraw();
  }, [lines, state?.faults, theme.value, start, isZoomed]);
  const now = lines.map(({ name, curve }) => {
    const value = curve.mean.findLast((each) => each !== null);
    return `${name} ${value === undefined || value === null ? '–' : text(value)}`;
  });
  return (
    <figure class="chart">
      <figcaption>
        <div class="dim">{title}</div>
        {now.map((each, n) => (
          <span key={each} class={`key key-${n}`}>
            {each}
          </span>
        ))}
      </figcaption>
      <div ref={box} role="img" aria-label={`${title}: ${now.join(', ')}`} />
    </figure>
  );
}

/** @param start of the run, in Unix ms; undefined without a run */
function optionsOf(
  plan: ChartPlan,
  start: number | undefined,
  width: number,
  bands: () => readonly Band[],
): uPlot.Options {
  const { lines, isTime } = plan;
  const text = textOf(plan);
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--dim'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const colours = lines.map((_, n) => colour(COLOURS[n] ?? '--text'));
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false } },
    // Room at the right for the text of the last tick.
    padding: [8, 24, 0, 0],
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        size: 30,
        space: 60,
        incrs: TIME_STEPS,
        // In a run, the ticks are at whole times since its start.
        splits: (_, __, min, max, step) => ticks(min, max, step, start ?? 0),
        values: (_, places) => places.map((at) => timeText(at, start)),
      },
      { ...axis, size: 60, ...(isTime && { incrs: TIME_STEPS }), values: (_, places) => places.map(text) },
    ],
    series: [
      {},
      ...lines.flatMap(({ name }, n) => {
        const edge = { stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } };
        const line = { stroke: colours[n] ?? 'gray', width: 1.5, spanGaps: true, points: { show: false } };
        return [edge, { label: name, ...line }, edge];
      }),
    ],
    bands: lines.map((_, n) => ({ series: [3 * n + 3, 3 * n + 1] as [number, number], fill: `${colours[n]}38` })),
    hooks: { drawClear: [(plot) => drawBands(plot, bands(), colour('--bad'))] },
  };
}

function ticks(min: number, max: number, step: number, start: number): number[] {
  const places: number[] = [];
  for (let at = start + Math.ceil((min - start) / step) * step; at <= max; at += step) places.push(at);
  return places;
}

const DAY_TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

function timeText(at: number, start: number | undefined): string {
  return start === undefined ? DAY_TIME.format(at) : formatDuration(Math.round((at - start) / 1000) * 1000);
}

/** Draws the times in which something is different as bands behind the lines. */
function drawBands(plot: uPlot, bands: readonly Band[], colour: string): void {
  const { ctx, bbox, scales } = plot;
  const { min = 0, max = 0 } = scales.x ?? {};
  if (min === null || max === null) return;
  ctx.save();
  ctx.globalAlpha = 0.15;
  ctx.fillStyle = colour;
  for (const { from, until } of bands) {
    const [begin, end] = [Math.max(from, min), Math.min(until ?? max, max)];
    // What holds over the whole chart is not drawn, because it explains no change.
    if (end <= begin || (from <= min && (until ?? max) >= max)) continue;
    const left = plot.valToPos(begin, 'x', true);
    ctx.fillRect(left, bbox.top, plot.valToPos(end, 'x', true) - left, bbox.height);
  }
  ctx.restore();
}
