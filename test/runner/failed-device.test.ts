/** A run in which the code of a device throws an error: the device stops, the run goes on, and its result says which and why. */
import { beforeAll, describe, expect, it } from 'vitest';
import { EXIT, UsageError } from '../../src/kernel/errors.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { defineScenario, runPlan } from '../../src/library/scenario.js';
import { startService } from '../../src/library/service.js';
import { packagedProfiles, profileNamed } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { RENDERERS } from '../../src/report/renderers/index.js';
import type { RunResult } from '../../src/report/result.js';
import { startSingleDevice } from '../../src/runner/single-device.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { crewOfThisThread as crew } from '../support/crew.js';
import { unhurried } from '../support/unhurried.js';

/** A device type whose firmware asks for a parameter that it does not have, when its session is set up. */
const clime = profileNamed('clime');
const broken: Profile = {
  ...clime,
  name: 'broken',
  timing: { ...clime.timing, pollEvery: { module: 'app', name: 'none' } },
};
const profiles = new Map([...packagedProfiles(), ['broken', broken]]);
const WHY = 'Error: "app config none" is not a number parameter of this device type';

const plan = defineScenario(
  {
    ...{ name: 'failing', duration: '20m', seed: 3 },
    fleet: [
      { name: 'good', profile: 'clime', count: 3, config: { 'interval-report': 120 } },
      { name: 'bad', profile: 'broken', count: 1 },
    ],
    steps: [{ at: '15m', commands: ['info show'] }],
    expect: ['device.failed == 0', 'device.boots == 4'],
  },
  { profiles },
);

/** The result of the plan in one world. */
let whole: RunResult;
beforeAll(async () => {
  whole = await runPlan(plan, { profiles });
});

function recorded() {
  const lines: string[] = [];
  return { lines, sinks: [{ write: (text: string) => void lines.push(...text.trim().split('\n')), close: () => {} }] };
}

describe('a device whose code throws an error', () => {
  it('has the event device.failed, once and as its last event, and makes the run invalid', async () => {
    const { lines, sinks } = recorded();
    const result = await runPlan(plan, { profiles, sinks });
    const serial = plan.devices.find(({ name }) => name.startsWith('bad'))?.serial;
    const own = lines.map((line) => JSON.parse(line)).filter((event) => event.serial === serial);
    const device = own.filter(({ kind }) => /^(device|uplink|poll)\./.test(kind));
    expect(device.at(-1)).toMatchObject({ kind: 'device.failed', why: WHY });
    expect(own.filter(({ kind }) => kind === 'device.failed')).toHaveLength(1);
    expect(result.exitCode).toBe(EXIT.invalid);
    expect(result.failure).toMatch(
      /^the run is invalid: 1 of 4 devices failed, .*: bad-0001 at .*s: Error: "app config none"/,
    );
    expect(result.fleet.failed).toMatchObject({ devices: 1, first: [{ serial, why: WHY }] });
  });

  it('leaves the other devices alone: they report, and answer the commands of the cloud', async () => {
    const { fleet, downlinks, uplinks } = whole;
    expect(fleet).toMatchObject({ boots: { power: 4 }, failed: { devices: 1 } });
    expect(downlinks).toMatchObject({ answered: 3 });
    expect(uplinks.stored).toBeGreaterThan(20);
  });

  it.each(['text', 'json', 'html', 'junit'] as const)('is named with its error in the report as %s', (format) => {
    const text = RENDERERS[format](whole);
    expect(text).toContain('bad-0001');
    expect(text.replaceAll('\\"', '"').replaceAll('&quot;', '"')).toContain(
      '"app config none" is not a number parameter',
    );
  });

  it('is logged with the stack of its error', async () => {
    const logged: object[] = [];
    const log = { info: () => {}, warn: () => {}, error: (fields: object) => void logged.push(fields) };
    await runPlan(plan, { profiles, log });
    expect(logged).toMatchObject([{ device: 'bad-0001', stack: expect.stringContaining('device-config') }]);
  });

  it('gives the same digest and the same verdict in threads', async () => {
    const { digest, failure, fleet } = whole;
    const divided = await runPlan(plan, { profiles, workers: 2 });
    expect(divided).toMatchObject({ digest, failure, fleet, exitCode: EXIT.invalid });
  });

  it('is reported by the workers of a run against another cloud', async () => {
    await using service = await startService({ apiKey: 'an-api-key-of-the-target' });
    const { api, spaceId, udp } = service;
    // Without LTE, the application starts and fails 11 to 14 s after the power-up, however slow this machine is.
    const bad = { name: 'bad', profile: 'broken', count: 2, config: { mode: 'none' } } as const;
    const short = defineScenario({ name: 'elsewhere', duration: '1m', fleet: [bad] }, { profiles });
    const pace = { atOnce: 4, perSecond: null };
    const gateway = { host: '127.0.0.1', port: udp ?? 0 };
    const cloud = { api, apiKey: 'an-api-key-of-the-target', spaceId, gateway, pace, keyOf: String };
    const real = { clock: 'real', speed: 120, workers: 2, crew, meter: unhurried } as const;
    const result = await runPlan(short, { profiles, cloud, ...real });
    expect(result).toMatchObject({ exitCode: EXIT.invalid, fleet: { failed: { devices: 2 } } });
    expect(result.failure).toContain('bad-0002');
  });
});

it('a device outside of a run reports the error to its owner, and can be stopped', async () => {
  const crashes: string[] = [];
  const { device, stop } = await startSingleDevice({
    profile: {
      ...clime,
      get receiver(): never {
        throw new TypeError('no receiver');
      },
    },
    ...{ serial: 2_159_017_985, claimToken: '00112233445566778899aabbccddeeff', config: [] },
    cloud: { link: 'udp', host: '127.0.0.1', port: 9, format: 'base64' },
    ...{ clock: new VirtualClock(), trace: { emit: () => {} }, failed: () => {} },
    crashed: ({ message }) => void crashes.push(message),
  });
  await stop();
  expect([crashes, device.state]).toEqual([['no receiver'], 'off']);
});

describe('no device is blamed', () => {
  it('for an event log that cannot be written', async () => {
    const write = () => {
      throw new UsageError('disk-full', 'no space left on the disk');
    };
    const run = runPlan(plan, { profiles, sinks: [{ write, close: () => {} }] });
    await expect(run).rejects.toThrow('no space left on the disk');
  });

  it('for an error of the code that reads its events', async () => {
    const watch = {
      take: ({ kind }: TraceEvent) => {
        if (kind === 'device.ready') throw new TypeError('a reader of events');
      },
    };
    await expect(runPlan(plan, { profiles, watch })).rejects.toThrow('a reader of events');
  });
});
