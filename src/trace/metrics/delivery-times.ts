/** Histogram of delivery times: each bar is a range of time, split by the causes of waiting. */
import type { Ratio } from '../../kernel/ratio.js';
import type { Millis } from '../../kernel/time.js';
import { type DownlinkRecord, STAGES, type Stage, totalTime } from '../downlinks/ledger.js';
import { WAIT_CAUSES, type WaitCause } from '../downlinks/waits.js';

/** Lower edges of the bars; the last bar has no upper edge. They are the same in every run, so that runs can be compared. */
const EDGES: readonly Millis[] = [
  0, 50, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 45_000,
  60_000, 90_000, 120_000, 180_000, 300_000, 420_000, 600_000, 900_000, 1_200_000, 1_800_000, 2_700_000, 3_600_000,
  5_400_000, 7_200_000, 10_800_000, 18_000_000, 28_800_000, 43_200_000, 86_400_000, 172_800_000, 259_200_000,
  604_800_000,
];

export interface DeliveryTimes {
  readonly edges: readonly Millis[];
  /** Delivered downlinks by time to their last stage, each divided among its causes of waiting. */
  readonly byCause: Readonly<Record<WaitCause, readonly number[]>>;
  /** Downlinks by the time to each stage. */
  readonly byStage: Readonly<Partial<Record<Stage, readonly number[]>>>;
}

export function collectDeliveryTimes(records: Iterable<DownlinkRecord>): DeliveryTimes {
  const bars = () => new Array<number>(EDGES.length).fill(0);
  const byCause: Record<WaitCause, number[]> = {
    asleep: bars(),
    radio: bars(),
    transfer: bars(),
    service: bars(),
    device: bars(),
  };
  const byStage: Partial<Record<Stage, number[]>> = {};
  for (const record of records) {
    for (const stage of STAGES) {
      const at = record.reached[stage];
      if (at === undefined) continue;
      byStage[stage] ??= bars();
      add(byStage[stage], at - record.queuedAt, 1);
    }
    if (record.reached.delivered === undefined) continue;
    const total = totalTime(record);
    const { waits } = record;
    if (total === 0) add(byCause.transfer, 0, 1);
    else for (const cause of WAIT_CAUSES) add(byCause[cause], total, waits[cause] / total);
  }
  for (const cause of WAIT_CAUSES) byCause[cause] = byCause[cause].map((share) => Math.round(share * 1000) / 1000);
  return { edges: EDGES, byCause, byStage };
}

function add(bars: number[], time: Millis, share: Ratio): void {
  let bar = 0;
  while (bar + 1 < EDGES.length && time >= (EDGES[bar + 1] ?? 0)) bar++;
  bars[bar] = (bars[bar] ?? 0) + share;
}
