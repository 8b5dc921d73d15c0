/** `ghostfleet inspect`: dialogues, tags, DTLS, single datagrams and measured times. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { seal, tokenBytes, USUAL_PORTS } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST, NOTHING, type Packet, POLL } from '../../src/protocol/flap/packet.js';
import { type Entry, type ReadEntry, readDialogue } from '../../src/wire/dialogue-text.js';
import { inspectCapture } from '../../src/wire/inspect.js';
import { ipPacket } from '../../src/wire/ip-packet.js';
import { udpIn } from '../../src/wire/link-layers.js';
import { MessageText } from '../../src/wire/message-text.js';
import { readCapture } from '../../src/wire/read-capture.js';
import { findOutside, measureTimeline } from '../../src/wire/timeline.js';
import { ghostfleet } from '../support/host.js';
import { captureRun, fileWith, inspectFile, oldCapture, POLL_TEXT, pollPacket, TOKEN, useFolder } from './captures.js';
import { secretOf } from './device-key.js';

useFolder();

const OTHER_TOKEN = 'ffeeddccbbaa99887766554433221100';
const SERIAL = 2_159_017_985;

const POLL_HEX = Buffer.from(POLL_TEXT, 'base64').toString('hex');

/** A capture with one datagram of the device and its answer for each packet. */
function captureOf(...packets: readonly (readonly ['up' | 'down', Packet, string?])[]): string {
  const device = { address: '10.0.0.7', port: 40_000 };
  const cloud = { address: '192.0.2.1', port: 5003 };
  const frames = packets.map(([way, packet, token = TOKEN]) => {
    const [from, to] = way === 'up' ? [device, cloud] : [cloud, device];
    return ipPacket(from, to, seal(packet, SERIAL, tokenBytes(token), 'base64'));
  });
  return fileWith(oldCapture(101, frames));
}

const SHELL_ANSWER = Buffer.concat([
  Buffer.from('07a2', 'hex'),
  // The id, and one answer: {0: "info claim-token", 2: ["claim token: …"]}
  Buffer.from('0150', 'hex'),
  Buffer.alloc(16, 1),
  Buffer.from('0081a2', 'hex'),
  Buffer.from('0070', 'hex'),
  Buffer.from('info claim-token'),
  Buffer.from('0281782d', 'hex'),
  Buffer.from(`claim token: ${TOKEN}`),
]);

function pollOf(sequence: number): Uint8Array {
  const poll = seal({ flags: POLL, sequence, data: NOTHING }, SERIAL, tokenBytes(TOKEN), 'base64');
  return ipPacket({ address: '10.0.0.7', port: 40_000 }, { address: '192.0.2.1', port: 5003 }, poll);
}

const PACKET_LENGTH = pollPacket().length;

