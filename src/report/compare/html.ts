/** A comparison as a self-contained HTML page: a plot of the changes with their intervals, and a table. */
import { humanChange } from '../../kernel/quantity.js';
import { type Markup, markup, NOTHING } from '../html/markup.js';
import { writePage } from '../html/page.js';
import { drawPlot, isNarrow, px, writeSvg } from '../html/plot.js';
import { type Comparison, isDifferent, LEAST_CHANGE, type MetricDifference, measureChange } from './compare.js';
import {
  COLUMNS,
  describeCondition,
  describeMethod,
  describeSide,
  listCells,
  MARKS,
  writeHeadline,
  writeVerdict,
} from './words.js';

/** @param remarks what readers have to know about the runs */
export function writeComparisonHtml(comparison: Comparison, remarks: readonly string[] = []): string {
  const { a, b, rows, different, conditions } = comparison;
  const [scenario = '', other] = [a, b].map(({ runs }) => runs[0]?.scenario);
  const name = scenario === other ? scenario : 'A and B';
  const sorted = rows.toSorted((one, other) => Number(isDifferent(other)) - Number(isDifferent(one)));
  const method = describeMethod(comparison);
  const isFaster = different && rows.every((row) => classOf(row) !== 'different');
  const look = isFaster ? 'good' : different ? 'bad' : 'open';
  const body = markup`<header><h1>${name}</h1><span class="verdict ${look}">${writeHeadline(comparison)}</span></header>
<p>${writeVerdict(comparison)}</p>
<ul class="faint"><li>A: ${describeSide(a)}</li><li>B: ${describeSide(b)}</li>${method === '' ? NOTHING : markup`<li>${method}</li>`}</ul>
${remarks.map((remark) => markup`<div class="alarm bad" role="alert">${remark}</div>`)}
${conditions.length === 0 ? NOTHING : writeConditions(conditions)}
<section id="changes"><h2><a href="#changes">Changes</a></h2>${drawChanges(sorted)}</section>
<section id="numbers"><h2><a href="#numbers">Numbers</a></h2>${writeTable(sorted)}</section>
<footer>made by ghostfleet</footer>`;
  return writePage({ title: `${name}: ${writeHeadline(comparison)}`, body });
}

/** A page that says why the sides were not compared. */
export function writeMessagePage(headline: string, why: string): string {
  const body = markup`<header><h1>${headline}</h1></header><div class="alarm bad" role="alert">${why}</div><footer>made by ghostfleet</footer>`;
  return writePage({ title: headline, body });
}

function writeConditions(conditions: Comparison['conditions']): Markup {
  const lines = conditions.map(
    (one) => markup`<li>${MARKS[one.outcome]} <code>${one.condition.line}</code>: ${describeCondition(one)}</li>`,
  );
  return markup`<section id="conditions"><h2><a href="#conditions">Fails if</a></h2><ul class="expectations">${lines}</ul></section>`;
}

function writeTable(rows: readonly MetricDifference[]): Markup {
  const head = COLUMNS.slice(1, -1).map(({ title }) => markup`<th scope="col">${title}</th>`);
  const lines = rows.map((row) => {
    const [metric = '', ...rest] = listCells(row);
    return markup`<tr class="${classOf(row)}"><th scope="row">${metric}</th>${rest.map((cell) => markup`<td>${cell}</td>`)}</tr>`;
  });
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Numbers"><table class="long loose"><thead><tr><td></td>${head}<td></td></tr></thead><tbody>${lines}</tbody></table></div>`;
}

function classOf(row: MetricDifference): keyof typeof LOOKS {
  if (!isDifferent(row)) return 'alike';
  return row.verdict === 'faster' ? 'faster' : 'different';
}

/** The colours of the plot. */
const LOOKS = { different: 'c4', faster: 'c3', alike: 'c1' } as const;

/** Largest change that is drawn; a larger one ends at the edge. */
const LARGEST = 1;
const LANE = { wide: 26, narrow: 38 } as const;
const TOP = 22;

function drawChanges(rows: readonly MetricDifference[]): Markup {
  const known = rows.filter(({ interval }) => interval !== null);
  if (known.length === 0) return markup`<p class="faint">No number has enough data for an interval.</p>`;
  const ends = known.flatMap(({ interval }) => (interval ?? []).map((ratio) => Math.abs(ratio - 1)));
  const span = Math.min(LARGEST, Math.max(2 * LEAST_CHANGE, ...ends)) * 1.05;
  const draw = (width: number) => {
    const narrow = isNarrow(width);
    const lane = narrow ? LANE.narrow : LANE.wide;
    const left = narrow ? 8 : 230;
    const right = narrow ? width - 8 : width - 150;
    const x = (change: number) =>
      px(left + ((Math.max(-span, Math.min(span, change)) + span) / (2 * span)) * (right - left));
    const bottom = TOP + known.length * lane;
    const grid = listTicks(span).map(
      (tick) =>
        markup`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${TOP}" y2="${bottom}"/><text class="axis middle" x="${x(tick)}" y="${TOP - 8}">${humanChange(tick).replace('.0%', '%')}</text>`,
    );
    const irrelevant = markup`<rect class="calm" x="${x(-LEAST_CHANGE)}" y="${TOP}" width="${px(x(LEAST_CHANGE) - x(-LEAST_CHANGE))}" height="${bottom - TOP}"/>`;
    const zero = markup`<line class="base" x1="${x(0)}" x2="${x(0)}" y1="${TOP}" y2="${bottom}"/>`;
    const lines = known.map((row, i) => {
      const { metric, interval } = row;
      const [least = 1, most = 1] = interval ?? [];
      const change = measureChange(row) ?? 0;
      const y = TOP + i * lane + (narrow ? 27 : lane / 2);
      const look = LOOKS[classOf(row)];
      const [, a = '', b = '', changed = ''] = listCells(row);
      const label = narrow
        ? markup`<text x="${left}" y="${y - 10}">${metric}</text><text class="axis end" x="${right}" y="${y - 10}">${a} → ${b}, ${changed}</text>`
        : markup`<text class="end" x="${left - 12}" y="${y + 4}">${metric}</text><text class="axis" x="${right + 12}" y="${y + 4}">${a} → ${b}</text>`;
      return markup`${label}<line class="line ${look}" x1="${x(least - 1)}" x2="${x(most - 1)}" y1="${y}" y2="${y}"/><circle class="dot ${look}" cx="${x(change)}" cy="${y}" r="4"/>`;
    });
    return writeSvg(width, bottom + 6, irrelevant, markup`${grid}`, zero, markup`${lines}`);
  };
  const cut = ends.some((end) => end > LARGEST) ? '; changes beyond ±100% are cut' : '';
  const hidden = rows.length - known.length;
  return markup`<figure><figcaption>B relative to A <small>change and its interval${cut}; shaded: up to ${LEAST_CHANGE * 100}%, irrelevant in practice</small></figcaption>${drawPlot('Changes with their intervals', draw)}${hidden === 0 ? NOTHING : markup`<p class="faint">${hidden} ${hidden === 1 ? 'number has' : 'numbers have'} no interval.</p>`}</figure>`;
}

/** Round changes on both sides of 0. */
function listTicks(span: number): readonly number[] {
  const step = [0.05, 0.1, 0.2, 0.5].find((size) => span / size <= 3) ?? 0.5;
  const count = Math.floor(span / step);
  return Array.from({ length: 2 * count + 1 }, (_, i) => (i - count) * step);
}
