/** Histogram of delivery times: delivered downlinks by time to their last stage, each bar split by the causes of waiting. */
import { humanCount } from '../../kernel/quantity.js';
import type { Millis } from '../../kernel/time.js';
import { WAIT_CAUSES, type WaitCause } from '../../trace/downlinks/waits.js';
import { chooseBins } from '../../trace/metrics/series.js';
import type { RunResult } from '../result.js';
import { CAUSE_LEGEND } from './causes.js';
import { type Markup, markup, NOTHING } from './markup.js';
import {
  drawYAxis,
  formatAxisNumber,
  formatAxisTime,
  isNarrow,
  makeArea,
  placeY,
  plot,
  px,
  writeLegend,
  writeSvg,
} from './plot.js';
import type { Readout } from './readout.js';
import { makeLinear } from './scale.js';

const HEIGHT = 220;
/** Lowest average number of downlinks per bar. */
const ENOUGH = 5;
/** Maximum number of ranges of the summary that one bar covers. */
const WIDEST = 4;

interface Bar {
  readonly from: Millis;
  /** Upper edge of the bar; undefined if the bar has none. */
  readonly until: Millis | undefined;
  readonly byCause: Readonly<Record<WaitCause, number>>;
  readonly total: number;
}

export function drawHistogram(result: RunResult): Markup {
  const bars = countBars(result);
  if (bars.length === 0) return NOTHING;
  const draw = (width: number) => {
    const area = makeArea(width, HEIGHT);
    const y = makeLinear(Math.max(...bars.map(({ total }) => total)));
    const step = area.width / bars.length;
    const gap = Math.min(3, step / 6);
    const drawn = bars.map(({ byCause }, i) => {
      let below = 0;
      const parts = WAIT_CAUSES.map((cause) => {
        const top = placeY(area, y, below + byCause[cause]);
        const height = px(placeY(area, y, below) - top);
        below += byCause[cause];
        if (height <= 0) return NOTHING;
        return markup`<rect class="fill ${cause}" x="${px(area.left + i * step + gap)}" y="${top}" width="${px(step - 2 * gap)}" height="${height}"/>`;
      });
      return markup`${parts}`;
    });
    const base = area.top + area.height;
    const every = Math.ceil(((isNarrow(width) ? 34 : 44) * (bars.length + 1)) / area.width);
    const edges = [...bars.map(({ from }) => from), bars.at(-1)?.until];
    const marks = edges.map((edge, i) => {
      if (edge === undefined || i % every !== 0) return NOTHING;
      const x = px(area.left + i * step);
      const last = i === bars.length;
      return markup`<line class="tick" x1="${x}" x2="${x}" y1="${base}" y2="${base + 4}"/><text class="axis ${last ? 'end' : 'middle'}" x="${last ? x + 10 : x}" y="${base + 17}">${formatAxisTime(edge)}</text>`;
    });
    const axis = markup`<line class="base" x1="${area.left}" x2="${area.left + area.width}" y1="${base}" y2="${base}"/>`;
    return writeSvg(width, HEIGHT, drawYAxis(area, y, formatAxisNumber), ...drawn, axis, ...marks);
  };
  return markup`<figure><figcaption>Delivery times and what downlinks waited for <small>delivered downlinks by time from the API to their last stage; the ranges differ in length</small></figcaption>${writeLegend(CAUSE_LEGEND)}${plot('Delivered downlinks by time and cause', draw, makeReadout(bars))}</figure>`;
}

/** The bars from the first to the last with downlinks. With few, a bar covers several ranges. */
function countBars({ downlinks: { times } }: RunResult): readonly Bar[] {
  const { edges, byCause } = times;
  const totals = edges.map((_, i) => WAIT_CAUSES.reduce((sum, cause) => sum + (byCause[cause][i] ?? 0), 0));
  const size = Math.min(WIDEST, chooseBins(totals, ENOUGH));
  const bars = Array.from({ length: Math.ceil(edges.length / size) }, (_, bar) => {
    const ranges = Array.from({ length: size }, (_unused, i) => bar * size + i);
    const sumOf = (cause: WaitCause) => ranges.reduce((sum, i) => sum + (byCause[cause][i] ?? 0), 0);
    const sums = Object.fromEntries(WAIT_CAUSES.map((cause) => [cause, sumOf(cause)]));
    return {
      from: edges[bar * size] ?? 0,
      until: edges[(bar + 1) * size],
      byCause: sums as Record<WaitCause, number>,
      total: ranges.reduce((sum, i) => sum + (totals[i] ?? 0), 0),
    };
  });
  const first = bars.findIndex(({ total }) => total > 0);
  return first < 0 ? [] : bars.slice(first, bars.findLastIndex(({ total }) => total > 0) + 1);
}

function makeReadout(bars: readonly Bar[]): Readout {
  return {
    rows: [['', 'downlinks'], ...WAIT_CAUSES.map((cause) => [cause, cause] as const)],
    points: bars.map(({ from, until, byCause, total }) => [
      until === undefined ? `${formatAxisTime(from)} or more` : `${formatAxisTime(from)} to ${formatAxisTime(until)}`,
      humanCount(Math.round(total)),
      ...WAIT_CAUSES.map((cause) => (byCause[cause] === 0 ? '' : formatShare(byCause[cause], total))),
    ]),
  };
}

/** The share of a cause in a bar, as text. */
function formatShare(part: number, total: number): string {
  const percent = Math.round((100 * part) / total);
  return percent === 0 ? '<1%' : `${percent}%`;
}
