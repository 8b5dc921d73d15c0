/** Whole updates over the air: gateway, core and device in virtual time. */
import { describe, expect, it } from 'vitest';
import type { Image } from '../../../src/cloud/firmware/images.js';
import { jobOf, type UpdateJob } from '../../../src/cloud/firmware/job.js';
import type { UpdateState } from '../../../src/contract/firmware.js';
import { chance, seededRandom } from '../../../src/kernel/random.js';
import { days, hours, millis, minutes, seconds } from '../../../src/kernel/time.js';
import type { Profile } from '../../../src/profile/profile.js';
import { type Build, writeImage } from '../../../src/protocol/firmware-image.js';
import type { Datagram, EnvelopeFormat } from '../../../src/protocol/flap/envelope.js';
import { httpTransport } from '../../../src/transport/http.js';
import { SERIAL, type TestCloud, testCloud } from '../../support/cloud.js';
import { type TestDevice, testDevice } from '../../support/device.js';
import { ingressOf, injected } from '../../support/ingress.js';

const BUILD: Build = { bundle: 'com.hardwario.chester.app.clime', name: 'CHESTER Clime', version: 'v9.0.0' };
const SIZE = 30_000;
/** Delay of a datagram to the cloud. With this delay, the download of an image takes about half a minute. */
const LATENCY = millis(300);

interface WorldOptions {
  readonly format?: EnvelopeFormat | 'http';
  /** Probability that a datagram is lost, in each direction. */
  readonly loss?: number;
  readonly change?: (profile: Profile) => Profile;
}

/** A device that has started and is connected to a cloud. */
async function world({ format = 'base64', loss = 0, change = (profile) => profile }: WorldOptions = {}) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const random = seededRandom('loss');
  let wire = wireTo(cloud, format);
  const device = testDevice({
    clock: cloud.clock,
    format,
    change,
    config: ['app config interval-report 300'],
    network: (datagram, answer) => {
      if (chance(random, loss)) return;
      cloud.clock.after(LATENCY, 'a datagram on its way', () => {
        wire(datagram, (back) => {
          if (!chance(random, loss)) answer(back);
        });
      });
    },
  });
  device.device.powerOn();
  await cloud.clock.runUntil(minutes(5));
  const update = async (image: Image): Promise<UpdateJob> => cloud.core.firmware.schedule(await cloud.device(), image);
  return {
    cloud,
    device,
    clock: cloud.clock,
    update,
    /** Connects the device to another instance of the service, over the same store. */
    restartService: async () => {
      wire = wireTo(await testCloud({ store: cloud.store, clock: cloud.clock }), format);
    },
    upload: (build: Partial<Build> = {}, size = SIZE) => upload(cloud, writeImage({ ...BUILD, ...build }, size), build),
    job: () => lastJob(cloud),
    until: (state: UpdateState) => until(cloud, state),
    version: () => versionOf(device),
  };
}

function wireTo(cloud: TestCloud, format: EnvelopeFormat | 'http') {
  if (format !== 'http') {
    return (datagram: Datagram, answer: (back: Datagram) => void) => cloud.gateway.receive(datagram, format, answer);
  }
  const transport = httpTransport(injected(ingressOf(cloud)), cloud.clock);
  return (frame: Datagram, receive: (back: Datagram) => void) => transport.connect(SERIAL, { receive }).send(frame);
}

async function upload(cloud: TestCloud, content: Uint8Array, build: Partial<Build> = {}): Promise<Image> {
  const { images } = cloud.core.firmware;
  const id = `0197a3b1-0000-7000-8000-${String(content.length).padStart(12, '0')}`;
  const about = { ...BUILD, ...build, id, spaceId: cloud.spaceId, createdAt: cloud.clock.wall };
  const image = images.describe(content, about);
  await cloud.store.commit(images.put(image, content));
  return image;
}

/** The update that was scheduled last. */
async function lastJob(cloud: TestCloud): Promise<UpdateJob | undefined> {
  const row = (await cloud.store.records('firmware', cloud.spaceId, { limit: 10 })).at(-1);
  return row && jobOf(row);
}

