/** The messages between a run and the workers that carry out its parts. All of them are plain data. */
import { type ExitCode, GhostfleetError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Instant, Millis, UnixMillis } from '../../kernel/time.js';
import type { GeneratorReport, LeftThing } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { RuleTally } from '../targets/audit/rules.js';
import type { TransportName } from '../targets/embedded.js';
import type { RequestWait } from '../targets/paced.js';
import type { TargetCloud } from '../targets/remote-api.js';
import type { ServedCloud } from '../targets/served.js';
import type { ClockOffset } from '../targets/target-clock.js';
import type { End } from '../world/end.js';
import type { PlainProfiles } from '../world/plan-profiles.js';
import type { SharedThings } from '../world/run-world.js';
import type { ClockReading } from './clock-offset.js';

/** Version of the format of tasks and messages. Every incompatible change raises it. */
export const PART_FORMAT = 7;

/** A part of a run, with all that a worker needs for it besides the API key of the target. */
export type PartTask = TogetherTask | WindowsTask;

interface CommonTask {
  /** Number of the part and of its worker, from 1. */
  readonly number: number;
  /** Number of parts of the run. */
  readonly parts: number;
  readonly plan: Plan;
  /** The profiles of its devices. */
  readonly profiles: PlainProfiles;
}

/** A part in real time: all parts begin at the same moment, and use one cloud. */
export interface TogetherTask extends CommonTask {
  readonly clock: 'real';
  /** Simulated milliseconds per real millisecond. */
  readonly speed: number;
  readonly cloud: PartCloud;
  readonly shared: SharedThings;
  /** Whether the devices stay in the target after the run. */
  readonly keep: boolean;
}

/** A part in virtual time: it has a cloud of its own, and no part gets far ahead of the others. */
export interface WindowsTask extends CommonTask {
  readonly clock: 'virtual';
  readonly transport: TransportName;
  /** Where the cloud of the part keeps its data: the path of a file of its own, or `memory`. */
  readonly db: string;
  /** Length of a window in simulated time. The part sends its events after each window. */
  readonly window: Millis;
  /** Until when the part may run before the first message `go`. */
  readonly until: Instant;
}

/** Address of the cloud, without its API key. `own` is the embedded cloud of the run, `other` any other cloud. */
export type PartCloud =
  | ({ readonly kind: 'other' } & Omit<TargetCloud, 'apiKey' | 'keyOf'>)
  | ({ readonly kind: 'own' } & Omit<ServedCloud, 'apiKey'>);

/** From a run to a part. */
export type ToPart =
  /** In real time: the run begins at the moment `at` of the shared clock. */
  | { readonly kind: 'start'; readonly at: Millis }
  /** In virtual time: the part may run until this simulated time. */
  | { readonly kind: 'go'; readonly until: Instant }
  /** In virtual time: whether all parts were at rest at the last check. */
  | { readonly kind: 'rest'; readonly all: boolean }
  | { readonly kind: 'stop'; readonly reason: Failure };

/** From a part to its run. */
export type FromPart =
  /** A worker has begun with the part. */
  | { readonly kind: 'taken'; readonly host: string; readonly pid: number }
  /** The devices of the part are created. `systemClock`: see clock-offset.ts */
  | { readonly kind: 'ready'; readonly clock: ClockReading; readonly systemClock: UnixMillis }
  /** Lines of the event log. All events that the part sends in later messages happen at `until` or later. */
  | { readonly kind: 'events'; readonly lines: string; readonly until: Instant }
  /**
   * In virtual time: the scenario has ended. The part reports whether it is at rest, asks whether all parts are at rest, and
   * waits for the answer.
   */
  | { readonly kind: 'rest'; readonly isAtRest: boolean }
  | { readonly kind: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string }
  /** The target rejects requests, so the part waits; null: the requests go on. */
  | { readonly kind: 'waits'; readonly wait: RequestWait | null }
  /** The part is over, and has deleted everything that it created except {@link PartEnd.kept}. */
  | PartEnd
  /**
   * The worker has stopped the part, although the run did not ask for it, and the part has deleted what it created. `why`: the
   * message of the worker's error, without a full stop.
   */
  | { readonly kind: 'left'; readonly why: string }
  /** The part could not be carried out. */
  | { readonly kind: 'failed'; readonly error: Failure };

export interface PartEnd {
  readonly kind: 'end';
  readonly end: End;
  readonly simulatedMs: Millis;
  readonly generator: GeneratorReport | null;
  readonly audited: readonly RuleTally[];
  /** Missing for the embedded cloud, and if it was not measured. */
  readonly targetClock?: ClockOffset | undefined;
  /** Names of the resources that stay in the target because of {@link TogetherTask.keep}. */
  readonly kept: readonly string[];
  /** What the part created and could not delete; missing if nothing is left. */
  readonly left?: readonly LeftThing[];
}

/** An error as plain data, because messages between threads or processes lose the class of an error. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;
}

export function failureOf({ code, message, exit, hint }: GhostfleetError): Failure {
  return { code, message, exit, hint };
}

export function errorOf({ code, message, exit, hint }: Failure): GhostfleetError {
  return new GhostfleetError(code, message, exit, hint);
}
