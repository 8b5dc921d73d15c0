/**
 * Scenarios written in TypeScript. The object has the keys of the file, with the same meaning and the same checks; for what YAML
 * needs variables, loops and included files, TypeScript has its own.
 */
import type { LocatedNode, ScalarNode } from '../input/document.js';
import { Problems } from '../input/document.js';
import type { DeviceFaultName } from './faults/device/index.js';
import type { ServiceFault } from './faults/service.js';
import type { CallName } from './load/calls.js';
import { type DeviceTypes, readScenario, type ScenarioSources } from './parse.js';
import type { BootPattern, Scenario } from './scenario.js';
import type { SetupName } from './setup/index.js';
import type { StepName } from './steps/index.js';

/** Whatever may stand in a scenario file. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export interface ScenarioDefinition {
  readonly name: string;
  readonly about?: string;
  readonly seed?: number;
  /** UTC: `2026-03-02T06:00:00Z`. */
  readonly start?: string;
  /** `6h`, like all durations. */
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
  readonly expect?: readonly string[];
  readonly next?: readonly string[];
}

/** Settings of the embedded cloud. */
export interface CloudDefinition {
  /** `600/m`: requests that a key may make in a minute. */
  readonly 'rate-limit'?: string;
  readonly 'expire-downlinks'?: string;
  readonly 'retain-messages'?: string;
}

/** What the space needs: one kind under its name. */
export type SetupDefinition = { readonly [K in SetupName]?: Value };

export interface GroupDefinition {
  readonly name: string;
  readonly profile: string;
  readonly serial?: number;
  readonly boot?: { readonly from?: string; readonly over?: string; readonly pattern?: BootPattern };
  readonly config?: { readonly [parameter: string]: string | number | boolean } | readonly string[];
  readonly tags?: readonly string[];
  readonly region?: string;
  readonly register?: boolean;
}

/** A step: when, to whom, and one action under its name. */
export type StepDefinition = {
  readonly at?: string;
  readonly after?: string;
  readonly within?: string;
  readonly over?: string;
  readonly to?: string;
  readonly for?: { readonly each?: string; readonly in: string; readonly every: string };
} & { readonly [K in StepName]?: Value };

/** A fault: when, whom it hits, and one kind under its name. */
export type FaultDefinition = {
  readonly from?: string;
  readonly until?: string;
  readonly to?: string;
} & { readonly [K in WireFaultName | DeviceFaultName | ServiceFault['kind']]?: Value };

type WireFaultName = Scenario['network'][number]['fault']['kind'];

/** Requests to the API: what to ask, under its name, and at which pace. */
export type LoadDefinition = {
  readonly from?: string;
  readonly until?: string;
  readonly to?: string;
  readonly rate?: string | { readonly [after: string]: string } | { readonly replay: string; readonly speed?: number };
  readonly spacing?: 'even' | 'poisson';
  readonly users?: number;
  readonly patient?: boolean;
  readonly think?: string;
  /** A client of the setup. */
  readonly as?: string;
} & { readonly [K in CallName]?: Value };

/**
 * Checks a scenario.
 * @throws InputError naming every problem by its path: `steps[2].at: "90" is not a duration …`
 */
export function readDefinition(definition: ScenarioDefinition, types: DeviceTypes, sources: ScenarioSources): Scenario {
  const problems = new Problems();
  return readScenario(nodeOf(definition, ''), definition.name, types, sources, problems);
}

/** The value as a tree whose places are paths. */
function nodeOf(value: unknown, path: string): LocatedNode {
  // Not a line of a file.
  const place = { file: path === '' ? 'the scenario' : path, line: 0, column: 0 };
  if (Array.isArray(value)) {
    return { kind: 'list', ...place, items: value.map((item, i) => nodeOf(item, `${path}[${i}]`)) };
  }
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const entries = given.map(([name, entry]) => {
      const node = nodeOf(entry, path === '' ? name : `${path}.${name}`);
      return [name, { key: node, value: node }] as const;
    });
    return { kind: 'map', ...place, entries: new Map(entries) };
  }
  return { kind: 'scalar', ...place, value: scalar(value), source: value === null ? '' : String(value), textColumn: 0 };
}

function scalar(value: unknown): ScalarNode['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
