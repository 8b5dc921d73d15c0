/** Captures that are repeated, replaced, cut off, and of devices with DTLS. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { udpIn } from '../../src/wire/link-layers.js';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';
import { ALL_FORMATS, captureRun, fileWith, inspectFile, newPath, packetsIn, TOKEN, useFolder } from './captures.js';

useFolder();

describe('a capture of a run', () => {
  it('in virtual time is the same for the same seed, byte for byte, and another one for another seed', async () => {
    const first = readFileSync(await captureRun(ALL_FORMATS));
    expect(first.length).toBeGreaterThan(5000);
    expect(readFileSync(await captureRun(ALL_FORMATS)).equals(first)).toBe(true);
    expect(readFileSync(await captureRun(ALL_FORMATS, { seed: 4 })).equals(first)).toBe(false);
  });

  it('whose last part cannot be written makes the run fail, with one verdict in all formats', async () => {
    const why = 'cannot write the capture "/dev/full": the disk is full';
    const command = ['run', fileWith(ALL_FORMATS, 'yaml'), '--capture', '/dev/full'];
    const text = await ghostfleet(command);
    expect(text).toMatchObject({ exit: 2, out: expect.stringContaining(why) });
    expect(text.out).not.toMatch(/^passed/m);
    const folder = join(dirname(newPath()), 'full');
    const { exit, out } = await ghostfleet([...command, '--json', '--out', folder]);
    expect([exit, JSON.parse(out)]).toMatchObject([2, { passed: false, exitCode: 2, failure: why }]);
    expect(JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8'))).toMatchObject({
      passed: false,
      exitCode: 2,
    });
    expect(readFileSync(join(folder, 'junit.xml'), 'utf8')).toContain('failures="0" errors="1"');
  });

  it('whose last part cannot be written is a warning of a run that failed anyway', async () => {
    const failing = fileWith(`${ALL_FORMATS}\nexpect: [device.ready == 99]\n`, 'yaml');
    const { exit, out } = await ghostfleet(['run', failing, '--capture', '/dev/full', '--json']);
    expect([exit, JSON.parse(out).failure]).toEqual([3, null]);
    expect(JSON.parse(out).warnings).toContain('cannot write the capture "/dev/full": the disk is full');
  });

  it('replaces an earlier capture, but no other file', async () => {
    const other = fileWith('{"summary": true}');
    const { exit, err } = await ghostfleet(['serve', '--port', '0', '--capture', other]);
    expect([exit, err]).toEqual([2, expect.stringContaining('has other content than a capture')]);
    expect(readFileSync(other, 'utf8')).toBe('{"summary": true}');
    const scenario = fileWith('name: x\nduration: 1m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n', 'yaml');
    const earlier = newPath();
    for (const _ of [1, 2]) expect((await ghostfleet(['run', scenario, '--capture', earlier])).exit).toBe(0);
  });
});

/** Number of packets of the only device that were sent or decrypted so far. */
function packetsOf(path: string): number {
  return inspectFile(path).devices[0]?.entries.filter(({ kind }) => kind === 'packet').length ?? 0;
}

describe('a capture of a service', () => {
  it('has the datagrams of a device with DTLS with their keys, real addresses and the name of the device', async () => {
    const path = newPath();
    const secret = '00112233445566778899aabbccddeeff';
    let over = () => {};
    const interruptWhen = new Promise<void>((resolve) => {
      over = resolve;
    });
    const useService = async (out: string) => {
      const { api, spaceId, apiKey, udpDtls } = JSON.parse(out);
      const body = JSON.stringify({ name: 'freezer', serial_number: '2159017985', token: TOKEN, secret });
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const created = await fetch(`${api}/v2/spaces/${spaceId}/devices`, { method: 'POST', headers, body });
      expect(created.status).toBe(201);
      const config = ['--config', 'cloud config protocol flap-dtls', '--secret', secret];
      const device = ['device', 'hio-node', '--serial', '2159017985', '--token', TOKEN, ...config, '--quiet'];
      // Its handshakes may fail on a busy machine, so it tries until it has a session.
      const hasSession = until(() => packetsOf(path) > 4, 50);
      await ghostfleet([...device, '--udp', `127.0.0.1:${udpDtls}`, '--speed', '30'], { interruptWhen: hasSession });
      over();
      return udpDtls;
    };
    let used: Promise<number> | undefined;
    const serve = ['serve', '--db', 'memory', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0', '--json'];
    const { exit } = await ghostfleet([...serve, '--udp-dtls-port', '0', '--capture', path], {
      interruptWhen,
      watchOut: (out) => {
        if (out.endsWith('\n')) used ??= useService(out);
      },
    });
    expect(exit).toBe(0);
    const { devices, broken } = inspectFile(path);
    expect(devices).toMatchObject([{ serial: 2_159_017_985, name: 'freezer', format: 'dtls' }]);
    expect(broken).toBeUndefined();
    const bytes = readFileSync(path);
    expect([bytes.includes(secret), bytes.includes(Buffer.from(secret, 'hex')), bytes.includes(TOKEN)]).toEqual([
      false,
      false,
      false,
    ]);
    const [packet] = packetsIn(path);
    const port = await used;
    expect(packet && udpIn(packet.link, packet.bytes)).toMatchObject({
      from: { address: '127.0.0.1' },
      to: { address: '127.0.0.1', port },
    });
  });
});
