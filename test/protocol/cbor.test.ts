import { Decoder } from 'cbor-x';
import * as cborg from 'cborg';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CborError,
  type CborKey,
  type CborValue,
  CborWriter,
  decodeCbor,
  encodeCbor,
} from '../../src/protocol/cbor.js';
import { hex, map, toHex, tries } from './fixtures.js';

/** Floats that are not integers: an integral float and an integer are the same number in JavaScript. */
const float = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isSafeInteger(value));
const text = fc.string({ unit: 'grapheme' });
const integer = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: BigInt(Number.MAX_SAFE_INTEGER) + 1n, max: 0xffff_ffff_ffff_ffffn }),
  fc.bigInt({ min: -0x1_0000_0000_0000_0000n, max: -BigInt(Number.MAX_SAFE_INTEGER) - 1n }),
);
const anyValue = fc.letrec<{ value: CborValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    integer,
    float,
    text,
    fc.uint8Array(),
    fc.array(tie('value')),
    fc
      .array(fc.tuple(fc.oneof(fc.nat(300), text), tie('value')))
      .map((entries) => new Map<CborKey, CborValue>(entries)),
  ),
})).value;

/** Writes as a device does: maps and arrays of indefinite length. */
function writeAsDevice(value: CborValue): Uint8Array {
  const writer = new CborWriter();
  const write = (item: CborValue): void => {
    if (item === null) writer.null();
    else if (typeof item === 'boolean') writer.bool(item);
    else if (typeof item === 'string') writer.text(item);
    else if (typeof item === 'bigint' || Number.isSafeInteger(item)) writer.int(item as number | bigint);
    else if (typeof item === 'number') writer.float(item);
    else if (item instanceof Uint8Array) writer.bytes(item);
    else if (item instanceof Map) {
      writer.beginMap();
      for (const [key, entry] of item) {
        write(key);
        write(entry);
      }
      writer.endMap();
    } else {
      writer.beginArray();
      for (const entry of item as readonly CborValue[]) write(entry);
      writer.endArray();
    }
  };
  write(value);
  return writer.finish();
}

function decodeWithCborX(bytes: Uint8Array): unknown {
  const options = { useRecords: false, mapsAsObjects: false, variableMapSize: true, tagUint8Array: false };
  return comparable(new Decoder(options).decode(bytes));
}

function decodeWithCborg(bytes: Uint8Array): unknown {
  return comparable(cborg.decode(bytes, { useMaps: true, coerceUndefinedToNull: true }));
}

