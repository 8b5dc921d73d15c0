/**
 * A plan: the result of a scenario and a seed. All random draws for the schedule have been made: the plan lists all devices,
 * and every step with its time and its devices. A plan is plain data: it can be printed, compared and hashed.
 *
 * `planScenario` makes a plan, `describePlan` prints it, and the runner executes it. Times are milliseconds since the start of
 * the run.
 */
import type { Span } from '../../device/modem/timing.js';
import type { Instant, Millis, UnixMillis } from '../../kernel/time.js';
import type { Dimension, Expectation, MetricExpectation } from '../expect/expectation.js';
import type { FaultCall } from '../faults/index.js';
import type { Load } from '../load/load.js';
import type { SetupCall } from '../setup/index.js';
import type { StepCall } from '../steps/index.js';
import type { CloudSettings } from './cloud.js';

export interface Plan {
  readonly scenario: string;
  readonly about: string;
  readonly seed: number;
  /** Calendar time at which the run starts. */
  readonly start: UnixMillis;
  /** After this time, steps and devices begin nothing new. */
  readonly duration: Millis;
  /** How long open exchanges may take to finish after `duration`. */
  readonly settle: Millis;
  /** API requests before this time do not count in latencies, and events before it do not count in busiest seconds. */
  readonly warmUp: Millis;
  /** Settings of the embedded cloud; left out for its defaults. */
  readonly cloud?: CloudSettings;
  /** Resources that are created in the space before the devices, in this order; left out if empty. */
  readonly setup?: readonly SetupCall[];
  readonly groups: readonly PlannedGroup[];
  /** In the order of the groups; steps refer to devices by their indices. */
  readonly devices: readonly PlannedDevice[];
  /** First those of the network, then those of the embedded cloud, then those of devices; each in the order of the scenario. */
  readonly faults: readonly PlannedFault[];
  /** Time after which the network releases an idle radio connection; left out for the default. */
  readonly radioRelease?: Span;
  /** Sorted by `at`. Actions with the same `at` are in the order of the steps of the scenario. */
  readonly actions: readonly PlannedAction[];
  /** Conditions that steps wait for; left out if empty. */
  readonly waits?: readonly PlannedWait[];
  /** API requests that are sent in addition to the steps. */
  readonly loads: readonly PlannedLoad[];
  readonly expectations: readonly Expectation[];
  /** Scopes that expectations and conditions use; left out if empty. */
  readonly scopes?: readonly PlannedScope[];
  /** Parts of the run whose metrics the report has; each is one of the scopes. Left out if empty. */
  readonly parts?: readonly PlannedPart[];
  /** Lines that the report prints at its end, for example commands to try next. */
  readonly next: readonly string[];
  /**
   * Values of secret variables, which no text may show; left out if empty. Not in the digest of a plan, because the parts that
   * use them are.
   */
  readonly secrets?: readonly string[];
}

export interface PlannedGroup {
  readonly name: string;
  readonly profile: string;
  /** Factory firmware version of the devices; left out for the newest. */
  readonly firmware?: string;
  readonly count: number;
  /** Tags of the devices in the cloud; the runner creates missing ones. */
  readonly tags: readonly string[];
  /** The group's region for consoles, or null. Not in the digest of a plan: it does not change the run. */
  readonly region: string | null;
  /**
   * Configuration written to flash before the first boot: lines such as `app config interval-report 900`. The runner checks
   * that the profile has these parameters. If the device type has the parameter `mode` and the scenario does not set it, the
   * first line is `app config mode lte`, because a device never sends with the factory default, mode "none".
   */
  readonly config: readonly string[];
  /** false: the devices are created in the cloud by a step `create-device`, not before the run. */
  readonly register: boolean;
}

export interface PlannedDevice {
  /** `clime-0001`: the name of the group and the number in the group. */
  readonly name: string;
  readonly serial: number;
  /** Index into {@link Plan.groups}. */
  readonly group: number;
  /** Time of the first power-up. */
  readonly bootAt: Instant;
  /** 32 lower-case hex digits: signs every packet. A run replaces it with a secret one, because it follows from the seed. */
  readonly claimToken: string;
}

/** The identity of a fault in its plan. */
export type FaultId = `${'fault' | 'injected'}-${number}`;

/**
 * A fault with its times and its devices. Faults that are active at the same time all take effect. A fault of devices is carried
 * out by steps, which {@link Plan.actions} contains.
 */
export type PlannedFault = FaultCall & {
  readonly id: FaultId;
  /** Text of the fault's selector; null for all devices. */
  readonly to: string | null;
  /** Indices into {@link Plan.devices}, ascending; null for all devices. */
  readonly devices: readonly number[] | null;
  /** In chronological order; several for a recurring fault. */
  readonly windows: readonly FaultWindow[];
};

/** A period in which a fault is active. */
export interface FaultWindow {
  readonly from: Instant;
  /** Exclusive end; null: the end of the run, `settle` included; equal to `from`: once. */
  readonly until: Instant | null;
}

/** A condition that steps wait for. The runner evaluates it periodically, beginning at `from`, until it holds. */
export interface PlannedWait {
  /** The waiting step, for messages: `step 3, config: app config interval-report 900`. */
  readonly name: string;
  readonly condition: MetricExpectation;
  /** Time of the first evaluation, counted from the end of `wait` if `wait` is set. */
  readonly from: Instant;
  /** Limit after `from`, at which an unmet condition fails the run; null: the scenario's end. */
  readonly within: Millis | null;
  /** Index of the wait that must end before this one begins; null if this wait does not follow another one. */
  readonly wait: number | null;
}

/** Devices, or the loads of a client, whose metrics can be read separately. */
export type PlannedScope = {
  /** As written in the scenario. */
  readonly name: string;
} & (
  | {
      /** Indices into {@link Plan.devices}, ascending. */
      readonly devices: readonly number[];
    }
  | {
      readonly loads: readonly string[];
    }
);

/** A part of the run: the devices, or the loads, that have a value in common. */
export interface PlannedPart {
  readonly by: Dimension;
  /** `north`; `(none)` for what has no value, `(others)` for values beyond the largest ones. */
  readonly value: string;
  /** Name of its scope: `region/north`. */
  readonly scope: string;
}

/** A step with its time. A step that is spread over time becomes one action for each device. */
export type PlannedAction = StepCall & {
  /** Index of the step in the scenario, from 0; -1 for an action that a user adds during the run. */
  readonly origin: number;
  readonly at: Instant;
  /** Text of the selector if it is a random sample: `10% of clime`. */
  readonly sample?: string;
  /** Index of a wait: `at` counts from its end. Left out: `at` counts from the start of the run. */
  readonly wait?: number;
  /** The fault that the action begins or ends; left out if there is none. */
  readonly fault?: FaultId;
  /** Indices into {@link Plan.devices}, ascending. */
  readonly devices: readonly number[];
};

/** A load and the devices of its requests, used in turn; no devices if the requests are about the space. */
export interface PlannedLoad extends Load {
  /** Indices into {@link Plan.devices}, ascending. */
  readonly devices: readonly number[];
  /** In a part: request or user `k` of the load belongs to it if `turns[k % turns.length]`. Left out: all. */
  readonly turns?: readonly boolean[];
}
