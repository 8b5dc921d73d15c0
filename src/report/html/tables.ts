/** Tables of the HTML report. */
import type { Ratio } from '../../kernel/ratio.js';
import { humanDuration } from '../../kernel/time.js';
import type { Spread } from '../../trace/distribution.js';
import { STAGES } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import type { RunResult } from '../result.js';
import { type Markup, markup, NOTHING } from './markup.js';
import { isConstant, nameOf } from './over-time.js';

type Row = readonly (string | number)[];

const SPREAD = ['count', 'median', 'p95', 'p99', 'max'] as const;

function spreadCells({ count, p50, p95, p99, max }: Spread): Row {
  return [count, ...[p50, p95, p99, max].map(humanDuration)];
}

function table(title: string, columns: readonly string[], rows: readonly Row[]): Markup {
  if (rows.length === 0) return NOTHING;
  const head = columns.map((column) => markup`<th scope="col">${column}</th>`);
  const body = rows.map(
    ([name = '', ...cells]) =>
      markup`<tr><th scope="row">${name}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`,
  );
  // A focusable table can be scrolled with the keyboard on a narrow page.
  return markup`<h3>${title}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr><td></td>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export function downlinkTables({ downlinks }: RunResult): Markup {
  const types = Object.entries(downlinks.byType);
  const counts = types.map(([type, { queued, answered, delivered, pending, cancelled, expired }]) => [
    ...[type, queued, answered, delivered, pending, cancelled, expired],
  ]);
  const stages = STAGES.flatMap((stage) => {
    const spread = downlinks.stages[stage];
    return spread === undefined ? [] : [[stage === 'delivered' ? 'acknowledged' : stage, ...spreadCells(spread)]];
  });
  const waits = WAIT_CAUSES.flatMap((cause) => {
    const { share, spread } = downlinks.waits[cause];
    if (spread === null) return [];
    return [[cause, percent(share), ...spreadCells(spread).slice(1)]];
  });
  return markup`${table('Downlinks by type', ['queued', 'answered', 'delivered only', 'pending', 'cancelled', 'expired'], counts)}
${table('Time from the API to each stage', SPREAD, stages)}
${table('What delivered downlinks waited for', ['share', ...SPREAD.slice(1)], waits)}`;
}

export function updateTable({ updates }: RunResult): Markup {
  if (updates === undefined) return NOTHING;
  const { scheduled, succeeded, failed, cancelled, open, restarts, duration, reasons } = updates;
  const columns = ['scheduled', 'succeeded', 'failed', 'cancelled', 'open', 'restarts'];
  const why = Object.entries(reasons).map(([reason, count]) => [reason, count]);
  return markup`${table('Firmware updates', columns, [['', scheduled, succeeded, failed, cancelled, open, restarts]])}
${table('Time to the new version', SPREAD, duration ? [['succeeded', ...spreadCells(duration)]] : [])}
${table('Why updates failed', ['count'], why)}`;
}

export function uplinkTable({ uplinks }: RunResult): Markup {
  const rows = Object.entries(uplinks.byType).map(([type, { made, sent, acked, dropped, waiting, stored, copies }]) => [
    ...[type, made, sent, acked, dropped, waiting, stored, copies],
  ]);
  const columns = ['made', 'sent', 'acknowledged', 'dropped', 'waiting', 'stored', 'copies'];
  return table('Uplinks by type', columns, rows);
}

export function loadTables({ calls, clock, generator }: RunResult): Markup {
  const loads = Object.entries(calls);
  if (loads.length === 0) return NOTHING;
  const counts = loads.map(([name, { planned, sent, answered, failed, refused, inFlight, dropped, closedLoop }]) => [
    closedLoop ? `${name} (closed loop: users wait for their answers)` : name,
    ...[planned, sent, answered, failed, refused, inFlight, dropped],
  ]);
  const latencies = loads.flatMap(([name, { latency, service }]) => [
    ...(latency ? [[`${name}, since due`, ...spreadCells(latency)]] : []),
    ...(service ? [[`${name}, since sent`, ...spreadCells(service)]] : []),
  ]);
  const reasons = loads.flatMap(([name, { reasons: why }]) =>
    Object.entries(why).map(([reason, count]) => [`${name}: ${reason}`, count]),
  );
  return markup`<section><h2>API requests</h2>${table('Requests', ['planned', 'sent', 'answered', 'failed', '429', 'in flight', 'dropped'], counts)}
${clock === 'virtual' ? markup`<p class="faint">In virtual time the embedded cloud answers without delay, so there are no latencies.</p>` : table('Time to the answer', SPREAD, latencies)}
${table('Why requests failed or were dropped', ['count'], reasons)}${generatorTable(generator)}</section>`;
}

function generatorTable(generator: RunResult['generator']): Markup {
  if (generator === null) return NOTHING;
  const { lateness, eventLoopDelay, busy, cpu, gc } = generator;
  return table(
    'The generator',
    ['value'],
    [
      ...(lateness === undefined
        ? []
        : [
            ['delay of actions, 99 %', humanDuration(lateness.p99)],
            ['delay of actions, maximum', humanDuration(lateness.max)],
          ]),
      ['delay of the event loop, 99 %', humanDuration(eventLoopDelay)],
      ['event loop busy', percent(busy)],
      ['cores used', cpu.toFixed(1)],
      ['time in garbage collection', percent(gc)],
    ],
  );
}

export function fleetTables({ fleet, faults, service, planned, anomalies, steps, uplinks }: RunResult): Markup {
  const tally = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const sum = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  const rows: Row[] = [
    ['devices in the plan', fleet.devices],
    ['devices with a session', fleet.ready],
    [`boots (${tally(fleet.boots)})`, sum(fleet.boots)],
    [`radio wakes (${tally(fleet.wakes)})`, sum(fleet.wakes)],
    ['repeated datagrams', fleet.repeats],
    ['restarted transfers', fleet.restarts],
    ['failed polls', fleet.pollsFailed],
    ['steps executed', steps.done],
    ['steps failed', steps.failed],
    ...Object.entries(uplinks.reasons).map(([reason, count]) => [`data uplinks dropped: ${reason}`, count]),
    ...planned.marks
      .filter((mark) => mark.kind === 'fault' && isConstant(mark))
      .map((mark) => [`active throughout the run: ${nameOf(mark)}`, '']),
    ...Object.entries(faults).map(([fault, count]) => [`datagrams affected by ${fault}`, count]),
    ...Object.entries(service.refused).map(([why, count]) => [`datagrams that the gateway rejected: ${why}`, count]),
    ...Object.entries(service.faults).map(([fault, count]) => [`service fault: ${fault}`, count]),
    ...(service.crashes > 0 ? [['crashes of the service', service.crashes]] : []),
  ];
  return markup`${table('The fleet and its network', ['number'], rows)}${table(
    'Worth knowing',
    ['times'],
    anomalies.map(({ about, count }) => [about, count]),
  )}`;
}

function percent(share: Ratio): string {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}
