/** The report for terminals, up to 100 columns; it begins and ends with the command that reproduces the run. */
import { EXIT } from '../../kernel/errors.js';
import { printableTexts } from '../../kernel/printable.js';
import { countOf, humanCount } from '../../kernel/quantity.js';
import { keepUnbroken, wrap } from '../../kernel/table.js';
import { humanDuration, sinceStart } from '../../kernel/time.js';
import { STAGES } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import { writeExplanationParagraph } from '../explanation/text.js';
import {
  DOWNLINK_COLUMNS,
  describeAnomaly,
  describeTargetClock,
  listDownlinkRows,
  listPartTables,
  listStageRows,
  listUplinkRows,
  nameStage,
  SPREAD_COLUMNS,
  spreadCells,
  UPDATE_COLUMNS,
  UPLINK_COLUMNS,
  updateCells,
  waitRows,
} from '../figures.js';
import { drawBar } from '../progress.js';
import type { RunResult } from '../result.js';
import { describeValue, getMark, getVerdict } from '../verdict.js';
import type { RenderOptions } from './renderer.js';
import { writeLoad, writeWorkers } from './text-load.js';
import { hangIndent, WIDTH, writeSection } from './text-parts.js';

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
export function renderText(unsafe: RunResult, { colour = false, width = WIDTH }: RenderOptions = {}): string {
  const result = printableTexts(unsafe);
  const paint = colour ? paintAnsi : paintNothing;
  const blocks = [
    [...writeHeadline(result, paint('strong', result.scenario), width), ...writeRunning(result, width)],
    writeFleet(result, width),
    writeUplinks(result, width),
    writeDownlinks(result, width),
    writeUpdates(result, width),
    ...listPartTables(result).map(({ by, columns, rows }) => writeSection(`by ${by}`, columns, rows, width)),
    writeWaits(result, width),
    writeSlowest(result, width),
    writeExplanations(result, width),
    writeLoad(result, width),
    writeWorkers(result, width),
    writeAnomalies(result, width),
    writeExpectations(result, paint, width),
    writeFailure(result, paint, width),
    result.warnings.flatMap((line) => wrap(`! ${line}`, width).map((part) => paint('open', part))),
    writeLeftovers(result, width),
    writeNext(result, width),
    writeHeadline(result, paint(getVerdict(result).look, getVerdict(result).word), width),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** What the run could not delete. */
function writeLeftovers({ left }: RunResult, width: number): readonly string[] {
  if (left === undefined) return [];
  return [`left in ${left.api}`, ...left.things.flatMap(({ what, why }) => hangIndent(`${what}: ${why}`, width))];
}

type Style = 'good' | 'bad' | 'open' | 'strong';
type Paint = (style: Style, text: string) => string;

const ANSI: Readonly<Record<Style, string>> = { good: '32', bad: '31', open: '33', strong: '1' };
const paintAnsi: Paint = (style, words) => `\u001b[${ANSI[style]}m${words}\u001b[0m`;
const paintNothing: Paint = (_style, words) => words;

/** The headline. The command that repeats the run is never broken, but moved to its own line. */
function writeHeadline(result: RunResult, word: string, width: number): readonly string[] {
  const { seed, digest, reproduce } = result;
  const about = `${word} · seed ${seed} · digest ${digest}`;
  const visible = about.replaceAll(COLOURS, '');
  return `${visible} · ${reproduce}`.length <= width ? [`${about} · ${reproduce}`] : [about, reproduce];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the control character ESC
const COLOURS = /\u001b\[\d+m/g;

function writeRunning(result: RunResult, width: number): readonly string[] {
  const { planDigest, simulatedMs, wallMs, clock, speed, target, transport, events, version, startedAt } = result;
  const pace = clock === 'virtual' ? 'virtual time' : `real time${speed === null || speed === 1 ? '' : ` × ${speed}`}`;
  const parts = [
    `plan ${planDigest}`,
    `${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)}`,
    pace,
    `${transport}${target === 'embedded' ? '' : ` to ${target}`}`,
    ...describeTargetClock(result),
    countOf(events, 'event'),
    ...(startedAt === undefined ? [] : [`${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC`]),
    ...(version === undefined ? [] : [`ghostfleet ${version}`]),
  ];
  return joinParts(parts, width);
}

/** Joins the parts with dots between them, and breaks the result into lines between parts. */
function joinParts(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + part.length <= width) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines;
}

function writeFailure({ failure: why, exitCode }: RunResult, paint: Paint, width: number): readonly string[] {
  if (why === null) return [];
  const open = exitCode === EXIT.interrupted;
  return wrap(`${open ? '!' : '✗'} ${why}`, width).map((line) => paint(open ? 'open' : 'bad', line));
}

/** The scenario's `next` lines. If one is too wide, all comments are above their commands, which are never broken. */
function writeNext({ next: suggestions }: RunResult, width: number): readonly string[] {
  if (suggestions.length === 0) return [];
  const whole = suggestions.map((line) => `  ${line}`);
  if (whole.every(({ length }) => length <= width)) return ['try next', ...whole];
  const parts = suggestions.flatMap((line) => {
    const [, command = line, comment] = /^(.*?)(?<!\s)\s+(# .*)$/.exec(line) ?? [];
    return comment === undefined ? [`  ${line}`] : [...hangIndent(comment, width), `  ${command}`];
  });
  return ['try next', ...parts];
}

function writeFleet(
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
  return writeSection('fleet', ['number', ''], rows, width);
}

function writeUplinks(result: RunResult, width: number): readonly string[] {
  const rows = listUplinkRows(result);
  if (rows.length === 0) return [];
  const why = Object.entries(result.uplinks.reasons).map(
    ([reason, count]) => `  ${humanCount(count)} data uplinks dropped: ${reason}`,
  );
  return [...writeSection('uplinks', UPLINK_COLUMNS, rows, width), ...why];
}

function writeDownlinks(result: RunResult, width: number): readonly string[] {
  const rows = listDownlinkRows(result);
  if (rows.length === 0) return ['downlinks', '  none'];
  const stages = listStageRows(result);
  const times = stages.flatMap(({ type, stage, cells }, i) => {
    const isFirst = stages[i - 1]?.type !== type;
    if (width < ROOMY) return [...(isFirst ? [[type]] : []), [`→ ${nameStage(stage)}`, ...cells]];
    // The type is shown only in the first of its rows.
    return [[`${(isFirst ? type : '').padEnd(TYPE_WIDTH)} → ${nameStage(stage)}`, ...cells]];
  });
  return [
    ...writeSection('downlinks', DOWNLINK_COLUMNS, rows, width),
    '',
    ...writeSection('time from the API', SPREAD_COLUMNS, times, width),
  ];
}

function writeUpdates(result: RunResult, width: number): readonly string[] {
  const { updates: summary } = result;
  if (summary === undefined) return [];
  const { duration, reasons } = summary;
  const times = duration === undefined ? [] : [['scheduled → succeeded', ...spreadCells(duration)]];
  const why = Object.entries(reasons).flatMap(([reason, count]) =>
    wrap(`${humanCount(count)} failed: ${reason}`, width - 2),
  );
  return [
    ...writeSection('firmware updates', UPDATE_COLUMNS, [['', ...updateCells(result)]], width),
    ...why.map((line) => `  ${line}`),
    ...(times.length === 0 ? [] : writeSection('', SPREAD_COLUMNS, times, width)),
  ];
}

function writeWaits(result: RunResult, width: number): readonly string[] {
  const drawn = width >= WITH_BARS;
  const rows = waitRows(result).map(({ cause, share, cells }) => [
    width < ROOMY ? cause : WAIT_NAMES[cause],
    ...(drawn ? [drawBar(share, BAR_WIDTH)] : []),
    ...cells,
  ]);
  const columns = [...(drawn ? [''] : []), 'share', ...SPREAD_COLUMNS.slice(1)];
  return rows.length === 0
    ? []
    : writeSection(width < ROOMY ? 'waited for' : 'time waited, by cause', columns, rows, width);
}

const WAIT_NAMES = {
  asleep: 'asleep until next report/poll',
  radio: 'radio',
  transfer: 'transfer',
  service: 'service',
  device: 'device',
} as const;

function writeSlowest({ downlinks: { slowest: timelines }, names }: RunResult, width: number): readonly string[] {
  if (timelines.length === 0) return [];
  return [
    'slowest delivered downlinks',
    ...timelines.slice(0, SHOWN).flatMap((timeline) => writeTimeline(timeline, names, width)),
  ];
}

function writeTimeline(timeline: DownlinkTimeline, names: RunResult['names'], width: number): readonly string[] {
  const { type, serial, queuedAt, stages, total, waits: parts, attempts, refused } = timeline;
  const who = names[String(serial)] ?? String(serial);
  const reached = STAGES.map((stage) => ({ stage, time: stages[stage] ?? Number.NaN }));
  const stations = reached
    .filter(({ time }) => !Number.isNaN(time))
    // Sorted by time, because a device may execute a downlink before the cloud counts it as delivered.
    .sort((one, other) => one.time - other.time)
    .map(({ stage, time }) => keepUnbroken(`${nameStage(stage)} +${humanDuration(time)}`));
  const causes = WAIT_CAUSES.filter((cause) => parts[cause] > 0).map((cause) =>
    keepUnbroken(`${cause} ${humanDuration(parts[cause])}`),
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

function writeAnomalies({ anomalies: found, faults, service, names }: RunResult, width: number): readonly string[] {
  const { crashes } = service;
  const lines = [
    ...writeCounted('network faults', faults),
    ...writeCounted('service faults', service.faults),
    ...(crashes === 0 ? [] : [`crashes of the service: ${humanCount(crashes)}`]),
    ...writeCounted('datagrams that the gateway rejected', service.refused),
    ...found.map((each) => `${humanCount(each.count)} × ${describeAnomaly(each, names)}`),
  ];
  if (lines.length === 0) return [];
  return ['worth knowing', ...lines.flatMap((line) => hangIndent(line, width))];
}

function writeCounted(what: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${humanCount(count)}`);
  return parts.length === 0 ? [] : [`${what}: ${parts.join(', ')}`];
}

function writeExpectations({ expectations: results }: RunResult, paint: Paint, width: number): readonly string[] {
  if (results.length === 0) return [];
  const widest = Math.max(...results.map(({ line }) => line.length));
  const lines = results.flatMap((expectation) => {
    const { line, passed, byProtocol, range, sentence } = expectation;
    const { mark, look } = getMark(expectation);
    const [start = '', ...rest] = wrap(line, width - 4);
    const first = [`  ${paint(look, mark)} ${start}`, ...rest.map((part) => `    ${part}`)];
    if (!passed || byProtocol !== undefined || range !== undefined)
      return [...first, ...wrap(sentence, width - 6).map((part) => `      ${part}`)];
    const value = describeValue(expectation);
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
function writeExplanations({ explanations: all = [], out }: RunResult, width: number): readonly string[] {
  if (all.length === 0) return [];
  const more = out === null ? [] : [`  more: ghostfleet explain ${out} --slowest ${all.length}`];
  const paragraphs = all.slice(0, EXPLAINED).map((each) => writeExplanationParagraph(each, width - 2));
  // The lines of a paragraph after the first are indented more, so that the eye finds where the next paragraph begins.
  const lines = paragraphs.flatMap(([first = '', ...rest]) => [first, ...rest.map((line) => `  ${line}`)]);
  return ['why it took so long', ...lines, ...more];
}
