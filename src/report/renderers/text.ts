/** The report for terminals, up to 100 columns; it begins and ends with the command that reproduces the run. */
import { EXIT } from '../../kernel/errors.js';
import { printableTexts } from '../../kernel/printable.js';
import { humanCount, valueBeside } from '../../kernel/quantity.js';
import { humanDuration, sinceStart } from '../../kernel/time.js';
import { STAGES } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import { explanationParagraph } from '../explanation/text.js';
import {
  DOWNLINK_COLUMNS,
  downlinkRows,
  SPREAD_COLUMNS,
  spreadCells,
  stageName,
  stageRows,
  targetClockText,
  UPDATE_COLUMNS,
  UPLINK_COLUMNS,
  updateCells,
  uplinkRows,
  waitRows,
} from '../figures.js';
import { bar } from '../progress.js';
import type { RunResult } from '../result.js';
import { unbroken, wrap } from '../table.js';
import { markOf, verdictOf } from '../verdict.js';
import type { RenderOptions } from './renderer.js';
import { load, workers } from './text-load.js';
import { hanging, section, WIDTH } from './text-parts.js';

const BAR_WIDTH = 24;
/** Minimum width of a report with bars. */
const WITH_BARS = 90;
/** Minimum width of a report with long names of rows. */
const ROOMY = 76;
/** Number of slowest downlinks that are shown; the other reports have more. */
const SHOWN = 3;
/** Width of the types of downlinks. */
const TYPE_WIDTH = 8;

