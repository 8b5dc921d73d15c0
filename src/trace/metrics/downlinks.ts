/**
 * Metrics of the downlinks of users: how many reached each stage, how long that took, and the causes of their waits. The time
 * of a stage counts from the instant at which the API accepted the downlink. The chunks of firmware updates have metrics of
 * their own: one update has hundreds of chunks, so they would hide the downlinks of users.
 */
import type { Ratio } from '../../kernel/ratio.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution, type Spread } from '../distribution.js';
import {
  DownlinkLedger,
  type DownlinkRecord,
  expectsAnswer,
  findOutcome,
  isOfUsers,
  listStages,
  STAGES,
  type Stage,
  type TrackedType,
  timeTo,
  totalTime,
  USER_TYPES,
} from '../downlinks/ledger.js';
import { WAIT_CAUSES, type WaitCause, type WaitStretch, type Waits } from '../downlinks/waits.js';
import type { DownlinkType } from '../events.js';
import { collectDeliveryTimes, type DeliveryTimes } from './delivery-times.js';
import { type MetricTable, type Missing, type Share, Tally } from './metric.js';
import { addRejected, REJECTED, Rejections } from './rejections.js';

/** queued = answered + delivered + pending + cancelled + expired */
interface DownlinkCounts {
  readonly queued: number;
  readonly answered: number;
  /** Delivered without an answer. Data and firmware downlinks are never answered. */
  readonly delivered: number;
  readonly pending: number;
  readonly cancelled: number;
  readonly expired: number;
}

/** Figures of the downlinks of users. */
export interface DownlinkSummary extends DownlinkCounts {
  /** Figures by type; only types that occurred. `firmware`: chunks of updates, which no other figure of this summary counts. */
  readonly byType: Readonly<Partial<Record<TrackedType, DownlinkTypeSummary>>>;
  /** Time from the API to each stage that downlinks reached, over all types. */
  readonly stages: StageSpreads;
  /** Causes of the waits of delivered downlinks. */
  readonly waits: Readonly<Record<WaitCause, WaitSummary>>;
  readonly times: DeliveryTimes;
  /** The ten delivered downlinks with the longest total time, longest first. */
  readonly slowest: readonly DownlinkTimeline[];
}

interface DownlinkTypeSummary extends DownlinkCounts {
  readonly stages: StageSpreads;
}

type StageSpreads = Readonly<Partial<Record<Stage, Spread>>>;

interface WaitSummary {
  /** Share of the total waiting time, 0 to 1; 0 when there was no waiting. */
  readonly share: Ratio;
  readonly total: Millis;
  /** Distribution of the waiting time of a downlink; null when no downlink was delivered. */
  readonly spread: Spread | null;
}

/** Stages and waits of one downlink. */
export interface DownlinkTimeline {
  readonly id: string;
  readonly serial: number;
  readonly type: TrackedType;
  readonly queuedAt: Instant;
  /** Time of each stage since it was queued. */
  readonly stages: Readonly<Partial<Record<Stage, Millis>>>;
  readonly attempts: number;
  /** The device refused the downlink or a line of it, so that it has no stage `executed`. */
  readonly refused: boolean;
  readonly total: Millis;
  readonly waits: Waits;
  /** The waits in chronological order, without gaps. */
  readonly stretches: readonly WaitStretch[];
}

/** Stages of chunks: the device reports neither that it has executed one nor an answer. */
const CHUNK_STAGES = ['contact', 'offered', 'received', 'delivered'] as const;

/** Number of downlinks in `slowest`. */
const SLOWEST = 10;

export class DownlinkFold {
  readonly #ledger: DownlinkLedger;
  readonly users: DownlinkFigures;
  /** The chunks of firmware updates. None is rejected, because the API accepts or rejects an update as a whole. */
  readonly chunks: DownlinkFigures;
  readonly on: Handlers;