/** Lets time pass until the last update is in this state; gives up after six hours. */
async function until(cloud: TestCloud, state: UpdateState): Promise<UpdateJob> {
  const end = cloud.clock.now + hours(6);
  for (;;) {
    const job = await lastJob(cloud);
    if (job?.state === state) return job;
    if (cloud.clock.now >= end) throw new Error(`the update is ${job?.state} (${job?.error}), not ${state}`);
    await cloud.clock.runUntil(cloud.clock.now + seconds(1));
  }
}

function versionOf({ device }: TestDevice): string | undefined {
  return device.identity.fwVersion;
}

const states = (job: UpdateJob) => job.timeline.map(({ state }) => state);

describe('an update', () => {
  it.each(['base64', 'raw', 'http'] as const)('runs to its end over %s', async (format) => {
    const { cloud, device, update, upload, until, version } = await world({ format });
    await update(await upload());
    const job = await until('succeeded');
    expect(states(job)).toEqual(['scheduled', 'downloading', 'swapping', 'succeeded']);
    expect(job).toMatchObject({ offset: SIZE, restarts: 0, error: null, fromVersion: 'v4.0.0' });
    expect(version()).toBe('v9.0.0');
    expect((await cloud.device()).session).toMatchObject({ fw_version: 'v9.0.0' });
    // The version in the session is enough for success. The device confirms and acknowledges the image after that.
    await cloud.clock.runUntil(cloud.clock.now + minutes(1));
    expect(device.device.bootloader?.confirmed).toBe(true);
    expect(device.of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'update']);
  });

  it('requests a short first chunk, and then chunks as long as the transfer buffer permits', async () => {
    const { cloud, update, upload, until } = await world();
    await update(await upload());
    await until('succeeded');
    await cloud.clock.runUntil(cloud.clock.now + minutes(1));
    const messages = await cloud.messages(await cloud.device());
    const chunks = messages.filter(({ type, direction }) => type === 'firmware' && direction === 'down');
    // floor((10240 - 50) / 256) * 256 = 9984
    expect(chunks.map(({ body }) => body)).toMatchObject([
      { offset: 0, length: 256 },
      { offset: 256, length: 9984 },
      { offset: 10_240, length: 9984 },
      { offset: 20_224, length: 9776 },
    ]);
    expect(chunks.every(({ downState }) => downState === 'sent')).toBe(true);
    const reports = messages.filter(({ type, direction }) => type === 'firmware' && direction === 'up');
    expect(reports.map(({ body }) => (body as { type: string }).type)).toEqual(['next', 'next', 'next', 'swap', 'ack']);
  });

  it('delays configurations until it has ended, because they reboot the device', async () => {
    const { cloud, update, upload, until } = await world();
    await update(await upload());
    const lines = ['app config interval-report 600'];
    const config = await cloud.core.queue(await cloud.device(), { type: 'config', lines });
    await until('swapping');
    expect(await cloud.store.message(cloud.spaceId, config.id)).toMatchObject({ downState: 'pending' });
    const job = await until('succeeded');
    await cloud.clock.runUntil(cloud.clock.now + minutes(30));
    expect(await cloud.store.message(cloud.spaceId, config.id)).toMatchObject({ downState: 'sent' });
    expect(job.restarts).toBe(0);
  });

  it('succeeds in spite of lost datagrams', async () => {
    const { clock, update, upload, until, version } = await world({ loss: 0.1 });
    const began = clock.now;
    await update(await upload());
    const job = await until('succeeded');
    expect(version()).toBe('v9.0.0');
    expect(clock.now - began).toBeGreaterThan(minutes(3));
    expect(job.error).toBeNull();
  });

  it('does not delay the reports of the device', async () => {
    const { device, clock, update, upload, until } = await world();
    const began = clock.now;
    await update(await upload({}, 400_000));
    await until('succeeded');
    const swap = device.of('device.boot').at(-1)?.at ?? 0;
    const reports = device.of('uplink.acked').filter(({ type, at }) => type === 'data' && at > began && at < swap);
    expect(reports.length).toBeGreaterThan(1);
  });

  it('restarts after the device lost power during the download', async () => {
    const { device, update, upload, until, version } = await world();
    await update(await upload());
    const { offset } = await until('downloading');
    expect(offset).toBeLessThan(SIZE);
    device.device.reboot('power');
    const job = await until('succeeded');
    expect(job.restarts).toBe(1);
    expect(version()).toBe('v9.0.0');
  });

  it('continues after a restart of the service during the download', async () => {
    const { update, upload, until, restartService, version } = await world();
    await update(await upload());
    await until('downloading');
    await restartService();
    await until('succeeded');
    expect(version()).toBe('v9.0.0');
  });

  it('survives a power failure while images are swapped', async () => {
    const { clock, device, update, upload, until, version } = await world();
    await update(await upload());
    await until('swapping');
    await clock.runUntil(clock.now + seconds(30));
    expect(device.device.busyWith).toBe('the swap of its firmware images');
    device.device.powerOff();
    device.device.powerOn();
    await until('succeeded');
    expect(version()).toBe('v9.0.0');
  });

  it('to another image with the label of the running version succeeds when the device acknowledges it', async () => {
    const { device, update, upload, until } = await world();
    await update(await upload({ version: 'v4.0.0' }));
    await until('succeeded');
    expect(device.device.bootloader?.confirmed).toBe(true);
  });

  it('to an image that reports the old version under another label succeeds when the device acknowledges it', async () => {
    const { cloud, device, update, until } = await world();
    const content = writeImage({ ...BUILD, version: 'v4.0.0' }, SIZE);
    await update(await upload(cloud, content, { version: 'v4.0.0-patched' }));
    await until('succeeded');
    expect(device.device.bootloader?.confirmed).toBe(true);
  });

  it('can be requested by the device', async () => {
    const { device, upload, until, version } = await world();
    const image = await upload();
    const identifier = image.id.replaceAll('-', '');
    expect(device.device.shell(`cloud firmware download ${identifier}`).lines).toEqual(['command succeeded']);
    expect(states(await until('succeeded'))).toEqual(['scheduled', 'downloading', 'swapping', 'succeeded']);
    expect(version()).toBe('v9.0.0');
  });
});

