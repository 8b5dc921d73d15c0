/** Captures of other programs: formats of files, link layers, and files that are not whole or something else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressBytes, addressText } from '../../src/wire/addresses.js';
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
    ['a part of an IP packet', (packet: Uint8Array) => packet.fill(0x20, 6, 7), 'fragments of IP packets'],
    ['ICMP', (packet: Uint8Array) => packet.fill(1, 9, 10), 'other protocols'],
    ['nothing', (packet: Uint8Array) => packet.subarray(0, 0), 'other protocols'],
  ])('with %s has none, and is counted', (_, change, counted) => {
    expect(udpIn(101, change(Uint8Array.from(PACKET)))).toBe(counted);
  });

  it('of an unknown link layer is counted', () => {
    expect(udpIn(147, PACKET)).toBe('unknown link layers');
  });
});

describe('the older format', () => {
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
    expect(await complaint('missing.pcapng')).toBe('"missing.pcapng" cannot be read: the file does not exist');
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
    expect(out).toMatch(new RegExp(`^# INCOMPLETE: ${why} \\d+\\. What follows is only what comes before\\.\n`));
    expect(out.match(/ up .* poll$/gm)).toHaveLength(1);
    expect(err).toContain(`"${path}" is incomplete: ${why}`);
    expect(JSON.parse((await ghostfleet(['inspect', path, '--json'])).out)).toMatchObject({ whole: false });
  });

  it('says that datagrams are missing which the capture has cut off', async () => {
    const short = oldCapture(101, [PACKET, PACKET]);
    // The second packet was longer than the capture has kept.
    short.writeUInt32LE(PACKET.length + 10, 24 + 16 + PACKET.length + 12);
    const { out } = await ghostfleet(['inspect', fileWith(short)]);
    expect(out).toContain('1 datagrams that the capture has cut off (tcpdump -s 0 keeps them whole)');
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
