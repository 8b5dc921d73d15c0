import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CborError, encodeCbor } from '../../src/protocol/cbor.js';
import { checkBody, decodeBody } from '../../src/protocol/decode.js';
import { body, decoderOf, field, hex, map, modifier, tries } from './fixtures.js';

describe('a value', () => {
  const codec = decoderOf(field('a', modifier('$div', 10)), field('b'));

  it('is converted by the modifiers of its field', () => {
    expect(decodeBody(codec, body([0, 15], [1, 15]))).toEqual({ a: 1.5, b: 15 });
  });

  it.each([
    ['null', null, null],
    ['text', 'x', 'x'],
    ['true', true, true],
    ['a byte string', hex('0aFF'), '0aff'],
  ])('that is %s is not modified', (_, sent, expected) => {
    expect(decodeBody(codec, body([0, sent]))).toEqual({ a: expected });
  });

  it('in a list is converted like a single value', () => {
    expect(decodeBody(codec, body([0, [1, [2, null]]]))).toEqual({ a: [0.1, [0.2, null]] });
  });

  it('that is a float is converted like an integer', () => {
    // fa 42c80000 = 100.0 as a 32-bit float
    expect(decodeBody(codec, hex('bf 00 fa42c80000 01 fa3fc00000 ff'))).toEqual({ a: 10, b: 1.5 });
  });

  it('that is minus zero is zero, as in JSON', () => {
    expect(decodeBody(codec, hex('a2 00 f98000 01 f98000'))).toEqual({ a: 0, b: 0 });
  });

  it('that is NaN, infinite or undefined is null', () => {
    expect(decodeBody(codec, hex('a2 00 f97e00 01 f97c00'))).toEqual({ a: null, b: null });
    expect(decodeBody(codec, hex('a1 00 f7'))).toEqual({ a: null });
  });

  it('beyond 2^53 is decimal text; with an arithmetic modifier, it is a number', () => {
    const sent = body([0, 2n ** 63n], [1, 2n ** 63n + 1n]);
    expect(decodeBody(codec, sent)).toEqual({ a: 922337203685477600, b: '9223372036854775809' });
    expect(decodeBody(codec, body([1, -(2n ** 53n)]))).toEqual({ b: '-9007199254740992' });
    expect(decodeBody(codec, body([1, 2 ** 53 - 1]))).toEqual({ b: 9007199254740991 });
  });
});

describe('a map', () => {
  const codec = decoderOf(
    field('trigger', field('channel')),
    field('counter', field('measurements'), field('measurements_div', modifier('$key', 'measurements'))),
  );

  it('may hold keys that the document defines for another map', () => {
    // The counter of Control writes the channel of its trigger.
    expect(decodeBody(codec, body([2, [map([1, 5], [3, [1]])]]))).toEqual({
      counter: [{ channel: 5, measurements: [1] }],
    });
  });

  it('names unknown keys by their number', () => {
    expect(decodeBody(codec, body([99, map([1, 2], [-3, 'x'], ['text', null])]))).toEqual({
      99: { channel: 2, '-3': 'x', text: null },
    });
  });

  it('keeps the last of two values with one name', () => {
    expect(decodeBody(codec, body([3, 1], [4, 2]))).toEqual({ measurements: 2 });
    expect(decodeBody(codec, hex('a2 0001 0002'))).toEqual({ trigger: 2 });
  });

  it('keeps a value with the name __proto__ without changing the prototype', () => {
    const decoded = decodeBody(codec, body(['__proto__', map(['polluted', 1])], [0, 1]));
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
    expect(JSON.stringify(decoded)).toBe('{"__proto__":{"polluted":1},"trigger":1}');
  });

  it('keeps a field and a column that the codec calls __proto__', () => {
    const proto = modifier('$key', '__proto__');
    const named = decoderOf(field('a', proto), field('b', modifier('$tsp', [field('c', proto)])));
    expect(JSON.stringify(decodeBody(named, body([0, 5], [1, [1000, 60, 7]])))).toBe(
      '{"__proto__":5,"b":[{"timestamp":1000,"__proto__":7}]}',
    );
  });
});

describe('a series with a period', () => {
  const hundredths = [modifier('$div', 100), modifier('$fpp', 2)];
  const codec = decoderOf(
    field('t', modifier('$key', 'measurements'), modifier('$tsp', [field('min', ...hundredths), field('max')])),
  );

  it('has rows with increasing times', () => {
    const sent = body([0, [1000, 60, 2150, 1, -50, null, null, 3]]);
    expect(decodeBody(codec, sent)).toEqual({
      measurements: [
        { timestamp: 1000, min: 21.5, max: 1 },
        { timestamp: 1060, min: -0.5, max: null },
        { timestamp: 1120, min: null, max: 3 },
      ],
    });
  });

  it.each([[[]], [[1000]], [[1000, 60]], [[1000, 60, 2150]]])('is empty when it is %j', (sent) => {
    expect(decodeBody(codec, body([0, sent]))).toEqual({ measurements: [] });
    expect(decodeBody(codec, hex(`bf 00 9f ${Buffer.from(encodeCbor(sent)).toString('hex').slice(2)} ff ff`))).toEqual({
      measurements: [],
    });
  });

  it('drops an incomplete last row', () => {
    expect(decodeBody(codec, body([0, [1000, 60, 100, 2, 300]]))).toEqual({
      measurements: [{ timestamp: 1000, min: 1, max: 2 }],
    });
  });

  it('has rows without a time when its clock was not set', () => {
    expect(decodeBody(codec, body([0, [null, 60, 100, 2]]))).toEqual({
      measurements: [{ timestamp: null, min: 1, max: 2 }],
    });
  });

  it('has rows without a time when its period is unknown', () => {
    expect(decodeBody(codec, body([0, [1000, null, 100, 2]]))).toEqual({
      measurements: [{ timestamp: null, min: 1, max: 2 }],
    });
  });

  it('is a plain value when it is not an array', () => {
    expect(decodeBody(codec, body([0, 5]))).toEqual({ measurements: 5 });
    expect(decodeBody(codec, body([0, null]))).toEqual({ measurements: null });
  });
});

