/**
 * Rates and latencies over the time of a run, with its faults as bands. This file contains uPlot and is loaded only when
 * needed.
 */
import '../../platform/language.js';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { RunState } from '../../../../src/control/run-state.js';
import { formatDuration } from '../../../../src/kernel/time.js';
import { lengthText } from '../../model/length.js';
import type { RunFault } from '../../model/run.js';
import { theme } from '../../theme.js';
import { type Line, latencyLines, type Point, rateLines, withState } from './history.js';

export function Charts({ state }: { readonly state: RunState }) {
  const points = useRef<readonly Point[]>([]);
  points.current = withState(points.current, state);
  return (
    <section>
      <h2>Rates and latencies</h2>
      <div class="columns">
        <Chart
          title="Per minute of the run"
          lines={rateLines(points.current)}
          points={points.current}
          faults={state.faults}
          text={(value) => String(Math.round(value * 10) / 10)}
        />
        <Chart
          title="Time until a downlink is delivered, so far"
          lines={latencyLines(points.current)}
          points={points.current}
          faults={state.faults}
          text={lengthText}
          steps={STEPS}
        />
      </div>
    </section>
  );
}

interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly points: readonly Point[];
  readonly faults: readonly RunFault[];
  readonly text: (value: number) => string;
  /** Possible distances between the ticks of the axis of values. Default: the distances for plain numbers. */
  readonly steps?: number[] | undefined;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** Possible distances between the ticks of a time axis. */
const STEPS = [
  ...[1, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 30, 100].map((n) => n * DAY),
];

/** Colours of the lines, as names of CSS variables of the page. */
const COLOURS = ['--link', '--good', '--late'];
const HEIGHT = 180;

function Chart({ title, lines, points, faults, text, steps }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ faults });
  latest.current = { faults };
  useEffect(() => {
    const { current: element } = box;
    if (!element) return;
    const created = new uPlot(
      optionsOf({ lines, text, steps }, element.clientWidth, () => latest.current.faults),
      [[], ...lines.map(() => [])],
      element,
    );
    plot.current = created;
    const observer = new ResizeObserver(() => created.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      created.destroy();
    };
  }, [theme.value]);
  useEffect(() => {
    plot.current?.setData([points.map(({ at }) => at), ...lines.map(({ values }) => [...values])]);
  }, [points, theme.value]);
  const now = lines.map(({ name, values }) => {
    const value = values.at(-1);
    return `${name} ${value === null || value === undefined ? '–' : text(value)}`;
  });
  return (
    <figure class="chart">
      <figcaption>
        <div class="dim">{title}</div>
        {now.map((each, i) => (
          <span key={each} class={`key key-${i}`}>
            {each}
          </span>
        ))}
      </figcaption>
      <div ref={box} role="img" aria-label={`${title}: ${now.join(', ')}`} />
    </figure>
  );
}

function optionsOf(
  { lines, text, steps }: Pick<ChartProps, 'lines' | 'text' | 'steps'>,
  width: number,
  faults: () => readonly RunFault[],
): uPlot.Options {
  const colours = getComputedStyle(document.documentElement);
  const colour = (name: string) => colours.getPropertyValue(name).trim();
  const axis = { stroke: colour('--dim'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  return {
    ...{ width, height: HEIGHT, legend: { show: false }, cursor: { show: false } },
    // Room at the right for the text of the last tick.
    padding: [8, 24, 0, 0],
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      {
        ...axis,
        ...{ size: 30, space: 70 },
        incrs: STEPS,
        values: (_, places) => places.map((at) => formatDuration(Math.round(at / 1000) * 1000)),
      },
      { ...axis, size: 60, ...(steps && { incrs: steps }), values: (_, places) => places.map(text) },
    ],
    series: [
      {},
      ...lines.map(({ name }, i) => ({
        label: name,
        stroke: colour(COLOURS[i] ?? '--text'),
        width: 2,
        spanGaps: true,
      })),
    ],
    hooks: { drawClear: [(plot) => drawBands(plot, faults(), colour('--bad'))] },
  };
}

/** Draws the times at which faults are active as bands behind the lines. */
function drawBands(plot: uPlot, faults: readonly RunFault[], colour: string): void {
  const { ctx, bbox, scales } = plot;
  const { min = 0, max = 0 } = scales.x ?? {};
  if (min === null || max === null) return;
  ctx.save();
  ctx.globalAlpha = 0.15;
  ctx.fillStyle = colour;
  for (const { from, until } of faults) {
    const [begin, end] = [Math.max(from, min), Math.min(until ?? max, max)];
    // A fault that is active over the whole chart is not drawn, because it explains no change.
    if (end <= begin || (from <= min && (until ?? max) >= max)) continue;
    const left = plot.valToPos(begin, 'x', true);
    ctx.fillRect(left, bbox.top, plot.valToPos(end, 'x', true) - left, bbox.height);
  }
  ctx.restore();
}
