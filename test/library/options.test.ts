/** Options that callers in JavaScript misspell or leave out. */
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  capacity,
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

const cyclic = { ...definition, steps: [] as unknown[] };
cyclic.steps.push(cyclic);

describe('a scenario as an object', () => {
  it.each<readonly [string, unknown, string]>([
    ['a date', { ...definition, start: new Date(0) }, 'start: a Date is not a text, a number,'],
    ['a big integer', { ...definition, seed: 2n }, 'seed: a BigInt is not a text, a number,'],
    ['a function', { ...definition, steps: () => [] }, 'steps: a Function is not a text, a number,'],
    ['a promise', Promise.resolve(definition), 'the scenario: a Promise is not a text, a number,'],
    ['itself', cyclic, 'steps[0]: the object contains itself'],
  ])('names the place of %s', async (_, scenario, message) => {
    await expect(untyped(runScenario, scenario)).rejects.toThrow(message);
  });

  it('can use an object in several places', () => {
    const step = { at: '10s', to: 'clime', commands: ['info show'] };
    expect(() => defineScenario({ ...definition, steps: [step, step] })).not.toThrow();
  });
});

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
      'startDevice (a similar name)',
      startDevice,
      [{ profil: 'clime' }],
      '"profil" is not a key of a device (did you mean "profile"?)',
    ],
    ['startFleet', startFleet, [{ colour: 1 }], 'it has profile, service, firmware, name, config, count, firstSerial'],
  ])('of %s is rejected with the nearest name or with all names', async (_, call, args, message) => {
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
    ['runScenario(URL)', runScenario, [new URL('file:///a.yaml')], 'fileURLToPath of node:url makes a path of a URL'],
    ['runScenario(Buffer)', runScenario, [Buffer.from('name: a\n')], 'toString() makes a text of a buffer'],
    ['defineScenario()', defineScenario, [], 'is not a scenario: a map with name, duration'],
    ['readScenario()', readScenario, [], 'readScenario needs the path of a file'],
    ['run()', run, [], 'run needs a plan'],
    ['explain()', explain, [], 'explain needs the result of a run'],
    ['virtualTime({ start: text })', virtualTime, [{ start: '2026-07-01' }], 'start: "2026-07-01" is not a valid Date'],
    ['virtualTime() after 2106', virtualTime, [{ start: new Date('2107-01-01') }], 'is after 2106-02-07T06:28:15.000Z'],
    ['advance()', (time?: undefined) => virtualTime().advance(time as never), [], '"undefined" is not milliseconds'],
    ['writeReports()', writeReports, [], 'writeReports needs the result of a run'],
    [
      'startDevice with a text as the UDP port',
      startDevice,
      [{ profile: 'clime', service: { api: 'http://127.0.0.1:9', spaceId: 's', udp: '127.0.0.1:5003' } }],
      'with the UDP port as a number',
    ],
    ['startDevice with another service', startDevice, [{ profile: 'clime', service: {} }], 'result of startService'],
  ])('%s is rejected with a message', async (_, call, args, message) => {
    await expect(untyped(call, ...args)).rejects.toThrow(message);
  });
});

it('missing and invalid arguments after the result are rejected by explain and writeReports', async () => {
  const result = await run(defineScenario(definition));
  await expect(untyped(explain, result)).rejects.toThrow('explain needs the id of a downlink');
  await expect(untyped(explain, result, 'x', '10m')).rejects.toThrow('limit: "10m" is not a number of milliseconds');
  await expect(untyped(writeReports, result, 3)).rejects.toThrow('writeReports needs the path of a folder');
  await expect(untyped(writeReports, result, '~/out')).rejects.toThrow('folder: "~/out" begins with "~"');
});

describe('the options of a scenario in YAML', () => {
  const yaml = `name: small\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n`;

  it.each([
    [{ seed: 'x' }, 'seed: "x" is not a whole number from 0'],
    [{ seed: -1 }, 'seed: "-1" is not a whole number from 0'],
    [{ seed: 2 ** 53 }, 'seed: "9007199254740992" is not a whole number from 0 to 9007199254740991'],
    [{ out: '' }, 'out: "" is not a text with visible characters'],
    [{ seed: Number.NaN }, 'is not a whole number from 0'],
    [{ vars: { devices: '3' } }, 'vars: needs a Map of names to values, such as new Map([["devices", "100"]])'],
  ])('are checked: %j', async (options, message) => {
    await expect(untyped(runScenario, yaml, options)).rejects.toThrow(message);
  });
});

