/** Loads whose requests are due at the times in a file. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { drawArrivals } from '../../../src/scenario/load/arrivals.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { TYPES, yamlOf } from '../fixtures.js';

/** The plan of a scenario of two hours with one load, whose file is `arrivals.csv`. */
function planOf(csv: string, load = '{ count-devices:, from: 10m, rate: { replay: arrivals.csv } }') {
  const readFile = (path: string) => {
    if (path !== 'arrivals.csv') throw new Error(`"${path}" cannot be read: the file does not exist`);
    return { file: path, text: csv };
  };
  const sources = { profiles: new Map(), readFile };
  return planScenario(parseScenario(yamlOf({ load: `  - ${load}\n` }), 'test.yaml', TYPES, sources));
}

function dueIn(csv: string, load?: string): readonly number[] {
  return planOf(csv, load).loads.flatMap((planned) => [...drawArrivals(planned, seededRandom(1))]);
}

function problemsOf(csv: string, load?: string): readonly string[] {
  try {
    planOf(csv, load);
  } catch (error) {
    if (error instanceof InputError) return error.problems.map((p) => `${p.file}:${p.line}:${p.column}: ${p.message}`);
    throw error;
  }
  return [];
}

const MINUTES_10 = 600_000;

describe('a replayed load', () => {
  it('counts the times in its file from the beginning of the load, and may have several requests at one time', () => {
    expect(dueIn('time [s]\n0.25\n2\n2\n60\n').map((at) => at - MINUTES_10)).toEqual([250, 2000, 2000, 60_000]);
  });

  it('counts calendar times from the first one', () => {
    const csv = 'who,time\na,2026-03-02T06:00:00Z\nb,2026-03-02T06:00:01.5Z\n';
    expect(dueIn(csv).map((at) => at - MINUTES_10)).toEqual([0, 1500]);
  });

  it('is faster or slower by the factor "speed"', () => {
    const fast = '{ count-devices:, rate: { replay: arrivals.csv, speed: 4 } }';
    expect(dueIn('time [min]\n1\n2\n', fast)).toEqual([15_000, 30_000]);
    expect(dueIn('time [min]\n1\n2\n', fast.replace('4', '0.5'))).toEqual([120_000, 240_000]);
  });

  it('leaves out the requests after the end of the load', () => {
    const short = '{ count-devices:, from: 10m, until: 12m, rate: { replay: arrivals.csv } }';
    expect(dueIn('time [min]\n1\n2\n3\n', short)).toEqual([MINUTES_10 + 60_000]);
  });

  it('is shown in the plan, which contains a fingerprint of its file', () => {
    const plan = planOf('time [s]\n1\n2\n');
    expect(describePlan(plan)).toMatch(/10m to 2h +count-devices +2 requests, replayed from arrivals\.csv\n/);
    expect(JSON.stringify(plan.loads)).toMatch(/"trace":\{"requests":2,"print":"[0-9a-f]{16}"\}/);
  });
});

describe('a file of arrivals', () => {
  it.each([
    ['without times', 'when [s]\n1\n', ['arrivals.csv:1:1: no column is called "time"; the columns are "when"']],
    [
      'with words',
      'time [s]\n1\nsoon\n2\nlate\n',
      ['arrivals.csv:3:1: "soon" is not a number', 'arrivals.csv:5:1: "late" is not a number'],
    ],
    ['that goes back', 'time [s]\n5\n4\n', ['arrivals.csv:3:1: "4" is earlier than the time of the row before']],
    ['that begins too early', 'time [s]\n-1\n', ['arrivals.csv:2:1: "-1" is earlier than the beginning of the load']],
    [
      'that begins too late',
      'time [d]\n1\n',
      ['test.yaml:7:50: all times in "arrivals.csv" are after the end of the load'],
    ],
  ])('%s is rejected with its place', (_what, csv, problems) => {
    expect(problemsOf(csv)).toEqual(problems);
  });

  it.each([
    [
      '{ count-devices:, rate: { replay: other.csv } }',
      'test.yaml:7:39: "other.csv" cannot be read: the file does not exist',
    ],
    ['{ count-devices:, rate: { replay: arrivals.csv, speed: 0 } }', 'test.yaml:7:60: "0" is not a number above 0'],
    [
      '{ count-devices:, spacing: poisson, rate: { replay: arrivals.csv } }',
      'test.yaml:7:32: a replay has no "spacing": the times are in its file',
    ],
  ])('is not accepted for a load that is invalid or names a missing file: %s', (load, problem) => {
    expect(problemsOf('time [s]\n1\n', load)).toEqual([problem]);
  });
});
