/**
 * What users sent down: how many got how far, how long that took, and what they waited for. Every duration of a stage
 * counts from the moment at which the API accepted the downlink.
 */
import type { Ratio } from '../../kernel/ratio.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import {
  DownlinkLedger,
  type DownlinkRecord,
  isAnswered,
  STAGES,
  type Stage,
  totalTime,
  USER_TYPES,
  type UserType,
} from '../downlinks/ledger.js';
import { WAIT_CAUSES, type WaitCause, type WaitStretch, type Waits } from '../downlinks/waits.js';
import { type DeliveryTimes, deliveryTimes } from './delivery-times.js';
import type { MetricTable } from './metric.js';

/** queued = answered + delivered + pending + cancelled + expired */
interface DownlinkCounts {
  readonly queued: number;
  readonly answered: number;
  /** Delivered, without an answer (yet): all that data and firmware can reach. */
  readonly delivered: number;
  readonly pending: number;
  readonly cancelled: number;
  readonly expired: number;
}

export interface DownlinkSummary extends DownlinkCounts {
  /** Only types that occurred. */
  readonly byType: Readonly<Partial<Record<UserType, DownlinkTypeSummary>>>;
  /** Time from the API to each stage that was reached, all types together. */
  readonly stages: StageSpreads;
  /** What the downlinks that were delivered waited for. */
  readonly waits: Readonly<Record<WaitCause, WaitSummary>>;
  readonly times: DeliveryTimes;
  /** The ones that took longest of those that were delivered, longest first. */
  readonly slowest: readonly DownlinkTimeline[];
}

interface DownlinkTypeSummary extends DownlinkCounts {
  readonly stages: StageSpreads;
}

type StageSpreads = Readonly<Partial<Record<Stage, Spread>>>;

interface WaitSummary {
  /** Of all time that downlinks waited, from 0 to 1; 0 when nobody waited. */
  readonly share: Ratio;
  readonly total: Millis;
  /** Per downlink; null when none was delivered. */
  readonly spread: Spread | null;
}

/** One downlink in full. */
export interface DownlinkTimeline {
  readonly id: string;
  readonly serial: number;
  readonly type: UserType;
  readonly queuedAt: Instant;
  /** Times since it was queued. */
  readonly stages: Readonly<Partial<Record<Stage, Millis>>>;
  readonly attempts: number;
  readonly total: Millis;
  readonly waits: Waits;
  /** The course of the waits, without gaps. */
  readonly stretches: readonly WaitStretch[];
}

/** Shown one by one. */
const SLOWEST = 10;

export class DownlinkFold {
  readonly #spreads = new Map<string, Distribution>();
  readonly #ledger: DownlinkLedger;
  readonly on: Handlers;

  /** @param onStage is told once for every stage that a downlink reaches */
  constructor(onStage: (record: DownlinkRecord, stage: Stage) => void = () => {}) {
    this.#ledger = new DownlinkLedger((record, stage) => {
      this.#spread(record.type, stage).record(timeTo(record, stage));
      onStage(record, stage);
    });
    this.on = this.#ledger.on;
  }

  get records(): Iterable<DownlinkRecord> {
    return this.#ledger.records;
  }

  /** Number of downlinks that `test` holds for. */
  count(test: (record: DownlinkRecord) => boolean): number {
    let count = 0;
    for (const record of this.records) if (test(record)) count++;
    return count;
  }

  /** Times from the API to `stage`, all types together. */
  stage(stage: Stage): Distribution {
    return Distribution.merged(USER_TYPES.map((type) => this.#spread(type, stage)));
  }

  /** What delivered downlinks waited for `cause`. */
  waits(cause: WaitCause): Distribution {
    const spread = new Distribution();
    for (const record of this.records) if (wasDelivered(record)) spread.record(record.waits[cause]);
    return spread;
  }

  summary(): DownlinkSummary {
    const byType: Partial<Record<UserType, DownlinkTypeSummary>> = {};
    for (const type of USER_TYPES) {
      const counts = this.#counts((record) => record.type === type);
      if (counts.queued > 0) byType[type] = { ...counts, stages: this.#stages((stage) => this.#spread(type, stage)) };
    }
    return {
      ...this.#counts(() => true),
      byType,
      stages: this.#stages((stage) => this.stage(stage)),
      waits: this.#waitSummaries(),
      times: deliveryTimes(this.records),
      slowest: this.#slowest(),
    };
  }

  #counts(test: (record: DownlinkRecord) => boolean): DownlinkCounts {
    const counts = { queued: 0, answered: 0, delivered: 0, pending: 0, cancelled: 0, expired: 0 };
    for (const record of this.records) {
      if (!test(record)) continue;
      counts.queued++;
      counts[outcomeOf(record)]++;
    }
    return counts;
  }

  #stages(spreadOf: (stage: Stage) => Distribution): StageSpreads {
    const spreads: Partial<Record<Stage, Spread>> = {};
    for (const stage of STAGES) {
      const spread = spreadOf(stage).spread();
      if (spread) spreads[stage] = spread;
    }
    return spreads;
  }

  #waitSummaries(): Readonly<Record<WaitCause, WaitSummary>> {
    const spreads = WAIT_CAUSES.map((cause) => this.waits(cause));
    const all = spreads.reduce((sum, spread) => sum + spread.sum, 0);
    const summaries = spreads.map((spread) => ({
      share: all === 0 ? 0 : spread.sum / all,
      total: spread.sum,
      spread: spread.spread() ?? null,
    }));
    // Because WAIT_CAUSES lists every cause once.
    return Object.fromEntries(WAIT_CAUSES.map((cause, i) => [cause, summaries[i]])) as Record<WaitCause, WaitSummary>;
  }

  #slowest(): readonly DownlinkTimeline[] {
    return [...this.records]
      .filter(wasDelivered)
      .sort((a, b) => totalTime(b) - totalTime(a))
      .slice(0, SLOWEST)
      .map((record) => ({
        id: record.id,
        serial: record.serial,
        type: record.type,
        queuedAt: record.queuedAt,
        stages: Object.fromEntries(
          STAGES.filter((stage) => record.reached[stage] !== undefined).map((stage) => [stage, timeTo(record, stage)]),
        ),
        attempts: record.attempts,
        total: totalTime(record),
        waits: record.waits,
        stretches: record.stretches,
      }));
  }

  #spread(type: UserType, stage: Stage): Distribution {
    const key = `${type}/${stage}`;
    const known = this.#spreads.get(key);
    if (known) return known;
    const spread = new Distribution();
    this.#spreads.set(key, spread);
    return spread;
  }
}

