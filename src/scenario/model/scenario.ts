/**
 * A scenario: one situation in one YAML file. These types are the checked contents of the file; `planScenario` makes a plan
 * from them. The keys of a scenario, each with its default in the comment:
 *
 *     include: [common.yaml]             # none; see source/includes.ts
 *     vars: { period: 900 }              # none; used as ${period}, see source/variables.ts
 *     name: cold-store                   # required
 *     about: ...                         # empty
 *     seed: 7                            # 1
 *     start: 2026-03-02T06:00:00Z        # 2026-01-01T00:00:00Z
 *     duration: 6h                       # required
 *     settle: 5m                         # 10m; how long open exchanges may take to finish after the duration
 *     warm-up: 5m                        # 0s; requests before this time do not count in latencies
 *     cloud: { rate-limit: 600/m }       # the defaults of the embedded cloud; see parse/cloud.ts
 *     setup:                             # none; kinds in setup/
 *       - firmware: { name: v2, profile: clime, version: v9.0.0 }
 *     fleet:                             # one group or more; or { devices: 1000, groups: [{ share: 70%, … }] }
 *       - name: clime                    # required
 *         profile: clime                 # required
 *         firmware: 3.5.5                # the newest version of the device type
 *         count: 40                      # required
 *         serial: 2159017985             # consecutive over all groups, from 2159017985
 *         boot: { from: 0s, over: 10m, pattern: random }   # all at once; pattern staggered
 *         config: { interval-report: 900 }   # the defaults of the device type, with mode lte
 *         tags: [indoor]                 # none
 *         region: north                  # none; a label for selectors
 *         register: true                 # true: created in the cloud before the run
 *     network: ...                       # no latency, no loss; see parse/network.ts
 *     faults: ...                        # none; see parse/faults.ts
 *     steps:                             # none; kinds in steps/
 *       - { at: 1h, to: clime/3, over: 5m, config: { interval-report: 900 } }   # to all, over 0s; see selector/
 *     load: ...                          # none; see parse/load.ts
 *     expect:                            # none; grammar in expect/grammar.ts
 *       - uplink.stored == uplink.sent
 *     by: [region, firmware]             # none; the report then has the metrics of each part
 *     next: [ghostfleet plan cold-store.yaml]   # none; lines that the report prints at its end
 *
 * The configuration of a group is written to flash before the first boot. If the device type has the parameter `mode` and the
 * scenario does not set it, the plan sets it to lte, because a device never sends with the factory default, mode none.
 */
import type { Span } from '../../device/modem/timing.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { Millis, UnixMillis } from '../../kernel/time.js';
import type { Dimension, Expectation, MetricExpectation } from '../expect/expectation.js';
import type { FaultCall } from '../faults/index.js';
import type { Load } from '../load/load.js';
import type { Selector } from '../selector/selector.js';
import type { SetupCall } from '../setup/index.js';
import type { StepCall } from '../steps/index.js';
import type { CloudSettings } from './cloud.js';
import type { FleetGroup } from './fleet.js';
import type { FaultWindow } from './plan.js';

export interface Scenario {
  readonly name: string;
  /** The variables of the file that have a part of a secret. */
  readonly secretVars: ReadonlySet<string>;
  /** The values that were given for them. */
  readonly secrets: readonly string[];
  readonly about: string;
  readonly seed: number;
  readonly start: UnixMillis;
  readonly duration: Millis;
  readonly settle: Millis;
  /** API requests before this time do not count in latencies, and events before it do not count in busiest seconds. */
  readonly warmUp: Millis;
  /** Settings of the embedded cloud; null for its defaults. */
  readonly cloud: CloudSettings | null;
  /** Resources that are created in the space before the devices, in this order. */
  readonly setup: readonly SetupCall[];
  readonly fleet: readonly FleetGroup[];
  /** The network conditions of the whole run come first, then the faults with a time. */
  readonly faults: readonly ScenarioFault[];
  /** Time after which the network releases an idle radio connection; left out for the default. */
  readonly radioRelease?: Span | undefined;
  readonly steps: readonly ScenarioStep[];
  readonly loads: readonly ScenarioLoad[];
  readonly expectations: readonly Expectation[];
  /** The report has the metrics of the parts of the run by these, and by those of the expectations. */
  readonly by: readonly Dimension[];
  /** Lines that the report prints at its end, for example commands to try next. */
  readonly next: readonly string[];
}

export interface ScenarioStep {
  /** Time at which the step begins; with `follows`, time from the beginning of the previous step. */
  readonly at: Millis;
  readonly follows?: true;
  /** A step to many devices is spread evenly over this time; 0: all at once. */
  readonly over: Millis;
  readonly to: Selector;
  /** Set if the step is carried out cohort by cohort, instead of for all devices at `at`. */
  readonly rollout?: Rollout | undefined;
  /** The step begins when this condition holds, and not before `at`. */
  readonly wait?: StepWait | undefined;
  readonly call: StepCall;
}

export interface Rollout {
  readonly cohorts: number;
  /** Size of each cohort as a share of the devices; the last cohort has the rest. */
  readonly share: Ratio;
  /** Time from the beginning of one cohort to the beginning of the next. */
  readonly every: Millis;
}

export interface StepWait {
  readonly condition: MetricExpectation;
  /** Time limit; null if it is the end of the scenario. */
  readonly within: Millis | null;
}

/** A fault with its times, and the devices that it affects. */
export type ScenarioFault = FaultCall & { readonly to: Selector; readonly windows: readonly FaultWindow[] };

/** A load, and the devices of its requests. */
export interface ScenarioLoad extends Load {
  readonly to: Selector;
}
