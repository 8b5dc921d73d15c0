/** A device whose code throws an error. */
import { describe, expect, it } from 'vitest';
import { Device } from '../../src/device/device.js';
import { deviceType } from '../../src/device/type/device-type.js';
import { seededRandom } from '../../src/kernel/random.js';
import { minutes, seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { profileNamed } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { makeConnection } from '../../src/runner/world/connection.js';
import { FleetDevice } from '../../src/runner/world/fleet-device.js';
import { SERIAL, TOKEN } from '../support/cloud.js';
import { testDevice } from '../support/device.js';

/** Fails at the start of its application, 11 to 13 s after a power-up: it has no radio. */
const faulty = (profile: Profile): Profile => ({
  ...profile,
  timing: { ...profile.timing, pollEvery: { module: 'app', name: 'none' } },
});

async function failed() {
  const bench = testDevice({ change: faulty, config: ['app config mode none'], network: () => {} });
  bench.device.powerOn();
  const running = bench.device.shell('tag config show');
  await bench.clock.runUntil(minutes(1));
  return { ...bench, running };
}

describe('a device whose code throws an error', () => {
  it('keeps it as its failure, and is off and at rest', async () => {
    const { device, of } = await failed();
    expect(device.failure?.message).toContain('"app config none"');
    expect([device.firmware, device.busyWith]).toEqual([undefined, undefined]);
    expect(of('device.failed')).toMatchObject([
      { serial: SERIAL, why: expect.stringMatching(/^Error: "app config none"/) },
    ]);
  });

  it('starts no more, and emits no more events', async () => {
    const { device, events, clock } = await failed();
    const before = events.length;
    device.powerOn();
    device.receive(new Uint8Array(20));
    device.powerOff();
    device.close();
    await clock.runUntil(minutes(60));
    expect(events).toHaveLength(before);
  });

  it('rejects commands, controls and power cycles, with the reason', async () => {
    const { device } = await failed();
    const handle = new FleetDevice(device, { name: 'clime-0001', serial: SERIAL, claimToken: TOKEN });
    expect(() => device.shell('info show')).toThrow('the device has failed: "app config none"');
    expect(() => handle.controls.radio(false)).toThrow('the device has failed');
    expect(() => handle.controls.powerCycle()).toThrow('the device has failed');
  });

  it('ends a command that is running, without output', async () => {
    const parts: unknown[] = [];
    const config = ['app config mode none', 'tag config enabled true'];
    const { device, clock } = testDevice({ change: faulty, config, network: () => {} });
    device.powerOn();
    device.shell('tag read all 300', (part) => parts.push(part));
    await clock.runUntil(minutes(6));
    expect(parts).toEqual([{ code: 0, lines: [] }]);
  });

  it('fails by a change from outside that runs this code', async () => {
    const profile = (known: Profile): Profile => ({ ...known, messageVersion: 0.5 });
    const { device, clock, of } = testDevice({ change: profile, config: ['app config mode none'], network: () => {} });
    device.powerOn();
    await clock.runUntil(seconds(19));
    expect(() => device.controls.click('int', 1)).toThrow('the device has failed: 0.5 is not an exact integer');
    expect(of('device.failed')).toMatchObject([{ why: 'RangeError: 0.5 is not an exact integer' }]);
  });

  it('does not fail by a change that is not possible', async () => {
    const { device } = testDevice({ network: () => {} });
    expect(() => device.controls.click('int', 1)).toThrow('nothing notices the button');
    expect(device.failure).toBe(undefined);
  });

  it('does not end the time of the other devices on its clock', async () => {
    const clock = new VirtualClock();
    const bad = testDevice({ clock, change: faulty, config: ['app config mode none'], network: () => {} });
    const good = testDevice({ clock, config: ['app config mode none'], network: () => {} });
    bad.device.powerOn();
    good.device.powerOn();
    await clock.runUntil(minutes(5));
    expect([bad.device.failure === undefined, good.device.firmware?.application.running]).toEqual([false, true]);
  });
});

it('what a device receives over DTLS runs as its own code', () => {
  const type = deviceType(profileNamed('hio-node'));
  const received: ((record: Uint8Array) => void)[] = [];
  const transport = {
    connect: (_serial: number, receiver: { receive(record: Uint8Array): void }) => {
      received.push((record) => receiver.receive(record));
      return { send: () => {}, reopen: () => {} };
    },
    close: async () => {},
  };
  const random = seededRandom('dtls');
  const connect = makeConnection({ serial: SERIAL, claimToken: TOKEN, transport, random });
  const ran: unknown[] = [];
  const device = new Device({
    ...{ type, serial: SERIAL, claimToken: TOKEN, random, format: 'dtls' },
    world: { clock: new VirtualClock(), trace: { emit: () => {} } },
    connect: (self, wire) => {
      const run: Device['run'] = (action) => void ran.push(action);
      return connect({ receive: (datagram) => self.receive(datagram), clock: self.clock, run }, wire);
    },
  });
  for (const receive of received) receive(new Uint8Array(13));
  expect([device.failure, ran.length]).toEqual([undefined, 1]);
});