export const DOWNLINK_METRICS: MetricTable<DownlinkFold> = {
  'downlink.queued': { about: 'downlinks that the API accepted from users', count: (fold) => fold.count(() => true) },
  ...stageTable({
    contact: 'to the first packet of the device after it',
    offered: 'until its first fragment went out',
    received: 'until it was whole on the device',
    delivered: 'until the cloud knew that it was received',
    executed: 'until the device had done what it says',
    answered: 'until a shell answer or the new configuration was stored',
  }),
  'downlink.pending': {
    about: 'downlinks that still waited for their delivery at the end',
    count: (fold) => fold.count((record) => outcomeOf(record) === 'pending'),
  },
  'downlink.cancelled': {
    about: 'downlinks that were cancelled',
    count: (fold) => fold.count((record) => outcomeOf(record) === 'cancelled'),
  },
  'downlink.expired': {
    about: 'downlinks that expired undelivered',
    count: (fold) => fold.count((record) => outcomeOf(record) === 'expired'),
  },
  'downlink.unanswered': {
    about: 'shell and config downlinks that were delivered, and no answer came',
    count: (fold) => fold.count((record) => outcomeOf(record) === 'delivered' && isAnswered(record.type)),
  },
  'downlink.refused': {
    about: 'downlinks that the device received and could not carry out',
    count: (fold) => fold.count((record) => record.refused),
  },
  'downlink.unreceived': {
    about: 'downlinks that count as delivered though the device never had them whole',
    count: (fold) => fold.count(isUnreceived),
  },
  'downlink.received-twice': {
    about: 'downlinks that a device received more than once',
    count: (fold) => fold.count((record) => record.receptions > 1),
  },
  'wait.asleep': {
    about: "the share of a delivered downlink's time: asleep",
    durations: (fold) => fold.waits('asleep'),
  },
  'wait.radio': { about: '… waiting for the radio, or for repetitions', durations: (fold) => fold.waits('radio') },
  'wait.transfer': { about: '… packets going to and fro', durations: (fold) => fold.waits('transfer') },
  'wait.service': { about: '… the cloud at work', durations: (fold) => fold.waits('service') },
  'wait.device': { about: '… the device at work', durations: (fold) => fold.waits('device') },
};

function stageTable(abouts: Readonly<Record<Stage, string>>): MetricTable<DownlinkFold> {
  return Object.fromEntries(
    STAGES.map((stage) => [
      `downlink.${stage}`,
      { about: `from the API ${abouts[stage]}`, durations: (fold: DownlinkFold) => fold.stage(stage) },
    ]),
  );
}

/** Wire protocol, section 14, quirk 12. */
export function isUnreceived(record: DownlinkRecord): boolean {
  return wasDelivered(record) && record.receptions === 0;
}

function outcomeOf(record: DownlinkRecord): 'answered' | 'delivered' | 'pending' | 'cancelled' | 'expired' {
  if (record.reached.answered !== undefined) return 'answered';
  if (record.reached.delivered !== undefined) return 'delivered';
  return record.ended ?? 'pending';
}

function wasDelivered(record: DownlinkRecord): boolean {
  return record.reached.delivered !== undefined;
}

function timeTo(record: DownlinkRecord, stage: Stage): Millis {
  return Math.round(record.reached[stage] ?? record.queuedAt) - Math.round(record.queuedAt);
}