/** Options with another cloud, some of whose members are wrong. */
const at = (members: object) => ({ clock: 'real', cloud: { api: 'http://127.0.0.1:9', apiKey: 'key', ...members } });

describe('an option of the wrong type', () => {
  const plan = defineScenario(definition);
  const port = 'is not a port number from 0 to 65535';

  it.each<readonly [string, unknown, readonly unknown[], string]>([
    ['startService', startService, [{ port: '8099' }], `port: "8099" ${port.replace('is not', 'is a text, not')}`],
    ['startService', startService, [{ port: null }], `port: an empty value ${port}`],
    [
      'startService',
      startService,
      [{ udpPort: '5003' }],
      `udpPort: "5003" ${port.replace('is not', 'is a text, not')}`,
    ],
    ['startService', startService, [{ db: 3 }], 'db: 3 is a number, not a text'],
    ['startService', startService, [{ db: '~/x.db' }], 'db: "~/x.db" begins with "~", which is replaced in command'],
    ['runScenario', runScenario, [definition, { out: '~/out' }], 'out: "~/out" begins with "~"'],
    ['startService', startService, [{ apiKey: 1 }], 'apiKey: 1 is a number, not a text'],
    [
      'startService',
      startService,
      [{ retainMessages: '2d' }],
      'retainMessages: "2d" is not a whole number of milliseconds',
    ],
    ['startService', startService, [{ allowPrivateTargets: 'no' }], 'allowPrivateTargets: "no" is not true or false'],
    ['startService', startService, [{ admin: { email: 'a@b.c' } }], '"password"'],
    [
      'startService',
      startService,
      [{ log: console.log }],
      'log: needs an object with the functions info, warn and error',
    ],
    ['startService', startService, [{ time: 3 }], 'time: expected the result of virtualTime()'],
    ['virtualTime', virtualTime, [{ seed: 'x' }], 'seed: "x" is not a whole number from 0'],
    ['until', () => virtualTime().until(3 as never), [], 'until needs a function'],
    ['defineScenario', defineScenario, [definition, { profiles: {} }], 'profiles: needs a Map of names to profiles'],
    ['defineScenario', defineScenario, [definition, { seed: '3' }], 'seed: "3" is a text, not a whole number from 0'],
    ['defineScenario', defineScenario, [definition, { allowFiles: 'a.csv' }], 'allowFiles: "a.csv" is not a list'],
    ['runScenario', runScenario, [definition, { folder: 3 }], 'folder: 3 is a number, not a text'],
    ['runScenario', runScenario, [definition, { vars: [] }], 'vars: needs a Map'],
    ['run', run, [plan, { out: true }], 'out: true is a boolean, not a text'],
    ['run', run, [plan, { db: false }], 'db: false is a boolean, not a text'],
    ['run', run, [plan, { allowPrivate: 1 }], 'allowPrivate: "1" is not true or false'],
    ['run', run, [plan, { allowHosts: 'a.example' }], 'allowHosts: "a.example" is not a list'],
    ['run', run, [plan, { cloud: 'http://127.0.0.1' }], 'cloud: needs an object with the address "api"'],
    ['run', run, [plan, { cloud: { api: 'http://127.0.0.1' } }], 'cloud: a cloud needs "apiKey"'],
    ['run', run, [plan, at({ spaceID: 'x' })], '"spaceID" is not a key of a cloud (did you mean "spaceId"?)'],
    ['run', run, [plan, at({ pace: { atOnce: 0 } })], 'cloud.pace.atOnce: "0" is not a whole number from 1'],
    ['run', run, [plan, at({ pace: { perSecond: '5' } })], 'cloud.pace.perSecond: "5" is a text, not a number above 0'],
    ['run', run, [plan, at({ gateway: 'here:5003' })], 'cloud.gateway: "here:5003" is not a gateway'],
    ['run', run, [plan, at({ gateway: { host: 'here' } })], 'cloud.gateway: a gateway needs "port"'],
    ['run', run, [plan, at({ keyOf: 'KEY' })], 'cloud.keyOf: needs a function'],
    ['run', run, [plan, at({ apiKey: 7 })], 'cloud.apiKey: needs an API key as a text'],
    ['run', run, [plan, { workers: '2' }], 'workers: "2" is a text, not a whole number'],
  ])('of %s is rejected', async (_, call, args, message) => {
    await expect(untyped(call, ...args)).rejects.toThrow(message);
  });

  it('is reported together with the other invalid options', async () => {
    await expect(untyped(startService, { port: -1, host: 4, tme: 1 })).rejects.toThrow(/host[\s\S]*port[\s\S]*tme/);
  });
});

