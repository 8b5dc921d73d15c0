/**
 * The report for terminals: at most 100 columns; colour is optional. The first and the last line contain the command that
 * reproduces the run.
 */
import { humanDuration, sinceStart } from '../../kernel/time.js';
import { STAGES } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { DownlinkTimeline } from '../../trace/metrics/downlinks.js';
import { bar } from '../progress.js';
import type { ExpectationResult, RunResult } from '../result.js';
import { wrap } from '../table.js';
import type { RenderOptions } from './renderer.js';
import { load } from './text-load.js';
import { percent, section, spreadCells, WIDTH } from './text-parts.js';

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
  return `plan ${planDigest} · ${humanDuration(simulatedMs)} simulated in ${humanDuration(wallMs)} · ${pace} · ${transport}${target === 'embedded' ? '' : ` to ${target}`} · ${events} events`;
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
      .map(([reason, count]) => `${reason} ${count}`)
      .join(', ');
  const rows = [
    ['devices', String(devices), `${ready} with a session`],
    ['boots', String(sum(boots)), reasons(boots)],
    ['radio wakes', String(sum(wakes)), reasons(wakes)],
    ['repeated datagrams', String(repeats), `${restarts} transfers restarted, ${pollsFailed} polls failed`],
  ];
  return section('fleet', ['number', ''], rows);
}

function uplinks({ uplinks: { byType, reasons } }: RunResult): readonly string[] {
  const rows = Object.entries(byType).map(([type, counts]) => {
    const { made, acked, dropped, waiting, stored, copies } = counts;
    return [type, ...[made, acked, dropped, waiting, stored, copies].map(String)];
  });
  if (rows.length === 0) return [];
  const columns = ['made', 'acked', 'dropped', 'waiting', 'stored', 'copies'];
  const why = Object.entries(reasons).map(([reason, count]) => `  ${count} data uplinks dropped: ${reason}`);
  return [...section('uplinks', columns, rows), ...why];
}

function downlinks({ downlinks: summary }: RunResult): readonly string[] {
  const types = Object.entries(summary.byType);
  if (types.length === 0) return ['downlinks', '  none'];
  const columns = ['queued', 'answered', 'delivered only', 'pending', 'cancelled', 'expired'];
  const rows = types.map(([type, counts]) => {
    const { queued, answered, delivered, pending, cancelled, expired } = counts;
    return [type, ...[queued, answered, delivered, pending, cancelled, expired].map(String)];
  });
  const stages = types.flatMap(([type, { stages: reached }]) =>
    STAGES.flatMap((stage) => {
      const spread = reached[stage];
      return spread ? [{ type, cells: [`→ ${stageName(stage)}`, ...spreadCells(spread)] }] : [];
    }),
  );
  // The type appears in its first row only.
  const stageRows = stages.map(({ type, cells: [stage = '', ...cells] }, i) => {
    const name = stages[i - 1]?.type === type ? '' : type;
    return [`${name.padEnd(TYPE_WIDTH)} ${stage}`, ...cells];
  });
  return [
    ...section('downlinks', columns, rows),
    '',
    ...section('time from the API', ['count', 'p50', 'p95', 'p99', 'max'], stageRows),
  ];
}

function updates({ updates: summary }: RunResult): readonly string[] {
  if (summary === undefined) return [];
  const { scheduled, succeeded, failed, cancelled, open, restarts, duration, reasons } = summary;
  const columns = ['scheduled', 'succeeded', 'failed', 'cancelled', 'open', 'restarts'];
  const counts = [scheduled, succeeded, failed, cancelled, open, restarts].map(String);
  const times = duration === undefined ? [] : [['scheduled → succeeded', ...spreadCells(duration)]];
  const why = Object.entries(reasons).flatMap(([reason, count]) => wrap(`${count} failed: ${reason}`, WIDTH - 2));
  return [
    ...section('firmware updates', columns, [['', ...counts]]),
    ...why.map((line) => `  ${line}`),
    ...(times.length === 0 ? [] : section('', ['count', 'p50', 'p95', 'p99', 'max'], times)),
  ];
}

function waits({ downlinks: { waits: causes } }: RunResult): readonly string[] {
  const total = WAIT_CAUSES.reduce((all, cause) => all + causes[cause].total, 0);
  if (total === 0) return [];
  const rows = WAIT_CAUSES.map((cause) => {
    const { share, spread } = causes[cause];
    const cells = spread ? spreadCells(spread).slice(1) : [];
    return [WAIT_NAMES[cause], bar(share, BAR_WIDTH), percent(share), ...cells];
  });
  return section('time waited, by cause', ['', 'share', 'p50', 'p95', 'p99', 'max'], rows);
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
  const offers = attempts > 1 ? `, offered ${attempts} times` : '';
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
    ...(crashes === 0 ? [] : [`crashes of the service: ${crashes}`]),
    ...counted('datagrams that the gateway rejected', service.refused),
    ...found.map(({ count, about }) => `${count} × ${about}`),
  ];
  if (lines.length === 0) return [];
  return ['worth knowing', ...lines.flatMap((line) => wrap(line, WIDTH - 2).map((part) => `  ${part}`))];
}

function counted(what: string, counts: Readonly<Record<string, number>>): readonly string[] {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return parts.length === 0 ? [] : [`${what}: ${parts.join(', ')}`];
}

function expectations({ expectations: results }: RunResult, paint: Paint): readonly string[] {
  if (results.length === 0) return [];
  const width = Math.max(...results.map(({ line }) => line.length));
  const lines = results.flatMap(({ line, passed, undecided, left, unit, sentence }) => {
    const mark = paint('bad', undecided ? '?' : '✗');
    if (!passed) return [`  ${mark} ${line}`, ...wrap(sentence, WIDTH - 6).map((part) => `      ${part}`)];
    const value = left === null ? '' : shown(left, unit);
    return [`  ${paint('good', '✓')} ${line.padEnd(width)}  ${value}`];
  });
  return ['expectations', ...lines];
}

function shown(value: number, unit: ExpectationResult['unit']): string {
  switch (unit) {
    case 'ms':
      return humanDuration(value);
    case 'ratio':
      return `${Number((value * 100).toFixed(4))}%`;
    case 'count':
      return String(Number(value.toPrecision(12)));
    default:
      return unit satisfies never;
  }
}

/** Name of a stage. A downlink is delivered (in the API: `sent`) when its last fragment is acknowledged. */
function stageName(stage: (typeof STAGES)[number]): string {
  return stage === 'contact' ? 'first contact' : stage === 'delivered' ? 'acknowledged' : stage;
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
