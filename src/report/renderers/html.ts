/**
 * The report as one self-contained HTML page (html/page.ts). It loads no fonts or images. Names from devices and users are
 * always escaped. The same run gives the same page, except for its start time and its duration in real time.
 */
import { EXIT } from '../../kernel/errors.js';
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration } from '../../kernel/time.js';
import { describeTargetClock } from '../figures.js';
import { writeExplanations } from '../html/explanations.js';
import { drawHistogram } from '../html/histogram.js';
import { type Markup, makeId, markup, NOTHING } from '../html/markup.js';
import { drawOverTime } from '../html/over-time.js';
import { writePage } from '../html/page.js';
import { explainSection } from '../html/reading.js';
import { linkSlowest, SLOWEST } from '../html/slow.js';
import {
  downlinkTables,
  loadTables,
  updateTable,
  writeFleetTables,
  writePartTables,
  writeWorkerTable,
} from '../html/tables.js';
import { drawSlowest } from '../html/timelines.js';
import type { ExpectationResult, RunResult } from '../result.js';
import { describeValue, getMark, getVerdict } from '../verdict.js';
import { getState } from '../workers.js';

export function renderHtml(result: RunResult): string {
  const { scenario, digest } = result;
  const sections = [
    makeSection(
      'Expectations',
      writeExpectations(result),
      result.expectations.some(({ passed }) => !passed),
    ),
    makeSection('Over time', drawOverTime(result)),
    makeSection('Downlinks', writeDownlinks(result)),
    makeSection('API requests', loadTables(result)),
    makeSection('Parts of the run', writePartTables(result)),
    makeSection(
      'Workers',
      writeWorkerTable(result),
      result.workers?.some((worker) => getState(worker) !== 'fine'),
    ),
    makeSection('Uplinks and fleet', markup`${writeFleetTables(result)}${updateTable(result)}`),
    makeSection('Left in the cloud', writeLeftovers(result)),
    makeSection('Repeat and continue', writeNext(result)),
  ].filter(({ body }) => body !== NOTHING);
  const body = markup`${writeAlarm(result)}${writeWarnings(result)}
${writeHead(result)}
<nav aria-label="Sections">${sections.map(({ title }) => markup`<a href="#${makeId(title)}">${title}</a>`)}</nav>
${sections.map(({ title, body: content, urgent }) => markup`<section id="${makeId(title)}"${urgent ? markup` class="urgent"` : NOTHING}><h2><a href="#${makeId(title)}">${title}</a></h2>${explainSection(title)}${content}</section>\n`)}
<footer>digest ${digest} · plan ${result.planDigest} · ${humanCount(result.events)} events · made by ghostfleet${result.version === undefined ? '' : ` ${result.version}`}</footer>`;
  return writePage({ title: `${scenario} · ${getVerdict(result).word} · ${digest}`, body });
}

interface Section {
  readonly title: string;
  /** Content of the section. The section is left out if its content is {@link NOTHING}. */
  readonly body: Markup;
  /** Whether the section comes before the plots even on a phone. */
  readonly urgent: boolean;
}

function makeSection(title: string, body: Markup, urgent = false): Section {
  return { title, body, urgent };
}

/** Warning above the report when the run ended early or is invalid. */
function writeAlarm(result: RunResult): Markup {
  const { failure, exitCode } = result;
  if (failure === null) return NOTHING;
  return markup`<div class="alarm ${getVerdict(result).look}" role="alert"><strong>${writeAlarmHeading(exitCode)}</strong>${failure}</div>`;
}

function writeLeftovers({ left }: RunResult): Markup {
  if (left === undefined) return NOTHING;
  return markup`<ul>${left.things.map(({ what, why }) => markup`<li>${what}: ${why}</li>`)}</ul>`;
}

function writeWarnings(result: RunResult): readonly Markup[] {
  return result.warnings.map((line) => markup`<div class="alarm open" role="alert">${line}</div>`);
}

function writeAlarmHeading(exitCode: RunResult['exitCode']): string {
  if (exitCode === EXIT.invalid) return 'This run is invalid: its numbers do not describe the service.';
  if (exitCode === EXIT.interrupted) return 'This run was interrupted: its numbers cover only a part of the scenario.';
  return 'This run did not end as planned.';
}

function writeHead(result: RunResult): Markup {
  const { scenario, about, seed, clock, speed, transport, target, simulatedMs, wallMs, reproduce } = result;
  const { word, look } = getVerdict(result);
  const pace = clock === 'virtual' ? 'virtual time' : `real time${speed === null || speed === 1 ? '' : ` × ${speed}`}`;
  const where = [target === 'embedded' ? '' : ` to ${target}`, ...describeTargetClock(result)].join(' · ');
  return markup`<header><h1>${scenario}</h1><span class="verdict ${look}">${word}</span></header>
${about === undefined || about.trim() === '' ? NOTHING : markup`<p class="about">${about.trim()}</p>`}
<p class="faint">${writeOrigin(result)}seed ${seed} · ${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)} · ${pace} · ${transport}${where}</p>
<pre class="command"><code>${reproduce}</code></pre>
<ul class="tiles">${listTiles(result).map(writeTile)}</ul>`;
}

