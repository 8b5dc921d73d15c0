/** The result of a search as a self-contained HTML page: throughput and percentiles over the level, and what failed first. */
import { countOf, levelText } from '../../kernel/quantity.js';
import { humanDuration } from '../../kernel/time.js';
import { type Markup, markup, NOTHING } from '../html/markup.js';
import { writePage } from '../html/page.js';
import { fitDurations, PERCENTILES } from '../html/percentiles.js';
import {
  type Area,
  drawXAxis,
  drawYAxis,
  formatAxisNumber,
  formatAxisTime,
  isNarrow,
  makeArea,
  placeX,
  placeY,
  plot,
  px,
  writeLineLegend,
  writeSvg,
} from '../html/plot.js';
import type { Readout } from '../html/readout.js';
import { makeLinear, type Scale } from '../html/scale.js';
import type { CapacityResult, Level } from './result.js';
import {
  cellsOf,
  columnsOf,
  failedRun,
  latencyName,
  lookOf,
  placeText,
  questionText,
  rateText,
  reasonsOf,
  verdictOf,
  worstName,
} from './words.js';

const HEIGHT = 230;

export function capacityHtml(result: CapacityResult): string {
  const { scenario, seed, sentence, advice, notes, reproduce } = result;
  const { word, look } = verdictOf(result);
  const worst = worstName(result);
  const body = markup`<header><h1>${scenario}</h1><span class="verdict ${look}">${word}</span></header>
<p class="about">${sentence}.</p>
${advice === null ? NOTHING : markup`<div class="alarm open" role="alert">${advice}</div>`}
${notes.map((note) => markup`<div class="alarm open" role="alert">${note}</div>`)}
<p class="faint">capacity of ${questionText(result)} · seed ${seed} · ${placeText(result)}</p>
<pre class="command"><code>${reproduce}</code></pre>
<ul class="tiles">${listTiles(result)}</ul>
${writeFirstFailure(result)}
<section id="over-time"><h2><a href="#over-time">Over the level</a></h2>${drawThroughput(result)}${drawPercentiles(result)}</section>
<section id="levels"><h2><a href="#levels">Levels</a></h2>${writeTable(result)}${worst === undefined ? NOTHING : markup`<p class="faint">${worst}</p>`}</section>
<footer>made by ghostfleet</footer>`;
  return writePage({ title: `${scenario} · capacity · ${word}`, body });
}

function listTiles({ holds, fails, atLeast, reached, unit, levels }: CapacityResult): readonly Markup[] {
  const tile = (value: string, name: string, look: string) =>
    markup`<li><a href="#levels"><b class="${look}">${value}</b><span>${name}</span></a></li>`;
  return [
    tile(holds === null ? '–' : levelText(holds, unit), 'all expectations hold', holds === null ? '' : 'good'),
    tile(fails === null ? '–' : levelText(fails, unit), describeFails(levels, fails), fails === null ? '' : 'bad'),
    ...(atLeast === null ? [] : [tile(levelText(atLeast, unit), 'asked for', reached === false ? 'bad' : '')]),
    tile(
      String(levels.reduce((sum, { runs }) => sum + runs.length, 0)),
      `runs at ${countOf(levels.length, 'level')}`,
      '',
    ),
  ];
}

function describeFails(levels: readonly Level[], fails: number | null): string {
  const kind = levels.find(({ value }) => value === fails)?.kind;
  return kind === 'generator limit' ? 'out of reach of this machine' : 'an expectation fails';
}

function writeFirstFailure(result: CapacityResult): Markup {
  const run = failedRun(result);
  if (run === undefined) return NOTHING;
  return markup`<section id="first" class="urgent"><h2><a href="#first">${run.kind === 'fails' ? 'What fails first, at' : 'Out of reach:'} ${levelText(run.value, result.unit)}</a></h2><ul>${reasonsOf(run).map((reason) => markup`<li>${reason}</li>`)}</ul></section>`;
}

/** Levels that have the figures of a plot. */
interface Point {
  readonly level: Level;
  readonly values: readonly number[];
}

interface Curve {
  readonly look: string;
  readonly name: string;
}

function drawThroughput(result: CapacityResult): Markup {
  const points = result.levels.flatMap((level): readonly Point[] => {
    const measured = level.throughput;
    return measured == null ? [] : [{ level, values: [measured.offered, measured.done] }];
  });
  if (points.length === 0) return NOTHING;
  const of = points[0]?.level.throughput?.of;
  const curves = [
    { look: 'c2 dashed', name: of === 'uplinks' ? 'sent' : 'offered' },
    { look: 'c1', name: of === 'uplinks' ? 'stored' : 'answered' },
  ];
  const scale = makeLinear(Math.max(...points.flatMap(({ values }) => values)));
  const about = of === 'uplinks' ? 'uplinks of devices per second' : 'API requests of loads per second';
  return writeFigure('Throughput', about, result, { points, curves, scale, axis: formatAxisNumber, written: rateText });
}