/** Renders the report. Control characters are escaped: files are printed to terminals, too. */
export function text(unsafe: RunResult, { colour = false, width = WIDTH }: RenderOptions = {}): string {
  const result = printableTexts(unsafe);
  const paint = colour ? paintAnsi : paintNothing;
  const blocks = [
    [...headline(result, paint('strong', result.scenario), width), ...running(result, width)],
    fleet(result, width),
    uplinks(result, width),
    downlinks(result, width),
    updates(result, width),
    waits(result, width),
    slowest(result, width),
    explanations(result, width),
    load(result, width),
    workers(result, width),
    anomalies(result, width),
    expectations(result, paint, width),
    failure(result, paint, width),
    result.warnings.flatMap((line) => wrap(`! ${line}`, width).map((part) => paint('open', part))),
    leftovers(result, width),
    next(result, width),
    headline(result, paint(verdictOf(result).look, verdictOf(result).word), width),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** What the run could not delete. */
function leftovers({ left }: RunResult, width: number): readonly string[] {
  if (left === undefined) return [];
  return [`left in ${left.api}`, ...left.things.flatMap(({ what, why }) => hanging(`${what}: ${why}`, width))];
}

type Style = 'good' | 'bad' | 'open' | 'strong';
type Paint = (style: Style, text: string) => string;

const ANSI: Readonly<Record<Style, string>> = { good: '32', bad: '31', open: '33', strong: '1' };
const paintAnsi: Paint = (style, words) => `\u001b[${ANSI[style]}m${words}\u001b[0m`;
const paintNothing: Paint = (_style, words) => words;

/** The headline. The command that repeats the run is never broken, but moved to its own line. */
function headline(result: RunResult, word: string, width: number): readonly string[] {
  const { seed, digest, reproduce } = result;
  const about = `${word} · seed ${seed} · digest ${digest}`;
  const visible = about.replaceAll(COLOURS, '');
  return `${visible} · ${reproduce}`.length <= width ? [`${about} · ${reproduce}`] : [about, reproduce];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the control character ESC
const COLOURS = /\u001b\[\d+m/g;

function running(result: RunResult, width: number): readonly string[] {
  const { planDigest, simulatedMs, wallMs, clock, speed, target, transport, events, version, startedAt } = result;
  const pace = clock === 'virtual' ? 'virtual time' : `real time${speed === null || speed === 1 ? '' : ` × ${speed}`}`;
  const parts = [
    `plan ${planDigest}`,
    `${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)}`,
    pace,
    `${transport}${target === 'embedded' ? '' : ` to ${target}`}`,
    ...targetClockText(result),
    `${humanCount(events)} events`,
    ...(startedAt === undefined ? [] : [`${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC`]),
    ...(version === undefined ? [] : [`ghostfleet ${version}`]),
  ];
  return joined(parts, width);
}

/** Joins the parts with dots between them, and breaks the result into lines between parts. */
function joined(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + part.length <= width) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines;
}

function failure({ failure: why, exitCode }: RunResult, paint: Paint, width: number): readonly string[] {
  if (why === null) return [];
  const open = exitCode === EXIT.interrupted;
  return wrap(`${open ? '!' : '✗'} ${why}`, width).map((line) => paint(open ? 'open' : 'bad', line));
}

/** The scenario's `next` lines. If one is too wide, all comments are above their commands, which are never broken. */
function next({ next: suggestions }: RunResult, width: number): readonly string[] {
  if (suggestions.length === 0) return [];
  const whole = suggestions.map((line) => `  ${line}`);
  if (whole.every(({ length }) => length <= width)) return ['try next', ...whole];
  const parts = suggestions.flatMap((line) => {
    const [, command = line, comment] = /^(.*?)\s+(# .*)$/.exec(line) ?? [];
    return comment === undefined ? [`  ${line}`] : [...hanging(comment, width), `  ${command}`];
  });
  return ['try next', ...parts];
}

function fleet(
  { fleet: { devices, sessions, ready, boots, wakes, repeats, restarts, pollsFailed } }: RunResult,
  width: number,
): readonly string[] {
  const reasons = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([reason, count]) => `${reason} ${humanCount(count)}`)
      .join(', ');
  const rows = [
    ['devices', humanCount(devices), `${humanCount(sessions)} with a session, ${humanCount(ready)} ready`],
    ['boots', humanCount(sum(boots)), reasons(boots)],
    ['radio wakes', humanCount(sum(wakes)), reasons(wakes)],
    [
      'repeated datagrams',
      humanCount(repeats),
      `${humanCount(restarts)} transfers restarted, ${humanCount(pollsFailed)} polls failed`,
    ],
  ];
  return section('fleet', ['number', ''], rows, width);
}

function uplinks(result: RunResult, width: number): readonly string[] {
  const rows = uplinkRows(result);
  if (rows.length === 0) return [];
  const why = Object.entries(result.uplinks.reasons).map(
    ([reason, count]) => `  ${humanCount(count)} data uplinks dropped: ${reason}`,
  );
  return [...section('uplinks', UPLINK_COLUMNS, rows, width), ...why];
}

function downlinks(result: RunResult, width: number): readonly string[] {
  const rows = downlinkRows(result);
  if (rows.length === 0) return ['downlinks', '  none'];
  const stages = stageRows(result);
  const times = stages.flatMap(({ type, stage, cells }, i) => {
    const isFirst = stages[i - 1]?.type !== type;
    if (width < ROOMY) return [...(isFirst ? [[type]] : []), [`→ ${stageName(stage)}`, ...cells]];
    // The type is shown only in the first of its rows.
    return [[`${(isFirst ? type : '').padEnd(TYPE_WIDTH)} → ${stageName(stage)}`, ...cells]];
  });
  return [
    ...section('downlinks', DOWNLINK_COLUMNS, rows, width),
    '',
    ...section('time from the API', SPREAD_COLUMNS, times, width),
  ];
}

function updates(result: RunResult, width: number): readonly string[] {
  const { updates: summary } = result;
  if (summary === undefined) return [];
  const { duration, reasons } = summary;
  const times = duration === undefined ? [] : [['scheduled → succeeded', ...spreadCells(duration)]];
  const why = Object.entries(reasons).flatMap(([reason, count]) =>
    wrap(`${humanCount(count)} failed: ${reason}`, width - 2),
  );
  return [
    ...section('firmware updates', UPDATE_COLUMNS, [['', ...updateCells(result)]], width),
    ...why.map((line) => `  ${line}`),
    ...(times.length === 0 ? [] : section('', SPREAD_COLUMNS, times, width)),
  ];
}

function waits(result: RunResult, width: number): readonly string[] {
  const drawn = width >= WITH_BARS;
  const rows = waitRows(result).map(({ cause, share, cells }) => [
    width < ROOMY ? cause : WAIT_NAMES[cause],
    ...(drawn ? [bar(share, BAR_WIDTH)] : []),
    ...cells,
  ]);
  const columns = [...(drawn ? [''] : []), 'share', ...SPREAD_COLUMNS.slice(1)];
  return rows.length === 0 ? [] : section(width < ROOMY ? 'waited for' : 'time waited, by cause', columns, rows, width);
}

const WAIT_NAMES = {
  asleep: 'asleep until next report/poll',
  radio: 'radio',
  transfer: 'transfer',
  service: 'service',
  device: 'device',
} as const;

function slowest({ downlinks: { slowest: timelines }, names }: RunResult, width: number): readonly string[] {
  if (timelines.length === 0) return [];
  return [
    'slowest downlinks',
    ...timelines.slice(0, SHOWN).flatMap((timeline) => timelineLines(timeline, names, width)),
  ];
}

function timelineLines(timeline: DownlinkTimeline, names: RunResult['names'], width: number): readonly string[] {
  const { type, serial, queuedAt, stages, total, waits: parts, attempts, refused } = timeline;
  const who = names[String(serial)] ?? String(serial);
  const reached = STAGES.map((stage) => ({ stage, time: stages[stage] ?? Number.NaN }));
  const stations = reached
    .filter(({ time }) => !Number.isNaN(time))
    // Sorted by time, because a device may execute a downlink before the cloud counts it as delivered.
    .sort((one, other) => one.time - other.time)
    .map(({ stage, time }) => unbroken(`${stageName(stage)} +${humanDuration(time)}`));
  const causes = WAIT_CAUSES.filter((cause) => parts[cause] > 0).map((cause) =>
    unbroken(`${cause} ${humanDuration(parts[cause])}`),
  );
  const offers = `${attempts > 1 ? `, offered ${humanCount(attempts)} times` : ''}${refused ? ', refused' : ''}`;
  return [
    ...wrap(
      `${humanDuration(total)} · ${type} to ${who}, queued at ${humanDuration(sinceStart(queuedAt))}${offers}`,
      width - 2,
    ).map((line) => `  ${line}`),
    ...wrap(`queued → ${stations.join(' → ')}`, width - 4).map((line) => `    ${line}`),
    ...wrap(`waited: ${causes.join(', ')}`, width - 4).map((line) => `    ${line}`),
  ];
}

function anomalies({ anomalies: found, faults, service }: RunResult, width: number): readonly string[] {
  const { crashes } = service;
  const lines = [
    ...counted('network faults', faults),
    ...counted('service faults', service.faults),
    ...(crashes === 0 ? [] : [`crashes of the service: ${humanCount(crashes)}`]),
    ...counted('datagrams that the gateway rejected', service.refused),
    ...found.map(({ count, about }) => `${humanCount(count)} × ${about}`),
  ];
  if (lines.length === 0) return [];
  return ['worth knowing', ...lines.flatMap((line) => hanging(line, width))];
}

function counted(what: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${humanCount(count)}`);
  return parts.length === 0 ? [] : [`${what}: ${parts.join(', ')}`];
}

function expectations({ expectations: results }: RunResult, paint: Paint, width: number): readonly string[] {
  if (results.length === 0) return [];
  const widest = Math.max(...results.map(({ line }) => line.length));
  const lines = results.flatMap((expectation) => {
    const { line, passed, byProtocol, range, left, right, unit, sentence } = expectation;
    const { mark, look } = markOf(expectation);
    const [start = '', ...rest] = wrap(line, width - 4);
    const first = [`  ${paint(look, mark)} ${start}`, ...rest.map((part) => `    ${part}`)];
    if (!passed || byProtocol !== undefined || range !== undefined)
      return [...first, ...wrap(sentence, width - 6).map((part) => `      ${part}`)];
    const value = left === null ? '' : valueBeside(left, right, unit);
    if (value === '') return first;
    const column = Math.min(widest, width - 6 - value.length);
    if (start.length > column || rest.length > 0) return [...first, `      ${value}`];
    return [`${first.join('')}${' '.repeat(column - start.length + 2)}${value}`];
  });
  return ['expectations', ...lines];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Maximum number of explanations in the text report; the HTML report contains all of them. */
const EXPLAINED = 3;

/** The section that explains the slowest downlinks. */
function explanations({ explanations: all = [], out }: RunResult, width: number): readonly string[] {
  if (all.length === 0) return [];
  const more = out === null ? [] : [`  more: ghostfleet explain ${out} --slowest ${all.length}`];
  const paragraphs = all.slice(0, EXPLAINED).map((each) => explanationParagraph(each, width - 2));
  // The lines of a paragraph after the first are indented more, so that the eye finds where the next paragraph begins.
  const lines = paragraphs.flatMap(([first = '', ...rest]) => [first, ...rest.map((line) => `  ${line}`)]);
  return ['why it took so long', ...lines, ...more];
}
