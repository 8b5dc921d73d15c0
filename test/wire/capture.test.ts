/** `--capture` of runs, devices and services: what is in the file, and what never is. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordDialogue } from '../../scripts/golden/dialogue.js';
import { renderDialogue } from '../../scripts/golden/render.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { makeClaimToken } from '../../src/runner/world/claim-tokens.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';
import { udpIn } from '../../src/wire/link-layers.js';
import { readCapture } from '../../src/wire/read-capture.js';
import { ghostfleet } from '../support/host.js';
import { ALL_FORMATS, captureRun, fileWith, inspectFile, newPath, packetsIn, TOKEN, useFolder } from './captures.js';

useFolder();

const profiles = packagedProfiles();
/** A capture that several tests read. */
let shared = '';
beforeAll(async () => {
  shared = await captureRun(ALL_FORMATS);
});

function commentsIn(path: string): readonly string[] {
  return packetsIn(path).map(({ comment = '' }) => comment);
}

describe('a capture of a run', () => {
  it('does not change the digest of the run, and has its command in the comment', async () => {
    const [scenario, path] = [fileWith(ALL_FORMATS, 'yaml'), newPath()];
    const digestOf = async (...flags: readonly string[]) =>
      /digest (\w+)/.exec((await ghostfleet(['run', scenario, '--workers', '1', ...flags])).out)?.[1];
    expect(await digestOf('--capture', path)).toBe(await digestOf());
    const text = `ghostfleet run ${scenario} --seed 1 --clock virtual; times count from 2026-01-01T00:00:00.000Z`;
    expect(readCapture(path).next().value).toEqual({ kind: 'comment', text });
  });

  it.each(['clime', 'hio-node'])('read back gives the golden dialogue of %s', async (name) => {
    const yaml = readFileSync(`test/golden/${name}.yaml`, 'utf8');
    const path = await captureRun(yaml);
    const golden = renderDialogue(await recordDialogue(yaml, name, profiles)).filter((line) =>
      /^ |^\d.* (up|down) /.test(line),
    );
    const { out } = await ghostfleet(['inspect', path, '--show-secrets']);
    expect(out.split('\n').filter((line) => /^ |^\d.* (up|down) /.test(line))).toEqual(golden);
  });

  it('has the same messages for a device with DTLS as for one without', async () => {
    const scenario = (config: string) =>
      `name: one\nduration: 10m\nfleet:\n  - { name: node, profile: hio-node, count: 1, config: [${config}] }\n`;
    const messagesIn = async (config: string) => {
      const { devices } = inspectFile(await captureRun(scenario(config)));
      const packets = devices.flatMap(({ entries }) =>
        entries.flatMap((entry) => (entry.kind === 'packet' ? entry : [])),
      );
      // Without the times in SET_SESSION and reports, and the configuration, which names the protocol.
      return packets.map(({ way, packet }) => [way, packet.flags, packet.data[0]]).slice(0, 8);
    };
    const plain = await messagesIn('app config interval-poll 300');
    expect(plain).toHaveLength(8);
    expect(await messagesIn('app config interval-poll 300, cloud config protocol flap-dtls')).toEqual(plain);
  });

  it('has neither claim tokens nor keys of devices, in any form', async () => {
    const plan = planScenario(parseScenario(ALL_FORMATS, 'test.yaml', describeDeviceTypes(profiles)), {});
    const bytes = readFileSync(shared);
    const tokens = plan.devices.map(({ claimToken }) => claimToken);
    expect(tokens).toHaveLength(3);
    for (const token of tokens) {
      expect(bytes.includes(token)).toBe(false);
      expect(bytes.includes(Buffer.from(token, 'hex'))).toBe(false);
    }
  });

  it('in virtual time has tags of the tokens that follow from the seed, so that they can be checked', async () => {
    const plan = planScenario(parseScenario(ALL_FORMATS, 'test.yaml', describeDeviceTypes(profiles)), {});
    const path = shared;
    const tokens = plan.devices.map(({ claimToken }) => Buffer.from(claimToken, 'hex'));
    const tags = ({ tokens }: { tokens: Buffer[] }) =>
      Object.fromEntries(inspectFile(path, { tokens }).devices.map(({ name, tags }) => [name, tags]));
    expect(tags({ tokens })).toEqual({ 'secure-0001': 'unchecked', 'plain-0001': 'checked', 'clime-0001': 'checked' });
    expect(tags({ tokens: [Buffer.from(makeClaimToken(), 'hex')] })).toMatchObject({ 'clime-0001': 'unfit' });
  });

  it('names the device of each packet, and the downlink of its fragments and of their acknowledgements', async () => {
    const comments = commentsIn(shared);
    expect([...new Set(comments.map((comment) => comment.split(', ')[0]))].sort()).toEqual([
      'clime-0001',
      'plain-0001',
      'secure-0001',
    ]);
    const ofDownlinks = comments.filter((comment) => comment.includes(', downlink '));
    // A session and a shell downlink of each device, each with a fragment and its acknowledgement.
    expect(new Set(ofDownlinks).size).toBe(6);
    for (const comment of new Set(ofDownlinks)) {
      expect(comment).toMatch(/^\w+-0001, downlink [\da-f-]{36}$/);
      expect(ofDownlinks.filter((each) => each === comment).length).toBeGreaterThan(1);
    }
  });

  it('in memory has an address for each device, and another port for each new socket', async () => {
    const yaml = `
name: sockets
duration: 10m
fleet: [{ name: clime, profile: clime, count: 2 }]
steps: [{ at: 5m, to: clime/1, power-cycle: {} }]
`;
    const ends = packetsIn(await captureRun(yaml)).map(({ link, bytes }) => udpIn(link, bytes));
    const devices = new Set(
      ends.flatMap((udp) =>
        typeof udp === 'string' || udp.to.port !== 5003 ? [] : [`${udp.from.address}:${udp.from.port}`],
      ),
    );
    const addresses = [...devices].map((end) => end.split(':')[0]);
    expect([...new Set(addresses)].sort()).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(devices.size).toBeGreaterThan(2);
  });

  it('over UDP has the ports of the real sockets, also for DTLS', async () => {
    const path = await captureRun(ALL_FORMATS, { transport: 'udp' });
    const ports = packetsIn(path).flatMap(({ link, bytes, through }) => {
      const udp = udpIn(link, bytes);
      return typeof udp === 'string' ? [] : [{ through, ...udp }];
    });
    expect(new Set(ports.map(({ through }) => through))).toEqual(new Set(['flap-dtls', 'flap-raw', 'flap-base64']));
    for (const { from, to } of ports) {
      expect([from.address, to.address]).toEqual(['127.0.0.1', '127.0.0.1']);
      expect(Math.min(from.port, to.port)).toBeGreaterThan(1023);
      expect([5002, 5003, 5005]).not.toContain(to.port);
    }
    const { devices } = inspectFile(path);
    expect(devices.map(({ name }) => name).sort()).toEqual(['clime-0001', 'plain-0001', 'secure-0001']);
  });

  it('that cannot be written ends the run with the reason', async () => {
    const { exit, out } = await ghostfleet([
      'run',
      fileWith(ALL_FORMATS, 'yaml'),
      '--capture',
      '/dev/full',
      '--pace',
      '100000000',
    ]);
    expect(exit).toBe(2);
    expect(out).toContain('cannot write the capture "/dev/full": the disk is full');
  });

  it.each(['run x', 'serve', 'device clime --serial 1'])('of "%s" is not written to a file "-"', async (command) => {
    const { exit, err } = await ghostfleet([...command.split(' '), '--capture', '-']);
    expect([exit, err]).toEqual([2, expect.stringContaining('--capture "-" is not a file')]);
  });

  it.each([
    [['--transport', 'http'], '--transport http'],
    [['--seeds', '2'], '--seeds'],
  ])('cannot be used with %s', async (flags, named) => {
    const { exit, err } = await ghostfleet(['run', fileWith(ALL_FORMATS, 'yaml'), '--capture', newPath(), ...flags]);
    expect(exit).toBe(2);
    expect(err).toContain(`--capture cannot be used with ${named}`);
  });

  it('that is a link to itself is refused with the reason', async () => {
    const path = newPath();
    symlinkSync(path, path);
    const { exit, err } = await ghostfleet(['serve', '--port', '0', '--capture', path]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`cannot write the capture "${path}"`)]);
    expect(err).not.toContain('internal error');
  });

  it('in a folder that does not exist is refused before the run', async () => {
    const path = `${newPath()}/missing/x.pcapng`;
    const { exit, out, err } = await ghostfleet(['run', fileWith(ALL_FORMATS, 'yaml'), '--capture', path]);
    expect([exit, out]).toEqual([2, '']);
    expect(err).toBe(`ghostfleet: cannot write the capture "${path}": no such directory\n`);
  });
});

