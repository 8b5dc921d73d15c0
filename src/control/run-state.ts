/** The state of a run, as the web console shows it. */
import type { ControlDescription } from '../console/control-help.js';
import type { Doing } from '../console/member.js';
import type { DownlinkCourse } from '../explain/explanation.js';
import type { Millis } from '../kernel/time.js';

export interface RunState {
  readonly name: string;
  readonly seed: string | number;
  readonly devices: number;
  /** Time since the start of the run. */
  readonly now_ms: Millis;
  /** The same moment as calendar time, ISO 8601. */
  readonly now: string;
  readonly duration_ms: Millis;
  /** Simulated seconds per real second. */
  readonly speed: number;
  readonly paused: boolean;
  /** Counts so far, by metric. */
  readonly counts: Readonly<Record<string, number>>;
  /** Percentiles of the durations so far, by metric. */
  readonly latencies: Readonly<Record<string, { readonly p50_ms: Millis; readonly p95_ms: Millis }>>;
  readonly expectations: readonly {
    readonly line: string;
    readonly state: 'holds' | 'fails' | 'undecided';
    readonly sentence: string;
    /** The likely cause of a failure, as a sentence; null if it does not fail, or if nothing is known. */
    readonly cause: string | null;
  }[];
  readonly faults: readonly RunFault[];
  /** Whether the run has time travel. */
  readonly travels: boolean;
  /** The latest event, as a sentence: `cellar-0003 wakes up for a report`; null before the first one. */
  readonly last_event: string | null;
  /** Address of the API of another cloud than the embedded one, whose time no console can change; null for the embedded one. */
  readonly target: string | null;
  /**
   * Whether the cloud keeps a history of its space, which most pages need. False for another cloud that has only the API that all
   * clouds have.
   */
  readonly has_history: boolean;
  /** The moment to which a run of the past was repeated, since its start; null for an original run. */
  readonly past_of_ms: Millis | null;
}

/** The last part of the stream of states. */
export interface RunEnded {
  /** Why the stream ends, as a sentence. */
  readonly ended: string;
  /** Null for a run without a result, and for a run of the past. */
  readonly verdict: RunVerdict | null;
}

/** The verdict on a run, as in its report. */
export interface RunVerdict {
  /** `passed`, `FAILED`, `INVALID`, `NOT FINISHED` or `interrupted` */
  readonly word: string;
  /** `open`: the run does not decide whether the expectations are met. */
  readonly look: 'good' | 'bad' | 'open';
  /** Why the run ended early or is invalid; null otherwise. */
  readonly failure: string | null;
  readonly digest: string;
  readonly events: number;
  readonly simulatedMs: Millis;
  readonly wallMs: Millis;
  readonly expectations: readonly {
    readonly line: string;
    readonly passed: boolean;
    readonly undecided?: boolean;
    readonly sentence: string;
    /** The likely cause of a failure, as a sentence; null if it is met, or if nothing is known. */
    readonly cause: string | null;
  }[];
}

/** Times in ms since the start of the run. */
interface RunFault {
  readonly id: string;
  /** `loss 10%` */
  readonly fault: string;
  readonly part: 'network' | 'device' | 'service';
  /** Selector of its devices; null for all devices. */
  readonly to: string | null;
  readonly from: number;
  /** null if the fault lasts until the end of the run, or until a user lifts it. */
  readonly until: number | null;
  readonly state: 'planned' | 'active' | 'over';
}

export interface FaultKind {
  readonly name: string;
  readonly about: string;
  /** An example of the fault, as in a scenario. */
  readonly example: string;
}

export interface Selection {
  /** Number of the selected devices. */
  readonly devices: number;
  /** The control commands; their words are for the first device. */
  readonly controls: readonly ControlDescription[];
}

/** What a device does at this moment. */
export interface DeviceDoing extends Doing {
  /** Time until its next regular report and poll; null if none is planned. */
  readonly next_report_ms: Millis | null;
  readonly next_poll_ms: Millis | null;
  /** Ids of the faults that affect it, also of those that are planned or over. */
  readonly faults: readonly string[];
}

export interface DownlinkWaits {
  readonly id: string;
  /** Waits until its delivery, or until now if it is pending; longest first. The names are the same as in explanations. */
  readonly waits: readonly { readonly what: string; readonly time_ms: Millis }[];
  /** What a pending downlink waits for now, in the same names; null if it is not pending, or if that is not known yet. */
  readonly now: string | null;
  /** Times since it was queued, by stage; stages that it has not reached are left out. */
  readonly stages_ms: DownlinkCourse['stages'];
}
