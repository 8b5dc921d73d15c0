/** Tables of the HTML report. */
import { humanCount, humanShare } from '../../kernel/quantity.js';
import { humanDuration } from '../../kernel/time.js';
import { describeReason, listReasons } from '../../trace/metrics/calls.js';
import {
  CALL_COLUMNS,
  callPace,
  callRows,
  callTimeRows,
  DOWNLINK_COLUMNS,
  describeAnomaly,
  ITERATION_COLUMNS,
  iterationRows,
  listDownlinkRows,
  listPartTables,
  listStageRows,
  listUplinkRows,
  nameStage,
  type Row,
  SPREAD_COLUMNS,
  spreadCells,
  UPDATE_COLUMNS,
  UPLINK_COLUMNS,
  updateCells,
  waitRows,
} from '../figures.js';
import type { RunResult } from '../result.js';
import { listWorkerRows, WORKER_COLUMNS } from '../workers.js';
import { isConstant, nameMark } from './lanes.js';
import { type Markup, makeId, markup, NOTHING } from './markup.js';

/** Longest name beside its numbers: with a longer one, a phone shows the names above them. */
const LONG_NAME = 14;

function writeTable(title: string, columns: readonly string[], rows: readonly Row[]): Markup {
  return writeTables(title, columns, [{ name: '', rows }]);
}

/** Tables below one heading, side by side if the page is wide enough. `name` of a group is the title of its first column. */
function writeTables(
  title: string,
  columns: readonly string[],
  groups: readonly { readonly name: string; readonly rows: readonly Row[] }[],
): Markup {
  const filled = groups.filter(({ rows }) => rows.length > 0);
  if (filled.length === 0) return NOTHING;
  const parts = filled.map(({ name, rows }) =>
    writeRows(name === '' ? title : `${title}: ${name}`, name, columns, rows),
  );
  const several = groups.length > 1;
  return markup`<div><h3 id="${makeId(title)}">${title}</h3>${several ? markup`<div class="even">${parts}</div>` : parts}</div>`;
}

