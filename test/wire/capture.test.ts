/** `--capture` of runs, devices and services: what is in the file, and what never is. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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
import { captureRun, fileWith, inspectFile, newPath, POLL_TEXT, packetsIn, TOKEN } from './captures.js';

/** All three formats of datagrams, loss, and downlinks. */
const ALL_FORMATS = `
name: formats
duration: 15m
fleet:
  - { name: secure, profile: hio-node, count: 1, config: [app config interval-poll 300, cloud config protocol flap-dtls] }
  - { name: plain, profile: hio-node, count: 1, config: [app config interval-poll 300] }
  - { name: clime, profile: clime, count: 1, config: { interval-poll: 300 } }
network: { latency: 150ms..900ms, loss: 5% }
steps:
  - { at: 6m, commands: [cloud state] }
`;

const profiles = packagedProfiles();

/** A capture that several tests read. */
const shared = captureRun(ALL_FORMATS);

function commentsIn(path: string): readonly string[] {
  return packetsIn(path).map(({ comment = '' }) => comment);
}

describe('a capture of a run', () => {
  it('in virtual time is the same for the same seed, byte for byte, and does not change the digest', async () => {
    const scenario = fileWith(ALL_FORMATS, 'yaml');
    const run = async (...flags: readonly string[]) => {
      const path = newPath();
      const { out } = await ghostfleet(['run', scenario, '--capture', path, ...flags]);
      return { bytes: readFileSync(path), digest: /digest (\w+)/.exec(out)?.[1] };
    };
    const [first, again, other] = [await run(), await run(), await run('--seed', '4')];
    expect(first.bytes.length).toBeGreaterThan(5000);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(other.bytes.equals(first.bytes)).toBe(false);
    const { out } = await ghostfleet(['run', scenario, '--workers', '1']);
    expect(out).toContain(`digest ${first.digest}`);
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
    const bytes = readFileSync(await shared);
    const tokens = plan.devices.map(({ claimToken }) => claimToken);
    expect(tokens).toHaveLength(3);
    for (const token of tokens) {
      expect(bytes.includes(token)).toBe(false);
      expect(bytes.includes(Buffer.from(token, 'hex'))).toBe(false);
    }
  });

  it('in virtual time has tags of the tokens that follow from the seed, so that they can be checked', async () => {
    const plan = planScenario(parseScenario(ALL_FORMATS, 'test.yaml', describeDeviceTypes(profiles)), {});
    const path = await shared;
    const tokens = plan.devices.map(({ claimToken }) => Buffer.from(claimToken, 'hex'));
    const tags = ({ tokens }: { tokens: Buffer[] }) =>
      Object.fromEntries(inspectFile(path, { tokens }).devices.map(({ name, tags }) => [name, tags]));
    expect(tags({ tokens })).toEqual({ 'secure-0001': 'unchecked', 'plain-0001': 'checked', 'clime-0001': 'checked' });
    expect(tags({ tokens: [Buffer.from(makeClaimToken(), 'hex')] })).toMatchObject({ 'clime-0001': 'unfit' });
  });

  it('names the device of each packet, and the downlink of its fragments and of their acknowledgements', async () => {
    const comments = commentsIn(await shared);
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
    const path = await captureRun(ALL_FORMATS, '--transport', 'udp');
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

  it('whose last part cannot be written makes the command fail, after the report', async () => {
    const { exit, out, err } = await ghostfleet(['run', fileWith(ALL_FORMATS, 'yaml'), '--capture', '/dev/full']);
    expect([exit, err]).toEqual([2, 'ghostfleet: cannot write the capture "/dev/full": the disk is full\n']);
    expect(out).toMatch(/^passed/m);
  });

  it.each([
    [['--transport', 'http'], '--transport http'],
    [['--seeds', '2'], '--seeds'],
  ])('cannot be used with %s', async (flags, named) => {
    const { exit, err } = await ghostfleet(['run', fileWith(ALL_FORMATS, 'yaml'), '--capture', newPath(), ...flags]);
    expect(exit).toBe(2);
    expect(err).toContain(`--capture cannot be used with ${named}`);
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
  it('has the datagrams of its ports with real addresses, and is whole when the service is stopped', async () => {
    const path = newPath();
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const serve = ['serve', '--db', 'memory', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0', '--json'];
    const running = ghostfleet([...serve, '--capture', path], {
      interruptWhen: stopped,
      watchOut: (out) => {
        if (out.endsWith('\n')) socket.send(POLL_TEXT, JSON.parse(out).udp, '127.0.0.1', () => void poll());
      },
    });
    // The capture is written at once, so it shows when the datagram has arrived.
    const poll = async () => {
      while (packetsIn(path).length === 0) await new Promise((resolve) => setImmediate(resolve));
      stop();
    };
    expect((await running).exit).toBe(0);
    const { port } = socket.address();
    socket.close();
    const [packet, ...more] = packetsIn(path);
    expect(more).toEqual([]);
    expect(packet?.comment).toBe('2159017985');
    expect(packet && udpIn(packet.link, packet.bytes)).toMatchObject({ from: { address: '127.0.0.1', port } });
    expect([...readCapture(path)].at(0)).toEqual({ kind: 'comment', text: 'ghostfleet serve' });
  });

  it('that cannot be written is reported, and the service goes on until it is stopped', async () => {
    const serve = ['serve', '--db', 'memory', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    const { exit, out, err } = await ghostfleet([...serve, '--capture', '/dev/full'], { interruptOn: /Press Ctrl-C/ });
    expect(out).toContain('Press Ctrl-C');
    expect(err).toContain('cannot write the capture "/dev/full": the disk is full; nothing more is captured\n');
    expect(exit).toBe(2);
  });
});
