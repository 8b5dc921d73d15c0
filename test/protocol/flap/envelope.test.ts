import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  datagramBytes,
  FRAGMENT_SIZE,
  hasValidTag,
  namingNoOther,
  open,
  Sealed,
  seal,
  sealedSize,
  tokenBytes,
  tokenText,
  withFlippedBit,
} from '../../../src/protocol/flap/envelope.js';
import { flagsOf, fromHex, message, packet, show, toHex, vectors } from './notation.js';

/** The cloud reads no more than this of a datagram (wire W-4). */
const LONGEST_DATAGRAM = 1024;

const { macExample } = vectors.published;
const { dialogue, single } = vectors.computed;
const token = tokenBytes(vectors.computed.token);
const { serial } = vectors.computed;

describe('the published example of the MAC envelope', () => {
  const exampleToken = tokenBytes(macExample.token);
  const example = packet(macExample.flags, macExample.seq);

  it('is the result of sealing the same packet', () => {
    expect(toHex(seal(example, macExample.serial, exampleToken, 'raw'))).toBe(macExample.hex);
    expect(Buffer.from(seal(example, macExample.serial, exampleToken, 'base64')).toString()).toBe(macExample.b64);
  });

  it('is opened to its serial number, flags and sequence, with a valid tag', () => {
    const envelope = open(Buffer.from(macExample.b64), 'base64');
    expect(envelope).toMatchObject({ serial: macExample.serial, packet: { flags: flagsOf('xxAx'), sequence: 20 } });
    expect(envelope && hasValidTag(envelope, exampleToken)).toBe(true);
    expect(envelope && toHex(envelope.bytes.subarray(0, 8))).toBe(macExample.tag);
  });
});

describe('the session start', () => {
  it('has the five published headers', () => {
    const headers = dialogue.slice(0, 5).map(({ hex }) => hex.slice(24, 28));
    expect(headers).toEqual(vectors.published.sessionStartHeaders);
  });
});

describe.each(dialogue.map((row, i) => ({ ...row, number: i + 1 })))(
  'datagram $number of the dialogue: $note',
  ({ flags, seq, len, hex, b64 }) => {
    const data = fromHex(hex).subarray(14);

    it('is sealed byte for byte, raw and in base64', () => {
      expect(data).toHaveLength(len);
      expect(toHex(seal(packet(flags, seq, data), serial, token, 'raw'))).toBe(hex);
      expect(Buffer.from(seal(packet(flags, seq, data), serial, token, 'base64')).toString()).toBe(b64);
    });

    it('is opened, and its tag is valid', () => {
      for (const envelope of [open(fromHex(hex), 'raw'), open(Buffer.from(b64), 'base64')]) {
        expect(envelope?.serial).toBe(serial);
        expect(show(envelope?.packet)).toBe(show(packet(flags, seq, data)));
        expect(toHex(envelope?.packet.data ?? message(1))).toBe(toHex(data));
        expect(envelope && hasValidTag(envelope, token)).toBe(true);
      }
    });
  },
);

describe('a single packet of the reference', () => {
  const expected = new Map([
    ['reset S>D (header 0x0000, as published)', 'reset'],
    ['reset S>D with A set (header 0x2000): a device must accept it, a server does not send it', 'xxAx 0'],
    ['wrap: D>S FL seq 4095, data 01', 'FLxx 4095 +1'],
    ['wrap: S>D A seq 1 (answer to 4095)', 'xxAx 1'],
    ['wrap: D>S P seq 4094', 'xxxP 4094'],
    ['wrap: S>D FL seq 4095 len 0', 'FLxx 4095'],
    ['D>S F seq 1 data = 360 x 0x55 (largest base64-mode uplink fragment)', 'Fxxx 1 +360'],
    ['D>S AP seq 17 (last fragment received, next downlink please)', 'xxAP 17'],
  ]);

  it.each(single)('$label: is opened and sealed again byte for byte', ({ label, hex, b64 }) => {
    const envelope = open(Buffer.from(b64), 'base64');
    expect(show(envelope?.packet)).toBe(expected.get(label));
    if (envelope === undefined) return;
    expect(hasValidTag(envelope, token)).toBe(true);
    expect(toHex(envelope.bytes)).toBe(hex);
    expect(toHex(seal(envelope.packet, envelope.serial, token, 'raw'))).toBe(hex);
    expect(Buffer.from(seal(envelope.packet, envelope.serial, token, 'base64')).toString()).toBe(b64);
  });
});

