import { describe, expect, test } from 'vitest';
import { Problems, readYaml } from '../../src/input/document.js';
import {
  checkStep,
  describeStep,
  runStep,
  STEP_NAMES,
  STEPS,
  type StepCall,
  type StepName,
} from '../../src/scenario/steps/index.js';
import type { CloudApi, DeviceHandle, ShellOutcome, World } from '../../src/scenario/world.js';

/** Reads the options of a step as they stand in a file. */
function callOf(name: StepName, yaml: string): StepCall | readonly string[] {
  const problems = new Problems();
  const call = checkStep(name, readYaml(yaml, 'step.yaml'), problems);
  return call ?? problems.list.map((problem) => problem.message);
}

function validCall(name: StepName, yaml: string): StepCall {
  const call = callOf(name, yaml);
  if (!('step' in call)) throw new Error(call.join('\n'));
  return call;
}

interface Options {
  readonly cloudId?: string | undefined;
  readonly shell?: ShellOutcome;
  readonly tags?: readonly string[];
}

/** A world of one device that writes down what is done to it. */
function recordingWorld({ cloudId, shell = { result: 0, lines: [] }, tags = [] }: Options = {}) {
  const done: unknown[] = [];
  const note =
    <R>(name: string, result: R) =>
    async (...args: unknown[]): Promise<R> => {
      done.push([name, ...args]);
      return result;
    };
  const carried = { id: 'device-1', tags: [{ id: 'tag-of-old' }] };
  const api: CloudApi = {
    createDevice: note('createDevice', carried),
    device: async () => carried,
    updateDevice: note('updateDevice', carried),
    deleteDevice: note('deleteDevice', undefined),
    sendConfig: note('sendConfig', { id: 'm' }),
    sendCommands: note('sendCommands', { id: 'm' }),
    sendData: note('sendData', { id: 'm' }),
  };
  const world: World = { api, tagId: async (name) => `tag-of-${name}` };
  const device: DeviceHandle = {
    name: 'clime-0001',
    serial: 17,
    claimToken: 'ab'.repeat(16),
    tags,
    cloudId,
    shell: (line) => {
      done.push(['shell', line]);
      return shell;
    },
    powerCycle: () => done.push(['powerCycle']),
    radio: (on) => done.push(['radio', on]),
    sensor: (name, value) => done.push(['sensor', name, value]),
  };
  return { world, device, done };
}

async function doneBy(name: StepName, yaml: string, options: Options = {}): Promise<readonly unknown[]> {
  const { world, device, done } = recordingWorld({ cloudId: 'device-1', ...options });
  await runStep(world, device, validCall(name, yaml));
  return done;
}

describe('every kind of step', () => {
  test.each(STEP_NAMES)('%s has a description, and its example can be read', (name) => {
    expect(STEPS[name].about).toMatch(/^\S.{10,}[^.]$/);
    expect(STEPS[name].example.startsWith(`${name}:`)).toBe(true);
    const call = validCall(name, STEPS[name].example.slice(name.length + 1));
    expect(describeStep(call).startsWith(name)).toBe(true);
  });
});

