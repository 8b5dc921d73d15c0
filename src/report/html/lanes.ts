/** The plot of the plan: one lane per fault, step and load, with its name. */
import { type Instant, sinceStart } from '../../kernel/time.js';
import type { SeriesSummary } from '../../trace/metrics/series.js';
import type { PlannedMark, RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';
import {
  type Band,
  drawBands,
  drawXAxis,
  formatAxisTime,
  makeArea,
  placeX,
  plot,
  px,
  timeAxis,
  writeLegend,
  writeSvg,
} from './plot.js';
import type { Readout } from './readout.js';

/** Maximum number of lanes in the plot. */
const MOST_LANES = 16;
const LANE = 24;
/** Approximate width of a letter, in pixels. */
const LETTER = 6.1;

/** End of the time axis. */
export function findEnd({ bin, bins }: SeriesSummary): Instant {
  return bin * bins;
}

/** Faults that were active for a part of the run. Faults that were always active are listed below the tables instead. */
export function listFaultBands({ planned, series }: RunResult): readonly Band[] {
  return listBands(planned.marks, findEnd(series));
}

export function isConstant({ from, until }: PlannedMark): boolean {
  return from === 0 && until === null;
}

export function nameMark({ what, whom }: PlannedMark): string {
  return whom === '' ? what : `${what} → ${whom}`;
}

function listBands(marks: readonly PlannedMark[], end: Instant): readonly Band[] {
  return marks
    .filter((mark) => mark.kind === 'fault' && !isConstant(mark) && mark.from < end)
    .map((mark) => ({ from: mark.from, until: Math.min(end, mark.until ?? end), name: nameMark(mark) }));
}

export function drawLanes({ planned, series }: RunResult): Markup {
  const end = findEnd(series);
  const all = planned.marks.filter((mark) => !isConstant(mark) && mark.from < end);
  const marks = all.slice(0, MOST_LANES);
  if (marks.length === 0) return NOTHING;
  const draw = (width: number) => {
    const height = marks.length * LANE + 34;
    const area = makeArea(width, height);
    const x = timeAxis(end, width);
    const letters = Math.floor(area.width / LETTER);
    const drawn = marks.map((mark, i) => {
      const from = placeX(area, x, mark.from);
      const until = Math.max(from + 3, placeX(area, x, mark.until ?? end));
      const y = area.top + i * LANE;
      const name = nameMark(mark);
      const shown = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
      const left = px(Math.min(from, area.left + area.width - shown.length * LETTER));
      return markup`<rect class="lane ${mark.kind}" x="${from}" y="${y + 14}" width="${px(until - from)}" height="6" rx="2"/><text class="label" x="${Math.max(area.left, left)}" y="${y + 11}">${shown}</text>`;
    });
    return writeSvg(width, height, drawBands(area, x, listBands(marks, end)), markup`${drawn}`, drawXAxis(area, x));
  };
  const kinds = (['fault', 'step', 'load'] as const).filter((kind) => marks.some((mark) => mark.kind === kind));
  const rest = all.length - marks.length;
  const more = rest === 0 ? NOTHING : markup`<p class="faint">${rest} further lanes are not shown here.</p>`;
  const shaded = kinds.includes('fault') ? markup` <small>faults are shaded in all plots below</small>` : NOTHING;
  return markup`<figure><figcaption>Faults, steps and loads${shaded}</figcaption>${writeLegend(kinds.map((kind) => ({ look: kind, name: `${kind}s` })))}${plot('Faults, steps and loads over time', draw, makeReadout(marks, end))}${more}</figure>`;
}

/** The faults, steps and loads that are active in each period between two times at which one of them begins or ends. */
function makeReadout(marks: readonly PlannedMark[], end: Instant): Readout {
  const spans = marks.map((mark) => ({
    from: mark.from,
    until: Math.max(mark.from + 1, Math.min(end, mark.until ?? end)),
  }));
  const cuts = [...new Set([...spans.flatMap(({ from, until }) => [from, until]), end])]
    .filter((at) => at > 0 && at <= end)
    .sort((one, other) => one - other);
  return {
    rows: marks.map((mark) => [mark.kind, nameMark(mark)]),
    points: cuts.map((until, i) => {
      const from = cuts[i - 1] ?? 0;
      const active = spans.map((span) => (span.from < until && span.until > from ? ' ' : ''));
      const name = active.some((text) => text !== '') ? '' : ': none active';
      return [`${formatRange(from, until)}${name}`, ...active];
    }),
    ends: cuts.map((at) => at / end),
  };
}

/** `12m to 24m30s`, in whole seconds unless the range is shorter than 5 s. */
export function formatRange(from: Instant, until: Instant): string {
  const length = sinceStart(until) - sinceStart(from);
  const text = (at: Instant) => formatAxisTime(length < 5000 ? sinceStart(at) : Math.round(at / 1000) * 1000);
  return `${text(from)} to ${text(until)}`;
}
