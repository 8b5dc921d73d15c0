/**
 * A scenario: one situation in one YAML file, runnable as it stands. This is what such a file says, read and checked but
 * not spelled out; `planScenario` makes a plan of it. Every key, with what it is when it is left out:
 *
 *     include: [common.yaml]             # nothing; see source/includes.ts
 *     vars: { period: 900 }              # nothing; used as ${period}, see source/variables.ts
 *     name: cold-store                   # needed
 *     about: ...                         # nothing
 *     seed: 7                            # 1
 *     start: 2026-03-02T06:00:00Z        # 2026-01-01T00:00:00Z
 *     duration: 6h                       # needed
 *     settle: 10m                        # 10m: how long open exchanges may take to end after that
 *     cloud: { rate-limit: 600/m }       # as the embedded cloud has it by itself; see parse-cloud.ts
 *     setup:                             # nothing; kinds in setup/
 *       - firmware: { name: v2, profile: clime, version: v9.0.0 }
 *     fleet:                             # one group or more; or { devices: 1000, groups: [{ share: 70%, … }] }
 *       - name: clime                    # needed
 *         profile: clime                 # needed
 *         count: 40                      # needed
 *         serial: 2159017985             # runs on over the groups from 2159017985
 *         boot: { from: 0s, over: 10m, pattern: random }   # all at once; pattern staggered
 *         config: { interval-report: 900 }   # the profile's defaults, but with mode lte
 *         tags: [indoor]                 # none
 *         region: north                  # none; a label that selectors can name
 *         register: true                 # true: created in the cloud beforehand
 *     network: ...                       # perfect; see parse-network.ts
 *     steps:                             # none; kinds in steps/
 *       - { at: 1h, to: clime/3, over: 5m, config: { interval-report: 900 } }   # to all, over 0s; whom: selector.ts
 *     expect:                            # nothing; grammar in expect/parse.ts
 *       - uplink.stored == uplink.sent
 *
 * The configuration of a group is written to flash at the bench, before the first boot. It puts `mode` to lte unless it says
 * otherwise, because a factory-fresh device has mode none and never says a word.
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';
import type { Expectation, MetricExpectation } from '../expect/expectation.js';
import type { Load } from '../load/load.js';
import type { Selector } from '../selector/selector.js';
import type { SetupCall } from '../setup/index.js';
import type { StepCall } from '../steps/index.js';
import type { CloudSettings } from './cloud.js';
import type { FleetGroup } from './fleet.js';
import type { PlannedDeviceFault, PlannedFault, PlannedServiceFault } from './plan.js';

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly start: UnixMillis;
  readonly duration: Millis;
  readonly settle: Millis;
  /** Calls that were due earlier do not count in latencies. */
  readonly warmUp: Millis;
  /** Of the embedded cloud; null: as it is by itself. */
  readonly cloud: CloudSettings | null;
  /** What its space needs beside the fleet, in the order in which it is made. */
  readonly setup: readonly SetupCall[];
  readonly fleet: readonly FleetGroup[];
  /** What holds all the time comes first. */
  readonly network: readonly ScenarioFault[];
  /** What goes wrong with the embedded cloud. */
  readonly serviceFaults: readonly PlannedServiceFault[];
  /** Faults of devices that last; what they do is in the steps. */
  readonly deviceFaults: readonly PlannedDeviceFault[];
  readonly steps: readonly ScenarioStep[];
  readonly loads: readonly ScenarioLoad[];
  readonly expectations: readonly Expectation[];
  /** What to try next, for people. */
  readonly next: readonly string[];
}

export interface ScenarioStep {
  /** When it begins, or with `follows` how long after the step before it has begun. */
  readonly at: Millis;
  readonly follows?: true;
  /** A step to many devices is spread evenly over this time; 0: all at once. */
  readonly over: Millis;
  readonly to: Selector;
  /** Cohort after cohort of the devices, instead of all of them at `at`. */
  readonly rollout?: Rollout;
  /** It begins when this holds, and not before `at`. */
  readonly wait?: StepWait;
  readonly call: StepCall;
}

export interface Rollout {
  readonly cohorts: number;
  /** From the beginning of one to that of the next. */
  readonly every: Millis;
}

export interface StepWait {
  readonly condition: MetricExpectation;
  /** null: until the end of the scenario. */
  readonly within: Millis | null;
}

/** A fault of the network, and whom it hits. */
export interface ScenarioFault extends Pick<PlannedFault, 'fault' | 'from' | 'until' | 'way'> {
  readonly to: Selector;
}

/** A load, and the devices that its requests are about. */
export interface ScenarioLoad extends Load {
  readonly to: Selector;
}