function writeRows(about: string, group: string, columns: readonly string[], rows: readonly Row[]): Markup {
  const long = columns.length > 1 && rows.some(([name = '']) => name.length > LONG_NAME);
  const corner = group === '' ? markup`<td></td>` : markup`<th scope="col">${group}</th>`;
  const head = columns.map((column) => markup`<th scope="col">${column}</th>`);
  const body = rows.map(
    ([name = '', ...cells]) =>
      markup`<tr><th scope="row">${name}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`,
  );
  // A focusable table can be scrolled with the keyboard on a narrow page.
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${about}"><table class="${long ? 'long' : 'short'}"><thead><tr>${corner}${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Shows as many parts next to each other as fit. */
function sideBySide(parts: readonly Markup[]): Markup {
  return markup`<div class="tables">${parts}</div>`;
}

/** A table for each property that divides the run. */
export function writePartTables(result: RunResult): Markup {
  const tables = listPartTables(result);
  if (tables.length === 0) return NOTHING;
  return sideBySide(tables.map(({ by, columns, rows }) => writeTable(`By ${by}`, columns, rows)));
}

export function downlinkTables(result: RunResult): Markup {
  const stages = listStageRows(result);
  const types = [...new Set(stages.map(({ type }) => type))].map((type) => ({
    name: type === 'all' ? 'all types' : type,
    rows: stages.flatMap((row) => (row.type === type ? [[nameStage(row.stage), ...row.cells]] : [])),
  }));
  const waits = waitRows(result).map(({ cause, cells }) => [cause, ...cells]);
  return markup`${sideBySide([
    writeTable('Downlinks by type', DOWNLINK_COLUMNS, listDownlinkRows(result)),
    writeTable('What delivered downlinks waited for', ['share', ...SPREAD_COLUMNS.slice(1)], waits),
  ])}
${writeTables('Time from the API to each stage', SPREAD_COLUMNS, types)}`;
}

export function updateTable(result: RunResult): Markup {
  const { updates } = result;
  if (updates === undefined) return NOTHING;
  const { duration, reasons } = updates;
  const why = Object.entries(reasons).map(([reason, count]) => [reason, humanCount(count)]);
  return sideBySide([
    writeTable('Firmware updates', UPDATE_COLUMNS, [['all', ...updateCells(result)]]),
    writeTable('Time to the new version', SPREAD_COLUMNS, duration ? [['succeeded', ...spreadCells(duration)]] : []),
    writeTable('Why updates failed', ['count'], why),
  ]);
}

export function loadTables(result: RunResult): Markup {
  const requests = callRows(result);
  if (requests.length === 0) return NOTHING;
  const reasons = listReasons([result.calls]).map((reason) => [
    `${reason.load}: ${describeReason(reason)}`,
    humanCount(reason.count),
  ]);
  const virtual = result.clock === 'virtual';
  const pace = callPace(result);
  return markup`${sideBySide([
    writeTable('Requests', CALL_COLUMNS, requests),
    writeTable('Iterations', ITERATION_COLUMNS, iterationRows(result)),
    virtual ? NOTHING : writeTable('Time to the answer', SPREAD_COLUMNS, callTimeRows(result)),
    writeTable('Why requests failed or were dropped', ['count'], reasons),
    writeGeneratorTable(result.generator),
  ])}
${virtual ? markup`<p class="faint">In virtual time the embedded cloud answers without delay, so there are no latencies.</p>` : NOTHING}${pace === undefined ? NOTHING : markup`<p class="faint">${pace}</p>`}`;
}

function writeGeneratorTable(generator: RunResult['generator']): Markup {
  if (generator === null) return NOTHING;
  const { lateness, eventLoopDelay, stall, busy, cpu, gc } = generator;
  return writeTable(
    'The generator',
    ['value'],
    [
      ...(lateness === undefined
        ? []
        : [
            ['delay of actions, p99', humanDuration(lateness.p99)],
            ['delay of actions, max', humanDuration(lateness.max)],
          ]),
      ['delay of the event loop, p99', humanDuration(eventLoopDelay)],
      ['longest stop of this process', humanDuration(stall)],
      ['event loop busy', humanShare(busy)],
      ['cores used', cpu.toFixed(1)],
      ['time in garbage collection', humanShare(gc)],
    ],
  );
}

/** How well each worker of a divided run kept up. */
export function writeWorkerTable(result: RunResult): Markup {
  const rows = listWorkerRows(result);
  if (rows.length === 0) return NOTHING;
  return markup`<div class="workers">${writeTable('How well they kept up', WORKER_COLUMNS, rows)}</div>`;
}

export function writeFleetTables(result: RunResult): Markup {
  const { fleet, faults, service, planned, anomalies, steps, uplinks, names } = result;
  const tally = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${humanCount(count)}`)
      .join(', ');
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  const counted: readonly (readonly [string, number])[] = [
    ['devices in the plan', fleet.devices],
    ['devices with a session', fleet.sessions],
    ['devices that were ready', fleet.ready],
    [`boots (${tally(fleet.boots)})`, sum(fleet.boots)],
    [`radio wakes (${tally(fleet.wakes)})`, sum(fleet.wakes)],
    ['repeated datagrams', fleet.repeats],
    ['restarted transfers', fleet.restarts],
    ['failed polls', fleet.pollsFailed],
    ['steps executed', steps.done],
    ['steps failed', steps.failed],
    ...Object.entries(uplinks.reasons).map(([why, count]) => [`data uplinks dropped: ${why}`, count] as const),
    ...Object.entries(faults).map(([fault, count]) => [`datagrams affected by ${fault}`, count] as const),
    ...Object.entries(service.refused).map(
      ([why, count]) => [`datagrams that the gateway rejected: ${why}`, count] as const,
    ),
    ...Object.entries(service.faults).map(([fault, count]) => [`service fault: ${fault}`, count] as const),
    ...(service.crashes > 0 ? [['crashes of the service', service.crashes] as const] : []),
  ];
  const constant = planned.marks.filter((mark) => mark.kind === 'fault' && isConstant(mark)).map(nameMark);
  return markup`${sideBySide([
    writeTable('Uplinks by type', UPLINK_COLUMNS, listUplinkRows(result)),
    writeTable(
      'The fleet and its network',
      ['number'],
      counted.map(([name, count]) => [name, humanCount(count)]),
    ),
    writeTable(
      'Worth knowing',
      ['times'],
      anomalies.map((each) => [describeAnomaly(each, names), humanCount(each.count)]),
    ),
  ])}${constant.length === 0 ? NOTHING : markup`<p>Faults throughout the run: ${constant.join(', ')}</p>`}`;
}
