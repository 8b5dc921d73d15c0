/** The `load` of a scenario file. */
import { describe, expect, it } from 'vitest';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, yamlOf } from '../fixtures.js';

const listOf = (lines: readonly string[]) => lines.map((line) => `  - ${line}\n`).join('');
const loadsOf = (...lines: readonly string[]) => scenarioOf({ load: listOf(lines) }).loads;
const complaintsOf = (...lines: readonly string[]) => problemsOf(yamlOf({ load: listOf(lines) }));

describe('a load', () => {
  it('by default lasts as long as the scenario, is evenly spaced, and is about all devices', () => {
    expect(loadsOf('{ latest-value:, rate: 50/s }')).toEqual([
      {
        name: 'latest-value',
        call: { kind: 'latest-value', body: null },
        from: 0,
        until: 7_200_000,
        to: { kind: 'all' },
        pace: { kind: 'open', spacing: 'even', pieces: [{ from: 0, until: 7_200_000, first: 50, last: 50 }] },
      },
    ]);
  });

  it.each([
    ['120/m', [2, 2]],
    ['720/h', [0.2, 0.2]],
    ['0.5/s', [0.5, 0.5]],
    ['1/s..50/s', [1, 50]],
  ])('accepts the rate %s', (rate, [first, last]) => {
    const [load] = loadsOf(`{ count-devices:, rate: ${rate}, from: 1m, until: 2m }`);
    expect(load?.pace).toMatchObject({ pieces: [{ from: 60_000, until: 120_000, first, last }] });
  });

  it('accepts rates that change at times after its start: steps, spikes and ramps', () => {
    const [load] = loadsOf('{ count-devices:, from: 10m, until: 30m, rate: { 0s: 1/s, 5m: 1/s..30/s, 6m: 30/s } }');
    expect(load?.pace).toMatchObject({
      pieces: [
        { from: 600_000, until: 900_000, first: 1, last: 1 },
        { from: 900_000, until: 960_000, first: 1, last: 30 },
        { from: 960_000, until: 1_800_000, first: 30, last: 30 },
      ],
    });
  });

  it('can consist of users that wait for their answers', () => {
    const [load] = loadsOf('{ list-devices:, users: 10, think: 2s }');
    expect(load?.pace).toEqual({ kind: 'closed', users: 10, think: 2000 });
  });

  it('can have users whose pauses vary', () => {
    const [load] = loadsOf('{ list-devices:, users: 10, think: 1s..5s }');
    expect(load?.pace).toEqual({ kind: 'closed', users: 10, think: 1000, longestThink: 5000 });
  });

  it('can consist of users that wait for the time in Retry-After', () => {
    const [load] = loadsOf('{ list-devices:, users: 10, patient: true }');
    expect(load?.pace).toEqual({ kind: 'closed', users: 10, think: 0, patient: true });
  });

  it('has the body of the downlinks that it queues', () => {
    const [load] = loadsOf('{ commands: [info show], rate: 1/m, to: clime }');
    expect(load).toMatchObject({ name: 'commands to clime', call: { kind: 'commands', body: '["info show"]' } });
  });

  it.each(['{}', 'true', ''])('accepts %j as the value of a call without options', (value) => {
    expect(loadsOf(`{ list-messages: ${value}, rate: 1/m }`)).toEqual(loadsOf('{ list-messages:, rate: 1/m }'));
  });

  it('has a different name from other loads', () => {
    const names = loadsOf('{ list-devices:, rate: 1/s }', '{ list-devices:, rate: 2/s }').map(({ name }) => name);
    expect(names).toEqual(['list-devices', 'list-devices (2)']);
  });

  it('has the devices of its selector', () => {
    const { loads } = planScenario(scenarioOf({ load: '  - { read-device:, rate: 1/s, to: control }\n' }));
    const { devices } = planScenario(scenarioOf({}));
    expect(loads[0]?.devices.length).toBeGreaterThan(0);
    expect(loads[0]?.devices.every((index) => devices[index]?.name.startsWith('control'))).toBe(true);
  });

  it('may use the API key of a client, whose name becomes part of the name of the load', () => {
    const head = `name: test
duration: 2h
setup:
  - client: { name: poller }
  - client: { name: neighbour, space: next-door }
`;
    const load = `  - { read-device:, rate: 1/s, as: poller }
  - { read-device:, rate: 1/s }
  - { list-devices:, rate: 1/s, as: neighbour }
`;
    const { loads } = planScenario(scenarioOf({ head, load }));
    expect(loads.map(({ name, as, devices }) => [name, as, devices.length])).toEqual([
      ['read-device as poller', 'poller', 5],
      ['read-device', undefined, 5],
      ['list-devices as neighbour', 'neighbour', 0],
    ]);
  });

  it.each([
    ['{ read-device:, rate: 1/s, as: poler }', '"poler" is not a client (did you mean "poller"?)'],
    ['{ read-device:, rate: 1/s, as: neighbour }', 'are list-messages, list-devices or count-devices'],
    ['{ list-devices:, rate: 1/s, as: neighbour, to: clime }', 'the space "next-door" of "neighbour" has no devices'],
  ])('is rejected because of its client: %s', (line, complaint) => {
    const setup = 'setup: [{ client: { name: poller } }, { client: { name: neighbour, space: next-door } }]';
    const yaml = yamlOf({ head: `name: test\nduration: 2h\n${setup}\n`, load: `  - ${line}\n` });
    expect(problemsOf(yaml)).toEqual([expect.stringContaining(complaint)]);
  });

  it.each([
    ['{ latest-value: }', 'a load needs either "rate"'],
    ['{ latest-value:, rate: 1/s, users: 2 }', 'a load needs either "rate"'],
    ['{ latest-value:, rate: fast }', '"fast" is not a rate such as "50/s"'],
    ['{ latest-value:, rate: 50 }', 'is not a rate such as "50/s"'],
    ['{ latest-value:, rate: 2000000/s }', 'up to 1000000/s'],
    ['{ latest-value:, rate: 1/s, from: 1h, until: 30m }', 'the load would end before it begins'],
    ['{ latest-value:, rate: 1/s, until: 30h }', 'the load would end after the scenario'],
    ['{ latest-value:, rate: { 5m: 1/s, 1m: 2/s } }', 'the times must be in ascending order'],
    ['{ latest-value:, rate: { soon: 1/s } }', '"soon" is not a time after the start of the load'],
    ['{ latest-value:, rate: { 3h: 1/s } }', 'the rate would change after the end of the load'],
    ['{ latest-value:, rate: {} }', 'is not a map of times to rates'],
    ['{ latest-value:, users: 2, spacing: even }', '"spacing" needs "rate"'],
    ['{ latest-value:, rate: 1/s, think: 2s }', '"think" needs "users"'],
    ['{ list-devices:, users: 1, think: 5s..1s }', 'the shorter duration comes first: write "1s..5s"'],
    ['{ latest-value:, rate: 1/s, patient: true }', '"patient" needs "users"'],
    ['{ latest-value: 3, rate: 1/s }', 'is not empty: it has no options, so write nothing after its colon'],
    ['{ latest-values:, rate: 1/s }', 'did you mean "latest-value"?'],
    ['{ latest-value:, rate: 1/s, to: attic }', '"attic" is not "all", a group or a device'],
    ['{ latest-value:, rate: 1/s, as: poller }', '"poller" is not a client: "setup" needs'],
    ['{ commands: [], rate: 1/s }', 'a list of 1 to 100 lines'],
    ['often', 'is not a request'],
  ])('is rejected with the reason: %s', (line, complaint) => {
    expect(complaintsOf(line).join('\n')).toContain(complaint);
  });
});
