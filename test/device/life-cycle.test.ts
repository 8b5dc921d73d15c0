/** A device from power-up on: its time table, its watchdogs, and what a reset clears (behaviour B-1, B-4 to B-6). */
import { describe, expect, it } from 'vitest';
import type { Device } from '../../src/device/device.js';
import { days, hours, minutes, seconds } from '../../src/kernel/time.js';
import { writeImage } from '../../src/protocol/firmware-image.js';
import { liveDevice } from '../support/live-device.js';

describe('after power-up', () => {
  it('the body of the first report has no voltages, sequence 0, the uptime of that moment, and a valid connection', async () => {
    const { of, run, reports } = await liveDevice();
    await run(minutes(3));
    const [first] = await reports();
    const ready = of('device.ready')[0]?.at ?? 0;
    expect(first).toMatchObject({
      message: { sequence: 0 },
      system: { voltage_rest: null, voltage_load: null, current_load: null },
      network: { parameter: { plmn: 23003, ecl: 0 } },
    });
    expect(first?.system.uptime).toBe(Math.floor((ready + 10_000) / 1000));
  });

  it('the battery is measured a minute after the application starts, and later reports have its voltages', async () => {
    const { run, device, reports } = await liveDevice({ config: ['app config interval-report 30'] });
    await run(minutes(4));
    const bodies = await reports();
    const measured = bodies.findIndex(({ system }) => system.voltage_rest !== null);
    expect(measured).toBeGreaterThan(0);
    const started = bodies[0]?.system.uptime ?? 0;
    expect(bodies[measured - 1]?.system.uptime).toBeLessThan(started + 50);
    expect(bodies[measured]?.system.uptime).toBeGreaterThanOrEqual(started + 50);
    expect(device.firmware?.application.running).toBe(true);
  });

  it('without network the start-up waits, even for weeks, and no watchdog resets the device', async () => {
    const { device, of, run } = await liveDevice();
    device.radio(false);
    await run(days(14));
    expect(of('device.boot')).toHaveLength(1);
    device.radio(true);
    await run(hours(2));
    expect(of('device.ready')).toHaveLength(1);
  });

  it.each(['send', 'sample', 'aggreg'])(
    'the command %s has no effect before the application starts',
    async (command) => {
      const [{ device, events, run }, undisturbed] = [await liveDevice(), await liveDevice()];
      await run(200);
      expect(device.shell(command).lines).toEqual([]);
      await run(seconds(20));
      device.shell(command);
      await run(hours(1));
      await undisturbed.run(hours(1) + seconds(20) + 200);
      expect(events).toEqual(undisturbed.events);
    },
  );

  it('a firmware that is requested before the modem starts is requested with the first datagram', async () => {
    const { device, of, run } = await liveDevice();
    await run(200);
    device.shell('cloud firmware download 0190a6d2-0000-7000-8000-000000000000');
    await run(minutes(5));
    expect(of('uplink.made').map(({ type }) => type)[0]).toBe('firmware');
    expect(of('device.ready')).toHaveLength(1);
  });

  it('with mode "none" the application starts at once, and the downlink watchdog never resets the device', async () => {
    const { device, of, run } = await liveDevice({ config: ['app config mode none'] });
    await run(seconds(11));
    expect(device.firmware?.application.running).toBe(true);
    expect(device.modem.state).toBe('disabled');
    await run(days(5));
    expect(of('device.boot')).toHaveLength(1);
  });
});

describe('the downlink watchdog', () => {
  it.each([
    ['clime', '36 h'],
    ['control', '36 h'],
    ['current', '36 h'],
    ['meteo', '36 h'],
    ['push', '36 h'],
    ['range', '36 h'],
    ['scale', '36 h'],
    ['demo', 'never'],
    ['motion', 'never'],
  ])('of %s resets the device after this time of silence: %s', async (profile, after) => {
    const { network, of, run } = await liveDevice({ profile });
    await run(minutes(5));
    const last = of('uplink.acked').at(-1)?.at ?? 0;
    network.up = false;
    await run(hours(37));
    const boots = of('device.boot').slice(1);
    // After 36 h the firmware stops feeding the hardware watchdog, which expires two minutes later.
    if (after === 'never') expect(boots).toEqual([]);
    else expect(boots).toMatchObject([{ cause: 'watchdog' }]);
    for (const { at } of boots) expect(at - last).toBeGreaterThanOrEqual(hours(36) + minutes(2));
    for (const { at } of boots) expect(at - last).toBeLessThan(hours(36) + minutes(3));
  });

  it('resets a device once: without network, the restarted device has no session, and the watchdog does not run', async () => {
    const { network, of, run } = await liveDevice();
    await run(minutes(5));
    network.up = false;
    await run(days(6));
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'watchdog']);
  });

  it('is restarted by each empty poll, and resets the device when the device no longer polls', async () => {
    const { device, of, run } = await liveDevice({
      config: ['app config interval-report 86400', 'app config downlink-wdg-interval 3600'],
    });
    for (let i = 0; i < 10; i++) {
      await run(minutes(30));
      device.shell('cloud poll');
    }
    expect(of('device.boot')).toHaveLength(1);
    await run(hours(2));
    expect(of('device.boot').length).toBeGreaterThan(1);
  });

  it('is off when its interval is 0', async () => {
    const { network, of, run } = await liveDevice({ config: ['app config downlink-wdg-interval 0'] });
    await run(minutes(5));
    network.up = false;
    await run(days(5));
    expect(of('device.boot')).toHaveLength(1);
  });
});