describe('a capture of one device', () => {
  it('has its datagrams with real addresses, and its name', async () => {
    const gateway = createSocket('udp4').bind(0, '127.0.0.1');
    await once(gateway, 'listening');
    const path = newPath();
    const { exit } = await ghostfleet([
      ...['device', 'clime', '--serial', '2159017985', '--token', TOKEN, '--quiet', '--capture', path],
      ...['--udp', `127.0.0.1:${gateway.address().port}`, '--speed', '300', '--for', '3m'],
    ]);
    const { port } = gateway.address();
    gateway.close();
    expect(exit).toBe(0);
    const [packet] = packetsIn(path);
    expect(packet?.comment).toBe('clime-2159017985');
    expect(packet && udpIn(packet.link, packet.bytes)).toMatchObject({ to: { address: '127.0.0.1', port } });
  });

  it('cannot be used with --link http', async () => {
    const device = ['device', 'clime', '--serial', '1', '--token', TOKEN, '--link', 'http'];
    const { exit, err } = await ghostfleet([...device, '--capture', newPath()]);
    expect([exit, err.includes('--capture cannot be used with --link http')]).toEqual([2, true]);
  });
});

describe('a capture of a service', () => {
  it('that cannot be written is reported, and the service goes on until it is stopped', async () => {
    const serve = ['serve', '--db', 'memory', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { exit, out, err } = await ghostfleet([...serve, '--capture', '/dev/full'], { interruptOn: /Press Ctrl-C/ });
    expect(out).toContain('Press Ctrl-C');
    expect(err).toContain('cannot write the capture "/dev/full": the disk is full; nothing more is captured\n');
    expect(exit).toBe(2);
  });
});
