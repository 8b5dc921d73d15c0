/** Groups with shares, and the times at which devices boot. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apportion } from '../../../src/scenario/parse/apportion.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, TYPES, yamlOf } from '../fixtures.js';

describe('a fleet with shares', () => {
  const shared = (devices: number, ...shares: readonly string[]) =>
    `name: test\nduration: 2h\nfleet:\n  devices: ${devices}\n  groups:\n${shares
      .map((share, i) => `    - { name: group-${i}, profile: clime, share: ${share} }\n`)
      .join('')}`;

  it('has the given number of devices, divided by the method of largest remainders', () => {
    const { fleet } = parseScenario(shared(10, '1/3', '1/3', '1/3'), 'test.yaml', TYPES);
    expect(fleet.map(({ count }) => count)).toEqual([4, 3, 3]);
  });

  it.each([
    [shared(10, '50%', '40%'), '6:5: the shares of the groups add up to 90%; expected 100%'],
    [shared(10, '99%', '1%'), '7:47: 1% of 10 devices is less than one device'],
    [shared(10, '100%').replace('share: 100%', 'count: 3'), '"count" is not a key of a group'],
  ])('is rejected if its shares do not add up to 100%, give no device, or are mixed with counts', (text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });

  it('has exactly the total number of devices, for any shares', () => {
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

it.each(['"hall 1 "', '" hall"', '"hall\\u00a0"', '"\\thall"'])(
  'a tag with blanks at its ends is rejected: %s',
  (tag) => {
    const fleet = `  - { name: clime, profile: clime, count: 2, tags: [a b, ${tag}] }\n`;
    expect(problemsOf(yamlOf({ fleet }))).toEqual([
      expect.stringMatching(
        /^4:\d+: ".*" is not a name without blanks at its beginning and end, which the cloud would remove$/,
      ),
    ]);
  },
);

describe('a boot', () => {
  const boots = (boot: string) =>
    planScenario(scenarioOf({ fleet: `  - { name: clime, profile: clime, count: 200, boot: ${boot} }\n` })).devices.map(
      ({ bootAt }) => bootAt,
    );

  it('with the pattern storm starts all devices at one time', () => {
    expect(new Set(boots('{ from: 5m, pattern: storm }'))).toEqual(new Set([300_000]));
    expect(
      problemsOf(
        yamlOf({ fleet: '  - { name: clime, profile: clime, count: 2, boot: { over: 1m, pattern: storm } }\n' }),
      ),
    ).toEqual(['4:60: a storm starts all devices at once: it has no "over"']);
  });

  it('with the pattern poisson starts devices in order, within its time, and with exponential gaps', () => {
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