/** Ways to reset a device that is up. */
const RESETS: Readonly<Record<string, (device: Device) => void>> = {
  'a power cut': (device) => device.reboot('power'),
  'the command reboot': (device) => void device.shell('kernel reboot cold'),
  'the command config save': (device) => void device.shell('config save'),
  'the hardware watchdog': (device) => device.reboot('watchdog'),
  'a brown-out': (device) => device.reboot('brown-out'),
};

describe.each(Object.entries(RESETS))('%s', (name, reset) => {
  it('ends the connection with the cloud before the device starts again', async () => {
    const ends: unknown[] = [];
    const { device, events, run } = await liveDevice({ reset: () => ends.push(events.length) });
    await run(minutes(5));
    const { length } = events;
    reset(device);
    expect(ends).toContain(length);
  });

  it('clears RAM and keeps flash', async () => {
    const live = await liveDevice({ config: ['app config interval-report 3600'] });
    const { device, network, of, run, reports } = live;
    await run(minutes(40));
    network.up = false;
    device.shell('send');
    device.controls.line(false);
    await run(minutes(5));
    expect(device.spool.count).toBeGreaterThan(0);
    const stored = device.spool.count;
    const sessions = of('uplink.made').filter(({ type }) => type === 'session').length;
    device.shell('app config event-report-delay 77');

    reset(device);
    // Settings in flash are kept. The delay was only written to RAM: only `config save` keeps it.
    const saved = name === 'the command config save';
    expect(device.shell('app config event-report-delay').lines).toEqual([
      `app config event-report-delay ${saved ? 77 : 1}`,
    ]);
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 3600']);
    expect(device.shell('kernel uptime').lines).toEqual(['Uptime: 0 ms']);
    expect(device.shell('rtc get').lines).toEqual(['1970/01/01 00:00:00 Thu']);
    expect(device.firmware?.cloud.counters).toMatchObject({ uplinkCount: 0, uplinkErrors: 0, pollCount: 0 });
    expect(device.modem.counters).toMatchObject({ attaches: 0, connected: 0 });
    expect(device.modem.evaluation()).toBeUndefined();
    expect(device.firmware?.cloud.initialized).toBe(false);
    expect(device.spool.count).toBe(stored);

    network.up = true;
    await run(minutes(3));
    expect(of('uplink.made').filter(({ type }) => type === 'session')).toHaveLength(sessions + 1);
    const firsts = (await reports()).filter(({ message }) => message.sequence === 0);
    expect(firsts).toHaveLength(2);
    expect(firsts[1]).toMatchObject({
      backup: { state: 'disconnected', events: [] },
      hygrometer: { humidity: { measurements: [] } },
    });
    // The spooled report has been sent, too.
    expect(device.spool.count).toBe(0);
  });
});

describe('config reset', () => {
  it('restores the defaults: the device is silent until its next setup', async () => {
    const { device, of, run } = await liveDevice({
      config: ['app config interval-report 60', 'lte config apn hardwario'],
    });
    await run(minutes(5));
    device.shell('config reset');
    const made = of('uplink.made').length;
    await run(days(3));
    expect(device.shell('app config mode').lines).toEqual(['app config mode "none"']);
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 1800']);
    expect(device.shell('lte config apn').lines).toEqual(['lte config apn ""']);
    expect(of('uplink.made')).toHaveLength(made);
  });

  it('of Demo, which connects in every mode, is followed by an upload of the default configuration', async () => {
    const { cloud, device, of, run } = await liveDevice({ profile: 'demo', config: ['app config interval-report 60'] });
    await run(minutes(5));
    device.shell('config reset');
    await run(minutes(5));
    expect(of('uplink.made').filter(({ type }) => type === 'config')).toHaveLength(2);
    const configs = (await cloud.messages(await cloud.device())).filter(({ type }) => type === 'config');
    expect(JSON.stringify(configs.at(-1)?.body)).toContain('app config interval-report 1800');
  });
});

describe('an update of the firmware', () => {
  it('keeps the settings and clears the counters', async () => {
    const { device, network, of, run, cloud } = await liveDevice({ config: ['app config interval-report 900'] });
    await run(minutes(5));
    const build = { bundle: 'com.hardwario.chester.app.clime', name: 'CHESTER Clime', version: 'v9.0.0' };
    const image = writeImage(build, 3000);
    const id = '0197a3b1-0000-7000-8000-000000000001';
    const about = { ...build, id, spaceId: cloud.spaceId, createdAt: cloud.clock.wall };
    const { images } = cloud.core.firmware;
    await cloud.store.commit(images.put(images.describe(image, about), image));
    await cloud.core.firmware.schedule(await cloud.device(), images.describe(image, about));
    device.shell('cloud poll');
    await run(seconds(60));
    network.up = false;
    await run(minutes(1));
    expect(device.identity.fwVersion).toBe('v9.0.0');
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'update']);
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 900']);
    expect(device.firmware?.cloud.counters.uplinkCount).toBe(0);
  });
});

describe('the clock', () => {
  it('that a session sets also shifts the times of the counters', async () => {
    const { clock, device, run } = await liveDevice({ config: ['app config interval-report 86400'] });
    await run(minutes(5));
    const { counters } = device.firmware?.cloud ?? {};
    const now = Math.floor(clock.wall / 1000);
    for (const at of [counters?.uplinkLast, counters?.downlinkLast, counters?.uplinkDataLast]) {
      expect(Math.abs((at ?? 0) - now)).toBeLessThan(300);
    }
  });
});
