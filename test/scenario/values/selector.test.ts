/** Whom a step is for: groups, devices, regions, tags and samples. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apportion } from '../../../src/scenario/parse/apportion.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, TYPES, yamlOf } from '../fixtures.js';

const FLEET = `  - { name: cellar, profile: clime, count: 20, region: north, tags: [indoor, cold] }
  - { name: roof, profile: clime, count: 10, region: north, tags: [outdoor] }
  - { name: pump, profile: control, count: 10, region: south, tags: [indoor] }
`;

/** The devices that a selector means, by the seed. */
function meant(to: string, seed = 1): readonly number[] {
  const steps = `  - { at: 1h, to: ${to}, shell: send }\n`;
  return planScenario(scenarioOf({ fleet: FLEET, steps }), { seed }).actions[0]?.devices ?? [];
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a selector', () => {
  it.each([
    ['all', range(0, 40)],
    ['roof', range(20, 30)],
    ['roof/3', [22]],
    ['roof/3..7', range(22, 27)],
    ['region/north', range(0, 30)],
    ['tag/indoor', [...range(0, 20), ...range(30, 40)]],
    ['100%', range(0, 40)],
  ])('%s', (to, devices) => {
    expect(meant(to)).toEqual(devices);
  });

  it('of a percentage means that share of the devices, chosen by the seed', () => {
    expect(meant('10%')).toHaveLength(4);
    expect(meant('10%')).toEqual(meant('10%'));
    expect(meant('10%', 2)).not.toEqual(meant('10%', 3));
    expect(meant('50% of region/south').every((index) => index >= 30)).toBe(true);
    expect(meant('1% of roof')).toHaveLength(1);
  });

  it('of a larger percentage means the devices of the smaller one as well', () => {
    const larger = new Set(meant('60% of cellar'));
    expect(meant('20% of cellar').every((index) => larger.has(index))).toBe(true);
  });

  it.each([
    ['region/noth', '"noth" is not a region (did you mean "north"?); there is north or south'],
    ['tag/indor', '"indor" is not a tag of a group (did you mean "indoor"?)'],
    ['rof/3', '"rof/3" is not "all", a group or a device such as "cellar/3" (did you mean "roof"?)'],
    ['roof/11', '"roof/11" does not exist: the group has the devices 1 to 10'],
    ['roof/7..3', '"roof/7..3" does not exist: a range goes from the lower number to the higher'],
    ['0%', 'is a sample of nobody'],
    ['120%', 'is a sample of nobody, or of more than there are'],
    ['10% of roofs', '"roofs" is not "all"'],
  ])('refuses %s', (to, message) => {
    const problems = problemsOf(yamlOf({ fleet: FLEET, steps: `  - { at: 1h, to: ${to}, shell: send }\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('may name a region that stands in a fleet with mistakes', () => {
    const fleet = '  - { name: roof, profile: clime, count: none, region: north }\n';
    const problems = problemsOf(yamlOf({ fleet, steps: '  - { at: 1h, to: region/north, shell: send }\n' }));
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['4']);
  });

  it('is not told how large a group is whose count is wrong', () => {
    const fleet = '  - { name: roof, profile: clime, count: none }\n';
    const problems = problemsOf(yamlOf({ fleet, steps: '  - { at: 1h, to: roof/0, shell: send }\n' }));
    expect(problems[1]).toContain('"roof/0" does not exist: the first device of a group is 1');
  });

  it('chooses whom a fault and a load are for, too', () => {
    const plan = planScenario(
      scenarioOf({
        fleet: FLEET,
        network: '  faults: [{ outage: both, from: 1h, to: region/south }]\n',
        load: '  - { read-device:, rate: 1/s, to: roof/1..2 }\n',
      }),
    );
    expect(plan.network).toMatchObject([{ to: 'region/south', devices: range(30, 40) }]);
    expect(plan.loads).toMatchObject([{ name: 'read-device to roof/1..2', devices: [20, 21] }]);
  });
});

describe('a fleet with shares', () => {
  const shared = (devices: number, ...shares: readonly string[]) =>
    `name: test\nduration: 2h\nfleet:\n  devices: ${devices}\n  groups:\n${shares
      .map((share, i) => `    - { name: group-${i}, profile: clime, share: ${share} }\n`)
      .join('')}`;

  it('has so many devices, divided by largest remainder', () => {
    const { fleet } = parseScenario(shared(10, '1/3', '1/3', '1/3'), 'test.yaml', TYPES);
    expect(fleet.map(({ count }) => count)).toEqual([4, 3, 3]);
  });

  it.each([
    [shared(10, '50%', '40%'), '6:5: the shares of the groups come to 90%; they must come to 100%'],
    [shared(10, '99%', '1%'), '7:47: 1% of 10 devices is not one device'],
    [shared(10, '100%').replace('share: 100%', 'count: 3'), '"count" is not a key of a group'],
  ])('refuses what does not come out', (text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });

  it('never loses or makes a device', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), weights, (total, parts) => {
        const sum = parts.reduce((a, b) => a + b, 0);
        const counts = apportion(
          total,
          parts.map((part) => part / sum),
        );
        expect(counts.reduce((a, b) => a + b, 0)).toBe(total);
        counts.forEach((count, i) => {
          expect(Math.abs(count - (total * (parts[i] ?? 0)) / sum)).toBeLessThan(1);
        });
      }),
    );
  });
});

describe('a boot', () => {
  const boots = (boot: string) =>
    planScenario(scenarioOf({ fleet: `  - { name: clime, profile: clime, count: 200, boot: ${boot} }\n` })).devices.map(
      ({ bootAt }) => bootAt,
    );

  it('as a storm is all at once', () => {
    expect(new Set(boots('{ from: 5m, pattern: storm }'))).toEqual(new Set([300_000]));
    expect(
      problemsOf(
        yamlOf({ fleet: '  - { name: clime, profile: clime, count: 2, boot: { over: 1m, pattern: storm } }\n' }),
      ),
    ).toEqual(['4:60: a storm is all at once: it has no "over"']);
  });

  it('as a Poisson process comes in order, within its time, and in gaps that vary as exponential ones do', () => {
    const times = boots('{ from: 1m, over: 10m, pattern: poisson }');
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(60_000);
    expect(times.at(-1)).toBeLessThan(660_000);
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) * (gap - mean), 0) / gaps.length);
    expect(deviation / mean).toBeGreaterThan(0.8);
    expect(deviation / mean).toBeLessThan(1.25);
  });
});