  /** @param onStage called once for every stage that a downlink of a user reaches */
  constructor(onStage: (record: DownlinkRecord, stage: Stage) => void = () => {}) {
    const spreads = new Spreads();
    const rejections = new Rejections();
    this.#ledger = new DownlinkLedger((record, stage) => {
      spreads.getTimes(record.type, stage).record(timeTo(record, stage));
      if (isOfUsers(record.type)) onStage(record, stage);
    });
    this.users = new DownlinkFigures(USER_TYPES, this.#ledger, spreads, rejections);
    this.chunks = new DownlinkFigures(['firmware'], this.#ledger, spreads, new Rejections());
    this.on = { ...this.#ledger.on, ...rejections.on };
  }

  /** Downlinks of users and chunks, in the order in which they were queued. */
  get records(): Iterable<DownlinkRecord> {
    return this.#ledger.records;
  }

  /** Number of downlinks of users and of chunks for which `test` returns true. */
  count(test: (record: DownlinkRecord) => boolean): number {
    return this.users.count(test) + this.chunks.count(test);
  }

  summarise(): DownlinkSummary {
    return { ...this.users.summarise(), byType: { ...this.users.summariseByType(), ...this.chunks.summariseByType() } };
  }
}

/** Times to each stage, by type. */
class Spreads {
  readonly #spreads = new Map<string, Distribution>();

  getTimes(type: TrackedType, stage: Stage): Distribution {
    const key = `${type}/${stage}`;
    const known = this.#spreads.get(key);
    if (known) return known;
    const spread = new Distribution();
    this.#spreads.set(key, spread);
    return spread;
  }
}

class DownlinkFigures {
  readonly #types: readonly TrackedType[];
  readonly #ledger: DownlinkLedger;
  readonly #spreads: Spreads;
  readonly #rejections: Rejections;
  /** The downlinks in {@link getLastingWaits}. */
  readonly #lasting = new Set<DownlinkRecord>();
  readonly #lastingWaits = {
    ...{ asleep: new Distribution(), radio: new Distribution(), transfer: new Distribution() },
    ...{ service: new Distribution(), device: new Distribution() },
  };

  constructor(types: readonly TrackedType[], ledger: DownlinkLedger, spreads: Spreads, rejections: Rejections) {
    this.#types = types;
    this.#ledger = ledger;
    this.#spreads = spreads;
    this.#rejections = rejections;
  }

  *#records(): Generator<DownlinkRecord, void> {
    for (const record of this.#ledger.records) if (this.#types.includes(record.type)) yield record;
  }

  /** Downlinks that the API rejected. They have no record. */
  get rejected(): number {
    return this.#countRejected();
  }

  count(test: (record: DownlinkRecord) => boolean): number {
    let count = 0;
    for (const record of this.#records()) if (test(record)) count++;
    return count;
  }

  /** Times from the API to `stage`, over all types. */
  getStage(stage: Stage): Distribution {
    return Distribution.merge(this.#types.map((type) => this.#spreads.getTimes(type, stage)));
  }

  /** Number of downlinks that count for `stage` but have not reached it, by state, including those that the API rejected. */
  countMissing(stage: Stage): Missing {
    const tally = new Tally();
    for (const record of this.#records()) {
      if (canReach(record.type, stage) && record.reached[stage] === undefined) tally.add(getState(record));
    }
    const rejected = this.#countRejected(stage);
    if (rejected > 0) tally.add(REJECTED, rejected);
    return tally.makeRecord();
  }

  /** The share of downlinks that reached `stage` within `limit`, of all that were queued or rejected. */
  within(stage: Stage, limit: Millis, now: Instant): Share {
    const share = { total: 0, within: 0, open: 0 };
    for (const record of this.#records()) {
      if (!canReach(record.type, stage)) continue;
      share.total++;
      if (record.reached[stage] !== undefined) {
        if (timeTo(record, stage) <= limit) share.within++;
      } else if (!isLost(record, stage) && now - record.queuedAt < limit) share.open++;
    }
    return addRejected(share, this.#countRejected(stage));
  }

  /** @param stage counts only the types that can reach it. Default: all types */
  #countRejected(stage?: Stage): number {
    const types: readonly string[] = this.#types;
    return this.#rejections.count((type) => types.includes(type) && (stage === undefined || canReach(type, stage)));
  }

  /** Times that delivered downlinks waited for `cause`. */
  getWaits(cause: WaitCause): Distribution {
    const spread = new Distribution();
    for (const record of this.#records()) if (isDelivered(record)) spread.record(record.waits[cause]);
    return spread;
  }

  /** Those of downlinks without later stages, each as it was when it was first read: `cloud.took` may still divide it anew. */
  getLastingWaits(cause: WaitCause): Distribution {
    for (const record of this.#records()) {
      if (!isDelivered(record) || !record.closed || this.#lasting.has(record)) continue;
      this.#lasting.add(record);
      for (const each of WAIT_CAUSES) this.#lastingWaits[each].record(record.waits[each]);
    }
    return this.#lastingWaits[cause];
  }

  /** Only types that occurred. */
  summariseByType(): DownlinkSummary['byType'] {
    const byType: Partial<Record<TrackedType, DownlinkTypeSummary>> = {};
    for (const type of this.#types) {
      const counts = this.#counts((record) => record.type === type);
      if (counts.queued > 0)
        byType[type] = { ...counts, stages: this.#summariseStages((stage) => this.#spreads.getTimes(type, stage)) };
    }
    return byType;
  }

  summarise(): Omit<DownlinkSummary, 'byType'> {
    return {
      ...this.#counts(() => true),
      stages: this.#summariseStages((stage) => this.getStage(stage)),
      waits: this.#waitSummaries(),
      times: collectDeliveryTimes(this.#records()),
      slowest: this.#listSlowest(),
    };
  }

  #counts(test: (record: DownlinkRecord) => boolean): DownlinkCounts {
    const counts = { queued: 0, answered: 0, delivered: 0, pending: 0, cancelled: 0, expired: 0 };
    for (const record of this.#records()) {
      if (!test(record)) continue;
      counts.queued++;
      counts[findOutcome(record)]++;
    }
    return counts;
  }

  #summariseStages(spreadOf: (stage: Stage) => Distribution): StageSpreads {
    const spreads: Partial<Record<Stage, Spread>> = {};
    for (const stage of STAGES) {
      const spread = spreadOf(stage).spread();
      if (spread) spreads[stage] = spread;
    }
    return spreads;
  }

  #waitSummaries(): Readonly<Record<WaitCause, WaitSummary>> {
    const spreads = WAIT_CAUSES.map((cause) => this.getWaits(cause));
    const all = spreads.reduce((sum, spread) => sum + spread.sum, 0);
    const summaries = spreads.map((spread) => ({
      share: all === 0 ? 0 : spread.sum / all,
      total: spread.sum,
      spread: spread.spread() ?? null,
    }));
    return Object.fromEntries(WAIT_CAUSES.map((cause, i) => [cause, summaries[i]])) as Record<WaitCause, WaitSummary>;
  }

  #listSlowest(): readonly DownlinkTimeline[] {
    return [...this.#records()]
      .filter(isDelivered)
      .sort((a, b) => totalTime(b) - totalTime(a))
      .slice(0, SLOWEST)
      .map((record) => ({
        id: record.id,
        serial: record.serial,
        type: record.type,
        queuedAt: record.queuedAt,
        stages: listStages(record),
        attempts: record.attempts,
        refused: record.refused,
        total: totalTime(record),
        waits: record.waits,
        stretches: record.stretches,
      }));
  }
}

const STAGE_ABOUTS: Readonly<Record<Stage, string>> = {
  contact: 'to the next packet of the device',
  offered: 'until the cloud sent the first fragment',
  received: 'until the device had received it completely',
  delivered: 'until the cloud knew of its reception',
  executed: 'until the device had executed it',
  answered: 'until the cloud had stored the shell answer or the new configuration',
};

const USERS = ({ users }: DownlinkFold) => users;
const CHUNKS = ({ chunks }: DownlinkFold) => chunks;

const makeWaits = (cause: WaitCause) => ({
  durations: ({ users }: DownlinkFold) => users.getWaits(cause),
  missing: ({ users }: DownlinkFold) => users.countMissing('delivered'),
  lasting: ({ users }: DownlinkFold) => users.getLastingWaits(cause),
});

export const DOWNLINK_METRICS: MetricTable<DownlinkFold> = {
  'downlink.queued': {
    about: 'downlinks that the API accepted from users',
    count: ({ users }) => users.count(() => true),
  },
  ...makeStageTable('downlink', 'time from the API', STAGES, USERS),
  ...makeOutcomeTable('downlink', 'downlinks', USERS),
  'downlink.unanswered': {
    about: 'shell and config downlinks that were delivered but not answered',
    count: ({ users }) => users.count((record) => findOutcome(record) === 'delivered' && expectsAnswer(record.type)),
  },
  'downlink.refused': {
    about:
      'downlinks that the device refused: an unknown command or parameter, an invalid value, or a failed configuration',
    count: ({ users }) => users.count((record) => record.refused),
  },
  'downlink.rejected': {
    about: 'downlinks of steps and loads that the API rejected, so that they were never queued',
    count: ({ users }) => users.rejected,
  },
  'wait.asleep': {
    about: 'time that a delivered downlink waited for a sleeping device',
    ...makeWaits('asleep'),
  },
  'wait.radio': {
    about: 'time that a delivered downlink waited for the radio, or for repetitions',
    ...makeWaits('radio'),
  },
  'wait.transfer': {
    about: 'time that a delivered downlink waited for packets in transfer',
    ...makeWaits('transfer'),
  },
  'wait.service': {
    about: 'time that a delivered downlink waited for the cloud',
    ...makeWaits('service'),
  },
  'wait.device': {
    about: 'time that a delivered downlink waited for the device to run, save or reboot',
    ...makeWaits('device'),
  },
  'chunk.queued': {
    about: 'chunks of firmware images that the cloud queued for updates; a chunk is a downlink, but none of a user',
    count: ({ chunks }) => chunks.count(() => true),
  },
  ...makeStageTable('chunk', 'time from the queueing of a chunk of a firmware image', CHUNK_STAGES, CHUNKS),
  ...makeOutcomeTable('chunk', 'chunks of firmware images', CHUNKS),
};

/** Whether downlinks of this type can reach a stage: a device answers only shell and config downlinks. */
function canReach(type: DownlinkType, stage: Stage): boolean {
  return stage !== 'answered' || expectsAnswer(type);
}

/** Whether a downlink that has not reached `stage` can no longer reach it. */
function isLost({ ended, refused, partly }: DownlinkRecord, stage: Stage): boolean {
  if (ended !== undefined) return true;
  return refused && (stage === 'executed' || (stage === 'answered' && !partly));
}

/** The reason for which a downlink has not reached a stage, in a word or two. */
function getState(record: DownlinkRecord): string {
  if (record.refused) return 'refused';
  const outcome = findOutcome(record);
  return outcome === 'delivered' || outcome === 'answered' ? 'delivered only' : outcome;
}

function makeStageTable(
  family: string,
  time: string,
  stages: readonly Stage[],
  figures: (fold: DownlinkFold) => DownlinkFigures,
): MetricTable<DownlinkFold> {
  return Object.fromEntries(
    stages.map((stage) => [
      `${family}.${stage}`,
      {
        about: `${time} ${STAGE_ABOUTS[stage]}`,
        durations: (fold: DownlinkFold) => figures(fold).getStage(stage),
        missing: (fold: DownlinkFold) => figures(fold).countMissing(stage),
        within: (fold: DownlinkFold, limit: Millis, now: Instant) => figures(fold).within(stage, limit, now),
      },
    ]),
  );
}

function makeOutcomeTable(
  family: string,
  what: string,
  figures: (fold: DownlinkFold) => DownlinkFigures,
): MetricTable<DownlinkFold> {
  const counted = (about: string, test: (record: DownlinkRecord) => boolean) => ({
    about: `${what} ${about}`,
    count: (fold: DownlinkFold) => figures(fold).count(test),
  });
  return {
    [`${family}.pending`]: counted(
      'that were not delivered at the end of the run',
      (record) => findOutcome(record) === 'pending',
    ),
    [`${family}.cancelled`]: counted('that were cancelled', (record) => findOutcome(record) === 'cancelled'),
    [`${family}.expired`]: counted('that expired before their delivery', (record) => findOutcome(record) === 'expired'),
    [`${family}.unreceived`]: counted('that count as delivered although the device did not receive them', isUnreceived),
    [`${family}.received-twice`]: counted('that a device received more than once', ({ receptions }) => receptions > 1),
  };
}

/** Whether a downlink counts as delivered although the device did not receive it (wire W-34). */
export function isUnreceived(record: DownlinkRecord): boolean {
  return isDelivered(record) && record.receptions === 0;
}

function isDelivered(record: DownlinkRecord): boolean {
  return record.reached.delivered !== undefined;
}