describe('a dialogue', () => {
  it('joins fragments, also if one was sent again', async () => {
    const [one, two] = [SHELL_ANSWER.subarray(0, 20), SHELL_ANSWER.subarray(20)];
    const path = captureOf(
      ['up', { flags: FIRST, sequence: 5, data: one }],
      ['up', { flags: 0, sequence: 7, data: two.subarray(0, 10) }],
      ['up', { flags: 0, sequence: 7, data: two.subarray(0, 10) }],
      ['up', { flags: LAST, sequence: 9, data: two.subarray(10) }],
    );
    const { out } = await ghostfleet(['inspect', path]);
    expect(out).toContain(`UPLOAD_SHELL, ${SHELL_ANSWER.length} bytes in 3 packets`);
  });

  it('masks secrets that a device has sent, unless --show-secrets is given', async () => {
    const path = captureOf(['up', { flags: FIRST | LAST, sequence: 0, data: SHELL_ANSWER }]);
    const { out } = await ghostfleet(['inspect', path]);
    expect(out).toContain('"claim token: ********"');
    expect(out).not.toContain(TOKEN);
    expect((await ghostfleet(['inspect', path, '--show-secrets'])).out).toContain(`"claim token: ${TOKEN}"`);
  });

  it('marks datagrams with a wrong tag, and does not read them', async () => {
    const path = captureOf(
      ['up', { flags: POLL, sequence: 0, data: NOTHING }],
      ['up', { flags: FIRST | LAST, sequence: 0, data: SHELL_ANSWER }, OTHER_TOKEN],
    );
    const { out } = await ghostfleet(['inspect', path, '--token', TOKEN]);
    expect(out.match(/wrong tag$/gm)).toHaveLength(1);
    expect(out).not.toContain('UPLOAD_SHELL');
    const { out: unfit } = await ghostfleet(['inspect', path, '--token', '0'.repeat(32)]);
    expect(unfit).toContain('# No --token is that of this device, so its tags are not checked.');
  });

  it('with a message that cannot be read says why, and goes on', async () => {
    const path = captureOf(
      ['up', { flags: FIRST | LAST, sequence: 0, data: Uint8Array.of(7, 0xff) }],
      ['up', { flags: POLL, sequence: 2, data: NOTHING }],
      ['down', { flags: FIRST | LAST, sequence: 3, data: Uint8Array.of(0x99, 1) }],
    );
    const { exit, out } = await ghostfleet(['inspect', path]);
    expect(exit).toBe(0);
    expect(out).toMatch(/malformed: the value of UPLOAD_SHELL is not CBOR/);
    expect(out).toContain('MESSAGE 153');
    expect(out).toContain('malformed: 0x99 is not a type of message');
  });

  it('names the device as its session does', async () => {
    const session = Buffer.concat([Buffer.from('80a3000104000667', 'hex'), Buffer.from('freezer')]);
    const path = captureOf(['down', { flags: FIRST | LAST, sequence: 3, data: session }]);
    const { out } = await ghostfleet(['inspect', path, '--device', 'freezer']);
    expect(out).toContain('# freezer, serial number 2159017985');
  });

  it('joins at most the bytes of the longest message, and each fragment once', () => {
    const part = (flags: number, n: number): Entry => {
      const packet = { flags, sequence: 1 + n, data: Buffer.alloc(1000, n) };
      return { kind: 'packet', at: n, way: 'up', packet, size: 1014 };
    };
    const sizes: number[] = [];
    const text = { of: (bytes: Uint8Array) => [`${sizes.push(bytes.length)}`] } as unknown as MessageText;
    const meanings = (entries: readonly Entry[]) =>
      [...readDialogue(entries, text)].map((entry) => (entry.kind === 'packet' ? entry.meaning : ''));
    // Last fragments without a beginning.
    meanings(Array.from({ length: 20 }, (_, n) => part(LAST, n)));
    expect(new Set(sizes)).toEqual(new Set([1000]));
    const endless = Array.from({ length: 18 }, (_, n) => part(n === 0 ? FIRST : n === 17 ? LAST : 0, n));
    expect(meanings(endless).slice(-3)).toEqual([
      '… 16',
      'fragment of more than 16384 bytes, the longest message',
      'fragment of more than 16384 bytes, the longest message',
    ]);
    expect(sizes).toHaveLength(20);
    // A copy of the last fragment means the same, and is not read again.
    const copied = meanings([part(FIRST, 0), part(LAST, 1), part(LAST, 1)]);
    expect(copied[2]).toBe(copied[1]);
    expect(sizes).toHaveLength(21);
  });

  it('has no line of its own for a line feed in the name of a device or in a message', async () => {
    const session = Buffer.concat([Buffer.from('80a300010400066b', 'hex'), Buffer.from('a\n# FORGED\n')]);
    const config = Buffer.concat([Buffer.from('82009f6a', 'hex'), Buffer.from('app\n# LIE\n'), Buffer.of(0xff)]);
    const path = captureOf(
      ['down', { flags: FIRST | LAST, sequence: 3, data: session }],
      ['down', { flags: FIRST | LAST, sequence: 5, data: config }],
    );
    const { out } = await ghostfleet(['inspect', path]);
    expect(out).toContain('# a\\n# FORGED\\n, serial number');
    expect(out).toContain('app\\n# LIE');
    expect((await ghostfleet(['inspect', path, '--timeline'])).out).not.toMatch(/^# FORGED/m);
    expect((await ghostfleet(['inspect', path, '--device', 'x'])).err).not.toMatch(/^# FORGED/m);
  });

  it('is in the order of time, also if the packets of the capture are not', async () => {
    const bytes = oldCapture(
      101,
      [0, 2, 4].map((sequence) => pollOf(sequence)),
    );
    for (const [n, second] of [9, 3, 6].entries()) bytes.writeUInt32LE(second, 24 + n * (16 + PACKET_LENGTH));
    const { out } = await ghostfleet(['inspect', fileWith(bytes)]);
    expect(out).toContain('# Times count from 1970-01-01T00:00:03.500Z, the first packet.');
    expect(out.match(/^\S+ .* poll$/gm)?.map((line) => line.slice(0, 38))).toEqual([
      expect.stringMatching(/^0:00:00\.000 .* 2 /),
      expect.stringMatching(/^0:00:03\.000 .* 4 /),
      expect.stringMatching(/^0:00:06\.000 .* 0 /),
    ]);
  });

  it.each([
    ['of the same packet', (_copy: Buffer) => {}, 1],
    ['of a packet with other addresses, as of a proxy', (copy: Buffer) => copy.fill(9, 15, 16).fill(7, 5, 6), 1],
    ['that the device has sent again', (copy: Buffer) => copy.fill(7, 5, 6), 0],
  ])('has a copy %s: %#', (_, change, copies) => {
    const copy = Buffer.from(pollPacket());
    change(copy);
    const { devices, others } = inspectFile(fileWith(oldCapture(101, [pollPacket(), pollOf(4), copy])));
    expect(devices[0]?.entries).toHaveLength(3 - copies);
    expect(others.get('copies of datagrams from several interfaces') ?? 0).toBe(copies);
  });

  it('has a packet once that a machine has captured on several interfaces, but each copy that a device has sent', () => {
    const cooked = Buffer.concat([Buffer.from('0800', 'hex'), Buffer.alloc(18), pollPacket()]);
    const twice = oldCapture(276, [cooked, cooked, cooked]);
    // The third one was sent 10 s later.
    twice.writeUInt32LE(1_772_431_210, 24 + 2 * (16 + cooked.length));
    const { devices, others } = inspectFile(fileWith(twice));
    expect(devices[0]?.entries.map(({ at }) => at)).toEqual([0, 10_000]);
    expect([...others]).toEqual([['copies of datagrams from several interfaces', 1]]);
  });

  it('is one JSON object with --json', async () => {
    const path = captureOf(['up', { flags: POLL, sequence: 0, data: NOTHING }]);
    const { out } = await ghostfleet(['inspect', path, '--json']);
    expect(JSON.parse(out)).toEqual({
      start: '2026-03-02T06:00:00.500Z',
      whole: true,
      packets: 1,
      others: {},
      devices: [
        {
          ...{ serial: SERIAL, name: null, format: 'base64', tags: 'unchecked' },
          dialogue: [{ at_ms: 0, way: 'up', flags: 'xxxP', sequence: 0, data: 0, datagram: 20, meaning: 'poll' }],
        },
      ],
    });
  });

  it.each([
    ['--token', 'abc', '--token (hidden) is not a claim token of 32 hex digits'],
    ['--secret', 'abc', '--secret (hidden) is not a key of 32 to 64 hex digits'],
  ])('refuses %s %s without showing it', async (option, value, message) => {
    const { exit, err } = await ghostfleet(['inspect', 'x.pcapng', option, value]);
    expect([exit, err.split('\n')[0]]).toEqual([2, `ghostfleet: ${message}`]);
  });
});

describe('a single datagram', () => {
  it.each([
    ['base64', POLL_TEXT],
    ['hex digits of base64', Buffer.from(POLL_TEXT).toString('hex')],
    ['hex digits', Buffer.from(POLL_TEXT, 'base64').toString('hex')],
    ['hex digits with spaces', Buffer.from(POLL_TEXT, 'base64').toString('hex').replace(/../g, '$& ')],
    ['hex digits with a prefix', `0x${Buffer.from(POLL_TEXT, 'base64').toString('hex')}`],
    ['bytes of a program', Buffer.from(POLL_TEXT, 'base64').toString('hex').replace(/../g, '0x$&, ')],
    ['base64 without padding', POLL_TEXT.replace(/=+$/, '')],
  ])('in %s is read', async (_, text) => {
    const { exit, out } = await ghostfleet(['inspect', text, '--token', TOKEN]);
    expect(exit).toBe(0);
    expect(out).toMatch(/serial number 2159017985[\s\S]* up {4}xxxP {6}2 .* poll\n$/);
  });

  it('of another device than --device names is refused', async () => {
    const { exit, err } = await ghostfleet(['inspect', POLL_TEXT, '--device', 'nope']);
    expect([exit, err]).toEqual([2, 'ghostfleet: the datagram has no device "nope"; it has 2159017985\n']);
    expect((await ghostfleet(['inspect', POLL_TEXT, '--device', String(SERIAL)])).exit).toBe(0);
  });

  it.each([
    ['with one digit missing', POLL_HEX.slice(1)],
    ['with spaces and one digit missing', POLL_HEX.replace(/../g, '$& ').slice(1)],
    ['of another odd number', `${POLL_HEX}a`],
    ['that are too few', POLL_HEX.slice(0, 24)],
  ])('in hex digits %s is not read as base64', async (_, text) => {
    const { exit, err } = await ghostfleet(['inspect', text]);
    expect([exit, err]).toEqual([2, expect.stringMatching(/\d+ hex digits are not a datagram: .* an even number/)]);
  });

  it('that is none is rejected', async () => {
    const { exit, err } = await ghostfleet(['inspect', '00'.repeat(14)]);
    expect([exit, err]).toEqual([2, 'ghostfleet: the 14 bytes are not a datagram of a device or of the cloud\n']);
  });
});

describe('DTLS in a capture', () => {
  const SCENARIO = `
name: dtls
duration: 5m
fleet: [{ name: node, profile: hio-node, count: 1, config: [cloud config protocol flap-dtls] }]
`;

  it('is decrypted with the keys in the capture; without them, with the key of the device; otherwise it is counted', async () => {
    const path = await captureRun(SCENARIO);
    const whole = inspectFile(path).devices[0]?.entries;
    expect(whole?.length).toBeGreaterThan(8);
    // The type of the blocks with the keys becomes an unknown one.
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at + 4)) {
      if (bytes.readUInt32LE(at) === 10) bytes.writeUInt32LE(0x0bad, at);
    }
    const bare = fileWith(bytes);
    const { devices, others } = inspectFile(bare);
    const locked = others.get('encrypted records without their keys (--secret)');
    expect(devices.map(({ entries }) => entries.map(({ kind }) => kind))).toEqual([['note']]);
    expect(locked).toBeGreaterThan(8);
    const wrong = inspectFile(bare, { secrets: [Buffer.alloc(16)] });
    expect(wrong.others.get('encrypted records to which no --secret fits')).toBe(locked);
    expect(inspectFile(bare, { secrets: [Buffer.alloc(16), secretOf(SCENARIO)] }).devices[0]?.entries).toEqual(whole);
  });

  it.each(['up', 'down'] as const)(
    'of one direction (%s) is counted as records without a whole handshake',
    async (way) => {
      const captured = [...readCapture(await captureRun(SCENARIO))];
      const oneWay = captured.filter((item) => {
        if (item.kind !== 'packet') return true;
        const udp = udpIn(item.link, item.bytes);
        return typeof udp !== 'string' && (udp.to.port === USUAL_PORTS.dtls) === (way === 'up');
      });
      const { others, packets } = inspectCapture(oneWay, { tokens: [], secrets: [secretOf(SCENARIO)] });
      const locked = others.get('encrypted records whose handshake is not whole in the capture') ?? 0;
      const handshakes = others.get('datagrams of DTLS handshakes') ?? 0;
      expect(locked).toBeGreaterThan(3);
      expect(handshakes).toBeLessThan(5);
      expect(locked + handshakes).toBeGreaterThanOrEqual(packets - 1);
    },
  );

  it('without records is unreadable, and not called a handshake', () => {
    const [from, to] = [
      { address: '10.0.0.7', port: 40_000 },
      { address: '192.0.2.1', port: USUAL_PORTS.dtls },
    ];
    const { others } = inspectFile(fileWith(oldCapture(101, [ipPacket(from, to, Buffer.alloc(40, 7))])));
    expect([...others]).toEqual([['unreadable datagrams', 1]]);
  });
});

