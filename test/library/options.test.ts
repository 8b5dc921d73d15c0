/** Options that callers in JavaScript misspell or leave out. */
import { describe, expect, it } from 'vitest';
import {
  defineScenario,
  explain,
  InputError,
  readScenario,
  run,
  runScenario,
  startDevice,
  startFleet,
  startService,
  virtualTime,
  writeReports,
} from '../../src/index.js';

const definition = { name: 'small', duration: '1m', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] };

/** Calls `call` as JavaScript would: without a check of its arguments. */
function untyped(call: unknown, ...args: readonly unknown[]): Promise<unknown> {
  return Promise.resolve().then(() => (call as (...args: readonly unknown[]) => unknown)(...args));
}

describe('an unknown option', () => {
  it.each<readonly [string, unknown, readonly unknown[], string]>([
    ['startService', startService, [{ tme: 1 }], '(did you mean "time"?)'],
    ['runScenario', runScenario, [definition, { sed: 3 }], '(did you mean "seed"?)'],
    ['defineScenario', defineScenario, [definition, { profile: 1 }], '(did you mean "profiles"?)'],
    ['readScenario', readScenario, ['my.yaml', { varz: 1 }], '(did you mean "vars"?)'],
    ['run', run, [defineScenario(definition), { transprot: 'udp' }], '(did you mean "transport"?)'],
    ['virtualTime', virtualTime, [{ begin: 1 }], 'it has start, seed'],
    ['until', (options: object) => virtualTime().until(() => true, options), [{ witin: '1h' }], '"within"'],
    ['startDevice', startDevice, [{ profile: 'clime', service: {}, serail: 1 }], '(did you mean "serial"?)'],
    [
      'startDevice (all names)',
      startDevice,
      [{ colour: 1 }],
      'it has profile, service, firmware, name, config, serial, token',
    ],
    [
      'startDevice (a name alike)',
      startDevice,
      [{ profil: 'clime' }],
      '"profil" is not a key of a device (did you mean "profile"?)',
    ],
    ['startFleet', startFleet, [{ colour: 1 }], 'it has profile, service, firmware, name, config, count, firstSerial'],
  ])('of %s is rejected with the nearest name', async (_, call, args, message) => {
    const rejected = expect(untyped(call, ...args)).rejects;
    await rejected.toThrow(InputError);
    await rejected.toThrow(message);
  });
});

describe('a missing or invalid argument', () => {
  it.each<readonly [string, unknown, readonly unknown[], string]>([
    ['startDevice()', startDevice, [], 'its options: profile, service, firmware, name, config, serial'],
    ['startFleet("clime")', startFleet, ['clime'], 'its options: profile, service, firmware, name, config, count'],
    ['startDevice({ profile: 3 })', startDevice, [{ profile: 3 }], 'profile: "3" is not a device type'],
    ['startDevice({ profile: null })', startDevice, [{ profile: null }], 'profile: "null" is not a device type'],
    ['startService(8080)', startService, [8080], 'startService needs an object with its options: db, host'],
    ['runScenario()', runScenario, [], 'runScenario needs a scenario'],
    ['defineScenario()', defineScenario, [], 'is not a scenario: a map with name, duration'],
    ['readScenario()', readScenario, [], 'readScenario needs the path of a file'],
    ['run()', run, [], 'run needs a plan'],
    ['explain()', explain, [], 'explain needs the result of a run'],
    ['virtualTime({ start: text })', virtualTime, [{ start: '2026-07-01' }], 'start: "2026-07-01" is not a valid Date'],
    ['advance()', (time?: undefined) => virtualTime().advance(time as never), [], '"undefined" is not milliseconds'],
    ['writeReports()', writeReports, [], 'writeReports needs the result of a run'],
    ['startDevice with another service', startDevice, [{ profile: 'clime', service: {} }], 'result of startService'],
  ])('%s is rejected with a message', async (_, call, args, message) => {
    await expect(untyped(call, ...args)).rejects.toThrow(message);
  });
});

it('explain without a downlink says what it needs', async () => {
  const result = await run(defineScenario(definition));
  await expect(untyped(explain, result)).rejects.toThrow('explain needs the id of a downlink');
});

describe('the options of a scenario in YAML', () => {
  const yaml = `name: small\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n`;

  it.each([
    [{ seed: 'x' }, 'seed: "x" is not a whole number from 0'],
    [{ seed: -1 }, 'seed: "-1" is not a whole number from 0'],
    [{ seed: Number.NaN }, 'is not a whole number from 0'],
    [{ vars: { devices: '3' } }, 'vars: needs a Map of names to values, such as new Map([["devices", "100"]])'],
  ])('are checked: %j', async (options, message) => {
    await expect(untyped(runScenario, yaml, options)).rejects.toThrow(message);
  });
});

describe('a closed service', () => {
  it('accepts no further device, and opens nothing for it', async () => {
    const service = await startService();
    const { client } = service;
    await service.close();
    await expect(untyped(startDevice, { profile: 'clime', service })).rejects.toThrow('the service is closed');
    expect(client).toBeDefined();
  });
});
