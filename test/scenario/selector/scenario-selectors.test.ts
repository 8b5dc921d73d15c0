/** The devices that a selector in a scenario selects: groups, devices, regions, tags and samples. */
import { describe, expect, it } from 'vitest';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from '../fixtures.js';

const FLEET = `  - { name: cellar, profile: clime, count: 20, region: north, tags: [indoor, cold] }
  - { name: roof, profile: clime, count: 10, region: north, tags: [outdoor] }
  - { name: pump, profile: control, count: 10, region: south, tags: [indoor] }
`;

/** The devices that a selector selects with a seed, as indices. */
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
    ['roof-0003', [22]],
    ['"*-0001"', [0, 20, 30]],
    ['2159017986', [1]],
    ['tag/indoor & !cellar', range(30, 40)],
    ['profile=control | roof/1..2', [20, 21, ...range(30, 40)]],
  ])('%s selects the right devices', (to, devices) => {
    expect(meant(to)).toEqual(devices);
  });

  it('with a percentage selects that share of the devices, depending on the seed', () => {
    expect(meant('10%')).toHaveLength(4);
    expect(meant('10%')).toEqual(meant('10%'));
    expect(meant('10%', 2)).not.toEqual(meant('10%', 3));
    expect(meant('50% of region/south').every((index) => index >= 30)).toBe(true);
    expect(meant('1% of roof')).toHaveLength(1);
  });

  it('with a larger percentage also selects the devices of a smaller one', () => {
    const larger = new Set(meant('60% of cellar'));
    expect(meant('20% of cellar').every((index) => larger.has(index))).toBe(true);
  });

  it.each([
    ['region/noth', '"noth" is not a region (did you mean "north"?); the fleet has north or south'],
    ['tag/indor', '"indor" is not a tag of a group (did you mean "indoor"?)'],
    ['rof/3', '"rof/3" is not "all", a group or a device such as "cellar/3" (did you mean "roof"?)'],
    ['roof/11', '"roof/11" does not exist: the group has the devices 1 to 10'],
    ['roof/7..3', '"roof/7..3" does not exist: a range begins with the lower number'],
    ['0%', '"0%" is not a sample of more than 0% and at most 100%'],
    ['120%', '"120%" is not a sample of more than 0% and at most 100%'],
    ['"cellar &"', '"cellar &" is not a selector: column 9 of the selector: expected a name'],
    ['cellar & tag=outdoor', '"cellar & tag=outdoor" selects no device of the fleet'],
    [
      'battery<20',
      '"battery" is known only during a run; a scenario can use name, group, serial, profile, tag or region',
    ],
    ['indoor', '"indoor" is not "all", a group or a device such as "cellar/3" (did you mean "tag/indoor"?)'],
    ['roof-0011', '"roof-0011" is not "all", a group or a device'],
    ['10% of roofs', '"roofs" is not "all"'],
  ])('rejects %s', (to, message) => {
    const problems = problemsOf(yamlOf({ fleet: FLEET, steps: `  - { at: 1h, to: ${to}, shell: send }\n` }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  describe('with tags that begin with the name of another tag', () => {
    const WET = `  - { name: wet, profile: clime, count: 3, tags: [cold store, "cold store | wet", hall, hall 1, hall - 1] }
  - { name: bb, profile: clime, count: 2, tags: ["cold store | wet", hall 12, "hall 12 & !wet"] }
  - { name: cc, profile: clime, count: 4, tags: [cold store, "hall (1)"] }
`;
    const scenario = (to: string) => ({ fleet: WET, steps: `  - { at: 1h, to: '${to}', shell: send }\n` });
    const selected = (to: string) => planScenario(scenarioOf(scenario(to)), { seed: 1 }).actions[0]?.devices;

    it.each([
      ['tag/cold store | wet', range(0, 5)],
      ['tag/hall 12', [3, 4]],
      ['tag/hall 1', [0, 1, 2]],
      ['tag/hall 12 & !wet', [3, 4]],
      ['tag/hall 12 & !bb | tag/hall 1', [0, 1, 2]],
      ['(tag/hall (1)) & cc/2', [6]],
      ['50% of tag/hall 12 | cc', [3, ...range(5, 9)]],
    ])('%s means the longest of these tags', (to, devices) => {
      expect(selected(to)).toHaveLength(devices.length);
      if (!to.includes('%')) expect(selected(to)).toEqual(devices);
    });

    it.each([
      ['"tag/cold store" | wet', [...range(0, 3), ...range(5, 9)]],
      ['(tag/cold store) | bb', range(0, 9)],
    ])('%s means the shorter tag and a group', (to, devices) => expect(selected(to)).toEqual(devices));

    it('is rejected if the text goes on after a known tag, in place of another tag that begins like it', () => {
      expect(problemsOf(yamlOf(scenario('tag/hall 123')))[0]).toContain('found "123"');
    });

    it('is counted apart from the same words with another meaning in expectations', () => {
      const lines = [
        'device.ready of tag/cold store | wet == 5',
        'device.ready of (tag/cold store) | wet == 7',
        'device.ready of tag/hall - 1 == 3',
        'device.ready of "tag/hall - 1" == 3',
        'device.ready of (tag/hall) - 1 == 2',
      ];
      const plan = planScenario(scenarioOf({ fleet: WET, expect: lines.map((line) => `  - '${line}'\n`).join('') }), {
        seed: 1,
      });
      expect(plan.scopes?.map((scope) => [scope.name, 'devices' in scope && scope.devices.length])).toEqual([
        ['"tag/cold store | wet"', 5],
        ['"tag/cold store" | wet', 7],
        ['"tag/hall - 1"', 3],
        ['tag/hall', 3],
      ]);
    });
  });

  it('may name a region even if the fleet has other problems', () => {
    const fleet = '  - { name: roof, profile: clime, count: none, region: north }\n';
    const problems = problemsOf(yamlOf({ fleet, steps: '  - { at: 1h, to: region/north, shell: send }\n' }));
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['4']);
  });

  it('is rejected with a message without the size of the group, if the count of the group is invalid', () => {
    const fleet = '  - { name: roof, profile: clime, count: none }\n';
    const problems = problemsOf(yamlOf({ fleet, steps: '  - { at: 1h, to: roof/0, shell: send }\n' }));
    expect(problems[1]).toContain('"roof/0" does not exist: the first device of a group has the number 1');
  });

  it('also selects the devices of a fault and of a load', () => {
    const plan = planScenario(
      scenarioOf({
        fleet: FLEET,
        network: '  faults: [{ outage: both, from: 1h, to: region/south }]\n',
        load: '  - { read-device:, rate: 1/s, to: roof/1..2 }\n',
      }),
    );
    expect(plan.faults).toMatchObject([{ to: 'region/south', devices: range(30, 40) }]);
    expect(plan.loads).toMatchObject([{ name: 'read-device to roof/1..2', devices: [20, 21] }]);
  });
});
