/**
 * Scenarios written in TypeScript. The object has the keys of a scenario file, with the same meaning and the same checks. Only
 * `vars` and `include` are rejected, because TypeScript has variables and modules.
 */
import { Problems } from '../../input/document.js';
import { valueNode } from '../../input/value.js';
import type { Dimension } from '../expect/expectation.js';
import type { FaultName } from '../faults/index.js';
import type { CallName } from '../load/calls.js';
import type { OwnCallName } from '../load/chains.js';
import type { BootPattern } from '../model/fleet.js';
import type { Scenario } from '../model/scenario.js';
import type { SetupName } from '../setup/index.js';
import type { StepName } from '../steps/index.js';
import { readScenario } from './scenario.js';
import type { DeviceTypes, ScenarioSources } from './sources.js';

/** Any value of a scenario file. */
type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export interface ScenarioDefinition {
  readonly name: string;
  readonly about?: string;
  readonly seed?: number;
  /** UTC: `2026-03-02T06:00:00Z`. */
  readonly start?: string;
  /** Durations are texts: `6h`. */
  readonly duration: string;
  readonly settle?: string;
  readonly 'warm-up'?: string;
  readonly cloud?: CloudDefinition;
  readonly setup?: readonly SetupDefinition[];
  readonly fleet:
    | readonly (GroupDefinition & { readonly count: number })[]
    | { readonly devices: number; readonly groups: readonly (GroupDefinition & { readonly share: string })[] };
  readonly network?: { readonly [key: string]: Value };
  readonly faults?: readonly FaultDefinition[];
  readonly steps?: readonly StepDefinition[];
  readonly load?: readonly LoadDefinition[];
  /** A line, or `{ that: line, abort: true }`, which ends the run when it fails; `abort: '10m'`: from then on. */
  readonly expect?: readonly (string | { readonly that: string; readonly abort?: boolean | string })[];
  /** The report has the metrics of each part of the run by these. */
  readonly by?: readonly Dimension[];
  readonly next?: readonly string[];
}

/** Settings of the embedded cloud. */
interface CloudDefinition {
  /** `600/m`: requests a minute allowed for each API key. */
  readonly 'rate-limit'?: string;
  readonly 'expire-downlinks'?: string;
  readonly 'retain-messages'?: string;
  /** Connectors may send to private and loopback addresses. */
  readonly 'allow-private'?: boolean;
}

/** A resource to create in the space: the options under the name of its kind. */
export type SetupDefinition = { readonly [K in SetupName]?: Value };

export interface GroupDefinition {
  readonly name: string;
  readonly profile: string;
  /** Factory firmware version of the devices: `3.5.5`. Default: the newest. */
  readonly firmware?: string;
  readonly serial?: number;
  readonly boot?: { readonly from?: string; readonly over?: string; readonly pattern?: BootPattern };
  readonly config?: { readonly [parameter: string]: string | number | boolean } | readonly string[];
  readonly tags?: readonly string[];
  readonly region?: string;
  readonly register?: boolean;
}

/** A step: time, devices, and the options of one action under its name. */
export type StepDefinition = {
  readonly at?: string;
  readonly after?: string;
  readonly within?: string;
  readonly over?: string;
  readonly to?: string;
  readonly for?: { readonly each?: string; readonly in: string; readonly every: string };
  /** true: the lines or data to send are deliberately unknown or invalid, and are not checked. */
  readonly unknown?: boolean;
} & { readonly [K in StepName]?: Value };

/** A fault: time, devices, and the options of one kind under its name. */
export type FaultDefinition = {
  readonly from?: string;
  readonly until?: string;
  /** With `lasts`: the fault recurs, each time for this duration. */
  readonly every?: string;
  readonly lasts?: string;
  readonly to?: string;
} & { readonly [K in FaultName]?: Value };

/** API requests: the options of one call under its name, and the pace. */
export type LoadDefinition = {
  readonly from?: string;
  readonly until?: string;
  readonly to?: string;
  readonly rate?: string | { readonly [after: string]: string } | { readonly replay: string; readonly speed?: number };
  readonly spacing?: 'even' | 'poisson';
  /** `10`, `'0..10'` or `{ '0s': 1, '5m': 10 }`. */
  readonly users?: number | string | { readonly [after: string]: number | string };
  readonly patient?: boolean;
  readonly think?: string;
  /** The load ends after this number of iterations. */
  readonly iterations?: number;
  /** One iteration for each device of `to`, spread over the time in `over`. */
  readonly per?: 'device';
  readonly over?: string;
  /** CSV or NDJSON file with a row for each iteration. Default of `order`: cyclic. */
  readonly data?: string | { readonly file: string; readonly order?: 'cyclic' | 'unique' | 'random' };
  /** For reports and expectations. */
  readonly name?: string;
  /** A client of the setup. */
  readonly as?: string;
  /** true: the lines or data to send are deliberately unknown or invalid, and are not checked. */
  readonly unknown?: boolean;
} & { readonly [K in CallName | OwnCallName | 'replay']?: Value };

const FOR_YAML = ['include', 'vars'] as const;

/**
 * Checks a scenario.
 * @throws InputError naming every problem by its path: `steps[2].at: "90" is not a duration …`
 */
export function readDefinition(definition: ScenarioDefinition, types: DeviceTypes, sources: ScenarioSources): Scenario {
  const problems = new Problems();
  const root = valueNode(definition, 'the scenario');
  for (const key of FOR_YAML) {
    const entry = root.kind === 'map' ? root.entries.get(key) : undefined;
    if (entry) problems.add(entry.key, `"${key}" is for YAML files; use the variables and modules of TypeScript`);
  }
  return readScenario(root, types, sources, problems);
}
