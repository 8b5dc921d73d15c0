/** The result of a run as plain data. The runner creates it; renderers are pure functions of it. */

import type { Explanation } from '../explain/explanation.js';
import type { Situation } from '../explain/situation.js';
import type { ExitCode } from '../kernel/errors.js';
import type { Unit } from '../kernel/quantity.js';
import type { Ratio } from '../kernel/ratio.js';
import type { Instant, Millis } from '../kernel/time.js';
import type { Spread } from '../trace/distribution.js';
import type { RunSummary } from '../trace/metrics/index.js';

/** Format version of `summary.json`, raised by changes to which programs that read the file must adapt. */
export const SUMMARY_FORMAT = 2;

export interface RunResult extends RunSummary {
  readonly format: typeof SUMMARY_FORMAT;
  readonly scenario: string;
  readonly seed: number;
  /** First 16 hex digits of the SHA-256 of the trace: runs with the same digest had the same events. */
  readonly digest: string;
  readonly planDigest: string;
  /** Version of ghostfleet; missing when the caller did not give it. */
  readonly version?: string;
  /** ISO 8601 time in UTC at which the run started; missing when the caller did not give it. */
  readonly startedAt?: string;
  /** Description of the scenario; missing when it has none. */
  readonly about?: string;
  /** Whether all expectations are met and the run finished. */
  readonly passed: boolean;
  readonly exitCode: ExitCode;
  /** Why the run ended early or is invalid; null otherwise. */
  readonly failure: string | null;
  /**
   * Facts that put the verdict into question although no expectation covers them: faults and steps without an effect, devices
   * that were never ready, loads that sent no request, and connectors with failed or unfinished deliveries.
   */
  readonly warnings: readonly string[];
  readonly clock: 'virtual' | 'real';
  /** Simulated time per real time; null in virtual time. */
  readonly speed: number | null;
  /** `embedded`, or the address of the cloud. */
  readonly target: string;
  readonly transport: string;
  /**
   * How far the clock of the target is ahead of the clock of this machine, in ms, and the largest error of this number; in a
   * run with workers, for the clocks of all their machines. The times of the target are corrected by it. Missing for the
   * embedded cloud.
   */
  readonly targetClock?: { readonly offset: Millis; readonly error: Millis };
  /** Output directory; null when the run wrote no files. */
  readonly out: string | null;
  readonly simulatedMs: Millis;
  readonly wallMs: Millis;
  /** Load of the process that simulates the fleet; null in virtual time, in which the process cannot be late. */
  readonly generator: GeneratorReport | null;
  /** The workers among which a run in real time was divided; missing for all other runs. */
  readonly workers?: readonly WorkerReport[];
  /** Number of events in the trace. */
  readonly events: number;
  readonly expectations: readonly ExpectationResult[];
  /** The metrics of parts of the run, by group, region and so on; missing unless the scenario asks for them. */
  readonly parts?: readonly PartResult[];
  readonly planned: PlannedSchedule;
  /** Explanations of the slowest downlinks, five at most, slowest first. Missing if the run had too many events to keep. */
  readonly explanations?: readonly Explanation[];
  /** The scenario file of the run, for a repetition; missing if the run was started by a program, or has no file. */
  readonly source?: RunSource;
  /** The command that reproduces the run, with a comment when the run was changed from a console. */
  readonly reproduce: string;
  /** Suggested commands. */
  readonly next: readonly string[];
  /** What the run created in another cloud and could not delete; missing if nothing is left. */
  readonly left?: Leftovers;
  /** Names of the devices in the report, by serial number. */
  readonly names: Readonly<Record<string, string>>;
}

/** The metrics of a part of the run. */
export interface PartResult {
  /** What divides the run: `group`, `region`, `profile`, `firmware` (that of the factory), `tag` or `client`. */
  readonly by: string;
  /** `(none)`: what has no value. `(others)`: all values but the 20 largest ones. */
  readonly value: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Durations in ms. Without a measurement, `spread` is null. */
  readonly durations: Readonly<Record<string, { readonly spread: Spread | null; readonly missing: number }>>;
}

/** A scenario file, and everything besides the seed that decides the plan. */
export interface RunSource {
  /** As it was typed: a path, or the name of a packaged scenario. */
  readonly file: string;
  readonly firmware?: string | undefined;
  /** Values of variables; null for a secret one. */
  readonly vars: Readonly<Record<string, string | null>>;
  /** Files outside the folder of the scenario that it may read. */
  readonly allowFile: readonly string[];
}

/** What a run left in another cloud; `ghostfleet clean` removes it. */
export interface Leftovers {
  /** Name of the run for `ghostfleet clean`. */
  readonly run: string;
  /** Address of the API, without credentials. */
  readonly api: string;
  readonly spaceId: string;
  /** ISO 8601 time in UTC at which the run began. */
  readonly since: string;
  readonly things: readonly LeftThing[];
}

export interface LeftThing {
  /** `device "clime-0001"` */
  readonly what: string;
  /** Name of its space in the scenario; null for the space of the fleet. */
  readonly space: string | null;
  /**
   * Path for its deletion, below the space. If the answer to its creation was lost, `{id}` stands for the id, which is looked
   * for in the list before it; for a device, the path is missing.
   */
  readonly path?: string;
  /** Serial number, by which such a device is looked for. */
  readonly serial?: number;
  /** Fields by which any other such thing is looked for. */
  readonly by?: Readonly<Record<string, string | null>>;
  /** Why it could not be deleted. */
  readonly why: string;
}

