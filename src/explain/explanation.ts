/** An explanation of one downlink, as plain data. */
import type { Instant, Millis } from '../kernel/time.js';
import type { DownlinkOutcome, Stage, TrackedType } from '../trace/downlinks/ledger.js';
import type { Waits } from '../trace/downlinks/waits.js';

/** Why a downlink took as long as it did. Times are in ms of simulated time. */
export interface Explanation {
  /** Id of the downlink. */
  readonly downlink: string;
  readonly serial: number;
  /** Name of the device; its serial number if it has none. */
  readonly device: string;
  readonly type: TrackedType;
  /** Since the start of the run. */
  readonly queuedAt: Instant;
  /** `pending`: not delivered at the end of the trace. */
  readonly outcome: DownlinkOutcome;
  /** false: the cloud counts the downlink as delivered, but the device never received it. */
  readonly received: boolean;
  /** Why an expected answer never came. Missing if the answer came, if no answer is expected, or if no reason is known. */
  readonly noAnswer?: string;
  /**
   * Whether the run is in progress, and the answer may still come; `noAnswer` then says what has prevented the answer so far.
   */
  readonly awaitsAnswer?: true;
  /**
   * Time to the last stage of the downlink, to its cancellation or to its expiry; if it is pending, to the end of the scenario.
   */
  readonly took: Millis;
  /**
   * Causes without which the downlink would have been fast, and none of which alone is needless; empty for a fast downlink, or
   * if no such causes are known. If the device cannot be repeated: the causes with the longest waits.
   */
  readonly causes: readonly ExplainedCause[];
  /** The waits that make up the whole time, longest first. */
  readonly waits: readonly ExplainedWait[];
  /**
   * How the downlink ends if the plan is simulated without a change. Set for a run in real time or against another cloud:
   * {@link sooner} and {@link notSooner} are then those of the simulation.
   */
  readonly simulated?: RepeatedEnd;
  /**
   * Changes that would have delivered the downlink sooner, or with which the device would have received or answered a downlink
   * that it did not receive or answer; five at most. Changes that make it fast come first, fewest causes first; then the
   * others, most effective first.
   */
  readonly sooner: readonly ExplainedRemedy[];
  /**
   * Changes with which the downlink would not have got as far, for example because the run ended first, or would have taken
   * more than a tenth longer; five at most. Missing without such a change.
   */
  readonly notSooner?: readonly ExplainedRemedy[];
  /** Everything that happened from the queueing of the downlink to its last stage, in chronological order. */
  readonly timeline: readonly ExplainedEntry[];
  /** The explanation in one paragraph. */
  readonly text: string;
  /** Gaps in the history, one sentence each. */
  readonly unknown: readonly string[];
}

/** What happened to a downlink. */
export interface DownlinkCourse extends Pick<Explanation, 'outcome' | 'received' | 'took' | 'timeline'> {
  /** Times since it was queued; stages that it did not reach are left out. */
  readonly stages: Readonly<Partial<Record<Stage, Millis>>>;
}

export interface ExplainedCause {
  /**
   * `fault`, `step`: a fault or a step of the scenario. `interval`: the device was at rest until its next report or poll. `power-on`:
   * it was not switched on yet. `encoder`: the cloud has no encoder of it. `length`: the downlink is longer than its
   * buffer. `downlinks`: other downlinks came first. `update`: a firmware update came first.
   */
  readonly kind: 'fault' | 'step' | 'interval' | 'power-on' | 'encoder' | 'length' | 'downlinks' | 'update';
  /** `outage (region/north)`, `next report (every 30m, no polls)`, `next event report` */
  readonly name: string;
}

export interface ExplainedWait {
  /** Names of the causes; `exchange` for the time that every exchange takes, `unknown` if the trace has no cause. */
  readonly what: string;
  readonly time: Millis;
  /** The time by the causes of the tables: `asleep`, `radio`, `transfer`, `service`, `device`. */
  readonly parts: Waits;
}

/** How a downlink ends when its device is repeated. */
export interface RepeatedEnd extends Pick<Explanation, 'outcome' | 'received'> {
  /** To its end. If it is pending, to the end of the run; if it is lost, too. */
  readonly time: Millis;
}

/** A change of the scenario, and how the downlink ends with it. */
export interface ExplainedRemedy extends RepeatedEnd {
  /** Names of the causes that the change removes. */
  readonly without: readonly string[];
  /** `without outage (region/north)`, `with interval-poll 60` */
  readonly change: string;
}

export interface ExplainedEntry {
  /** Since the downlink was queued. */
  readonly at: Millis;
  /** `contact`: a successful exchange. `rule`: a rule of the firmware, such as a pause or a repetition. */
  readonly kind: 'stage' | 'contact' | 'failure' | 'fault' | 'rule';
  readonly what: string;
  /** How often in a row; missing if it happened once. */
  readonly times?: number;
  /**
   * Length of a pause of the modem, or of several pauses in a row together. The pause may end earlier. Missing for other
   * entries.
   */
  readonly lasts?: Millis;
  /** The longest of several pauses in a row. */
  readonly longest?: Millis;
}
