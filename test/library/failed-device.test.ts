/** A virtual device in a test whose code throws an error: the test learns of it, and the device stops for good. */
import { describe, expect, it } from 'vitest';
import { startDevice, startFleet } from '../../src/library/device.js';
import { startService } from '../../src/library/service.js';
import { virtualTime } from '../../src/library/time.js';
import { profileNamed } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';

const clime = profileNamed('clime');
/** Fails when the session is set up. */
const broken: Profile = { ...clime, timing: { ...clime.timing, pollEvery: { module: 'app', name: 'none' } } };
const FAILED = {
  code: 'device-failed',
  message: expect.stringContaining('"app config none" is not a number parameter'),
};

describe('in virtual time, a device whose code throws an error', () => {
  it('makes the call reject that lets time pass; time can go on afterwards, also for other devices', async () => {
    const time = virtualTime();
    await using service = await startService({ time });
    await using device = await startDevice({ profile: broken, service });
    await using other = await startDevice({ profile: 'clime', service });
    await expect(time.advance('5m')).rejects.toMatchObject(FAILED);
    await time.advance('5m');
    expect([device.state, other.state]).toEqual(['off', 'asleep']);
    expect(other.failure).toBe(undefined);
  });

  it('has the error as its failure, and rejects commands and controls', async () => {
    const time = virtualTime();
    await using service = await startService({ time });
    await using device = await startDevice({ profile: broken, service });
    await expect(time.until(() => false)).rejects.toMatchObject(FAILED);
    expect(device.failure).toMatchObject({ ...FAILED, cause: { name: 'Error' } });
    await expect(device.shell('info show')).rejects.toMatchObject(FAILED);
    await expect(device.control('radio off')).rejects.toMatchObject(FAILED);
    device.powerOn();
    expect(() => device.powerCycle()).toThrow('has failed');
  });

  it('ends a command that is running', async () => {
    const time = virtualTime();
    await using service = await startService({ time });
    const config = ['tag config enabled true'];
    await using device = await startDevice({ profile: broken, service, config });
    await time.advance('1s');
    const command = expect(device.shell('tag read all 300')).rejects.toMatchObject(FAILED);
    await expect(time.advance('6m')).rejects.toMatchObject(FAILED);
    await time.advance('6m');
    await command;
  });
});

describe('in real time, a device whose code throws an error', () => {
  /** Fails at its first start. */
  const faulty = (): Profile => ({
    ...clime,
    get receiver(): never {
      throw new TypeError('no receiver');
    },
  });

  it('rejects the end of its use', async () => {
    await using service = await startService();
    const device = await startDevice({ profile: faulty(), service });
    expect(device.failure).toMatchObject({ cause: { message: 'no receiver' } });
    await expect(device.stop()).rejects.toMatchObject({ code: 'device-failed' });
  });

  it('does not keep the others of its fleet from being stopped', async () => {
    await using service = await startService();
    const { devices, stop } = await startFleet({ profile: faulty(), service, count: 3 });
    await expect(stop()).rejects.toMatchObject({ code: 'device-failed' });
    expect(devices.map(({ state }) => state)).toEqual(['off', 'off', 'off']);
  });
});
