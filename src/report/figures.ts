/** The rows of the tables of a report, the same in text and in HTML. The first cell of a row is its name. */
import { humanCount, humanShare } from '../kernel/quantity.js';
import { humanDuration } from '../kernel/time.js';
import type { Spread } from '../trace/distribution.js';
import { STAGES, type Stage } from '../trace/downlinks/ledger.js';
import { WAIT_CAUSES, type WaitCause } from '../trace/downlinks/waits.js';
import type { PartResult, RunResult } from './result.js';

export type Row = readonly string[];

/** The columns of {@link spreadCells}. */
export const SPREAD_COLUMNS = ['count', 'p50', 'p95', 'p99', 'max'] as const;

export function spreadCells({ count, p50, p95, p99, max }: Spread): Row {
  return [humanCount(count), ...[p50, p95, p99, max].map(humanDuration)];
}

export const DOWNLINK_COLUMNS = ['queued', 'answered', 'delivered only', 'pending', 'cancelled', 'expired'] as const;

/** Downlinks by type, their sum if there are several types, and the chunks of firmware updates. */
export function listDownlinkRows({ downlinks }: RunResult): readonly Row[] {
  return listFamilies(downlinks).map(([type, { queued, answered, delivered, pending, cancelled, expired }]) => [
    type,
    ...[queued, answered, delivered, pending, cancelled, expired].map(humanCount),
  ]);
}

/** Name of the rows for all types, or all loads, together. */
const ALL = 'all';

/** The figures of each type; `all` are those of all users' downlinks, without the chunks. */
function listFamilies({ byType: { firmware: chunks, ...byType }, ...all }: RunResult['downlinks']) {
  const types = Object.entries(byType);
  return [
    ...types,
    ...(types.length > 1 ? [[ALL, all] as const] : []),
    ...(chunks === undefined ? [] : [['chunks', chunks] as const]),
  ];
}

interface StageRow {
  /** Type of the downlinks, `all`, or `chunks`. */
  readonly type: string;
  readonly stage: Stage;
  /** The cells of {@link SPREAD_COLUMNS}. */
  readonly cells: Row;
}

/** Times from the API to each stage, with the same types as in {@link listDownlinkRows}. */
export function listStageRows({ downlinks }: RunResult): readonly StageRow[] {
  return listFamilies(downlinks).flatMap(([type, { stages }]) =>
    STAGES.flatMap((stage) => {
      const spread = stages[stage];
      return spread === undefined ? [] : [{ type, stage, cells: spreadCells(spread) }];
    }),
  );
}