/** The value in a form for comparisons. The libraries represent bigints, minus zero and byte strings in different ways. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === 0) return 0;
  if (value instanceof Uint8Array) return `h'${toHex(value)}'`;
  if (Array.isArray(value)) return value.map(comparable);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [comparable(key), comparable(item)]));
  return value;
}

describe('written CBOR', () => {
  it('is read alike by our reader and by two libraries, with indefinite lengths', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const bytes = writeAsDevice(value);
        expect(comparable(decodeCbor(bytes))).toEqual(comparable(value));
        expect(decodeWithCborX(bytes)).toEqual(comparable(value));
        expect(decodeWithCborg(bytes)).toEqual(comparable(value));
      }),
    );
  });

  it('is read alike by our reader and by two libraries, with definite lengths', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const bytes = encodeCbor(value);
        expect(comparable(decodeCbor(bytes))).toEqual(comparable(value));
        expect(decodeWithCborX(bytes)).toEqual(comparable(value));
        expect(decodeWithCborg(bytes)).toEqual(comparable(value));
      }),
    );
  });

  it('has integers in their shortest form', () => {
    fc.assert(
      fc.property(integer, (value) => {
        expect(toHex(encodeCbor(value))).toBe(toHex(cborg.encode(value)));
      }),
    );
  });

  it.each([
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [255, '18ff'],
    [256, '190100'],
    [65535, '19ffff'],
    [65536, '1a00010000'],
    [4294967295, '1affffffff'],
    [4294967296, '1b0000000100000000'],
    [-1, '20'],
    [-257, '390100'],
    [2n ** 64n - 1n, '1bffffffffffffffff'],
    [-(2n ** 64n), '3bffffffffffffffff'],
    [0.5, 'fb3fe0000000000000'],
    ['é', '62c3a9'],
    [true, 'f5'],
    [false, 'f4'],
    [null, 'f6'],
  ])('of %s is %s', (value, expected) => {
    expect(toHex(encodeCbor(value))).toBe(expected);
  });

  it('keeps the integer keys and the order of a map', () => {
    expect(toHex(encodeCbor(map([7, 1], [0, map([256, 'a'])])))).toBe('a20701 00a1 190100 6161'.replaceAll(' ', ''));
  });

  it('may be longer than the first buffer', () => {
    const long = 'x'.repeat(5000);
    expect(decodeCbor(encodeCbor([long, long]))).toEqual([long, long]);
  });

  it('is rejected if an integer is not exact or too large', () => {
    const writer = new CborWriter();
    for (const value of [0.5, 2 ** 53, Number.NaN, 2n ** 64n, -(2n ** 64n) - 1n]) {
      expect(() => writer.int(value)).toThrow(RangeError);
    }
    expect(() => writer.uint(-1)).toThrow('-1 is not an unsigned integer');
  });

  it('contains only what was written since the last result was taken', () => {
    const writer = new CborWriter();
    writer.text('first');
    const first = writer.finish();
    writer.uint(1);
    expect(toHex(writer.finish())).toBe('01');
    expect(decodeCbor(first)).toBe('first');
  });
});

describe('reading', () => {
  it.each([
    ['f90001', 2 ** -24],
    ['f93c00', 1],
    ['f9c400', -4],
    ['f97bff', 65504],
    ['f97c00', Number.POSITIVE_INFINITY],
    ['f97e00', Number.NaN],
    ['fa3fc00000', 1.5],
    ['fb3ff8000000000000', 1.5],
    ['f7', null],
    ['1b001fffffffffffff', Number.MAX_SAFE_INTEGER],
    ['1b0020000000000000', 2n ** 53n],
    ['3b001ffffffffffffe', -Number.MAX_SAFE_INTEGER],
    ['3b001fffffffffffff', -(2n ** 53n)],
    ['1800', 0],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
  ])('%s gives %s', (bytes, expected) => {
    expect(decodeCbor(hex(bytes))).toEqual(expected);
  });

  it.each([
    ['', 'the data ends early, after 0 bytes'],
    ['18', 'promises more than the 1 bytes hold'],
    ['fb00', 'promises more'],
    ['6261', 'promises more'],
    ['9bffffffffffffffff', 'promises more'],
    ['9affffffff', 'promises more'],
    ['a30000', 'promises more'],
    ['9f', 'the data ends early'],
    ['9f01', 'the data ends early'],
    ['bf00ff', 'a break outside of a list'],
    ['8101ff', '1 byte is left over'],
    ['00ffff', '2 bytes are left over after the value'],
    ['0000', '1 byte is left over after the value'],
    ['ff', 'a break outside of a list'],
    ['81ff', 'a break outside of a list'],
    ['1c', 'not the head of a CBOR item'],
    ['1f', 'a string in chunks'],
    ['7f616161ff', 'a string in chunks'],
    ['c000', 'a tag is not part of this protocol'],
    ['d81c80', 'a tag is not part of this protocol'],
    ['f820', 'a simple value that is not in use here'],
    ['e0', 'a simple value that is not in use here'],
    ['a20001 0002', 'the key "0" occurs twice in a map'],
    ['a1f600', 'neither an integer nor a text'],
    ['a18000', 'neither an integer nor a text'],
  ])('of %j fails: %s', (bytes, message) => {
    expect(() => decodeCbor(hex(bytes))).toThrow(CborError);
    expect(() => decodeCbor(hex(bytes))).toThrow(message);
  });

  it.each([[0x81], [0x9f], [0xbf, 0x00], [0xa1, 0x00]])(
    'ends at 64 levels, however deep the data are nested with %j',
    (...head) => {
      const nested = (levels: number) =>
        Uint8Array.from({ length: levels * head.length }, (_, i) => head[i % head.length] ?? 0);
      expect(() => decodeCbor(nested(100_000))).toThrow('nested more than 64 levels deep');
      expect(() => decodeCbor(nested(64))).toThrow(/the data ends early|promises more/);
    },
  );

  it('counts the levels, not the lists', () => {
    const many = Array.from({ length: 1000 }, () => [map([0, []])]);
    expect(decodeCbor(encodeCbor(many))).toEqual(many);
    expect(decodeCbor(writeAsDevice(many))).toEqual(many);
  });

  it('throws only a CborError', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), readsOrComplains));
    fc.assert(
      fc.property(anyValue, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), (value, changes) => {
        const bytes = writeAsDevice(value);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        readsOrComplains(bytes);
      }),
    );
  });

  it('accepts only what cborg accepts, and reads it alike', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        let value: CborValue;
        try {
          value = decodeCbor(bytes);
        } catch {
          return;
        }
        expect(comparable(value)).toEqual(decodeWithCborg(bytes));
      }),
      tries(20),
    );
  });

  it('returns byte strings that do not change with their source', () => {
    const data = hex('43010203');
    const value = decodeCbor(data);
    data.fill(0);
    expect(value).toEqual(hex('010203'));
  });
});

function readsOrComplains(bytes: Uint8Array): void {
  try {
    decodeCbor(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CborError);
  }
}

describe('the error for unreadable bytes', () => {
  it.each([
    ['00ff', 'left over'],
    ['ff', 'byte 0 is a break outside of a list'],
    ['81ff', 'byte 1 is a break outside of a list'],
    ['f820', 'byte 0 is a simple value that is not in use here'],
    ['5f', 'byte 0 begins a string in chunks'],
    ['811c', 'byte 1 is not the head of a CBOR item'],
    ['a20001', 'promises more than the 3 bytes hold'],
  ])('of %s names the place: %s', (digits, reason) => {
    expect(() => decodeCbor(hex(digits))).toThrow(CborError);
    expect(() => decodeCbor(hex(digits))).toThrow(reason);
  });

  it('has the name CborError', () => {
    expect(new CborError('x').name).toBe('CborError');
  });
});

describe('a CBOR writer', () => {
  it('writes floats of 32 bits', () => {
    const writer = new CborWriter();
    writer.single(1.5);
    expect(toHex(writer.finish())).toBe('fa3fc00000');
  });

  it('rejects integers that CBOR cannot represent', () => {
    expect(() => new CborWriter().int(2n ** 64n)).toThrow('18446744073709551616 does not fit into 64 bits');
    expect(() => new CborWriter().int(0.5)).toThrow('0.5 is not an exact integer');
    expect(() => new CborWriter().uint(-1)).toThrow('-1 is not an unsigned integer');
  });
});

it('an array of a hundred texts counts as one level', () => {
  const texts = Array.from({ length: 100 }, () => 'x');
  expect(decodeCbor(encodeCbor(texts))).toEqual(texts);
});
