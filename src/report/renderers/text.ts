/**
 * The report for terminals: at most 100 columns; colour is optional. The first and the last line contain the command that
 * reproduces the run.
 */
import { humanCount, humanValue } from '../../kernel/quantity.js';
import { humanDuration, sinceStart } from '../../kernel/time.js';
import { STAGES } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import {
  DOWNLINK_COLUMNS,
  downlinkRows,
  SPREAD_COLUMNS,
  spreadCells,
  stageName,
  stageRows,
  UPDATE_COLUMNS,
  UPLINK_COLUMNS,
  updateCells,
  uplinkRows,
  waitRows,
} from '../figures.js';
import { bar } from '../progress.js';
import type { RunResult } from '../result.js';
import { wrap } from '../table.js';
import type { RenderOptions } from './renderer.js';
import { load } from './text-load.js';
import { section, WIDTH } from './text-parts.js';

const BAR_WIDTH = 24;
/** Number of slowest downlinks that are shown; the other reports have more. */
const SHOWN = 3;
/** Length of the longest downlink type, `firmware`. */
const TYPE_WIDTH = 8;

export function text(result: RunResult, { colour = false }: RenderOptions = {}): string {
  const paint = colour ? paintAnsi : paintNothing;
  const blocks = [
    [headline(result, paint), running(result)],
    fleet(result),
    uplinks(result),
    downlinks(result),
    updates(result),
    waits(result),
    slowest(result),
    load(result),
    anomalies(result),
    expectations(result, paint),
    result.failure === null ? [] : wrap(paint('bad', `✗ ${result.failure}`), WIDTH),
    next(result),
    [verdict(result, paint)],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

type Style = 'good' | 'bad' | 'strong';
type Paint = (style: Style, text: string) => string;

const ANSI: Readonly<Record<Style, string>> = { good: '32', bad: '31', strong: '1' };
const paintAnsi: Paint = (style, words) => `\u001b[${ANSI[style]}m${words}\u001b[0m`;
const paintNothing: Paint = (_style, words) => words;

function headline(result: RunResult, paint: Paint): string {
  return `${paint('strong', result.scenario)} · seed ${result.seed} · digest ${result.digest} · ${result.reproduce}`;
}

function running({ planDigest, simulatedMs, wallMs, clock, speed, target, transport, events }: RunResult): string {
  const pace = clock === 'virtual' ? 'virtual time' : `real time${speed === null || speed === 1 ? '' : ` × ${speed}`}`;
  return `plan ${planDigest} · ${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)} · ${pace} · ${transport}${target === 'embedded' ? '' : ` to ${target}`} · ${humanCount(events)} events`;
}

function verdict(result: RunResult, paint: Paint): string {
  const word = result.passed ? paint('good', 'passed') : paint('bad', 'FAILED');
  return `${word} · seed ${result.seed} · digest ${result.digest} · ${result.reproduce}`;
}

function next({ next: suggestions }: RunResult): readonly string[] {
  return suggestions.length === 0 ? [] : ['try next', ...suggestions.map((line) => `  ${line}`)];
}

function fleet({
  fleet: { devices, ready, boots, wakes, repeats, restarts, pollsFailed },
}: RunResult): readonly string[] {
  const reasons = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([reason, count]) => `${reason} ${humanCount(count)}`)
      .join(', ');
  const rows = [
    ['devices', humanCount(devices), `${humanCount(ready)} with a session`],
    ['boots', humanCount(sum(boots)), reasons(boots)],
    ['radio wakes', humanCount(sum(wakes)), reasons(wakes)],
    [
      'repeated datagrams',
      humanCount(repeats),
      `${humanCount(restarts)} transfers restarted, ${humanCount(pollsFailed)} polls failed`,
    ],
  ];
  return section('fleet', ['number', ''], rows);
}

function uplinks(result: RunResult): readonly string[] {
  const rows = uplinkRows(result);
  if (rows.length === 0) return [];
  const why = Object.entries(result.uplinks.reasons).map(
    ([reason, count]) => `  ${humanCount(count)} data uplinks dropped: ${reason}`,
  );
  return [...section('uplinks', UPLINK_COLUMNS, rows), ...why];
}

function downlinks(result: RunResult): readonly string[] {
  const rows = downlinkRows(result);
  if (rows.length === 0) return ['downlinks', '  none'];
  const stages = stageRows(result);
  // The type appears in its first row only.
  const times = stages.map(({ type, stage, cells }, i) => {
    const name = stages[i - 1]?.type === type ? '' : type;
    return [`${name.padEnd(TYPE_WIDTH)} → ${stageName(stage)}`, ...cells];
  });
  return [...section('downlinks', DOWNLINK_COLUMNS, rows), '', ...section('time from the API', SPREAD_COLUMNS, times)];
}

function updates(result: RunResult): readonly string[] {
  const { updates: summary } = result;
  if (summary === undefined) return [];
  const { duration, reasons } = summary;
  const times = duration === undefined ? [] : [['scheduled → succeeded', ...spreadCells(duration)]];
  const why = Object.entries(reasons).flatMap(([reason, count]) =>
    wrap(`${humanCount(count)} failed: ${reason}`, WIDTH - 2),
  );
  return [
    ...section('firmware updates', UPDATE_COLUMNS, [['', ...updateCells(result)]]),
    ...why.map((line) => `  ${line}`),
    ...(times.length === 0 ? [] : section('', SPREAD_COLUMNS, times)),
  ];
}

function waits(result: RunResult): readonly string[] {
  const rows = waitRows(result).map(({ cause, share, cells }) => [WAIT_NAMES[cause], bar(share, BAR_WIDTH), ...cells]);
  return rows.length === 0 ? [] : section('time waited, by cause', ['', 'share', ...SPREAD_COLUMNS.slice(1)], rows);
}

const WAIT_NAMES = {
  asleep: 'asleep until next report/poll',
  radio: 'radio',
  transfer: 'transfer',
  service: 'service',
  device: 'device',
} as const;

function slowest({ downlinks: { slowest: timelines }, names }: RunResult): readonly string[] {
  if (timelines.length === 0) return [];
  return ['slowest downlinks', ...timelines.slice(0, SHOWN).flatMap((timeline) => timelineLines(timeline, names))];
}

function timelineLines(timeline: DownlinkTimeline, names: RunResult['names']): readonly string[] {
  const { type, serial, queuedAt, stages, total, waits: parts, attempts } = timeline;
  const who = names[String(serial)] ?? String(serial);
  const reached = STAGES.map((stage) => ({ stage, time: stages[stage] ?? Number.NaN }));
  const stations = reached
    .filter(({ time }) => !Number.isNaN(time))
    // A device may execute a downlink before the cloud knows of its reception.
    .sort((one, other) => one.time - other.time)
    .map(({ stage, time }) => `${stageName(stage)} +${humanDuration(time)}`);
  const causes = WAIT_CAUSES.filter((cause) => parts[cause] > 0).map(
    (cause) => `${cause} ${humanDuration(parts[cause])}`,
  );
  const offers = attempts > 1 ? `, offered ${humanCount(attempts)} times` : '';
  return [
    `  ${humanDuration(total)} · ${type} to ${who}, queued at ${humanDuration(sinceStart(queuedAt))}${offers}`,
    ...wrap(`queued → ${stations.join(' → ')}`, WIDTH - 4).map((line) => `    ${line}`),
    ...wrap(`waited: ${causes.join(', ')}`, WIDTH - 4).map((line) => `    ${line}`),
  ];
}

function anomalies({ anomalies: found, faults, service }: RunResult): readonly string[] {
  const { crashes } = service;
  const lines = [
    ...counted('network faults', faults),
    ...counted('service faults', service.faults),
    ...(crashes === 0 ? [] : [`crashes of the service: ${humanCount(crashes)}`]),
    ...counted('datagrams that the gateway rejected', service.refused),
    ...found.map(({ count, about }) => `${humanCount(count)} × ${about}`),
  ];
  if (lines.length === 0) return [];
  return ['worth knowing', ...lines.flatMap((line) => wrap(line, WIDTH - 2).map((part) => `  ${part}`))];
}

function counted(what: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${humanCount(count)}`);
  return parts.length === 0 ? [] : [`${what}: ${parts.join(', ')}`];
}

function expectations({ expectations: results }: RunResult, paint: Paint): readonly string[] {
  if (results.length === 0) return [];
  const width = Math.max(...results.map(({ line }) => line.length));
  const lines = results.flatMap(({ line, passed, undecided, left, unit, sentence }) => {
    const mark = paint('bad', undecided ? '?' : '✗');
    if (!passed) return [`  ${mark} ${line}`, ...wrap(sentence, WIDTH - 6).map((part) => `      ${part}`)];
    const value = left === null ? '' : humanValue(left, unit);
    return [`  ${paint('good', '✓')} ${line.padEnd(width)}  ${value}`];
  });
  return ['expectations', ...lines];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