function drawPercentiles(result: CapacityResult): Markup {
  const points = result.levels.flatMap((level): readonly Point[] => {
    const latency = level.latency;
    return latency == null ? [] : [{ level, values: PERCENTILES.map(({ key }) => latency[key]) }];
  });
  if (points.length === 0) {
    return markup`<p class="faint">Requests take no time in virtual time, and no downlink was delivered, so there are no percentiles.</p>`;
  }
  const { scale, far } = fitDurations(points.flatMap(({ values }) => values));
  const about = `${latencyName(result)}${far ? '; logarithmic' : ''}`;
  return writeFigure('Latency', about, result, {
    points,
    curves: PERCENTILES,
    scale,
    axis: formatAxisTime,
    written: humanDuration,
  });
}

interface Drawn {
  readonly points: readonly Point[];
  readonly curves: readonly Curve[];
  readonly scale: Scale;
  readonly axis: (value: number) => string;
  readonly written: (value: number) => string;
}

function writeFigure(title: string, about: string, result: CapacityResult, drawn: Drawn): Markup {
  const { points, curves, scale, axis, written } = drawn;
  const { unit } = result;
  const x = makeLinear(Math.max(...points.map(({ level }) => level.value)));
  const draw = (width: number) => {
    const area = makeArea(width, HEIGHT);
    const lines = curves.map(({ look }, row) => {
      const at = points.map(({ level, values }) => [
        placeX(area, x, level.value),
        placeY(area, scale, values[row] ?? 0),
      ]);
      return markup`<polyline class="line ${look}" points="${at.map((pair) => pair.join(',')).join(' ')}"/>`;
    });
    return writeSvg(
      width,
      HEIGHT,
      drawBorder(area, x, result),
      drawYAxis(area, scale, axis),
      drawXAxis(area, x, (value) => `${formatAxisNumber(value)}${isNarrow(width) ? '' : unit}`),
      ...lines,
      drawDots(area, x, scale, points, curves.length - 1),
    );
  };
  const readout: Readout = {
    rows: [...curves.map(({ look, name }) => [look, name] as const), ['', 'verdict'] as const],
    points: points.map(
      ({ level, values }) => [levelText(level.value, unit), ...values.map(written), level.kind] as const,
    ),
    ends: points.map(({ level }, i) => {
      const next = points[i + 1]?.level.value;
      return next === undefined ? 1 : x.place((level.value + next) / 2);
    }),
  };
  return markup`<figure><figcaption>${title} <small>${about}, over ${result.key}; shaded: from the level that holds to the one that does not</small></figcaption>${writeLineLegend(curves)}${writeDotLegend(points)}${plot(`${title} over the level`, draw, readout)}</figure>`;
}

/** The interval of the limit. */
function drawBorder(area: Area, x: Scale, { holds, fails }: CapacityResult): Markup {
  if (holds === null || fails === null) return NOTHING;
  const [from, to] = [placeX(area, x, holds), placeX(area, x, fails)];
  const bottom = area.top + area.height;
  const edges = [from, to].map(
    (edge) => markup`<line class="edge" x1="${edge}" x2="${edge}" y1="${area.top}" y2="${bottom}"/>`,
  );
  return markup`<rect class="band" x="${from}" y="${area.top}" width="${Math.max(1, px(to - from))}" height="${area.height}"/>${edges}`;
}

const DOTS = { holds: 'c3', fails: 'c4', 'generator limit': 'c2' } as const;

const DOT_NAMES = {
  holds: 'all expectations hold',
  fails: 'an expectation fails',
  'generator limit': 'generator limit',
};

function writeDotLegend(points: readonly Point[]): Markup {
  const kinds = [...new Set(points.map(({ level }) => level.kind))];
  return markup`<ul class="legend">${kinds.map(
    (kind) =>
      markup`<li><svg width="10" height="10" aria-hidden="true"><circle class="dot ${DOTS[kind]}" cx="5" cy="5" r="4"/></svg>${DOT_NAMES[kind]}</li>`,
  )}</ul>`;
}

/** A dot for each level on the curve `row`. */
function drawDots(area: Area, x: Scale, y: Scale, points: readonly Point[], row: number): Markup {
  return markup`${points.map(
    ({ level, values }) =>
      markup`<circle class="dot ${DOTS[level.kind]}" cx="${placeX(area, x, level.value)}" cy="${placeY(area, y, values[row] ?? 0)}" r="4"/>`,
  )}`;
}

function writeTable(result: CapacityResult): Markup {
  const { unit, levels } = result;
  const head = columnsOf(result).map((column) => markup`<th scope="col">${column}</th>`);
  const rows = levels.map(
    (level) =>
      markup`<tr><th scope="row">${levelText(level.value, unit)}</th><td class="${lookOf(level)}">${level.kind}</td>${cellsOf(level, result).map((cell) => markup`<td>${cell}</td>`)}</tr>`,
  );
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Levels"><table class="long"><thead><tr><td></td><th scope="col">verdict</th>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