describe('an update that goes wrong', () => {
  it('is reverted if the image is of another device type, because such an image never starts a session', async () => {
    const { device, clock, update, upload, until, version } = await world();
    await update(await upload({ bundle: 'com.hardwario.chester.app.push' }));
    const { error } = await until('failed');
    expect(error).toBe('reverted: the device runs "v4.0.0"');
    expect(version()).toBe('v4.0.0');
    expect(device.of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'update', 'watchdog']);
    await clock.runUntil(clock.now + minutes(30));
    expect(device.of('device.boot')).toHaveLength(3);
  });

  it('is reverted at the next reset if the new firmware never starts a session', async () => {
    const { cloud, clock, device, update, upload, until, version } = await world();
    await update(await upload());
    await until('swapping');
    device.device.radio(false);
    await clock.runUntil(clock.now + hours(3));
    // Nothing resets the device: while the firmware starts up, it feeds the watchdog.
    expect(version()).toBe('v9.0.0');
    expect(device.device.bootloader?.confirmed).toBe(false);
    device.device.reboot('power');
    expect(device.device.busyWith).toBe('the swap of its firmware images');
    device.device.radio(true);
    expect((await until('failed')).error).toBe('reverted: the device runs "v4.0.0"');
    expect(version()).toBe('v4.0.0');
    await clock.runUntil(clock.now + minutes(10));
    const messages = await cloud.messages(await cloud.device());
    const reports = messages.filter(({ type, direction }) => type === 'firmware' && direction === 'up');
    // The old image was confirmed long ago, so the device has nothing to acknowledge.
    expect(reports.map(({ body }) => (body as { type: string }).type).at(-1)).toBe('swap');
  });

  it('stays reverted through further resets', async () => {
    const { clock, device, update, upload, until, version } = await world();
    await update(await upload({ bundle: 'com.hardwario.chester.app.push' }));
    await until('failed');
    device.device.reboot('power');
    await clock.runUntil(clock.now + minutes(5));
    expect(version()).toBe('v4.0.0');
    expect(device.device.busyWith).toBeUndefined();
  });

  it('is ignored by the bootloader if the image is damaged', async () => {
    const { cloud, device, update, until, version } = await world();
    const content = writeImage(BUILD, SIZE);
    content[SIZE - 1] = 7;
    await update(await upload(cloud, content));
    expect((await until('failed')).error).toBe('reverted: the device runs "v4.0.0"');
    expect(version()).toBe('v4.0.0');
    expect(device.of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'update']);
  });

  it('is reverted if a damaged image has the label of the running version', async () => {
    const { cloud, update, until, version } = await world();
    const content = writeImage({ ...BUILD, version: 'v4.0.0' }, SIZE);
    content[SIZE - 1] = 7;
    await update(await upload(cloud, content, { version: 'v4.0.0' }));
    expect((await until('failed')).error).toBe('reverted: the device runs "v4.0.0"');
    expect(version()).toBe('v4.0.0');
  });

  it('is reverted if an image of another device type has the label of the running version', async () => {
    const { device, update, upload, until } = await world();
    await update(await upload({ bundle: 'com.hardwario.chester.app.push', version: 'v4.0.0' }));
    expect((await until('failed')).error).toBe('reverted: the device runs "v4.0.0"');
    expect(device.of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'update', 'watchdog']);
  });

  it('fails immediately if the image is longer than the slot', async () => {
    const { update, upload, until } = await world({
      change: (profile) => ({ ...profile, bootloader: { slotSize: SIZE - 1 } }),
    });
    await update(await upload());
    expect(await until('failed')).toMatchObject({ error: 'image size too big', offset: 0 });
  });

  it('fails immediately on a build without a bootloader', async () => {
    const { device, update, upload, until } = await world({
      change: ({ bootloader: _, ...profile }) => profile,
    });
    await update(await upload());
    expect(await until('failed')).toMatchObject({ error: 'unsupported MCUBOOT' });
    expect(device.device.shell('cloud firmware download 0').code).toBe(-134);
  });

  it('fails when its image is deleted during the download', async () => {
    const { cloud, update, upload, until } = await world();
    const image = await upload();
    await update(image);
    await until('downloading');
    await cloud.core.firmware.images.remove(image.id);
    expect((await until('failed')).error).toBe('the image has been deleted');
  });

  it('can be cancelled, and the device keeps its firmware', async () => {
    const { cloud, clock, update, upload, until, job, version } = await world();
    await update(await upload());
    const running = await until('downloading');
    expect(await cloud.core.firmware.cancel(running)).toBe('cancelled');
    await clock.runUntil(clock.now + hours(1));
    expect(await job()).toMatchObject({ state: 'cancelled' });
    expect(version()).toBe('v4.0.0');
    expect(await cloud.store.pendingDownlinks((await cloud.device()).id)).toEqual([]);
  });

  it.each(['downloading', 'swapping'] as const)(
    'of a device that is off while it is %s fails after 30 days, also without the image; another update is then possible',
    async (state) => {
      const { cloud, clock, device, update, upload, until, job } = await world();
      const image = await upload();
      await update(image);
      await until(state);
      device.device.powerOff();
      if (state === 'swapping') await cloud.core.firmware.removeImage(cloud.spaceId, image.id);
      await clock.runUntil(clock.now + days(29));
      expect(await job()).toMatchObject({ state });
      await clock.runUntil(clock.now + days(1) + hours(1));
      expect(await job()).toMatchObject({ state: 'failed', error: 'expired: the device did not continue the update' });
      expect(await update(image)).toMatchObject({ state: 'scheduled' });
    },
  );

  it('that goes on within 30 days does not fail', async () => {
    const { clock, device, update, upload, until } = await world();
    await update(await upload());
    await until('swapping');
    device.device.powerOff();
    await clock.runUntil(clock.now + days(29));
    device.device.powerOn();
    await until('succeeded');
  });

  it('cannot be cancelled after the swap of the images has begun', async () => {
    const { cloud, update, upload, until } = await world();
    await update(await upload());
    expect(await cloud.core.firmware.cancel(await until('swapping'))).toBe('too-late');
  });
});
