/**
 * Repeats a run with something changed, to find out what would have happened. The course of a device usually depends on the
 * plan, the seed and the device alone, so usually only the device is repeated: the first repetition, without a change, must have
 * the recorded events of the device. If it has not, something connects the devices, such as a load. Then the whole plan is
 * repeated.
 */
import { collectFacts, type DeviceHistory } from '../explain/facts.js';
import type { Histories } from '../explain/histories.js';
import type { Situation } from '../explain/situation.js';
import { GhostfleetError } from '../kernel/errors.js';
import { hours, type Millis } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import type { ExpectationResult } from '../report/result.js';
import type { Plan } from '../scenario/model/plan.js';
import { workOf } from '../scenario/plan/divide.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { TraceEvent } from '../trace/events.js';
import { repeat } from './play.js';
import { changePlan, type PlanChange, SharedWorlds } from './shared-worlds.js';
import { situationOf } from './situation.js';

/** What is repeated. */
interface Repeatable {
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly transport: string;
  readonly simulated: boolean;
  /** The events of a device, to compare the repetition with; undefined without a run in virtual time. */
  readonly recorded: ((serial: number) => DeviceHistory) | undefined;
  /** Whether to repeat only devices that depend on no other one. Default: false */
  readonly onlyAlone?: boolean | undefined;
  /** The downlinks of users in the run, in the order of the queue. Default: those of the repetition without a change */
  readonly downlinks?: (() => Iterable<KnownDownlink>) | undefined;
}

/** A run that can be repeated: it has ended, or its events are known up to `end`. */
export interface RepeatableRun extends Omit<Repeatable, 'simulated' | 'recorded'> {
  /** As it happened: with the faults of users. */
  readonly plan: Plan;
  readonly end: Millis;
  /** False for a run in real time or with another cloud. A repetition without a change then takes the place of the run. */
  readonly isExact: boolean;
  readonly histories: Pick<Histories, 'getHistory'>;
}

/** A downlink that a question can name. */
type KnownDownlink = Pick<DownlinkRecord, 'id' | 'serial'>;

/** Why a run cannot be repeated, worded to follow "because". */
interface Refused {
  readonly refused: string;
}

/** A device in a repetition. */
export interface RepeatedDevice {
  readonly history: DeviceHistory;
  /** Of the changed plan. */
  readonly situation: Situation;
}

/** A repetition of all devices. */
interface RepeatedRun {
  readonly histories: Histories;
  /** Of the changed plan. */
  readonly situation: Situation;
  readonly expectations: readonly ExpectationResult[];
}

export const UNCHANGED: PlanChange = { key: '', without: new Set(), apply: (plan) => plan };

/** Maximum work of a repetition of all devices for the sake of one, in device time: it takes a few seconds. */
const MOST_WORK = hours(4000);
/** The same if all devices are asked about. Their events are kept in memory. */
const MOST_WORK_OF_ALL = hours(50_000);

export class WhatIf {
  readonly #run: Repeatable;
  readonly #devices = new Map<string, Promise<RepeatedDevice>>();
  readonly #whole = new Map<string, Promise<RepeatedRun>>();
  readonly #alone = new Map<number, Promise<true | false | Refused>>();
  readonly #worlds: SharedWorlds;

  private constructor(run: Repeatable) {
    this.#run = run;
    this.#worlds = new SharedWorlds(run.plan, (plan) => this.#repeat(plan));
  }

  static ofPlan(plan: Plan, profiles: Repeatable['profiles']): WhatIf {
    return new WhatIf({ plan, profiles, transport: 'memory', simulated: false, recorded: undefined });
  }

  static ofRun({ plan, end, isExact, histories, ...run }: RepeatableRun): WhatIf {
    return new WhatIf({
      ...run,
      plan: end < plan.duration ? { ...plan, duration: end } : plan,
      simulated: !isExact,
      recorded: isExact ? (serial) => histories.getHistory(serial) : undefined,
    });
  }

  /** Whether the answers are those of a simulation in place of the run. */
  get simulated(): boolean {
    return this.#run.simulated;
  }

  get plan(): Plan {
    return this.#run.plan;
  }

  get profiles(): Repeatable['profiles'] {
    return this.#run.profiles;
  }

  /** The events of a device in a repetition. @throws UsageError if the devices cannot have the changed configuration */
  async repeatDevice(serial: number, change: PlanChange = UNCHANGED): Promise<RepeatedDevice | Refused> {
    const alone = await this.#isAlone(serial);
    if (typeof alone === 'object') return alone;
    if (alone) return this.#repeatAlone(serial, change);
    const { histories, situation } = await this.#repeatAll(change);
    return { history: histories.getHistory(serial), situation };
  }

  /** Repeats all devices. @throws UsageError if the devices cannot have the changed configuration */
  async repeatWhole(change: PlanChange = UNCHANGED): Promise<RepeatedRun | Refused> {
    const { plan, recorded } = this.#run;
    if (workOf(plan) > MOST_WORK_OF_ALL) return { refused: 'it has too many devices to repeat them all; name one' };
    if (recorded !== undefined) {
      const { histories } = await this.#repeatAll(UNCHANGED);
      const differs = plan.devices.find(({ serial }) => !agrees(recorded(serial), histories.getHistory(serial)));
      if (differs !== undefined) return { refused: `the events of ${differs.name} differ in a repetition` };
    }
    return this.#repeatAll(change);
  }

