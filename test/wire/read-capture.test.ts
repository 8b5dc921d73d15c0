/** Captures of other programs: formats of files, link layers, and files that are not whole or something else. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressBytes, addressText } from '../../src/wire/addresses.js';
import { gapsIn } from '../../src/wire/inspect.js';
import { udpIn } from '../../src/wire/link-layers.js';
import { ghostfleet } from '../support/host.js';
import {
  captureRun,
  fileWith,
  IP6,
  inspectFile,
  newPath,
  oldCapture,
  POLL_TEXT,
  packetsIn,
  pollPacket,
  useFolder,
} from './captures.js';

useFolder();

const ETHERNET = Buffer.alloc(12, 0x02);
const PACKET = pollPacket();
/** As Ethernet fills a short frame. */
const PADDING = Buffer.alloc(6);

const FRAMES: readonly (readonly [string, number, Uint8Array])[] = [
  ['Ethernet', 1, Buffer.concat([ETHERNET, Buffer.from('0800', 'hex'), PACKET, PADDING])],
  ['Ethernet with IPv6', 1, Buffer.concat([ETHERNET, Buffer.from('86dd', 'hex'), pollPacket(IP6)])],
  [
    'Ethernet with two tags of virtual networks',
    1,
    Buffer.concat([ETHERNET, Buffer.from('88a80005810000070800', 'hex'), PACKET]),
  ],
  ['Linux cooked', 113, Buffer.concat([Buffer.alloc(14), Buffer.from('0800', 'hex'), PACKET])],
  ['Linux cooked, version 2', 276, Buffer.concat([Buffer.from('0800', 'hex'), Buffer.alloc(18), PACKET])],
  ['raw IP', 101, PACKET],
  ['raw IP of OpenBSD', 14, PACKET],
  ['IPv4', 228, PACKET],
  ['IPv6', 229, pollPacket(IP6)],
  ['loopback of BSD', 0, Buffer.concat([Buffer.from('02000000', 'hex'), PACKET])],
];

describe('a frame', () => {
  it.each(FRAMES)('of %s has its datagram', (_, link, frame) => {
    const udp = udpIn(link, frame);
    expect(typeof udp === 'string' ? udp : Buffer.from(udp.payload).toString()).toBe(POLL_TEXT);
    expect(udp).toMatchObject({ from: { port: 40_000 }, to: { port: 5003 } });
  });

  it('with IPv6 may have further headers before UDP', () => {
    const packet = pollPacket(IP6);
    const hopByHop = Buffer.from('1100000000000000', 'hex');
    const longer = Buffer.concat([packet.subarray(0, 40), hopByHop, packet.subarray(40)]);
    longer[6] = 0;
    longer.writeUInt16BE(longer.length - 40, 4);
    expect(udpIn(229, longer)).toMatchObject({ to: { address: '2001:db8::1', port: 5003 } });
  });

  it.each([
    ['TCP', (packet: Uint8Array) => packet.fill(6, 9, 10), 'TCP'],
    ['a later part of an IP packet', (packet: Uint8Array) => packet.fill(1, 7, 8), 'fragments of IP packets'],
    ['ICMP', (packet: Uint8Array) => packet.fill(1, 9, 10), 'other protocols'],
    ['nothing', (packet: Uint8Array) => packet.subarray(0, 0), 'packets that are too short'],
    ['half of its header', (packet: Uint8Array) => packet.subarray(0, 24), 'packets that are too short'],
  ])('with %s has none, and is counted', (_, change, counted) => {
    expect(udpIn(101, change(Uint8Array.from(PACKET)))).toBe(counted);
  });

  it('of an unknown link layer is counted', () => {
    expect(udpIn(147, PACKET)).toBe('packets of the unknown link layer 147');
  });
});

/** A block of pcapng, little-endian, filled up to 32 bits. */
function block(type: number, content: Uint8Array): Buffer {
  const padding = Buffer.alloc((4 - (content.length % 4)) % 4);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(type);
  head.writeUInt32LE(content.length + padding.length + 12, 4);
  return Buffer.concat([head, content, padding, head.subarray(4)]);
}

const SECTION = Buffer.from('4d3c2b1a01000000ffffffffffffffff', 'hex');

/** A pcapng with simple packet blocks. @param whole length of each packet on the wire @param most that is kept; 0: all */
function simpleCapture(packets: readonly Uint8Array[], whole?: number, most = 0): Buffer {
  const uint32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const link = Buffer.from('65000000', 'hex');
  return Buffer.concat([
    block(0x0a0d0d0a, SECTION),
    block(1, Buffer.concat([link, uint32(most)])),
    ...packets.map((packet) => block(3, Buffer.concat([uint32(whole ?? packet.length), packet]))),
  ]);
}

