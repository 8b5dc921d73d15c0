/** What a run in one world needs, how it is controlled, and what it returns. */
import type { Fleet } from '../../console/member.js';
import type { Clock, DrivenClock } from '../../kernel/clock.js';
import type { GhostfleetError } from '../../kernel/errors.js';
import type { Pace } from '../../kernel/pace.js';
import type { Millis, UnixMillis } from '../../kernel/time.js';
import type { GeneratorReport, Leftovers, WorkerReport } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { TraceEvent } from '../../trace/events.js';
import type { Transport } from '../../transport/transport.js';
import type { RuleTally } from '../targets/audit/rules.js';
import type { RequestWait } from '../targets/paced.js';
import type { ServedCloud } from '../targets/served.js';
import type { ClockOffset } from '../targets/target-clock.js';
import type { End } from './end.js';
import type { GeneratorMeter } from './generator.js';
import type { LiveFaults } from './live-faults.js';
import type { TargetOptions } from './open-target.js';
import type { SharedThings } from './run-world.js';
import type { StepTimes } from './step-times.js';

/** Simulated time, or the time of this machine. */
export const CLOCKS = ['virtual', 'real'] as const;

/** What a world needs besides its journal. */
export interface WorldOptions extends TargetOptions {
  readonly clock: (typeof CLOCKS)[number];
  /** Maximum speed of virtual time, in simulated milliseconds per real millisecond. Default: as fast as possible. */
  readonly pace?: number | undefined;
  /**
   * If set, the resources that the run created in another cloud are kept, and this function is called with their names.
   * Default: they are deleted.
   */
  readonly keep?: ((what: readonly string[]) => void) | undefined;
  /**
   * Called before the clean-up with everything that it will delete, and after it with what could not be deleted. `since`: when
   * the run began. In a divided run, the first call is at the stop of the run.
   */
  readonly left?: (left: LeftBehind) => void;
  /**
   * Called when another cloud rejects requests with 429 or 503, so that the run waits; with undefined when the requests go on.
   */
  readonly waits?: (wait: RequestWait | undefined) => void;
  /** Ends the run, also while another cloud is being opened. Default: only {@link WorldControl.stop} ends it. */
  readonly signal?: AbortSignal | undefined;
  /** Records what the devices send and receive. Default: nothing is recorded. */
  readonly recorder?: WireRecorder | undefined;
  /** Measures in real time whether this process keeps up. Default: {@link GeneratorWatch}. */
  readonly meter?: ((speed: number) => GeneratorMeter) | undefined;
}

/** Records what goes over the wire, at the end of the devices (wire/capture.ts). */
export interface WireRecorder {
  /**
   * Begins before the fleet is built.
   * @param failed called once if nothing more can be recorded
   */
  begin(clock: Clock, nameOf: (serial: number) => string | undefined, failed: (reason: GhostfleetError) => void): void;
  /** A transport that records what it passes on. */
  record(wire: Transport): Transport;
  /** Notes an event. */
  take(event: TraceEvent): void;
  /** Writes what is left, before the run is judged. @throws GhostfleetError if it cannot be written */
  end(): void;
}

/** What a clean-up has not deleted. */
export interface LeftBehind extends Pick<Leftovers, 'spaceId' | 'things'> {
  readonly since: UnixMillis;
}

/** The options of a world, which may be one of several worlds of the run. */
export interface OneWorldOptions extends WorldOptions {
  /** Set if the world simulates only a part of the run. */
  readonly part?: PartOfRun;
  /** Whether all parts of the run are at rest: see `RunFixture` in schedule.ts. */
  readonly atRest?: ((own: boolean) => Promise<boolean>) | undefined;
}

/** What a world needs if it simulates a part of a run: the common resources, the start and the cloud of the run. */
interface PartOfRun {
  readonly shared: SharedThings;
  /**
   * Called when the fleet of the part is created. Resolves when the run has begun, with a function that returns the real time
   * since then; call this function as late as possible. Resolves with undefined if the run has been stopped.
   */
  readonly begins: () => Promise<(() => Millis) | undefined>;
  /** The embedded cloud of the run; undefined if the run uses {@link WorldOptions.cloud}. */
  readonly cloud?: ServedCloud | undefined;
}

/** Address of the API of a cloud, with the space and the key of a run. */
interface ApiAccess {
  readonly baseUrl: string;
  readonly spaceId: string;
  /** Secret. */
  readonly apiKey: string;
}

/** What happened in a run besides its plan: faults and commands of users, and the times at which waits ended. */
interface Happened {
  /** The plan with the faults of users. A fault that a user lifted ends at that time; one that was cancelled is left out. */
  readonly plan: Plan;
  /** Missing in a divided run, which has neither. */
  readonly times?: Pick<StepTimes, 'waits' | 'console'>;
}

/** Control of a running world. */
export interface WorldControl {
  readonly clock: DrivenClock;
  /** Its devices, for a console, and the API of its cloud; undefined if the fleet is divided among threads or workers. */
  readonly world?: {
    readonly fleet: Fleet;
    readonly api: ApiAccess;
    /** Its faults. */
    readonly faults: LiveFaults;
    /** What has happened so far besides the plan. */
    happened(): Happened;
    /** Pauses time and changes its speed; undefined if virtual time passes as fast as possible. */
    readonly pace?: Pace | undefined;
    /** The address of the web console with a new one-time token; undefined if the cloud has no console. */
    consoleLink(): string | undefined;
    /** Whether the cookie `secret` belongs to an open console session that began with a one-time token; also while it is down. */
    hasSession(secret: string): Promise<boolean>;
    /** Notes a downlink that a user has queued at another cloud. @param asked body of the request */
    noteQueued(answer: string, asked: string): void;
    /** Aborted when the run is over, before the clean-up, which is not a part of it. */
    readonly over: AbortSignal;
  };
  /** Ends the run at once; the result contains the reason. */
  stop(reason: GhostfleetError): void;
}

/** The results of a course besides its events. */
export interface CourseEnd {
  readonly happened: Happened;
  readonly end: End;
  /** Why a recording could not be completed after the run; missing if it could, or if this ended the run. */
  readonly lost?: End | undefined;
  /** Simulated time at which the run came to rest, or was ended. */
  readonly simulatedMs: Millis;
  /** How well this process kept up with real time; null in virtual time. */
  readonly generator: GeneratorReport | null;
  /** The results for the rules that another cloud has to follow; in a divided run one list from all its parts. */
  readonly audited: readonly RuleTally[];
  /** The clock of another cloud, compared with the clocks of all workers; missing if it was not measured. */
  readonly targetClock?: ClockOffset | undefined;
  /** Warnings from the cloud at the end of the run; missing in a divided run. */
  readonly remarks?: readonly string[];
  /** The workers among which a run in real time was divided; missing if it was not. */
  readonly workers?: readonly WorkerReport[];
}