/** The parts of the run by one property: the columns, and a row for each part. */
interface PartTable {
  readonly by: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** The most important figures of each part. `parts.csv` has all of them. */
export function listPartTables({ parts = [] }: RunResult): readonly PartTable[] {
  return [...new Set(parts.map(({ by }) => by))].map((by) => {
    const figures = by === 'client' ? OF_CLIENTS : OF_DEVICES;
    const rows = parts.flatMap((part) =>
      part.by === by ? [[part.value, ...figures.map(([, read]) => read(part))]] : [],
    );
    return { by, columns: figures.map(([title]) => title), rows };
  });
}

type PartFigure = readonly [title: string, read: (part: PartResult) => string];

const countOf =
  (metric: string) =>
  ({ counts, durations }: PartResult) =>
    humanCount(counts[metric] ?? durations[metric]?.spread?.count ?? 0);
const showP95 =
  (metric: string) =>
  ({ durations }: PartResult) => {
    const spread = durations[metric]?.spread ?? undefined;
    return spread === undefined ? '–' : humanDuration(spread.p95);
  };

const OF_DEVICES: readonly PartFigure[] = [
  ['devices', countOf('fleet.devices')],
  ['ready', countOf('device.ready')],
  ['uplinks sent', countOf('uplink.sent')],
  ['stored', countOf('uplink.stored')],
  ['downlinks', countOf('downlink.queued')],
  ['answered', countOf('downlink.answered')],
  ['answered p95', showP95('downlink.answered')],
];
const OF_CLIENTS: readonly PartFigure[] = [
  ['requests', countOf('call.sent')],
  ['answered', countOf('call.answered')],
  ['failed', countOf('call.failed')],
  ['latency p95', showP95('call.latency')],
];

/** Name of a stage. `delivered` (`sent` in the API): the cloud counts it so; the device may not have it. */
export function nameStage(stage: Stage): string {
  return stage === 'contact' ? 'first contact' : stage;
}

interface WaitRow {
  readonly cause: WaitCause;
  /** Share of all waiting, 0 to 1. */
  readonly share: number;
  /** The share as a text, then the cells of {@link SPREAD_COLUMNS} without the count. */
  readonly cells: Row;
}

/** Causes of the waits of delivered downlinks; empty if there was no waiting. */
export function waitRows({ downlinks: { waits } }: RunResult): readonly WaitRow[] {
  if (WAIT_CAUSES.every((cause) => waits[cause].total === 0)) return [];
  return WAIT_CAUSES.map((cause) => {
    const { share, spread } = waits[cause];
    return { cause, share, cells: [humanShare(share), ...(spread === null ? [] : spreadCells(spread).slice(1))] };
  });
}

export const CALL_COLUMNS = ['planned', 'sent', 'answered', 'failed', '429', 'in flight', 'dropped'] as const;

/** API requests by load; the last row is the sum if there are several loads. */
export function callRows({ calls, allCalls }: RunResult): readonly Row[] {
  const loads = Object.entries(calls).map(([name, load]) => {
    return [load.closedLoop ? `${name} (closed loop)` : name, load] as const;
  });
  return [...loads, ...(loads.length > 1 && allCalls ? [[ALL, allCalls] as const] : [])].map(
    ([name, { planned, sent, answered, failed, refused, inFlight, dropped }]) => [
      name,
      ...[planned, sent, answered, failed, refused, inFlight, dropped].map(humanCount),
    ],
  );
}

export const ITERATION_COLUMNS = ['planned', 'done', 'failed', 'open', 'p50', 'p95', 'max'] as const;

/** Iterations of the loads with chains, with the time from when they were due to their end. */
export function iterationRows({ iterations = {} }: RunResult): readonly Row[] {
  return Object.entries(iterations).map(([name, { planned, done, failed, open, time }]) => [
    name,
    ...[planned, done, failed, open].map(humanCount),
    ...(time === undefined ? [] : [time.p50, time.p95, time.max].map(humanDuration)),
  ]);
}

/**
 * Times to the answer by load, and of all loads if there are several. Empty in virtual time, in which an answer takes no time.
 */
export function callTimeRows({ calls, allCalls, clock }: RunResult): readonly Row[] {
  if (clock === 'virtual') return [];
  const loads = Object.entries(calls);
  return [...loads, ...(loads.length > 1 && allCalls ? [[ALL, allCalls] as const] : [])].flatMap(
    ([name, { latency, service }]) => [
      ...(latency ? [[`${name}, since due`, ...spreadCells(latency)]] : []),
      ...(service ? [[`${name}, since sent`, ...spreadCells(service)]] : []),
    ],
  );
}

/**
 * How the times and rates of API requests relate to real time; undefined unless time of the run passed faster or slower. */
export function callPace({ clock, speed, calls }: RunResult): string | undefined {
  if (clock === 'virtual' || speed === null || speed === 1 || Object.keys(calls).length === 0) return undefined;
  return `Times of iterations and to the answer are in real time. The rates of the scenario are in time of the run: at × ${speed}, 1/s is ${speed}/s for the API.`;
}

export const UPLINK_COLUMNS = ['made', 'sent', 'acked', 'dropped', 'waiting', 'stored', 'copies'] as const;

export function listUplinkRows({ uplinks: { byType } }: RunResult): readonly Row[] {
  return Object.entries(byType).map(([type, { made, sent, acked, dropped, waiting, stored, copies }]) => [
    type,
    ...[made, sent, acked, dropped, waiting, stored, copies].map(humanCount),
  ]);
}

export const UPDATE_COLUMNS = ['scheduled', 'succeeded', 'failed', 'cancelled', 'open', 'restarts'] as const;

/** The counts of firmware updates; empty without updates. */
export function updateCells({ updates }: RunResult): Row {
  if (updates === undefined) return [];
  const { scheduled, succeeded, failed, cancelled, open, restarts } = updates;
  return [scheduled, succeeded, failed, cancelled, open, restarts].map(humanCount);
}

/** How far the clock of the target is ahead of or behind the clock of this machine, with the error; empty if unknown. */
export function describeTargetClock({ targetClock }: Pick<RunResult, 'targetClock'>): readonly string[] {
  if (targetClock === undefined) return [];
  const { offset, error } = targetClock;
  const away = offset < 0 ? `${humanDuration(-offset)} behind` : `${humanDuration(offset)} ahead`;
  return [`clock of the target ${away} ± ${humanDuration(error)}`];
}

/** What is worth knowing about a kind of event, with a device as an example. */
export function describeAnomaly({ about, serial }: RunResult['anomalies'][number], names: RunResult['names']): string {
  return serial === undefined ? about : `${about} (such as ${names[String(serial)] ?? serial})`;
}