describe('the older format', () => {
  it('may say in the upper bits of the link layer that frames have a check sequence', () => {
    const ethernet = Buffer.concat([ETHERNET, Buffer.from('0800', 'hex'), PACKET, Buffer.alloc(4, 0xcc)]);
    for (const bits of [0x24000000, 0x54000000, 0x04000000]) {
      expect(inspectFile(fileWith(oldCapture((bits | 1) >>> 0, [ethernet]))).devices).toHaveLength(1);
    }
  });

  it('with a hole of zeros is damaged there', () => {
    const holed = Buffer.concat([oldCapture(101, [PACKET]), Buffer.alloc(1 << 20)]);
    expect(inspectFile(fileWith(holed))).toMatchObject({
      packets: 1,
      broken: `the file is damaged at byte ${40 + PACKET.length}`,
    });
  });

  it.each([
    ['little-endian, microseconds', true, 0xa1b2c3d4],
    ['big-endian, microseconds', false, 0xa1b2c3d4],
    ['little-endian, nanoseconds', true, 0xa1b23c4d],
    ['big-endian, nanoseconds', false, 0xa1b23c4d],
  ])('is read: %s', (_, little, magic) => {
    const path = fileWith(oldCapture(101, [PACKET, PACKET], little, magic));
    expect(packetsIn(path).map(({ at }) => at)).toEqual([1_772_431_200_500, 1_772_431_200_500]);
    expect(inspectFile(path)).toMatchObject({ packets: 2, broken: undefined, devices: [{ serial: 2_159_017_985 }] });
  });
});

describe('pcapng', () => {
  it('is read in both byte orders, with any resolution and offset of time', () => {
    const options = (offset: bigint, resolution: number) => {
      const bytes = Buffer.alloc(24);
      bytes.writeUInt16BE(9, 0);
      bytes.writeUInt16BE(1, 2);
      bytes[4] = resolution;
      bytes.writeUInt16BE(14, 8);
      bytes.writeUInt16BE(8, 10);
      bytes.writeBigInt64BE(offset, 12);
      return bytes;
    };
    const block = (type: number, content: Buffer) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length + 12);
      const kind = Buffer.alloc(4);
      kind.writeUInt32BE(type);
      return Buffer.concat([kind, length, content, length]);
    };
    const head = Buffer.alloc(20);
    const time = 2048n;
    head.writeBigUInt64BE(time, 4);
    head.writeUInt32BE(PACKET.length, 12);
    head.writeUInt32BE(PACKET.length, 16);
    const file = Buffer.concat([
      block(0x0a0d0d0a, Buffer.from('1a2b3c4d00010000ffffffffffffffff', 'hex')),
      block(1, Buffer.concat([Buffer.from('0065000000000000', 'hex'), options(1_772_431_200n, 0x80 | 10)])),
      block(0x0bad, Buffer.alloc(8)),
      block(6, Buffer.concat([head, PACKET, Buffer.alloc((4 - (PACKET.length % 4)) % 4)])),
    ]);
    const path = fileWith(file);
    // 2048 units of 1/1024 s after the offset.
    expect(packetsIn(path).map(({ at }) => at)).toEqual([1_772_431_202_000]);
    expect(inspectFile(path).broken).toBeUndefined();
  });

  it('that is cut off anywhere is incomplete, or ends between two packets; it is never shown as whole', async () => {
    const whole = readFileSync(
      await captureRun('name: one\nduration: 2m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n'),
    );
    const all = packetsIn(fileWith(whole)).length;
    expect(all).toBeGreaterThan(20);
    let cuts = 0;
    for (let length = 28; length < whole.length; length += 97) {
      const { packets, broken } = inspectFile(fileWith(whole.subarray(0, length)));
      expect(packets).toBeLessThan(all);
      if (broken !== undefined) cuts++;
      expect(broken ?? '').toMatch(/^$|^the file ends in the middle of a packet, at byte \d+$/);
    }
    expect(cuts).toBeGreaterThan(20);
  });

  it('has packets without a time in simple blocks, and measures no times then', async () => {
    const path = fileWith(simpleCapture([PACKET, PACKET]));
    const { exit, out } = await ghostfleet(['inspect', path]);
    expect(exit).toBe(0);
    expect(out).toMatch(/^# Of 2 packets, 2 have no time; each has that of the packet before\.\n/);
    expect(out.match(/^0:00:00\.000 {2}up .* poll$/gm)).toHaveLength(2);
    expect(JSON.parse((await ghostfleet(['inspect', path, '--json'])).out)).toMatchObject({
      ...{ start: null, whole: true, without_time: 2 },
    });
    const { exit: failed, err } = await ghostfleet(['inspect', path, '--timeline']);
    expect([failed, err]).toEqual([2, `ghostfleet: "${path}" has no times to measure: 2 of its 2 packets have none\n`]);
  });

  it('with the limit of an interface has only the beginning of longer packets in simple blocks', () => {
    const path = fileWith(simpleCapture([PACKET.subarray(0, 40)], PACKET.length, 40));
    expect(packetsIn(path)).toMatchObject([{ isCut: true, bytes: { length: 40 } }]);
  });

  it.each([
    ['seconds since a time far in the future', Buffer.from('0900010000000000', 'hex'), 2n ** 63n],
    ['a large offset', Buffer.from('0e00080000000000000000400000', 'hex'), 10n],
    ['the lowest offset', Buffer.from('0e0008000000000000000080', 'hex'), 10n],
  ])('with times beyond the calendar, such as %s, has packets without a time', async (_, option, units) => {
    const padding = Buffer.alloc((4 - (option.length % 4)) % 4);
    const head = Buffer.alloc(20);
    head.writeUInt32LE(Number(units >> 32n), 4);
    head.writeUInt32LE(Number(units & 0xffffffffn), 8);
    head.writeUInt32LE(PACKET.length, 12);
    head.writeUInt32LE(PACKET.length, 16);
    const path = fileWith(
      Buffer.concat([
        block(0x0a0d0d0a, SECTION),
        block(1, Buffer.concat([Buffer.from('6500000000000000', 'hex'), option, padding])),
        block(6, Buffer.concat([head, PACKET])),
      ]),
    );
    expect(await ghostfleet(['inspect', path])).toMatchObject({ exit: 0, err: '' });
    expect(inspectFile(path)).toMatchObject({ start: undefined, timeless: 1 });
  });

  it('with a wrong length is damaged, and what comes before is intact', () => {
    const damaged = Buffer.from(readFileSync(fileWith(oldCapture(101, [PACKET, PACKET, PACKET]))));
    damaged.writeUInt32LE(0x7fffffff, 24 + 16 + PACKET.length + 8);
    expect(inspectFile(fileWith(damaged))).toMatchObject({
      packets: 1,
      broken: `the file is damaged at byte ${40 + PACKET.length}`,
    });
  });
});