describe('an envelope', () => {
  const anyPacket = fc.record({
    flags: fc.nat(15),
    sequence: fc.nat(4095),
    data: fc.uint8Array({ maxLength: 494 }),
  });
  const anySerial = fc.integer({ min: 1, max: 0xffff_ffff });
  const anyToken = fc.uint8Array({ minLength: 16, maxLength: 16 });

  it('of any packet is opened to the same packet, in both formats', () => {
    fc.assert(
      fc.property(anyPacket, anySerial, anyToken, fc.constantFrom('raw', 'base64'), (sent, from, key, format) => {
        const envelope = open(seal(sent, from, key, format), format);
        expect(envelope?.serial).toBe(from);
        expect(envelope?.packet.flags).toBe(sent.flags);
        expect(envelope?.packet.sequence).toBe(sent.sequence);
        expect(toHex(envelope?.packet.data ?? message(1))).toBe(toHex(sent.data));
        expect(envelope && hasValidTag(envelope, key)).toBe(true);
      }),
    );
  });

  it('with any bit flipped has no valid tag', () => {
    fc.assert(
      fc.property(anyPacket, fc.nat(), (sent, n) => {
        const bytes = Buffer.from(seal(sent, serial, token, 'raw'));
        const bit = n % (bytes.length * 8);
        const at = bit >> 3;
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit & 7)), at);
        const envelope = open(bytes, 'raw');
        expect(envelope === undefined || !hasValidTag(envelope, token)).toBe(true);
      }),
    );
  });

  it('with a valid tag for one token has an invalid tag for another', () => {
    const envelope = open(seal(packet('xxxP', 7), serial, token, 'raw'), 'raw');
    expect(envelope && hasValidTag(envelope, tokenBytes('f'.repeat(32)))).toBe(false);
  });

  it('is opened inside of a larger buffer', () => {
    const bytes = seal(packet('FLxx', 7, message(5)), serial, token, 'raw');
    const buffer = Buffer.concat([message(3), bytes, message(3)]);
    const envelope = open(new Uint8Array(buffer.buffer, buffer.byteOffset + 3, bytes.length), 'raw');
    expect(show(envelope?.packet)).toBe('FLxx 7 +5');
    expect(envelope && hasValidTag(envelope, token)).toBe(true);
  });

  it('has room for the largest fragments in a datagram of 508 bytes', () => {
    for (const way of ['up', 'down'] as const) {
      expect(seal(packet('Fxxx', 1, message(FRAGMENT_SIZE.base64[way])), serial, token, 'base64').length).toBe(500);
      expect(seal(packet('Fxxx', 1, message(FRAGMENT_SIZE.raw[way])), serial, token, 'raw').length).toBe(508);
    }
  });
});

describe.each(['raw', 'base64'] as const)('the %s datagram of a packet', (format) => {
  it('has the size that `sealedSize` computes from the packet', () => {
    const packets = [0, 1, 2, 3, 300].map((length) => packet('FLxx', 7, message(length)));
    const sizes = packets.map((one) => seal(one, serial, token, format).length);
    expect(packets.map((one) => sealedSize(one, format))).toEqual(sizes);
  });

  it('keeps the serial number of the given device; another serial number is replaced by 0xffffffff', () => {
    const datagram = seal(packet('FLxx', 7, message(5)), serial, token, format);
    expect(namingNoOther(datagram, serial, format)).toEqual(datagram);
    const foreign = open(namingNoOther(datagram, serial + 1, format), format);
    expect(foreign?.serial).toBe(0xffff_ffff);
    expect(show(foreign?.packet)).toBe('FLxx 7 +5');
  });

  it('stays as it is if it cannot be opened', () => {
    const datagram = message(9);
    expect(namingNoOther(datagram, serial, format)).toEqual(message(9));
  });
});

describe('an invalid datagram', () => {
  const good = Buffer.from(seal(packet('FLxx', 7, message(5)), serial, token, 'base64')).toString();

  it.each([
    ['13 bytes', message(13), 'raw'],
    ['nothing', message(0), 'raw'],
    ['nothing in base64', Buffer.from(''), 'base64'],
    ['13 bytes in base64', Buffer.from(Buffer.from(message(13)).toString('base64')), 'base64'],
    ['serial number 0', Buffer.concat([message(8, 1), Buffer.alloc(4), Buffer.from('c000', 'hex')]), 'raw'],
    ['base64 without its padding', Buffer.from(good.replaceAll('=', '')), 'base64'],
    ['base64 with a line break', Buffer.from(`${good.slice(0, 4)}\r\n\r\n${good.slice(4)}`), 'base64'],
    ['base64 with a NUL at the end', Buffer.from(`${good}\0\0\0\0`), 'base64'],
    ['the URL alphabet', Buffer.from(good.slice(0, 4) + good.slice(4).replaceAll(/[A-H]/g, '_')), 'base64'],
    ['padding in the middle', Buffer.from(`${good.slice(0, 4)}AA==${good.slice(4)}`), 'base64'],
    ['too much padding', Buffer.from(`${good.slice(0, -4)}A===`), 'base64'],
    ['raw bytes where base64 is wanted', seal(packet('FLxx', 7, message(6)), serial, token, 'raw'), 'base64'],
  ] as const)('is not opened: %s', (_, datagram, format) => {
    expect(open(datagram, format)).toBeUndefined();
  });

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1100 }), fc.constantFrom('raw', 'base64'), (bytes, format) => {
        const envelope = open(bytes, format);
        if (envelope) hasValidTag(envelope, token);
      }),
    );
  });
});

