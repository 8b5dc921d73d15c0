/** The example of docs/PROFILES.md is a device type that works. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hours } from '../../src/kernel/time.js';
import { packagedFiles } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { readProfile } from '../../src/profile/read.js';
import { rig } from '../device/measuring/fixtures.js';
import { testCloud } from '../support/cloud.js';
import { testDevice } from '../support/device.js';

const guide = readFileSync(new URL('../../docs/PROFILES.md', import.meta.url), 'utf8');
const example = /<!-- example: coldroom.yaml -->\n```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
const FILE = 'profiles/coldroom.yaml';
const hash = /which is "([0-9a-f]{16})"/.exec(guide)?.[1] ?? '';

function coldroom(): Profile {
  return readProfile(example.replace('hash: 0000000000000000', `hash: ${hash}`), FILE, packagedFiles);
}

it('the build of the guide has its parameters in the given order, and its event', () => {
  const build = /<!-- example: overflow.yaml -->\n```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const profile = readProfile(build, 'profiles/overflow.yaml', packagedFiles);
  const names = profile.modules[0]?.parameters.map(({ name }) => name) ?? [];
  expect(names.slice(names.indexOf('backup-report-disconnected'))).toEqual([
    ...['backup-report-disconnected', 'full-report', 'free-report', 'mode'],
  ]);
  const device = rig({ profile });
  device.set('float.full', 0);
  device.measurements.takeReportable();
  device.set('float.full', 1);
  expect(device.measurements.takeReportable()).toBe(true);
});

describe('the example of the guide', () => {
  it('has only one problem, that of its hash, with the place and the message that the guide quotes', () => {
    const place = /coldroom\.yaml:(\d+:\d+): (.*)/.exec(guide);
    expect(() => readProfile(example, FILE, packagedFiles)).toThrow(`${FILE}:${place?.[1]}: ${place?.[2]}`);
    const message = (() => {
      try {
        readProfile(example, FILE, packagedFiles);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(message.split('\n')).toHaveLength(1);
  });

  it('has only its own firmware version', () => {
    expect(coldroom().firmware.names).toEqual(['1.0.0']);
  });

  it('measures, and writes the body that its decoder reads', () => {
    const device = rig({ profile: coldroom() });
    device.until(hours(0.5));
    device.set('door.state', 1);
    expect(device.report()).toMatchObject({
      message: { version: 1, sequence: 0 },
      system: { uptime: expect.any(Number), voltage_rest: expect.any(Number) },
      probe: { measurements: Array.from({ length: 3 }, () => ({ min: expect.any(Number), mdn: expect.any(Number) })) },
      door: { state: 'open', events: expect.arrayContaining([{ timestamp: expect.any(Number), type: 'opened' }]) },
    });
  });

  it('gets a session and reports to a cloud', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const { clock, gateway } = cloud;
    const { device } = testDevice({
      clock,
      change: coldroom,
      network: (datagram, answer) => {
        clock.after(1, 'datagram', () => gateway.receive(datagram, 'base64', answer));
      },
    });
    device.powerOn();
    await clock.runUntil(hours(1));
    const bodies = (await cloud.messages(await cloud.device())).filter(({ type }) => type === 'data');
    expect(bodies.length).toBeGreaterThan(1);
    expect(bodies[0]?.body).toMatchObject({ message: { version: 1 }, door: { state: expect.any(String) } });
  });
});