describe('another cloud of which only the address and the key are given', () => {
  const cloud = { api: 'http://127.0.0.1:9', apiKey: 'key' };

  it.each<readonly [string, () => Promise<unknown>]>([
    ['run', () => run(defineScenario(definition), { clock: 'real', cloud })],
    ['runScenario', () => runScenario(definition, { clock: 'real', cloud, workers: 2 })],
    [
      'capacity',
      () =>
        capacity({ ...definition, expect: ['device.ready == 1'] }, { vary: 'fleet.devices', from: 1, to: 4, cloud }),
    ],
  ])('is asked by %s', async (_, call) => {
    await expect(call()).rejects.toThrow('http://127.0.0.1:9 is not usable: GET /v2/spaces');
  });

  it('has no key for a further space', async () => {
    const service = await startService();
    const setup = [{ client: { name: 'neighbour', space: 'next-door' } }];
    const theirs = { api: service.api, apiKey: String(service.apiKey) };
    await expect(runScenario({ ...definition, setup }, { clock: 'real', cloud: theirs })).rejects.toThrow(
      'no API key for the space "next-door"; give "cloud" a function "keyOf"',
    );
    await service.close();
  });
});

describe('a closed service', () => {
  it('accepts no further device', async () => {
    const service = await startService();
    await service.close();
    await expect(untyped(startDevice, { profile: 'clime', service })).rejects.toThrow('the service is closed');
  });
});

it('a speed in virtual time is rejected, because it would change nothing', async () => {
  await expect(runScenario(definition, { speed: 60 })).rejects.toThrow('"speed" is for the clock "real"');
});

it('an option that is undefined is absent: the default of every option stays', async () => {
  const absent = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
  const reading = ['profiles', 'seed', 'vars', 'folder', 'allowFiles'];
  const running = ['clock', 'speed', 'transport', 'db', 'secretsKey', 'cloud', 'out', 'workers', 'allowHosts', 'log'];
  const text = `name: small\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n`;
  const ofService = [
    ...['db', 'secretsKey', 'host', 'port', 'udpPort', 'udpRawPort', 'udpDtlsPort', 'space', 'apiKey', 'log'],
    ...['retainMessages', 'expireDownlinks', 'allowedHosts', 'allowPrivateTargets', 'admin', 'webConsole', 'time'],
  ];
  await (await startService(absent(ofService))).close();
  const usual = await runScenario(text);
  const { digest, clock } = await runScenario(text, absent([...reading, ...running, 'allowPrivate']));
  expect({ digest, clock }).toEqual({ digest: usual.digest, clock: 'virtual' });
  const plan = defineScenario(definition, absent(['profiles', 'seed', 'folder', 'allowFiles']));
  expect((await run(plan, absent([...running, 'profiles']))).passed).toBe(true);
  const file = 'scenarios/first-fleet.yaml';
  expect(readScenario(file, absent(reading.filter((name) => name !== 'folder')))).toEqual(readScenario(file));
  expect(virtualTime(absent(['start', 'seed'])).seed).toBe(1);
});

it('a Date of another realm, such as one of Node in Jest, is a start of virtual time', () => {
  const start = runInNewContext("new Date('2030-05-05T00:00:00Z')");
  expect(virtualTime({ start }).date).toEqual(new Date('2030-05-05T00:00:00Z'));
});