describe('a step through the public API', () => {
  test.each<[StepName, string, readonly unknown[]]>([
    ['config', '{ interval-report: 900 }', ['sendConfig', 'device-1', ['app config interval-report 900']]],
    ['commands', '[info show, app config]', ['sendCommands', 'device-1', ['info show', 'app config']]],
    ['downlink', '{ output_1_state: 1 }', ['sendData', 'device-1', { output_1_state: 1 }]],
    [
      'update-device',
      '{ name: "x {name}", external-id: "d/{serial}" }',
      ['updateDevice', 'device-1', { name: 'x clime-0001', external_id: 'd/17' }],
    ],
    ['delete-device', '', ['deleteDevice', 'device-1']],
    ['tag', '{ add: [new], remove: [old] }', ['updateDevice', 'device-1', { tags: [{ id: 'tag-of-new' }] }]],
    ['tag', '{ add: [new] }', ['updateDevice', 'device-1', { tags: [{ id: 'tag-of-old' }, { id: 'tag-of-new' }] }]],
  ])('%s: %s calls it once', async (name, yaml, call) => {
    expect(await doneBy(name, yaml)).toEqual([call]);
  });

  test('create-device gives serial number, claim token and tags, and remembers the id', async () => {
    const { world, device, done } = recordingWorld({ tags: ['indoor'] });
    await runStep(world, device, validCall('create-device', ''));
    const created = {
      name: 'clime-0001',
      serial_number: '0000000017',
      token: 'ab'.repeat(16),
      tags: [{ id: 'tag-of-indoor' }],
    };
    expect(done).toEqual([['createDevice', created]]);
    expect(device.cloudId).toBe('device-1');
  });

  test('delete-device forgets the id', async () => {
    const { world, device } = recordingWorld({ cloudId: 'device-1' });
    await runStep(world, device, validCall('delete-device', ''));
    expect(device.cloudId).toBeUndefined();
  });

  test.each<[StepName, string]>([
    ['config', '{ interval-report: 900 }'],
    ['commands', '[info show]'],
    ['downlink', '{ output_1_state: 1 }'],
    ['update-device', '{ name: x }'],
    ['delete-device', ''],
    ['tag', '{ add: [new] }'],
  ])('%s fails for a device that the cloud does not know', async (name, yaml) => {
    const { world, device } = recordingWorld();
    await expect(runStep(world, device, validCall(name, yaml))).rejects.toThrow(
      '"clime-0001" does not exist in the cloud',
    );
  });

  test('create-device fails for a device that exists', async () => {
    await expect(doneBy('create-device', '')).rejects.toThrow('"clime-0001" exists in the cloud already');
  });
});

describe('a step on the device', () => {
  test.each<[StepName, string, readonly unknown[]]>([
    ['shell', 'sample', ['shell', 'sample']],
    ['power-cycle', '', ['powerCycle']],
    ['radio', 'off', ['radio', false]],
    ['radio', 'on', ['radio', true]],
    ['sensor', '{ hygrometer.temperature: 31.5 }', ['sensor', 'hygrometer.temperature', 31.5]],
    ['sensor', '{ hygrometer.temperature: free }', ['sensor', 'hygrometer.temperature', null]],
  ])('%s: %s does it', async (name, yaml, action) => {
    expect(await doneBy(name, yaml, { cloudId: undefined })).toEqual([action]);
  });

  test('shell fails when the device answers with an error, and tells it', async () => {
    const shell = { result: -8, lines: ['foo: command not found'] };
    await expect(doneBy('shell', 'foo', { shell })).rejects.toThrow('"foo" returned -8: foo: command not found');
  });

  test('shell is fine with a help text, which returns 1', async () => {
    await expect(doneBy('shell', 'info', { shell: { result: 1, lines: [] } })).resolves.toHaveLength(1);
  });
});

describe('the options of a step', () => {
  test.each<[StepName, string, string]>([
    ['config', '900', 'is not a map of parameters'],
    ['commands', '[]', 'is not a list of 1 to 100 lines'],
    ['commands', 'info show', 'is not a list of 1 to 100 lines'],
    ['commands', `["${'x'.repeat(256)}"]`, 'a device takes 255'],
    ['commands', '["a\\nb"]', 'plain ASCII in one line'],
    ['downlink', '[1]', 'is not a map'],
    ['create-device', 'now', '"now" is not left empty'],
    ['update-device', '{}', 'needs "name" or "external-id"'],
    ['tag', '{}', 'needs "add" or "remove"'],
    ['tag', '{ add: [], remove: [] }', 'a list of at least 1'],
    ['radio', 'loud', '"loud" is not one of on or off'],
    ['sensor', '{ x: warm }', '"warm" is not a number or "free"'],
    ['sensor', '{}', 'is not a map of sensors to numbers'],
    ['shell', '', 'is not a line'],
  ])('%s refuses %s', (name, yaml, message) => {
    expect(callOf(name, yaml)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });
});
