import { describe, expect, it } from 'vitest';
import type { Device, DownState, FirmwareUpdate, Message } from '../../../src/client/types.js';
import type { DeviceControls } from '../../../src/device/device-controls.js';
import { Problems, readYaml } from '../../../src/input/document.js';
import {
  checkStep,
  describeStep,
  findEndedKind,
  runStep,
  STEP_NAMES,
  STEPS,
  type StepCall,
  type StepName,
  stepKindOf,
} from '../../../src/scenario/steps/index.js';
import type { StepScope } from '../../../src/scenario/steps/step.js';
import type { DeviceHandle, ShellResult, World } from '../../../src/scenario/world.js';

// Steps read only the id of an answer, and of a message also its type and its state.
const CARRIED = { id: 'device-1' } as Device;
const QUEUED = { id: 'm' } as Message;
const UPDATE = { id: 'u' } as FirmwareUpdate;

/** Scope for steps that are checked on their own, without a scenario. */
const ALONE: StepScope = {
  profiles: [],
  recipients: [],
  readFile: (path) => {
    throw new Error(`"${path}" cannot be read: the file does not exist`);
  },
};

/** Reads the options of a step from YAML; returns the step, or its problems. */
function callOf(name: StepName, yaml: string): StepCall | readonly string[] {
  const problems = new Problems();
  const call = checkStep(name, readYaml(yaml, 'step.yaml'), problems, ALONE);
  return call ?? problems.list.map((problem) => problem.message);
}

function validCall(name: StepName, yaml: string): StepCall {
  const call = callOf(name, yaml);
  if (!('step' in call)) throw new Error(call.join('\n'));
  return call;
}

interface Options {
  /** Messages of the device in the cloud, newest first. */
  readonly messages?: readonly Message[];
  readonly cloudId?: string | undefined;
  readonly shell?: ShellResult;
  readonly tags?: readonly string[];
}

/** Controls that record each call. */
function recordingControls(done: unknown[]): Pick<DeviceControls, keyof DeviceControls> {
  const note =
    (name: string) =>
    (...args: unknown[]) => {
      done.push([name, ...args]);
    };
  return {
    hold: note('hold'),
    ramp: note('ramp'),
    replay: note('replay'),
    free: note('free'),
    pulse: note('pulse'),
    click: note('click'),
    press: note('press'),
    line: note('line'),
    radio: note('radio'),
    signal: note('signal'),
    battery: note('battery'),
    batteryVoltage: note('batteryVoltage'),
    powerCycle: note('powerCycle'),
    powerSaving: note('powerSaving'),
    modem: note('modem'),
    flash: note('flash'),
    clock: note('clock'),
    skew: note('skew'),
    isSupplied: false,
  };
}

/** A world with one device that records all calls. */
function recordingWorld({
  cloudId,
  shell = { code: 0, rejected: false, lines: [] },
  tags = [],
  messages = [],
}: Options = {}) {
  const done: unknown[] = [];
  const note =
    <R>(name: string, result: R) =>
    async (...args: unknown[]): Promise<R> => {
      done.push([name, ...args]);
      return result;
    };
  const api: World['api'] = {
    createDevice: note('createDevice', CARRIED),
    updateDevice: note('updateDevice', CARRIED),
    changeTags: note('changeTags', CARRIED),
    deleteDevice: note('deleteDevice', undefined),
    sendConfig: note('sendConfig', QUEUED),
    sendCommands: note('sendCommands', QUEUED),
    sendData: note('sendData', QUEUED),
    allMessages: async function* () {
      yield* messages;
    },
    cancelMessage: note('cancelMessage', QUEUED),
    updateFirmware: note('updateFirmware', UPDATE),
  };
  const world: World = { api, tagId: async (name) => `tag-of-${name}`, firmwareId: (name) => `image-of-${name}` };
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
    controls: recordingControls(done),
  };
  return { world, device, done };
}

async function doneBy(name: StepName, yaml: string, options: Options = {}): Promise<readonly unknown[]> {
  const { world, device, done } = recordingWorld({ cloudId: 'device-1', ...options });
  await runStep(world, device, validCall(name, yaml));
  return done;
}

describe('every kind of step', () => {
  it.each(STEP_NAMES)('%s has a description, and its example can be read', (name) => {
    expect(STEPS[name].about).toMatch(/^\S.{10,}[^.]$/);
    expect(STEPS[name].example.startsWith(`${name}:`)).toBe(true);
    const call = validCall(name, STEPS[name].example.slice(name.length + 1));
    expect(describeStep(call).startsWith(name)).toBe(true);
  });
});

