/** The run over time and its downlinks as CSV (csv-row.ts). */
import { type DownlinkRecord, findOutcome, STAGES, totalTime } from '../../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../../trace/downlinks/waits.js';
import { FLEET_STATES } from '../../trace/metrics/fleet-states.js';
import { SERIES_COUNTS } from '../../trace/metrics/series.js';
import { writeCsvRow } from '../csv-row.js';
import type { PartResult, RunResult } from '../result.js';

/** The run over time: counts of each bin, and the fleet's states at its end. Not measured: empty. */
export function writeSeriesCsv({ series }: RunResult): string {
  const { bin, bins, counts, callLatency, deliveryTime, fleet } = series;
  const columns: readonly (readonly [string, readonly (number | null)[]])[] = [
    ...SERIES_COUNTS.map((name) => [makeSnakeCase(name), counts[name]] as const),
    ...PERCENTILES.map((p) => [`call_latency_${p}_ms`, callLatency[p]] as const),
    ...PERCENTILES.map((p) => [`delivery_time_${p}_ms`, deliveryTime[p]] as const),
    ...FLEET_STATES.map((state) => [`devices_${state}`, fleet[state]] as const),
  ];
  const rows = Array.from({ length: bins }, (_, i) => [(i * bin) / 1000, ...columns.map(([, values]) => values[i])]);
  return [['from_s', ...columns.map(([name]) => name)], ...rows].map(writeCsvRow).join('');
}

/** One row per part of the run and metric. A duration has its percentiles in ms, and the number of exchanges without one. */
export function writePartsCsv(parts: readonly PartResult[]): string {
  const rows = parts.flatMap(({ by, value, counts, durations }) => [
    ...Object.entries(counts).map(([metric, count]) => [by, value, metric, count, null, ...SPREAD.map(() => null)]),
    ...Object.entries(durations).map(([metric, { spread, missing }]) => [
      ...[by, value, metric, spread?.count ?? 0, missing],
      ...SPREAD.map((figure) => round(spread?.[figure])),
    ]),
  ]);
  return [['by', 'value', 'metric', 'count', 'missing', ...SPREAD.map((figure) => `${figure}_ms`)], ...rows]
    .map(writeCsvRow)
    .join('');
}

const SPREAD = ['min', 'mean', 'p50', 'p95', 'p99', 'max'] as const;

/**
 * One row per downlink. The text is yielded in pieces, because all rows of a long run may not fit into one string. Times are in
 * ms: `queued_at_ms` since the start of the run, the stages since the API accepted the downlink.
 */
export function* writeDownlinksCsv(records: Iterable<DownlinkRecord>, names: RunResult['names']): Iterable<string> {
  yield writeCsvRow(DOWNLINK_COLUMNS.map(([title]) => title));
  for (const record of records) yield writeCsvRow(DOWNLINK_COLUMNS.map(([, read]) => read(record, names)));
}

type DownlinkColumn = readonly [
  title: string,
  read: (record: DownlinkRecord, names: RunResult['names']) => string | number | null | undefined,
];

const DOWNLINK_COLUMNS: readonly DownlinkColumn[] = [
  ['id', ({ id }) => id],
  ['device', ({ serial }, names) => names[String(serial)]],
  ['serial', ({ serial }) => serial],
  ['type', ({ type }) => type],
  ['queued_at_ms', ({ queuedAt }) => round(queuedAt)],
  ['outcome', findOutcome],
  ['attempts', ({ attempts }) => attempts],
  ['receptions', ({ receptions }) => receptions],
  ['evidence', ({ evidence }) => evidence],
  ['refused', ({ refused }) => String(refused)],
  ['total_ms', (record) => (record.last === undefined ? undefined : totalTime(record))],
  ...STAGES.map(
    (stage): DownlinkColumn => [
      `${stage}_ms`,
      ({ reached, queuedAt }) => round(measureSince(reached[stage], queuedAt)),
    ],
  ),
  ...WAIT_CAUSES.map(
    (cause): DownlinkColumn => [
      `wait_${cause}_ms`,
      ({ last, waits }) => (last === undefined ? undefined : waits[cause]),
    ],
  ),
];

const PERCENTILES = ['p50', 'p95', 'p99'] as const;

function measureSince(at: number | undefined, queuedAt: number): number | undefined {
  return at === undefined ? undefined : at - queuedAt;
}

/** Rounds to a thousandth, because real time has fractions of milliseconds. */
function round(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.round(value * 1000) / 1000;
}

function makeSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