/** Device types, faults, steps and loads as the scenario planned them. */
interface PlannedSchedule extends Situation {
  readonly duration: Millis;
  readonly warmUp: Millis;
  readonly marks: readonly PlannedMark[];
  /** Ids of the faults that affect a device, by serial number. Only the devices of the slowest downlinks are listed. */
  readonly faultsOf: Readonly<Record<string, readonly string[]>>;
  /** Fingerprint of the scenario without its seed, 16 hex digits: equal for runs that can be compared. */
  readonly situation: string;
}

export interface PlannedMark {
  readonly kind: 'fault' | 'step' | 'load';
  /** Id of a fault: `fault-2`. A recurring fault has one mark for each of its times. */
  readonly id?: string;
  /** `loss 10%`, `commands: info show`. */
  readonly what: string;
  /** Selected devices; empty for all devices. */
  readonly whom: string;
  readonly from: Instant;
  /** null if it lasts until the end of the run. */
  readonly until: Instant | null;
}

/** How well the process that simulates the fleet kept up with real time. */
export interface GeneratorReport {
  /** Delay of actions after their due times; undefined without actions. */
  readonly lateness: Spread | undefined;
  /** 99th percentile of the delay of the event loop. */
  readonly eventLoopDelay: Millis;
  /** Longest stall of this process: the longest delay of the event loop or of an action. */
  readonly stall: Millis;
  /** Share of the time in which the event loop was busy, 0 to 1. */
  readonly busy: Ratio;
  /** Cores in use on average. */
  readonly cpu: number;
  /** Share of the time in garbage collection, 0 to 1. */
  readonly gc: Ratio;
  /** Reason for which the measured numbers do not describe the service; null if they do. */
  readonly spoiled: string | null;
  /** Errors of the system; missing if there were none. */
  readonly errors?: readonly SystemError[];
}

/** Errors of one kind that the system of the generator reported. */
export interface SystemError {
  /**
   * What failed: look-ups of the gateway's name, datagrams of devices, requests of devices, steps and loads, or answers to loads
   * that exceeded a limit of ghostfleet.
   */
  readonly what: 'name' | 'datagram' | 'request' | 'answer';
  /** Whether the cause is in this machine. A run that lost datagrams, requests or answers by it is invalid. */
  readonly own: boolean;
  /** Code of the error, such as `EAI_AGAIN`. */
  readonly code: string;
  /** The error in words. */
  readonly why: string;
  readonly count: number;
}

/** One of the workers among which a run in real time was divided. */
export interface WorkerReport {
  /** From 1. */
  readonly number: number;
  /** Machine and process; null if no worker took the part. */
  readonly host: string | null;
  readonly pid: number | null;
  readonly devices: number;
  /** Number of API requests of loads that the worker sent and reported. */
  readonly requests: number;
  /**
   * `offset`: the clock of the queue minus the monotonic clock of the worker. `uncertainty`: the largest error of the offset,
   * and so of the times of the worker's events. `system`: how far the system clock of the worker is ahead of that of the run;
   * the devices of the worker take their calendar time from the clock of the worker. null if the clocks were not compared.
   */
  readonly clock: { readonly offset: Millis; readonly uncertainty: Millis; readonly system: Millis } | null;
  /** Load of the worker's process; null if the worker did not report it. */
  readonly generator: GeneratorReport | null;
  /** When and why the worker was lost, and the work that was lost with it; null if the worker finished its part. */
  readonly lost: LostWork | null;
}

interface LostWork {
  readonly at: Instant;
  /** The reason as a clause: `no heartbeat for 5 s`. */
  readonly why: string;
  /** Uplinks that were ready and neither acknowledged nor dropped; they count as dropped. */
  readonly uplinks: number;
  /** Downlinks that were queued and neither delivered, cancelled nor expired; they count as pending. */
  readonly downlinks: number;
  /** Planned steps, one per device; they count as failed. */
  readonly steps: number;
  /** Planned API requests of loads at a rate; they count as dropped. */
  readonly requests: number;
}

export interface ExpectationResult {
  /** The expectation as the user wrote it. */
  readonly line: string;
  readonly passed: boolean;
  /** Set if the run did not have the data for a verdict; the expectation has then not passed. */
  readonly undecided?: true;
  /** Set if the run ended early and its rest could have changed the outcome; `undecided` is then set too. */
  readonly cutShort?: true;
  /** Value of the left side: in ms if `unit` is `ms`, 0.95 for 95% if it is `ratio`; null without a measurement. */
  readonly left: number | null;
  /** Value of the right side, in the same form. */
  readonly right: number | null;
  /** Set if the right side has metrics: its value is then not in `line`. */
  readonly compared?: true;
  /**
   * Lowest and highest value that the left side could have with the missing measurements; null for no limit. If `undecided` is
   * left out, the verdict holds for all values between them. Left out if no measurement is missing.
   */
  readonly range?: readonly [low: number | null, high: number | null];
  readonly unit: Unit;
  /** For an invariant: number of cases that the protocol itself causes and that are not violations. Left out if 0. */
  readonly byProtocol?: number;
  /** The result as a text. */
  readonly sentence: string;
}
