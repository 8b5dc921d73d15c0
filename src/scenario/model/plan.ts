/**
 * A plan: what a scenario and a seed come to. Every draw has been made, every group is spelled out, every step has its
 * moment and its devices. Plain data, so that it can be printed, compared and hashed; nothing in it is alive.
 *
 * `planScenario` makes it, `describePlan` prints it, the runner builds a world from it. Moments are milliseconds since
 * the world began. Claim tokens are in here because the devices need them; no description ever shows them.
 */
import type { Instant, Millis, UnixMillis } from '../../kernel/time.js';
import type { FaultSpec } from '../../transport/faults/index.js';
import type { Expectation, MetricExpectation } from '../expect/expectation.js';
import type { ServiceFault } from '../faults/service.js';
import type { Load } from '../load/load.js';
import type { SetupCall } from '../setup/index.js';
import type { StepCall } from '../steps/index.js';
import type { CloudSettings } from './cloud.js';

export interface Plan {
  readonly scenario: string;
  readonly about: string;
  readonly seed: number;
  /** Calendar time at which the world begins. */
  readonly start: UnixMillis;
  /** Steps and devices begin nothing new after this. */
  readonly duration: Millis;
  /** How long open exchanges may take to end after that. */
  readonly settle: Millis;
  /** Calls that were due earlier do not count in latencies. */
  readonly warmUp: Millis;
  /** Settings of the embedded cloud; left out: as it is by itself. */
  readonly cloud?: CloudSettings;
  /** What the space needs beside the fleet, in the order in which it is made; left out when it needs nothing. */
  readonly setup?: readonly SetupCall[];
  readonly groups: readonly PlannedGroup[];
  /** In the order of the groups; steps refer to them by their index. */
  readonly devices: readonly PlannedDevice[];
  readonly network: readonly PlannedFault[];
  /** What goes wrong with the embedded cloud; left out when nothing does. */
  readonly serviceFaults?: readonly PlannedServiceFault[];
  /** Lasting faults of devices, for reports; the actions carry them out. Left out if empty. */
  readonly deviceFaults?: readonly PlannedDeviceFault[];
  /** In order of time; at the same time in the order of the file. */
  readonly actions: readonly PlannedAction[];
  /** What steps wait for; left out when none does. */
  readonly waits?: readonly PlannedWait[];
  /** Requests to the API that go on beside the steps. */
  readonly loads: readonly PlannedLoad[];
  readonly expectations: readonly Expectation[];
  /** Scopes that expectations and conditions use; left out if empty. */
  readonly scopes?: readonly PlannedScope[];
  /** What to try next, for people. */
  readonly next: readonly string[];
}

export interface PlannedGroup {
  readonly name: string;
  readonly profile: string;
  /** The firmware version that its devices leave the factory with; left out: the newest. */
  readonly firmware?: string;
  readonly count: number;
  /** Tags that its devices carry in the cloud; the runner creates those that do not exist. */
  readonly tags: readonly string[];
  /** For selectors on a console; null: none. Not part of the fingerprints of a plan: it changes nothing. */
  readonly region: string | null;
  /**
   * Configuration written to flash at the bench, before the first boot: lines such as `app config interval-report 900`.
   * Whether the profile has these parameters is for the runner to check. Begins with `app config mode lte` unless the
   * scenario sets the mode: a factory-fresh device has mode "none" and never says a word.
   */
  readonly config: readonly string[];
  /** False: the devices are not created in the cloud beforehand; a step `create-device` does that. */
  readonly register: boolean;
}

export interface PlannedDevice {
  /** `clime-0001`: its group's name and its number in the group. */
  readonly name: string;
  readonly serial: number;
  /** Index into {@link Plan.groups}. */
  readonly group: number;
  /** When it is powered up for the first time. */
  readonly bootAt: Instant;
  /** 32 lower-case hex digits. Secret: signs every packet. */
  readonly claimToken: string;
}

/** A fault and when and whom it hits. Faults that hold at the same time add up. */
export interface PlannedFault {
  readonly fault: FaultSpec;
  readonly from: Instant;
  /** Exclusive; null: until the very end, settling included. */
  readonly until: Instant | null;
  /** Text of its selector; null: all devices. */
  readonly to: string | null;
  /** Indices into {@link Plan.devices}, ascending; null: all devices. */
  readonly devices: readonly number[] | null;
  /** The direction that it hits, seen from the device. */
  readonly way: 'up' | 'down' | 'both';
}

/** A fault of the embedded cloud, and when it holds. */
export interface PlannedServiceFault {
  readonly fault: ServiceFault;
  readonly from: Instant;
  /** Exclusive; null: until the very end, settling included. */
  readonly until: Instant | null;
}

/** A fault of devices: when it holds, and for whom. */
export interface PlannedDeviceFault {
  /** `no-signal` */
  readonly fault: string;
  readonly from: Instant;
  /** Exclusive; null: until the very end, settling included. */
  readonly until: Instant | null;
  /** Text of its selector; null: all devices. */
  readonly to: string | null;
}

/** A condition that steps wait for. It is looked at again and again, from its moment on, until it holds. */
export interface PlannedWait {
  /** The step that waits, for people: `step 3, config: app config interval-report 900`. */
  readonly name: string;
  readonly condition: MetricExpectation;
  /** Not looked at earlier; counts from the end of `wait`, when there is one. */
  readonly from: Instant;
  /** A run in which it does not hold by then has failed; null: by the end of the scenario. */
  readonly within: Millis | null;
  /** Index of the wait that must be over before this one begins; null: none. */
  readonly wait: number | null;
}

/** Devices, or the loads of a client, whose metrics are read apart from those of the others. */
export type PlannedScope = {
  /** As the scenario says it. */
  readonly name: string;
} & (
  | {
      /** Indices into {@link Plan.devices}, ascending. */
      readonly devices: readonly number[];
    }
  | {
      /** Their names. */
      readonly loads: readonly string[];
    }
);

/** A step at its moment. A step spread over time comes as one action per device. */
export type PlannedAction = StepCall & {
  /** Which step of the scenario it belongs to, from 0. */
  readonly origin: number;
  readonly at: Instant;
  /** Whom it is for, when the seed decides that: `10% of clime`. */
  readonly sample?: string;
  /** Index of the wait from whose end on `at` counts; left out: from the beginning of the world. */
  readonly wait?: number;
  /** Indices into {@link Plan.devices}, ascending. */
  readonly devices: readonly number[];
};

/** A load and the devices that its requests are about, one after the other; none, when they are about the space. */
export interface PlannedLoad extends Load {
  /** Indices into {@link Plan.devices}, ascending. */
  readonly devices: readonly number[];
}