describe('the kind of a step', () => {
  it.each<[StepName, string, string | undefined, 'starts' | 'stays' | number]>([
    ['radio', 'off', 'blocks', 'stays'],
    ['radio', 'on', undefined, 'stays'],
    ['delete-device', '', 'blocks', 'stays'],
    ['antenna', '{ rsrp: -131 }', 'blocks', 'stays'],
    ['antenna', '{ rsrp: -120 }', 'hinders', 'stays'],
    ['antenna', '{ rsrp: -115 }', undefined, 'stays'],
    ['antenna', 'free', undefined, 'stays'],
    ['battery', '{ voltage: 3.05 }', 'blocks', 'stays'],
    ['battery', '{ left: 5% }', 'hinders', 'stays'],
    ['battery', 'new', undefined, 'stays'],
    ['power-saving', 'off', 'hinders', 'stays'],
    ['modem', 'mute', 'blocks', 'stays'],
    ['modem', 'error', 'disturbs', 0],
    ['modem', 'mended', undefined, 'stays'],
    ['power-cycle', '', 'restarts', 'starts'],
    ['shell', 'sample', 'restarts', 0],
    ['button', '{ hold: 8s }', 'restarts', 8000],
    ['clock', '{ skew: 2h }', undefined, 0],
    ['clock', '{ drift: 120ppm }', undefined, 'stays'],
    ['flash', 'new', undefined, 'stays'],
  ])('says of %s: %s how it affects exchanges, and a device before its first start', (name, yaml, effect, before) => {
    const call = validCall(name, yaml);
    expect(stepKindOf(call).effect(call.options)?.effect).toBe(effect);
    expect(stepKindOf(call).beforeStart(call.options)).toBe(before);
  });

  it('is that whose lasting effect the step ends, except that create-device ends that of delete-device', () => {
    const others = STEP_NAMES.filter((name) => findEndedKind(name) !== name);
    expect(others.map((name) => [name, findEndedKind(name)])).toEqual([['create-device', 'delete-device']]);
  });
});