describe('a series with offsets', () => {
  const codec = decoderOf(
    field('events', modifier('$tso', [field('type', modifier('$enum', ['off', 'on'])), field('value')])),
  );

  it('counts each offset from the start, not from the previous row', () => {
    expect(decodeBody(codec, body([0, [1000, 0, 1, 7, 1, 0, 8, 2, 9, null]]))).toEqual({
      events: [
        { timestamp: 1000, type: 'on', value: 7 },
        { timestamp: 1001, type: 'off', value: 8 },
        { timestamp: 1002, type: 9, value: null },
      ],
    });
  });

  it.each([[[]], [[1000]], [[1000, 0]], [[1000, 0, 1]]])('is empty when it is %j', (sent) => {
    expect(decodeBody(codec, body([0, sent]))).toEqual({ events: [] });
  });

  it('stays a plain list without $tso', () => {
    const plain = decoderOf(field('events'));
    expect(decodeBody(plain, body([0, [1000, 0, 1, 1, 0]]))).toEqual({ events: [1000, 0, 1, 1, 0] });
  });
});

describe('the value of a field', () => {
  it('with $wmbus is a list of frames, each with its signal strength and its bytes', () => {
    const codec = decoderOf(field('packets', modifier('$wmbus', null)));
    expect(decodeBody(codec, body([0, [-80, hex('2e44'), -91, hex(''), -1]]))).toEqual({
      packets: [
        { rssi: -80, data: '2e44' },
        { rssi: -91, data: '' },
      ],
    });
  });

  it.each(['$mbus', '$loc', '$rel'])('with %s, which has no public meaning, is unchanged', (name) => {
    const codec = decoderOf(field('raw', modifier(name, 'x')));
    expect(decodeBody(codec, body([0, [1, hex('ff'), [null]]]))).toEqual({ raw: [1, 'ff', [null]] });
  });
});

describe('a body', () => {
  const codec = decoderOf(
    field('a', field('b', modifier('$div', 100), modifier('$fpp', 2))),
    field('p', modifier('$tsp', [field('x'), field('y')])),
    field('o', modifier('$tso', [field('x')])),
    field('f', modifier('$wmbus', null)),
  );

  it.each([
    ['', 'the data ends early'],
    ['80', 'the body is not a map'],
    ['58 07 00000000000000', 'the body is not a map'],
    ['a0 00', '1 byte is left over'],
    ['bf', 'the data ends early'],
    ['a1 00 c1 00', 'a tag is not part of this protocol'],
    ['bf 00 ff', 'a break outside of a list'],
    ['a1 01 83 00', 'promises more'],
    ['a1 01 9f 00 00', 'the data ends early'],
  ])('with the bytes %j is rejected: %s', (bytes, message) => {
    expect(() => decodeBody(codec, hex(bytes))).toThrow(CborError);
    expect(() => decodeBody(codec, hex(bytes))).toThrow(message);
  });

  it('is rejected when it is nested more than 64 levels deep', () => {
    const deep = new Uint8Array(10_000).fill(0x81);
    deep.set([0xa1, 0x00]);
    expect(() => decodeBody(codec, deep)).toThrow('nested more than 64 levels deep');
  });

  it('throws only a CborError, and returns only values that JSON preserves', () => {
    const valid = body([0, map([1, 5])], [2, [1, 2, 3, 4]], [3, [1, 2, 3]], [4, [1, hex('00')]]);
    const mutated = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }).map((changes) => {
      const bytes = valid.slice();
      for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
      return bytes;
    });
    const start = fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.of(0xbf, ...bytes));
    fc.assert(
      fc.property(fc.oneof(mutated, start, fc.uint8Array()), (bytes) => {
        try {
          const json = decodeBody(codec, bytes);
          expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json);
        } catch (error) {
          expect(error).toBeInstanceOf(CborError);
        }
      }),
      tries(20),
    );
  });

  it('passes its check exactly when it can be decoded', () => {
    const valid = body([0, map([1, 5], ['x', 'y'])], [2, [1, 2, -3, 4]], ['key', null], [4, [1, hex('00'), 0.5]]);
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 });
    fc.assert(
      fc.property(changes, fc.nat(2), (list, cut) => {
        const bytes = valid.slice(0, valid.length - cut);
        for (const [at, byte] of list) bytes[at % bytes.length] = byte;
        expect(complaintOf(() => checkBody(bytes))).toBe(complaintOf(() => decodeBody(codec, bytes)));
      }),
      tries(20),
    );
  });
});

function complaintOf(action: () => void): string {
  try {
    action();
    return '';
  } catch (error) {
    return String(error);
  }
}