  /** The downlinks of users in the run, in the order of the queue of each device. */
  async listDownlinks(): Promise<readonly KnownDownlink[]> {
    if (this.#run.downlinks !== undefined) return [...this.#run.downlinks()];
    const { histories, situation } = await this.#repeatAll(UNCHANGED);
    return histories.withDownlinks.flatMap((serial) => collectFacts(histories.getHistory(serial), situation).downlinks);
  }

  #repeatAll(change: PlanChange): Promise<RepeatedRun> {
    return keepOnce(this.#whole, change.key, () => this.#repeat(changePlan(this.#run.plan, change)));
  }

  /** Whether the course of a device depends on no other device. */
  #isAlone(serial: number): Promise<true | false | Refused> {
    return keepOnce(this.#alone, serial, async () => {
      const { plan, recorded, onlyAlone = false } = this.#run;
      if (recorded?.(serial).events.some(({ kind }) => kind === 'console.action')) {
        return { refused: 'a user controlled the device on a console' };
      }
      if (!isConnected(plan)) {
        const differs = recorded && (await this.#findDifference(serial, recorded(serial)));
        if (differs === undefined) return true;
        if (onlyAlone) return { refused: differs };
      }
      const refused = onlyAlone ? DEPENDENT : describeSize(plan);
      if (refused !== undefined) return { refused };
      if (recorded === undefined) return false;
      const { histories } = await this.#repeatAll(UNCHANGED);
      if (agrees(recorded(serial), histories.getHistory(serial))) return false;
      return {
        refused: 'the events of the device differ in a repetition: something acted on it that is not in the scenario',
      };
    });
  }

  /** Why the device alone has other events than the recorded ones, worded to follow "because"; undefined if it has the same. */
  async #findDifference(serial: number, recorded: DeviceHistory): Promise<string | undefined> {
    const { history } = await this.#repeatAlone(serial, UNCHANGED);
    if (agrees(recorded, history)) return undefined;
    const first = recorded.events.find((event, index) => !isSame(event, history.events[index]));
    return first?.kind === 'downlink.queued'
      ? 'a user sent downlinks to its device that are not in the scenario'
      : DEPENDENT;
  }

  #repeatAlone(serial: number, change: PlanChange): Promise<RepeatedDevice> {
    return keepOnce(this.#devices, `${serial} ${change.key}`, async () => {
      const { plan, profiles } = this.#run;
      const history = await this.#worlds.repeatDevice(serial, change);
      // The names of its faults are those in the whole plan.
      return { history, situation: situationOf(changePlan(plan, change), profiles) };
    });
  }

  async #repeat({ setup = [], ...rest }: Plan): Promise<RepeatedRun> {
    const { profiles, transport } = this.#run;
    // A connector would send the messages again.
    const plan = { ...rest, setup: setup.filter((call) => call.setup !== 'connector') };
    const { journal, course, expectations } = await repeat({
      plan,
      profiles,
      mostEvents: Number.POSITIVE_INFINITY,
      // Datagrams over UDP have the same course in virtual time as datagrams in memory.
      transport: transport === 'http' ? 'http' : 'memory',
    });
    const { plan: happened, times } = course.happened;
    return { histories: journal.histories, situation: situationOf(happened, profiles, times), expectations };
  }
}

/** Whether something in the plan acts on a device because of other devices, possibly only after a change. */
function isConnected({ waits = [], expectations, cloud }: Plan): boolean {
  return waits.length > 0 || cloud?.rateLimit != null || expectations.some(({ abort }) => abort !== undefined);
}

/** Whether a repetition has the recorded events. A run that ended early, or that continues, has only the first of them. */
function agrees({ events: recorded, goesOn = false }: DeviceHistory, { events: repeated }: DeviceHistory): boolean {
  const known = goesOn ? recorded.filter(({ kind }) => kind !== 'world.closing') : recorded;
  const isWhole = !goesOn && known.some(({ kind }) => kind === 'world.closing');
  if (isWhole ? known.length !== repeated.length : known.length > repeated.length) return false;
  return known.every((event, index) => isSame(event, repeated[index]));
}

const DEPENDENT = 'its devices depend on each other';

/** Why all devices cannot be repeated for the sake of one; undefined if they can. */
function describeSize(plan: Plan): string | undefined {
  return workOf(plan) > MOST_WORK ? `${DEPENDENT}, and they are too many` : undefined;
}

function isSame(one: TraceEvent, other: TraceEvent | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value of `key`; `make` is called for the first caller only. */
function keepOnce<K, V>(all: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const known = all.get(key);
  if (known !== undefined) return known;
  const made = make();
  all.set(key, made);
  return made;
}

export function isRefused(answer: object): answer is Refused {
  return 'refused' in answer;
}

/** The reason of an error that a change causes; other errors are bugs, and are thrown. */
export function readRefusal(error: unknown): Refused {
  if (error instanceof GhostfleetError) return { refused: error.message };
  throw error;
}
