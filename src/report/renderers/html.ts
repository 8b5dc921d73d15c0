/**
 * The report as one self-contained HTML page that can be mailed and opened anywhere. It has no scripts, fonts or images from
 * other places, and a content security policy that forbids them. Names from devices and users are always escaped.
 */
import { createHash } from 'node:crypto';
import { EXIT } from '../../kernel/errors.js';
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration } from '../../kernel/time.js';
import { histogram, slowest } from '../html/downlinks.js';
import { Markup, markup, NOTHING } from '../html/markup.js';
import { overTime } from '../html/over-time.js';
import { STYLE } from '../html/style.js';
import { downlinkTables, fleetTables, loadTables, updateTable, uplinkTable } from '../html/tables.js';
import type { RunResult } from '../result.js';

export function html(result: RunResult): string {
  const { scenario, digest } = result;
  const page = markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${scenario} · ${verdictOf(result)} · ${digest}</title>
${STYLE_SHEET}
</head>
<body><main>
${alarm(result)}
${head(result)}
${expectations(result)}
${overTime(result)}
${downlinks(result)}
${loadTables(result)}
<section><h2>Uplinks and fleet</h2>${uplinkTable(result)}${fleetTables(result)}${updateTable(result)}</section>
${next(result)}
<footer>digest ${digest} · plan ${result.planDigest} · ${humanCount(result.events)} events · made by ghostfleet</footer>
</main></body>
</html>`;
  return `<!doctype html>\n${page.html}\n`;
}

/** Constant and therefore not escaped: escaping would change its hash in the policy. */
const STYLE_SHEET = new Markup(`<style>${STYLE}</style>`);
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

function verdictOf({ passed, exitCode, failure }: RunResult): string {
  if (exitCode === EXIT.invalid) return 'INVALID';
  if (passed) return 'PASSED';
  return failure === null ? 'FAILED' : 'NOT FINISHED';
}

/** Warning above the report when the run ended early or is invalid. */
function alarm({ failure, exitCode }: RunResult): Markup {
  if (failure === null) return NOTHING;
  const heading =
    exitCode === EXIT.invalid
      ? 'This run is invalid: its numbers do not describe the service.'
      : 'This run ended early.';
  return markup`<div class="alarm" role="alert"><strong>${heading}</strong>${failure}</div>`;
}

function head(result: RunResult): Markup {
  const { scenario, passed, seed, clock, speed, transport, target, simulatedMs, wallMs, reproduce } = result;
  const pace = clock === 'virtual' ? 'virtual time' : `real time${speed === null || speed === 1 ? '' : ` × ${speed}`}`;
  const where = target === 'embedded' ? '' : ` to ${target}`;
  return markup`<header><h1>${scenario}</h1><span class="verdict ${passed ? 'good' : 'bad'}">${verdictOf(result)}</span></header>
<p class="faint">seed ${seed} · ${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)} · ${pace} · ${transport}${where}</p>
<pre><code>${reproduce}</code></pre>
<ul class="tiles">${tiles(result).map(([value, name]) => markup`<li><b>${value}</b><span>${name}</span></li>`)}</ul>`;
}

function tiles({
  fleet,
  uplinks,
  downlinks,
  allCalls,
  clock,
  expectations: results,
}: RunResult): readonly (readonly [string, string])[] {
  const held = results.filter(({ passed }) => passed).length;
  const delivered = downlinks.stages.delivered;
  return [
    ...(results.length === 0 ? [] : [[of(held, results.length), 'expectations met'] as const]),
    [of(fleet.ready, fleet.devices), 'devices had a session'],
    [of(uplinks.stored, uplinks.sent), 'data uplinks stored'],
    ...(downlinks.queued === 0 ? [] : [[of(delivered?.count ?? 0, downlinks.queued), 'downlinks delivered'] as const]),
    ...(delivered === undefined ? [] : [[humanDuration(delivered.p95), 'delivery time, p95'] as const]),
    ...(allCalls ? [[of(allCalls.answered, allCalls.planned), 'API requests answered'] as const] : []),
    ...(allCalls?.latency && clock === 'real'
      ? [[humanDuration(allCalls.latency.p99), 'API latency, p99'] as const]
      : []),
  ];
}

function of(some: number, all: number): string {
  return `${humanCount(some)} of ${humanCount(all)}`;
}

function expectations({ expectations: results }: RunResult): Markup {
  if (results.length === 0) return NOTHING;
  const failedFirst = [...results].sort((one, other) => Number(one.passed) - Number(other.passed));
  return markup`<section><h2>Expectations</h2><ul class="checks">${failedFirst.map(
    ({ line, passed, undecided, sentence }) =>
      markup`<li><b class="${passed ? 'good' : 'bad'}">${passed ? '✓' : undecided ? '?' : '✗'}</b><code>${line}</code><p>${sentence}</p></li>`,
  )}</ul></section>`;
}

function downlinks(result: RunResult): Markup {
  if (result.downlinks.queued === 0) return NOTHING;
  return markup`<section><h2>Downlinks</h2>${histogram(result)}${slowest(result)}${downlinkTables(result)}</section>`;
}

function next({ next: lines }: RunResult): Markup {
  return lines.length === 0
    ? NOTHING
    : markup`<section><h2>Try next</h2><pre><code>${lines.join('\n')}</code></pre></section>`;
}