describe('inspect', () => {
  const complaint = async (...args: readonly string[]) => {
    const { exit, err } = await ghostfleet(['inspect', ...args]);
    expect(exit).toBe(2);
    return err.replace('ghostfleet: ', '').trimEnd();
  };

  it.each([
    ['an empty file', '', 'is not a capture: the file is empty'],
    ['a text', 'name: one\n', 'is not a capture: expected the format pcapng or pcap'],
    [
      'a compressed file',
      Buffer.from('1f8b080000000000', 'hex'),
      'is not a capture: it is compressed with gzip; unpack it first',
    ],
  ])('rejects %s in one sentence', async (_, content, why) => {
    const path = fileWith(content);
    expect(await complaint(path)).toBe(`"${path}" ${why}`);
  });

  it('rejects a file that does not exist, and a folder', async () => {
    expect(await complaint('missing.pcapng')).toBe(
      '"missing.pcapng" cannot be read: the file does not exist, and the text is not a datagram in hex digits or base64',
    );
    expect(await complaint('test')).toBe('"test" cannot be read: it is not a regular file');
  });

  it('says what a capture without devices has instead', async () => {
    const tcp = Uint8Array.from(PACKET).fill(6, 9, 10);
    const dns = Uint8Array.from(PACKET);
    dns[22] = 0;
    dns[23] = 53;
    dns.fill(0, 28);
    const path = fileWith(oldCapture(101, [tcp, tcp, dns]));
    expect(await complaint(path)).toBe(
      `"${path}" has no datagrams of devices: it has 3 packets (2 TCP, 1 UDP datagrams of others)`,
    );
  });

  it('shows a capture that was cut off as incomplete, above and in the exit code', async () => {
    const path = fileWith(oldCapture(101, [PACKET, PACKET]).subarray(0, -5));
    const { exit, out, err } = await ghostfleet(['inspect', path]);
    const why = 'the file ends in the middle of a packet, at byte';
    expect(exit).toBe(2);
    expect(out).toMatch(new RegExp(`^# INCOMPLETE: ${why} \\d+; the result covers only what comes before\\.\n`));
    expect(out.match(/ up .* poll$/gm)).toHaveLength(1);
    expect(err).toContain(`"${path}" is incomplete: ${why}`);
    expect(JSON.parse((await ghostfleet(['inspect', path, '--json'])).out)).toMatchObject({ whole: false });
  });

  it('with datagrams that were cut off by the capture is incomplete', async () => {
    const short = oldCapture(101, [PACKET, PACKET]);
    // The second packet was longer than the capture has kept.
    short.writeUInt32LE(PACKET.length + 10, 24 + 16 + PACKET.length + 12);
    const path = fileWith(short);
    const why = 'without 1 datagrams that the capture has cut off (tcpdump -s 0 keeps them whole)';
    const { exit, out, err } = await ghostfleet(['inspect', path]);
    expect([exit, err]).toEqual([2, `ghostfleet: "${path}" is incomplete: ${why}\n`]);
    expect(out).toContain(`# INCOMPLETE: ${why}.`);
    const { out: json } = await ghostfleet(['inspect', path, '--json']);
    expect(JSON.parse(json)).toMatchObject({ whole: false, broken: why });
  });

  it.each([
    ['IPv4', 101, () => Uint8Array.from(PACKET).fill(0x20, 6, 7)],
    [
      'IPv6',
      229,
      () => {
        const packet = pollPacket(IP6);
        const fragment = Buffer.from('1100000100000007', 'hex');
        const longer = Buffer.concat([packet.subarray(0, 40), fragment, packet.subarray(40)]);
        longer[6] = 44;
        longer.writeUInt16BE(longer.length - 40, 4);
        return longer;
      },
    ],
  ])('with a datagram in several packets of %s is incomplete', (_, link, first) => {
    const path = fileWith(oldCapture(link, [link === 101 ? PACKET : pollPacket(IP6), first()]));
    expect(gapsIn(inspectFile(path))).toEqual(['without 1 datagrams in fragments of IP, which are not joined']);
  });

  it('with packets that were cut off before their UDP header is incomplete', () => {
    const short = oldCapture(101, [PACKET, PACKET.subarray(0, 24)]);
    short.writeUInt32LE(PACKET.length, 24 + 16 + PACKET.length + 12);
    expect(gapsIn(inspectFile(fileWith(short)))).toHaveLength(1);
  });

  it('reads the file only when a signal can end the program', async () => {
    const path = newPath('pcap');
    const begun = () => writeFileSync(path, oldCapture(101, [PACKET]));
    expect(await ghostfleet(['inspect', path], { begun })).toMatchObject({ exit: 0, err: '' });
  });

  it('does not wait for the writer of a named pipe', async () => {
    const path = newPath();
    execFileSync('mkfifo', [path]);
    expect(await complaint(path)).toBe(`"${path}" cannot be read: it is not a regular file`);
  });

  it('finds devices on other ports by the serial numbers of CHESTER, and by the type of the first message who is the cloud', () => {
    const elsewhere = Uint8Array.from(PACKET);
    elsewhere[22] = 0x1f;
    elsewhere[23] = 0x90;
    const { devices } = inspectFile(fileWith(oldCapture(101, [elsewhere])));
    expect(devices).toMatchObject([{ serial: 2_159_017_985, format: 'base64', entries: [{ way: 'up' }] }]);
  });

  it('names the devices of a capture if the wanted one is not in it', async () => {
    const path = fileWith(oldCapture(101, [PACKET]));
    expect(await complaint(path, '--device', '7')).toBe(`"${path}" has no device "7"; it has 2159017985`);
  });

  it('needs a capture', async () => {
    expect(await complaint()).toContain('<capture> is missing');
    expect(await complaint(newPath())).toContain('the file does not exist');
  });
});

describe('an address', () => {
  it.each([
    ['10.0.0.1', '0a000001', '10.0.0.1'],
    ['::ffff:192.0.2.1', 'c0000201', '192.0.2.1'],
    ['::1', '00000000000000000000000000000001', '::1'],
    ['fe80::1%eth0', 'fe800000000000000000000000000001', 'fe80::1'],
    ['2001:db8:0:0:1:0:0:1', '20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['64:ff9b::192.0.2.33', '0064ff9b0000000000000000c0000221', '64:ff9b::c000:221'],
    ['::', '00000000000000000000000000000000', '::'],
  ])('%s has its bytes, and its shortest text', (text, hex, shortest) => {
    const bytes = addressBytes(text);
    expect(bytes && Buffer.from(bytes).toString('hex')).toBe(hex);
    expect(bytes && addressText(bytes)).toBe(shortest);
  });

  it('of another form has no bytes', () => {
    expect(['localhost', '', '1.2.3', '::g'].map(addressBytes)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