describe('the timeline', () => {
  /** By the name of the golden dialogue. */
  const captures = new Map<string, Promise<string>>();
  const capture = (name: string): Promise<string> => {
    const captured = captures.get(name) ?? captureRun(readFileSync(`test/golden/${name}.yaml`, 'utf8'));
    captures.set(name, captured);
    return captured;
  };
  const TEXT = { decoderOf: () => undefined, secrets: true };

  it.each(['clime', 'hio-node'])(
    'of the golden dialogue of %s has no time outside of the rules of the firmware',
    async (name) => {
      const path = await capture(name);
      const [device] = inspectFile(path).devices;
      if (device === undefined) throw new Error('no device');
      const measured = measureTimeline(readDialogue(device.entries, new MessageText(TEXT)), device.format);
      expect(measured.length).toBeGreaterThan(4);
      expect(measured.flatMap((rule) => findOutside(rule).map(({ at, took }) => [rule.rule, at, took]))).toEqual([]);
    },
  );

  it('finds copies that are sent too soon, and answers that come when the device no longer listens', async () => {
    const poll: Packet = { flags: POLL, sequence: 0, data: NOTHING };
    const nothing: Packet = { flags: FIRST | LAST, sequence: 1, data: NOTHING };
    const entry = (at: number, way: 'up' | 'down', packet: Packet): ReadEntry => ({
      ...{ kind: 'packet', at, way, packet, size: 20, meaning: '', content: [] },
    });
    const entries = [
      entry(0, 'up', poll),
      entry(2000, 'up', poll),
      entry(12_000, 'up', poll),
      entry(20_000, 'down', nothing),
    ];
    const found = measureTimeline(entries, 'base64').map((each) => [
      each.rule,
      findOutside(each).map(({ took }) => took),
    ]);
    expect(found).toEqual([
      ['T-35', [8000]],
      ['T-36', [2000]],
    ]);
  });

  it('is a table with one rule a line, and as JSON', async () => {
    const path = await capture('clime');
    const { out } = await ghostfleet(['inspect', path, '--timeline']);
    expect(out).toMatch(/^T-36 +\d+ +10s +10s +10s {2}9s to 15s +✓ +until an unanswered datagram is sent again$/m);
    const json = JSON.parse((await ghostfleet(['inspect', path, '--timeline', '--json'])).out);
    expect(json.devices[0].timeline[0]).toMatchObject({ rule: 'T-35', expected_ms: [0, 5000], outside: [] });
  });
});