/** Start time of the run, and version of ghostfleet; each is left out if it is unknown. */
function writeOrigin({ startedAt, version }: RunResult): Markup {
  const minute = startedAt === undefined ? '' : `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC`;
  return markup`${startedAt === undefined ? NOTHING : markup`<time datetime="${startedAt}">${minute}</time> · `}${version === undefined ? '' : `ghostfleet ${version} · `}`;
}

/** A tile of the overview: a number, its name, the section with details, and the look if the number is alarming. */
type Tile = readonly [value: string, name: string, section: string, look?: string | undefined];

function writeTile([value, name, target, look]: Tile): Markup {
  const number = look === undefined ? markup`<b>${value}</b>` : markup`<b class="${look}">${value}</b>`;
  return markup`<li><a href="#${target}">${number}<span>${name}</span></a></li>`;
}

function listTiles(result: RunResult): readonly Tile[] {
  const { fleet, uplinks, downlinks, allCalls, clock, expectations: results } = result;
  const held = results.filter(({ passed }) => passed).length;
  const alarming = held < results.length ? getVerdict(result).look : undefined;
  const delivered = downlinks.stages.delivered;
  return [
    ...(results.length === 0
      ? []
      : [[formatShare(held, results.length), 'expectations met', 'expectations', alarming] as const]),
    [formatShare(fleet.ready, fleet.devices), 'devices were ready', 'uplinks-and-fleet'],
    [formatShare(uplinks.stored, uplinks.sent), 'data uplinks stored', 'uplinks-and-fleet'],
    ...(downlinks.queued === 0
      ? []
      : [[formatShare(delivered?.count ?? 0, downlinks.queued), 'downlinks delivered', 'downlinks'] as const]),
    ...(delivered === undefined
      ? []
      : [[humanDuration(delivered.p95), formatDeliveryTime(delivered.count, downlinks.queued), SLOWEST] as const]),
    ...(allCalls
      ? [[formatShare(allCalls.answered, allCalls.planned), 'API requests answered', 'api-requests'] as const]
      : []),
    ...(allCalls?.latency && clock === 'real'
      ? [[humanDuration(allCalls.latency.p99), 'API latency in real time, p99', 'api-requests'] as const]
      : []),
  ];
}

/** Name of the delivery time's tile; with undelivered downlinks, it says that the percentile leaves them out. */
function formatDeliveryTime(delivered: number, queued: number): string {
  return delivered < queued ? 'delivery time, p95 of the delivered' : 'delivery time, p95';
}

function formatShare(some: number, all: number): string {
  return `${humanCount(some)} of ${humanCount(all)}`;
}

function writeExpectations({ expectations: results, downlinks }: RunResult): Markup {
  if (results.length === 0) return NOTHING;
  const failedFirst = [...results].sort((one, other) => Number(one.passed) - Number(other.passed));
  const rows = failedFirst.map((expectation) => {
    const { mark, look, word } = getMark(expectation);
    const isLinked = look !== 'good' && /\bdownlink\./.test(expectation.line) && downlinks.slowest.length > 0;
    const devices = isLinked
      ? markup`<span class="to"> · <a href="#${SLOWEST}">the slowest devices</a></span>`
      : NOTHING;
    return markup`<tr class="${look}"><td class="mark" title="${word}">${mark}</td><th scope="row"><code>${expectation.line}</code></th><td>${describeFound(expectation)}${devices}</td></tr>`;
  });
  return markup`<table class="checks"><tbody>${rows}</tbody></table>`;
}

/**
 * The result of an expectation. A value is enough for an expectation that has passed. A sentence is needed if it has not
 * passed, has cases that the protocol causes, or has missing measurements.
 */
function describeFound(expectation: ExpectationResult): string {
  const { passed, byProtocol, range, sentence } = expectation;
  if (!passed || byProtocol !== undefined || range !== undefined) return sentence;
  return describeValue(expectation);
}

function writeDownlinks(result: RunResult): Markup {
  if (Object.keys(result.downlinks.byType).length === 0) return NOTHING;
  return markup`${drawHistogram(result)}${drawSlowest(result)}${writeExplanations(result)}${downlinkTables(result)}${linkSlowest(result)}`;
}

function writeNext({ next: lines, reproduce }: RunResult): Markup {
  const more =
    lines.length === 0 ? NOTHING : markup`<h3 id="try-next">Try next</h3><pre><code>${lines.join('\n')}</code></pre>`;
  return markup`<h3 id="the-same-run">The same run again</h3><pre><code>${reproduce}</code></pre>${more}`;
}
