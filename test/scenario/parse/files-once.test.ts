/** Files that several parts of a scenario name. */
import { expect, it } from 'vitest';
import { Problems } from '../../../src/input/document.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../../src/scenario/parse/sources.js';
import { Recording } from '../../../src/scenario/values/csv-series.js';
import { TYPES, yamlOf } from '../fixtures.js';

const HEAD = 'name: test\nduration: 10s\n';
const FILES: Readonly<Record<string, string>> = {
  'rows.csv': 'id\n1\n2\n',
  'times.csv': 'time [s]\n1\n2\n',
  'access.log': '- - - [02/Mar/2026:06:00:00 +0000] "GET /v2/x HTTP/1.1" 200 5\n',
  'celsius.csv': 'time [s],temperature [°C]\n0,1\n1,2\n',
};

/** The scenario with two parts of its list `key`. */
function twice(key: 'load' | 'steps', part: string) {
  const readFile = (file: string) => ({ file, text: FILES[file] ?? '' });
  const yaml = yamlOf({ head: HEAD, [key]: `  - ${part}\n  - ${part}\n` });
  return parseScenario(yaml, 'test.yaml', TYPES, { ...NO_SOURCES, readFile });
}

it.each([
  ['data', '{ data: rows.csv, rate: 1/s, request: { get: "/{id}" } }'],
  ['times', '{ rate: { replay: times.csv }, request: { get: /v2/x } }'],
  ['requests', '{ replay: access.log }'],
])('two loads that name the same file of %s have the same ones in memory', (_what, part) => {
  const [one, other] = twice('load', part).loads;
  const keptBy = (load: typeof one) => [
    load?.data?.rows,
    load?.pace.kind === 'replay' ? load.pace.trace : undefined,
    load?.call.kind === 'recorded' ? load.call.requests : undefined,
  ];
  expect(keptBy(one).some((kept) => kept !== undefined)).toBe(true);
  for (const [index, kept] of keptBy(one).entries()) expect(keptBy(other)[index]).toBe(kept);
});

it('two steps that replay the same column of a file have its values in memory once', () => {
  const { steps } = twice('steps', '{ at: 1s, sensor: { thermometer.temperature: { replay: celsius.csv } } }');
  const kept: unknown[] = [];
  const collect = (value: unknown) => {
    if (value instanceof Recording) kept.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(steps);
  expect(kept).toHaveLength(2);
  expect(kept[0]).toBe(kept[1]);
});

it('a file with a problem has it once, whatever names the file', () => {
  const readFile = (file: string) => ({ file, text: 'id\n"1\n' });
  const part = '  - { data: rows.csv, rate: 1/s, request: { get: "/{id}" } }\n';
  const yaml = yamlOf({ head: HEAD, load: part.repeat(3) });
  expect(() => parseScenario(yaml, 'test.yaml', TYPES, { ...NO_SOURCES, readFile })).toThrow(/^[^\n]*rows\.csv[^\n]*$/);
});

it('the ways in which a scenario uses its files have a limit together', () => {
  const problems = new Problems();
  const named = { file: 'a.csv', text: 'x'.repeat(64 * 1024 * 1024) };
  const use = (speed: number) => problems.readOnce(named, speed, () => speed);
  for (const speed of [1, 2, 3, 4, 1, 2]) expect(use(speed)).toBe(speed);
  expect(() => use(5)).toThrow('the scenario uses its files in too many ways');
});
