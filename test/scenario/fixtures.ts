/** Scenarios for tests: a small valid scenario, of which a test changes the parts that it checks. */
import { InputError } from '../../src/input/problems.js';
import type { Scenario } from '../../src/scenario/model/scenario.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import type { DeviceTypes } from '../../src/scenario/parse/sources.js';

/** The device types of these tests. They reject every value of `interval-report` with one digit. */
export const TYPES: DeviceTypes = new Map(
  ['clime', 'control'].map((name) => [
    name,
    {
      versions: ['3.5.5', '4.0.0'],
      version: () => ({
        flashRefusal: (line) => (/interval-report [0-9]$/.test(line) ? 'Invalid range' : undefined),
        lineRefusal: () => undefined,
        configRefusal: () => undefined,
        lengthRefusal: () => undefined,
        dataRefusal: () => undefined,
      }),
    },
  ]),
);

/** The parts of a scenario file as YAML. In parts that are lists, the items are indented by two spaces. */
export interface ScenarioParts {
  readonly head?: string;
  readonly fleet?: string;
  readonly network?: string;
  readonly steps?: string;
  readonly load?: string;
  readonly expect?: string;
}

const HEAD = 'name: test\nduration: 2h\n';
const FLEET = '  - { name: clime, profile: clime, count: 3 }\n  - { name: control, profile: control, count: 2 }\n';

export function yamlOf({ head = HEAD, fleet = FLEET, network, steps, load, expect }: ScenarioParts = {}): string {
  return [
    head,
    `fleet:\n${fleet}`,
    network === undefined ? '' : `network:\n${network}`,
    steps === undefined ? '' : `steps:\n${steps}`,
    load === undefined ? '' : `load:\n${load}`,
    expect === undefined ? '' : `expect:\n${expect}`,
  ].join('');
}

export function scenarioOf(parts: ScenarioParts = {}): Scenario {
  return parseScenario(yamlOf(parts), 'test.yaml', TYPES);
}

/** The problems of a file, each as `line:column: message`. */
export function problemsOf(yaml: string): readonly string[] {
  try {
    parseScenario(yaml, 'test.yaml', TYPES);
  } catch (error) {
    if (error instanceof InputError) return error.problems.map((p) => `${p.line}:${p.column}: ${p.message}`);
    throw error;
  }
  return [];
}
