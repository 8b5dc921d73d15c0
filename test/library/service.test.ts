/** The service, its devices and virtual time as the library offers them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  defineScenario,
  InputError,
  run,
  type Service,
  startDevice,
  startFleet,
  startService,
  UsageError,
  virtualTime,
  writeReports,
} from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'gf-library-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function virtual() {
  const time = virtualTime();
  return { time, service: await startService({ time }) };
}

describe('a service in virtual time', () => {
  it('stores the virtual time at which a device was created', async () => {
    const time = virtualTime({ start: new Date('2030-05-05T00:00:00Z') });
    await using service = await startService({ time });
    const device = await startDevice({ profile: 'clime', service });
    await time.until(() => device.state === 'asleep');
    const { created_at } = await service.client.device(device.id);
    expect(created_at).toMatch(/^2030-05-05T00:00:00/);
    expect(time.date.toISOString()).toMatch(/^2030-05-05T00:0\d:/);
  });

  it('gives the same ids and messages with the same seed, and different ones with another seed', async () => {
    const story = async (seed: number) => {
      const time = virtualTime({ seed });
      await using service = await startService({ time });
      await startDevice({ profile: 'clime', service });
      await time.advance('3h');
      return JSON.stringify(await service.client.messages({ limit: 100 }));
    };
    const first = await story(1);
    expect(await story(1)).toBe(first);
    expect(await story(2)).not.toBe(first);
  });

  it('closes even while a connection of another client is open', async () => {
    const { service } = await virtual();
    await fetch(`${service.api}/v2/spaces`, { headers: { 'X-API-KEY': service.apiKey ?? '' } });
    await service.close();
    await expect(fetch(service.api)).rejects.toThrow();
  });
});

describe('a closed service', () => {
  const ports = () => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap' || kind === 'TCPServerWrap');

  it.each([
    ['real', () => undefined],
    ['virtual', virtualTime],
  ])('leaves no port behind, in %s time', async (_, timeOf) => {
    const time = timeOf();
    for (let n = 0; n < 3; n++) {
      const service = await startService({ ...(time && { time }) });
      await service.client.devices();
      await service.close();
    }
    expect(ports()).toEqual([]);
  });

  it.each([
    ['real', () => undefined],
    ['virtual', virtualTime],
  ])('has switched its devices off, and none of them can be switched on again, in %s time', async (_, timeOf) => {
    const time = timeOf();
    const service = await startService({ ...(time && { time }) });
    const device = await startDevice({ profile: 'clime', service });
    const { devices } = await startFleet({ profile: 'clime', service, count: 2 });
    await service.close();
    expect([device, ...devices].map(({ state }) => state)).toEqual(['off', 'off', 'off']);
    const closed = new UsageError('service-closed', 'the service is closed');
    expect(() => device.powerOn()).toThrow(closed);
    expect(() => device.powerCycle()).toThrow(closed);
    await expect(device.control('power on')).rejects.toThrow(closed);
    await expect(device.shell('info show')).rejects.toThrow(closed);
    await device.stop();
  });

  it('has ended the shell command that its device was running', async () => {
    const service = await startService();
    const config = ['tag config enabled true'];
    const device = await startDevice({ profile: 'clime', service, config });
    const answer = device.shell('tag read all 300');
    await service.close();
    expect((await answer).code).toBe(0);
  });

  it('rejects devices that were about to be created', async () => {
    const service = await startService();
    const fleet = startFleet({ profile: 'clime', service, count: 100 });
    const rejected = expect(fleet).rejects.toThrow(new UsageError('service-closed', 'the service is closed'));
    await service.close();
    await rejected;
  });
});

it('a service whose options name the same UDP port is refused, and 0 and null are not the same port', async () => {
  const same = startService({ udpPort: 16_001, udpRawPort: 16_001 });
  await expect(same).rejects.toMatchObject({
    code: 'same-port',
    message: 'udpPort and udpRawPort name the same port, 16001',
  });
  await (await startService({ udpPort: 0, udpRawPort: 0, udpDtlsPort: null })).close();
});

describe('simulated timers of a test runner', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(['memory', 'timers.db'])('do not stop virtual time, with the database %s', async (db) => {
    vi.useFakeTimers();
    const time = virtualTime();
    await using service = await startService({ time, db: db === 'memory' ? db : join(folder, db) });
    const device = await startDevice({ profile: 'clime', service });
    await time.until(() => device.state === 'asleep');
    await time.advance('2h');
    expect(await service.client.messages({ type: ['data'] })).not.toEqual([]);
  });

  it('do not stop a fleet whose connections answer many requests each', async () => {
    const time = virtualTime();
    await using service = await startService({ time });
    await startFleet({ profile: 'clime', count: 30, service });
    vi.useFakeTimers();
    await using fleet = await startFleet({ profile: 'clime', count: 30, service });
    await time.until(() => fleet.devices.every((device) => device.state === 'asleep'));
    for (const { id } of fleet.devices) await service.client.sendCommands(id, ['info show']);
    await time.advance('2h');
    expect(await service.client.messages({ type: ['data'] })).not.toEqual([]);
  });

  it('do not stop a service and a device in real time', async () => {
    vi.useFakeTimers();
    await using service = await startService();
    await using device = await startDevice({ profile: 'clime', service });
    expect((await service.client.device(device.id)).id).toBe(device.id);
  });
});

describe('virtual time', () => {
  it('ends a wait for a condition that never holds, with an error', async () => {
    const time = virtualTime();
    await expect(time.until(() => false, { within: '10m' })).rejects.toThrow(
      new UsageError('too-late', 'the condition did not hold within 10m'),
    );
    expect(time.now).toBe(600_000);
  });

  it.each(['soon', -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects %j as a length of time', async (length) => {
    await expect(virtualTime().advance(length)).rejects.toThrow(`"${length}" is not milliseconds, nor a duration`);
  });

  it('rejects a second call while time passes', async () => {
    const { time, service } = await virtual();
    await using _ = service;
    await startDevice({ profile: 'clime', service });
    const first = time.advance('1h');
    await expect(time.advance('1h')).rejects.toThrow('time is already passing');
    await first;
    expect(time.now).toBe(3_600_000);
  });
});

describe('a virtual device', () => {
  it('answers shell commands until its power is cut, and starts again when the power returns', async () => {
    const { time, service } = await virtual();
    await using _ = service;
    const device = await startDevice({ profile: 'clime', service, name: 'freezer', serial: 2_159_000_001 });
    await time.until(() => device.state === 'asleep');
    const { code, lines } = await device.shell('info show');
    expect([code, device.name]).toEqual([0, 'freezer']);
    expect(lines.join('\n')).toContain('serial number: 2159000001');
    device.powerOff();
    expect(device.state).toBe('off');
    await expect(device.shell('info show')).rejects.toThrow();
    device.powerOn();
    await time.until(() => device.state === 'asleep');
  });

  it('runs the requested firmware version', async () => {
    const { service } = await virtual();
    await using _ = service;
    const device = await startDevice({ profile: 'clime', service, firmware: '3.5.5' });
    expect(device.firmware).toBe('v3.5.5');
    await expect(startDevice({ profile: 'clime', service, firmware: '9.9.9' })).rejects.toThrow(
      'unknown firmware version "9.9.9" of "clime": 3.5.5 or 4.0.0',
    );
  });

  it('rejects a control command that does not exist, and suggests one', async () => {
    const { service } = await virtual();
    await using _ = service;
    const device = await startDevice({ profile: 'clime', service });
    await expect(device.control('batery 5%')).rejects.toThrow('did you mean ".battery"?');
  });

  it('is rejected with all invalid options together', async () => {
    const { service } = await virtual();
    await using _ = service;
    const wrong = { profile: 'clime', service, serial: 0, token: 'short', colour: 'red' };
    await expect(startDevice(wrong)).rejects.toThrow(InputError);
    await expect(startDevice(wrong)).rejects.toThrow(/colour[\s\S]*serial: "0"[\s\S]*token: "short"/);
  });

  it('of which the cloud rejects one leaves no device there: its serial number is in use', async () => {
    await using service = await startService({ time: virtualTime() });
    await using taken = await startDevice({ profile: 'clime', service, serial: 2_159_000_020 });
    const fleet = startFleet({ profile: 'clime', service, count: 40, firstSerial: 2_159_000_001 });
    await expect(fleet).rejects.toMatchObject({ status: 409 });
    expect((await service.client.devices()).map(({ id }) => id)).toEqual([taken.id]);
  });

  it('has a different serial number from others of the same service', async () => {
    const { service } = await virtual();
    await using _ = service;
    const one = await startDevice({ profile: 'clime', service });
    const fleet = await startFleet({ profile: 'motion', count: 3, service });
    expect([one, ...fleet.devices].map(({ serial }) => serial - one.serial)).toEqual([0, 1, 2, 3]);
    expect(fleet.devices.map(({ name }) => name)).toEqual(['motion-0001', 'motion-0002', 'motion-0003']);
  });
});

describe('a service in real time', () => {
  it('accepts devices although its database keeps those of an earlier run', async () => {
    const options = { db: join(folder, 'earlier.db'), apiKey: 'a-key-of-the-tests-0001' };
    for (let run = 1; run <= 2; run++) {
      await using service = await startService(options);
      await startDevice({ profile: 'clime', service });
      expect(await service.client.countDevices()).toBe(run);
    }
  });
});

describe('a cloud elsewhere', () => {
  it('accepts devices by its address', async () => {
    await using service = await startService();
    const { api, udp, spaceId, apiKey } = service;
    const device = await startDevice({ profile: 'clime', service: { api, udp, spaceId, apiKey } });
    expect((await service.client.device(device.id)).name).toBe(`clime-${device.serial}`);
    await device.stop();
    await device.stop();
  });

  it('accepts devices of several processes, and keeps them after they stop', async () => {
    await using service = await startService();
    const { api, udp, spaceId, apiKey } = service;
    for (let process = 1; process <= 2; process++) {
      // An object of its own, as each worker of a test runner receives.
      const given = { api, udp, spaceId, apiKey };
      await using _device = await startDevice({ profile: 'clime', service: given });
      await using _fleet = await startFleet({ profile: 'clime', count: 2, service: given });
    }
    expect(await service.client.countDevices()).toBe(6);
  });

  it('is rejected if it lacks a key, or a port for datagrams', async () => {
    await using service = await startService();
    const address = { api: service.api, spaceId: service.spaceId, apiKey: service.apiKey, udp: service.udp };
    const keyless = { ...address, apiKey: undefined };
    await expect(startDevice({ profile: 'clime', service: keyless })).rejects.toThrow('give the option "apiKey"');
    const mute = { ...address, udp: null };
    await expect(startDevice({ profile: 'clime', service: mute })).rejects.toThrow('no port for base64 datagrams');
  });
});

describe('services of several tests', () => {
  it('run at the same time without sharing ports, spaces or devices', async () => {
    const services: readonly Service[] = await Promise.all(Array.from({ length: 5 }, () => startService()));
    const serial = 2_159_000_001;
    const devices = await Promise.all(services.map((service) => startDevice({ profile: 'clime', service, serial })));
    expect(new Set(services.map(({ api }) => api)).size).toBe(5);
    expect(new Set(services.map(({ udp }) => udp)).size).toBe(5);
    for (const service of services) expect(await service.client.countDevices()).toBe(1);
    await Promise.all(devices.map((device) => device.stop()));
    await Promise.all(services.map((service) => service.close()));
  });
});

describe('the files of a run', () => {
  const plan = () =>
    defineScenario({
      ...{ name: 'files', duration: '1h', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] },
      steps: [{ at: '30m', commands: ['info show'] }],
    });

  it('are written by the option out: the event log, all reports and the table of downlinks', async () => {
    const out = join(folder, 'deep', 'run');
    await run(plan(), { out });
    expect(readdirSync(out).sort()).toEqual(
      ['downlinks.csv', 'events.jsonl', 'junit.xml', 'report.html', 'report.txt', 'series.csv', 'summary.json'].sort(),
    );
  });

  it('cannot be written to a path that is a file: the run is rejected with a message', async () => {
    const out = join(folder, 'taken');
    writeFileSync(out, '');
    await expect(run(plan(), { out })).rejects.toThrow(`cannot create the directory "${out}"`);
  });

  it('are written from a result in the formats that the caller names; downlinks.csv needs the result itself, not a copy', async () => {
    const out = join(folder, 'single');
    const result = await run(plan());
    writeReports(result, out, ['html', 'junit']);
    expect(readdirSync(out).sort()).toEqual(['junit.xml', 'report.html']);
    writeReports(result, out, ['downlinks']);
    const table = readFileSync(join(out, 'downlinks.csv'), 'utf8');
    expect(table).toContain(',clime-0001,');
    writeReports(result, join(out, 'again'), ['downlinks']);
    expect(readFileSync(join(out, 'again', 'downlinks.csv'), 'utf8')).toBe(table);
    expect(() => writeReports({ ...result }, out, ['downlinks'])).toThrow('not a copy');
    writeReports({ ...result }, join(out, 'copy'));
    expect(readdirSync(join(out, 'copy'))).not.toContain('downlinks.csv');
    // @ts-expect-error JavaScript lets it pass
    expect(() => writeReports(result, out, ['pdf'])).toThrow('"pdf" is not one of');
  });
});