describe('a datagram', () => {
  it.each([
    ['1025 bytes, raw', 'raw', LONGEST_DATAGRAM + 1 - 14],
    ['1028 characters in base64', 'base64', ((LONGEST_DATAGRAM + 4) / 4) * 3 - 14],
  ] as const)('of more than 1024 bytes is invalid, even if its tag is correct: %s', (_, format, dataSize) => {
    const datagram = seal(packet('FLxx', 7, message(dataSize)), serial, token, format);
    expect(datagram.length).toBeGreaterThan(LONGEST_DATAGRAM);
    const envelope = open(datagram, format);
    expect(envelope?.serial).toBe(serial);
    expect(envelope && hasValidTag(envelope, token)).toBe(false);
  });

  it('of exactly 1024 bytes is read completely', () => {
    const envelope = open(seal(packet('FLxx', 7, message(LONGEST_DATAGRAM - 14)), serial, token, 'raw'), 'raw');
    expect(envelope && hasValidTag(envelope, token)).toBe(true);
  });
});

describe('a claim token', () => {
  it('is written as 32 hex digits', () => {
    expect(toHex(tokenBytes('00112233445566778899AABBCCDDEEFF'))).toBe('00112233445566778899aabbccddeeff');
    expect(tokenText('00112233445566778899AABBCCDDEEFF')).toBe('00112233445566778899aabbccddeeff');
  });

  it.each(['', '0011', `${'0'.repeat(31)}g`, '0'.repeat(33)])(
    'is not read from "%s", and the error does not repeat the text',
    (text) => {
      expect(() => tokenBytes(text)).toThrow(/^a claim token is 32 hex digits$/);
    },
  );
});

describe.each(['base64', 'raw'] as const)('a datagram with a flipped bit, %s', (format) => {
  const seen = (key: string, bit: number) => {
    const datagram = seal(packet('xxAx', 20, message(5)), serial, tokenBytes(key), format);
    const spoiled = withFlippedBit(datagram, bit, format);
    const envelope = open(spoiled, format);
    expect(Buffer.compare(spoiled, datagram)).not.toBe(0);
    return envelope && { serial: envelope.serial, valid: hasValidTag(envelope, tokenBytes(key)) };
  };

  it('is read in the same way whatever the claim token is', () => {
    const bits = 8 * sealedSize(packet('xxAx', 20, message(5)), format);
    const keys = ['00', '5a', 'c3', 'ff'].map((byte) => byte.repeat(16));
    for (let bit = 0; bit < bits; bit++) {
      const [first, ...others] = keys.map((key) => seen(key, bit));
      expect(others).toEqual([first, first, first]);
    }
  });
});

describe('a packet in memory', () => {
  const sent = packet('FLxx', 7, message(40));
  const digits = vectors.computed.token.toLowerCase();
  const formats = ['base64', 'raw'] as const;

  it.each(formats)('has the bytes and the length of its datagram in %s', (format) => {
    const datagram = new Sealed(sent, serial, digits, format);
    expect(toHex(datagramBytes(datagram))).toBe(toHex(seal(sent, serial, token, format)));
    expect(datagram.length).toBe(datagramBytes(datagram).length);
  });

  it.each(formats)('is opened like its datagram in %s', (format) => {
    const datagram = new Sealed(sent, serial, token, format);
    const opened = open(datagram, format);
    const read = open(datagramBytes(datagram), format);
    expect(opened && [opened.serial, show(opened.packet), toHex(opened.bytes)]).toEqual(
      read && [read.serial, show(read.packet), toHex(read.bytes)],
    );
  });

  it('cannot be opened in another format, as its datagram', () => {
    expect(open(new Sealed(sent, serial, token, 'raw'), 'base64')).toBeUndefined();
  });

  it('cannot be opened with serial number 0', () => {
    expect(open(new Sealed(sent, 0, token, 'raw'), 'raw')).toBeUndefined();
  });

  it('has a valid tag only with the same token, as bytes or in hex digits', () => {
    const other = digits.replace(/.$/, digits.endsWith('0') ? '1' : '0');
    const both = [digits, token];
    const valid = (one: typeof token | string, two: typeof token | string) =>
      hasValidTag(new Sealed(sent, serial, one, 'raw'), two);
    for (const one of both) {
      for (const two of both) expect(valid(one, two)).toBe(true);
      expect([valid(one, other), valid(one, tokenBytes(other)), valid(other, one)]).toEqual([false, false, false]);
    }
  });
});
