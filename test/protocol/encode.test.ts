import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CodecError } from '../../src/protocol/codec.js';
import { decodeBody } from '../../src/protocol/decode.js';
import { encodeBody } from '../../src/protocol/encode.js';
import { encoderOf, field, modifier, toHex } from './fixtures.js';

const typed = encoderOf(
  field('int', modifier('$type', 'int')),
  field('float', modifier('$type', 'float')),
  field('bool', modifier('$type', 'bool')),
  field('string', modifier('$type', 'string')),
  field('any'),
);

function problemsOf(json: object, codec = typed): readonly string[] {
  try {
    encodeBody(codec, json);
  } catch (error) {
    if (error instanceof CodecError) return error.problems;
    throw error;
  }
  return [];
}

describe('encoding', () => {
  it('writes only the fields that are given, in their order, with definite lengths', () => {
    expect(toHex(encodeBody(typed, { string: 'on', int: 300 }))).toBe('a2 03 626f6e 00 19012c'.replaceAll(' ', ''));
    expect(toHex(encodeBody(typed, {}))).toBe('a0');
  });

  it.each([
    ['int', 2.5, '03'],
    ['int', -2.4, '21'],
    ['float', 1, 'fb3ff0000000000000'],
    ['bool', true, 'f5'],
    ['string', 'é', '62c3a9'],
    ['any', 7, '07'],
    ['any', 0.5, 'fb3fe0000000000000'],
    ['any', 'x', '6178'],
    ['any', false, 'f4'],
  ])('writes %s %j as %s', (name, value, expected) => {
    expect(toHex(encodeBody(typed, { [name]: value }))).toBe(
      `a1${toHex(Uint8Array.of(typed.numbers.get(name) ?? 0))}${expected}`,
    );
  });

  it('applies the modifiers in their order', () => {
    const codec = encoderOf(
      field('a', modifier('$mul', 100), modifier('$add', 5), modifier('$type', 'int')),
      field('mode', modifier('$enum', ['off', 'on', 'auto']), modifier('$type', 'int')),
    );
    expect(toHex(encodeBody(codec, { a: 1.5, mode: 'auto' }))).toBe('a2 00 189b 01 02'.replaceAll(' ', ''));
    expect(toHex(encodeBody(codec, { mode: 1 }))).toBe('a10101');
  });

  it('nests maps and lists like the JSON', () => {
    const codec = encoderOf(field('outputs', field('number'), field('state')));
    const json = { outputs: [{ number: 1, state: true }, { number: 2 }] };
    expect(toHex(encodeBody(codec, json))).toBe('a1 00 82 a2 01 01 02 f5 a1 01 02'.replaceAll(' ', ''));
  });
});

describe('encoding rejects', () => {
  it('unknown fields, at any depth', () => {
    const codec = encoderOf(field('a', field('b')));
    expect(problemsOf({ relais: 1, a: { c: 1 } }, codec)).toEqual([
      '"relais" is not a field of the encoder; it has a, a.b',
      '"a.c" is not a field of the encoder; it has a, a.b',
    ]);
  });

  it.each([
    [{ int: '7' }, '"7" is not a number below 2^53 for "int"'],
    [{ int: true }, '"true" is not a number below 2^53 for "int"'],
    [{ int: 2 ** 60 }, '"1152921504606847000" is not a number below 2^53 for "int"'],
    [{ float: 'x' }, '"x" is not a number for "float"'],
    [{ bool: 1 }, '"1" is not true or false for "bool"'],
    [{ string: 1 }, '"1" is not a text for "string"'],
    [{ any: null }, '"null" is not a number, a text, true or false for "any"'],
    [{ any: [[1]] }, 'a list is not a number, a text, true or false for "any"'],
    [{ any: Number.NaN }, '"NaN" is not a number, a text, true or false for "any"'],
  ])('%j', (json, problem) => {
    expect(problemsOf(json)).toEqual([problem]);
  });

  it('values that the modifiers cannot convert', () => {
    const codec = encoderOf(field('mode', modifier('$enum', ['off', 'on'])), field('level', modifier('$mul', 10)));
    expect(problemsOf({ mode: 'of', level: 'high' }, codec)).toEqual([
      '"of" is not one of "off", "on" for "mode"',
      '"high" is not a number for "level"',
    ]);
    expect(problemsOf({ mode: 2 }, codec)).toEqual(['"2" is not one of "off", "on" for "mode"']);
    expect(problemsOf({ level: true }, codec)).toEqual(['"true" is not a number for "level"']);
    expect(problemsOf({ level: 'x'.repeat(61) }, codec)).toEqual([`"${'x'.repeat(60)}" is not a number for "level"`]);
    expect(problemsOf({ level: 1e308 }, codec)).toEqual(['"1e+308" is not a number for "level"']);
  });
});

it('an encoded body decodes to the same JSON', () => {
  const json = fc.record(
    {
      int: fc.maxSafeInteger(),
      float: fc.double({ noNaN: true, noDefaultInfinity: true }),
      bool: fc.boolean(),
      string: fc.string({ unit: 'grapheme' }),
      any: fc.oneof(fc.integer(), fc.boolean(), fc.array(fc.integer())),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(json, (value) => {
      expect(decodeBody(typed, encodeBody(typed, value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