describe('a step through the public API', () => {
  it.each<[StepName, string, readonly unknown[]]>([
    ['config', '{ interval-report: 900 }', ['sendConfig', 'device-1', ['app config interval-report 900']]],
    ['commands', '[info show, app config]', ['sendCommands', 'device-1', ['info show', 'app config']]],
    ['downlink', '{ output_1_state: 1 }', ['sendData', 'device-1', { output_1_state: 1 }]],
    [
      'update-device',
      '{ name: "x {name}", external-id: "d/{serial}" }',
      ['updateDevice', 'device-1', { name: 'x clime-0001', external_id: 'd/17' }],
    ],
    ['firmware', 'v2', ['updateFirmware', 'device-1', 'image-of-v2']],
    ['delete-device', '', ['deleteDevice', 'device-1']],
    [
      'tag',
      '{ add: [new], remove: [old] }',
      ['changeTags', 'device-1', { add: ['tag-of-new'], remove: ['tag-of-old'] }],
    ],
    ['tag', '{ add: [new] }', ['changeTags', 'device-1', { add: ['tag-of-new'], remove: [] }]],
  ])('%s: %s makes one call', async (name, yaml, call) => {
    expect(await doneBy(name, yaml)).toEqual([call]);
  });

  it('tag steps of a device follow one another, because a cloud may accept the tags only as a whole', async () => {
    const { world, device } = recordingWorld({ cloudId: 'device-1' });
    const stored = new Set(['tag-of-base']);
    const changeTags: World['api']['changeTags'] = async (_, { add = [], remove = [] }) => {
      const read = new Set(stored);
      for (let i = 0; i < 5; i++) await Promise.resolve();
      if (add.includes('tag-of-refused')) throw new Error('refused');
      stored.clear();
      for (const one of [...read, ...add]) if (!remove.includes(one)) stored.add(one);
      return CARRIED;
    };
    const slow: World = { ...world, api: { ...world.api, changeTags } };
    const steps = ['{ add: [one] }', '{ add: [refused] }', '{ add: [two] }', '{ add: [three], remove: [base] }'];
    const ends = await Promise.allSettled(steps.map((yaml) => runStep(slow, device, validCall('tag', yaml))));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect([...stored]).toEqual(['tag-of-one', 'tag-of-two', 'tag-of-three']);
  });

  describe('cancel', () => {
    const message = (id: string, type: string, down_state: DownState) => ({ id, type, down_state }) as Message;
    const messages = [
      message('m5', 'session', 'pending'),
      ...[message('m4', 'config', 'pending'), message('m3', 'shell', 'sent'), message('m2', 'shell', 'pending')],
      message('m1', 'data', 'cancelled'),
    ];

    it('cancels the pending downlinks of users, or the oldest of them', async () => {
      expect(await doneBy('cancel', 'oldest', { messages })).toEqual([['cancelMessage', 'm2']]);
      expect(await doneBy('cancel', 'all', { messages })).toEqual([
        ['cancelMessage', 'm2'],
        ['cancelMessage', 'm4'],
      ]);
    });

    it('fails if no downlink is pending', async () => {
      const sent = [message('m3', 'shell', 'sent')];
      await expect(doneBy('cancel', 'all', { messages: sent })).rejects.toThrow('the device has no pending downlink');
    });
  });

  it('create-device sends serial number, claim token and tags, and stores the id', async () => {
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

  it('delete-device removes the id of the device', async () => {
    const { world, device } = recordingWorld({ cloudId: 'device-1' });
    await runStep(world, device, validCall('delete-device', ''));
    expect(device.cloudId).toBeUndefined();
  });

  it.each<[StepName, string]>([
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

  it('create-device fails for a device that exists', async () => {
    await expect(doneBy('create-device', '')).rejects.toThrow('"clime-0001" already exists in the cloud');
  });
});

describe('a step on the device', () => {
  it.each<[StepName, string, readonly unknown[]]>([
    ['shell', 'sample', ['shell', 'sample']],
    ['power-cycle', '', ['powerCycle']],
    ['power-cycle', '{}', ['powerCycle']],
    ['radio', 'off', ['radio', false]],
    ['radio', 'on', ['radio', true]],
    ['sensor', '{ a.b: 31.5 }', ['hold', 'a.b', 31.5]],
    ['sensor', '{ a.b: free }', ['free', 'a.b']],
    ['sensor', '{ a.b: silent }', ['hold', 'a.b', Number.NaN]],
    ['sensor', '{ a.b: { to: 40, over: 30m } }', ['ramp', 'a.b', { to: 40, over: 1_800_000 }]],
    ['sensor', '{ a.b: { from: 10, to: 40, over: 0s } }', ['ramp', 'a.b', { from: 10, to: 40, over: 0 }]],
    ['pulse', '{ input: a.b }', ['pulse', 'a.b', { times: 1, every: 1000, stays: 500 }]],
    ['pulse', '{ input: a.b, times: 9, every: 1m }', ['pulse', 'a.b', { times: 9, every: 60_000, stays: 30_000 }]],
    ['pulse', '{ input: a.b, every: 1m, stays: 3s }', ['pulse', 'a.b', { times: 1, every: 60_000, stays: 3000 }]],
    ['button', '{ clicks: 2 }', ['click', 'int', 2]],
    ['button', '{ which: x, clicks: 1 }', ['click', 'x', 1]],
    ['button', '{ which: 3, hold: 2s }', ['press', '3', 2000]],
    ['line-power', 'off', ['line', false]],
    ['line-power', 'on', ['line', true]],
    ['antenna', '{ rsrp: -121 }', ['signal', { rsrp: -121 }]],
    ['antenna', '{ rsrp: -121, rsrq: -18, snr: -3.5 }', ['signal', { rsrp: -121, rsrq: -18, snr: -3.5 }]],
    ['antenna', 'free', ['signal', undefined]],
    ['power-saving', 'off', ['powerSaving', false]],
    ['power-saving', 'on', ['powerSaving', true]],
    ['modem', 'lost-socket', ['modem', 'lost-socket']],
    ['modem', 'mended', ['modem', 'mended']],
    ['battery', 'new', ['battery', 0]],
    ['battery', '{ left: 25% }', ['battery', 0.75]],
    ['battery', '{ voltage: 3.2 }', ['batteryVoltage', 3.2]],
    ['flash', '{ writes-left: 0 }', ['flash', 0]],
    ['flash', 'new', ['flash', Number.POSITIVE_INFINITY]],
    ['clock', '{ drift: -20.5ppm }', ['clock', -20.5]],
    ['clock', '{ skew: -1h30m }', ['skew', -5_400_000]],
  ])('%s: %s makes one call', async (name, yaml, action) => {
    expect(await doneBy(name, yaml, { cloudId: undefined })).toEqual([action]);
  });

  it('shell fails with the error that the device returns', async () => {
    const shell = { code: -8, rejected: true, lines: ['foo: command not found'] };
    await expect(doneBy('shell', 'foo', { shell })).rejects.toThrow('"foo" returned -8: foo: command not found');
  });

  it('shell accepts a help text, which returns 1', async () => {
    const shell = { code: 1, rejected: false, lines: [] };
    await expect(doneBy('shell', 'info', { shell })).resolves.toHaveLength(1);
  });

  it('shell fails when the device rejects a value, although the result is 0', async () => {
    const shell = { code: 0, rejected: true, lines: ['Invalid range', '  interval-report   :Get/Set'] };
    await expect(doneBy('shell', 'app config interval-report 5', { shell })).rejects.toThrow(
      '"app config interval-report 5" was rejected: Invalid range',
    );
  });
});

describe('the options of a step', () => {
  it.each<[StepName, string, string]>([
    ['config', '900', 'is not a map of parameters'],
    ['commands', '[]', 'an empty list is not a list of 1 to 100 lines'],
    ['commands', `[${'a, '.repeat(101)}]`, 'a list of 101 is not a list of 1 to 100 lines'],
    ['config', '{}', 'an empty map is not a map of parameters'],
    ['commands', 'info show', 'is not a list of 1 to 100 lines'],
    ['commands', `["${'x'.repeat(256)}"]`, 'a device accepts at most 255'],
    ['commands', '["a\\nb"]', 'must not contain a line end or the character NUL'],
    ['shell', '"info\\tshow"', 'printable ASCII'],
    ['downlink', '[1]', 'is not a map'],
    ['create-device', 'now', '"now" is not empty: it has no options, so write nothing after its colon'],
    ['power-cycle', '{ off: 10m }', 'a map is not empty: it has no options, so write nothing after its colon'],
    ['update-device', '{}', 'needs "name" or "external-id"'],
    ['update-device', '{ name: "d/{seriall}" }', '"{seriall}" is not known here; it can have {name} and {serial}'],
    ['tag', '{}', 'needs "add" or "remove"'],
    ['tag', '{ add: [], remove: [] }', 'a list of at least 1'],
    ['radio', 'loud', '"loud" is not one of on or off'],
    ['sensor', '{ x: warm }', '"warm" is not a number, "free", "silent"'],
    ['sensor', '{}', 'is not a map of sensors to numbers'],
    ['sensor', '{ x: { to: 3 } }', 'a ramp needs "over"'],
    ['sensor', '{ x: { to: 3, over: soon } }', '"soon" is not a duration'],
    ['sensor', '{ x: { replay: day.csv } }', '"day.csv" cannot be read: the file does not exist'],
    ['sensor', '{ x: { replay: day.csv, to: 3 } }', '"to" is not a key of a replay'],
    ['pulse', '{ times: 3 }', 'pulse needs "input"'],
    ['pulse', '{ input: x, times: 0 }', '"0" is not a whole number from 1'],
    ['pulse', '{ input: x, every: 2s, stays: 2s }', 'less than "every", 2s'],
    ['button', '{}', 'button needs either "clicks" or "hold"'],
    ['button', '{ clicks: 1, hold: 2s }', 'button needs either "clicks" or "hold"'],
    ['button', '{ clicks: 7 }', '"7" is not a whole number from 1 to 6'],
    ['button', '{ which: 5, clicks: 1 }', '"5" is not one of int, x, 1, 2, 3 or 4'],
    ['line-power', 'cut', '"cut" is not one of on or off'],
    ['antenna', 'weak', '"weak" is not "free" or a signal'],
    ['antenna', '{ rsrp: -10 }', '"-10" is not a number from -156 to -44'],
    ['antenna', '{ rsrp: -100, snr: 99 }', '"99" is not a number from -30 to 40'],
    ['power-saving', 'never', '"never" is not one of on or off'],
    ['modem', 'broken', '"broken" is not one of error, reset-loop, lost-registration,'],
    ['battery', 'old', '"old" is not "new", or a battery'],
    ['battery', '{ left: 120% }', '"120%" is not a ratio'],
    ['battery', '{ voltage: 12 }', '"12" is not a voltage from 3 to 3.7'],
    ['battery', '{ voltage: 3.2, left: 5% }', 'battery needs either "left" or "voltage"'],
    ['flash', 'worn', '"worn" is not "new", or { writes-left: 0 }'],
    ['flash', '{ writes-left: -1 }', '"-1" is not a whole number from 0'],
    ['clock', '{ drift: 120 }', '"120" is not a drift such as "120ppm"'],
    ['clock', '{ drift: 200000ppm }', 'of 100000ppm at most'],
    ['clock', '{ skew: soon }', '"soon" is not a jump of a clock such as "2h" or "-90s"'],
    ['clock', '{ skew: 4000d }', 'of 3650d at most'],
    ['clock', '{ skew: 0s }', '"0s" is not a jump of a clock'],
    ['clock', '{}', 'is not "drift", "skew" or both'],
    ['shell', '', 'is not a line'],
  ])('%s rejects %s', (name, yaml, message) => {
    expect(callOf(name, yaml)).toEqual(expect.arrayContaining([expect.stringContaining(message)]));
  });
});
