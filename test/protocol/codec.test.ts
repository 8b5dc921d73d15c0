import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCbor } from '../../src/protocol/cbor.js';
import { type CodecDocument, type CodecEntry, CodecError, compileCodec, readCodec } from '../../src/protocol/codec.js';
import { decoderOf, encoderOf, field, map, modifier, tries } from './fixtures.js';

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (error instanceof CodecError) return error.problems;
    throw error;
  }
  return [];
}

describe('a codec document', () => {
  it('has the published hash of the decoder of Demo', () => {
    const thousandths = [modifier('$div', 1000), modifier('$fpp', 2)];
    const plain = (...names: string[]) => names.map((name) => field(name));
    const codec = compileCodec({
      version: 2,
      type: 'decoder',
      name: 'com.hardwario.chester.app.demo',
      schema: [
        field('message', ...plain('version', 'sequence', 'timestamp')),
        field(
          'system',
          field('uptime'),
          field('voltage_rest', ...thousandths),
          field('voltage_load', ...thousandths),
          field('current_load'),
        ),
        field(
          'attribute',
          ...plain('vendor_name', 'product_name', 'hw_variant', 'hw_revision', 'fw_version', 'serial_number'),
        ),
        field(
          'network',
          field('parameter', ...plain('eest', 'ecl', 'rsrp', 'rsrq', 'snr', 'plmn', 'cid', 'band', 'earfcn')),
        ),
        field('thermometer', field('temperature', modifier('$div', 100), modifier('$fpp', 2))),
        field(
          'accelerometer',
          field('acceleration_x', ...thousandths),
          field('acceleration_y', ...thousandths),
          field('acceleration_z', ...thousandths),
          field('orientation'),
        ),
      ],
    });
    expect(codec.hash).toBe('6940c0933067d636');
    expect(codec.bytes).toHaveLength(559);
    expect(codec.keys).toHaveLength(34);
  });

  it('has the published hash of the encoder of Control', () => {
    const output = (n: number) => field(`output_${n}_state`, modifier('$type', 'int'));
    const schema = [1, 2, 3, 4].map(output);
    const codec = compileCodec({ version: 2, type: 'encoder', name: 'com.hardwario.chester.control', schema });
    expect(codec.hash).toBe('c76a16dd617f713b');
  });

  it('is the same after encoding and parsing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('decoder' as const, 'encoder' as const),
        fc.string(),
        anySchema,
        (type, name, schema) => {
          const document: CodecDocument = { version: 2, type, name, schema };
          expect(readCodec(compileCodec(document).bytes).document).toEqual(document);
        },
      ),
    );
  });

  it('may have fields with the name of a property of all objects', () => {
    const fields = [field('__proto__', modifier('$key', 'constructor')), field('a', modifier('$key', '__proto__'))];
    const { document, bytes, keys, numbers } = decoderOf(...fields);
    expect(readCodec(bytes).document).toEqual(document);
    expect(keys.map(({ outputName }) => outputName)).toEqual(['constructor', '__proto__']);
    expect(numbers.get('__proto__')).toBe(0);
  });

  it('has the hash of the uploaded bytes, not of our own encoding', () => {
    const schema = [map(['relay', null])];
    const bytes = encodeCbor(map(['schema', schema], ['name', 'odd order'], ['type', 'encoder'], ['version', 2]));
    const uploaded = readCodec(bytes);
    expect(uploaded.bytes).toBe(bytes);
    expect(uploaded.hash).not.toBe(compileCodec(uploaded.document).hash);
  });

  it('is rejected with all problems of its head', () => {
    const bytes = encodeCbor(map(['version', 1], ['type', 'codec'], ['schema', 'none']));
    expect(problemsOf(() => readCodec(bytes))).toEqual([
      'the version of a codec must be 2, not "1"',
      'the type of a codec must be "decoder" or "encoder", not "codec"',
      'the name of a codec must be a text, not missing',
      'the schema of a codec must be a list, not "none"',
    ]);
  });

  it('is rejected with all mistakes at once: of its head, of its tree and of its modifiers', () => {
    const schema = [
      map(['a', [map(['$div', 0]), map(['$time', 5]), 7]]),
      map(['b', true]),
      map(['a', null]),
      map(['$fpp', 2]),
      map(['c', 5]),
    ];
    const bytes = encodeCbor(map(['version', 1], ['type', 'encoder'], ['name', 'x'], ['schema', schema]));
    expect(problemsOf(() => readCodec(bytes, 'decoder'))).toEqual([
      'the version of a codec must be 2, not "1"',
      'an entry of "a" must be a map of one name, not "7"',
      '"b" cannot have the value "true"',
      'the type of the codec is "encoder", but it is uploaded as "decoder"',
      '$div of "a" must be a number other than 0, not "0"',
      '"$time" of "a" is not a modifier',
      '"a" occurs twice',
      '"c" must be empty or a list of modifiers and fields, not "5"',
      'modifier "$fpp" is outside of a field',
    ]);
  });

  it.each([
    [encodeCbor([]), 'the codec is not a map'],
    [Uint8Array.of(0xa1), 'the codec is not CBOR: the item before byte 1 promises more than the 1 bytes hold'],
    [documentWith(1), 'an entry of the schema must be a map of one name, not "1"'],
    [documentWith(map(['a', null], ['b', null])), 'an entry of the schema must be a map of one name, not a map'],
    [documentWith(map([1, null])), 'an entry of the schema must be a map of one name, not a map'],
    [documentWith(map(['a', true])), '"a" cannot have the value "true"'],
    [documentWith(map(['a', map(['b', null])])), '"a" cannot have the value a map'],
    [documentWith(map(['a', [map(['b', null]), 'c']])), 'an entry of "a" must be a map of one name, not "c"'],
  ])('is rejected when it is not a tree of entries (%#)', (bytes, problem) => {
    expect(problemsOf(() => readCodec(bytes))).toEqual([problem]);
  });

  it('throws only CodecError, for any bytes', () => {
    const bytes = decoderOf(field('a', field('b', modifier('$div', 10)), field('c'))).bytes;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = bytes.slice();
        for (const [at, byte] of changes) changed[at % changed.length] = byte;
        problemsOf(() => readCodec(changed));
      }),
      tries(10),
    );
  });
});

describe('keys', () => {
  it('number the fields depth first, without modifiers and their contents', () => {
    const codec = decoderOf(
      field('a', field('b', modifier('$tsp', [field('x'), field('y')])), field('c')),
      field('d', modifier('$div', 10), field('e')),
    );
    expect(codec.keys.map(({ path }) => path)).toEqual(['a', 'a.b', 'a.c', 'd', 'd.e']);
    expect(codec.numbers.get('d.e')).toBe(4);
    expect(codec.numbers.get('a.b.x')).toBeUndefined();
  });

  it('carry the name in JSON and the modifiers in their order', () => {
    const codec = decoderOf(field('a', modifier('$key', 'b'), modifier('$fpp', 1), modifier('$div', 3)));
    expect(codec.keys[0]).toMatchObject({
      name: 'a',
      outputName: 'b',
      modifiers: [
        { kind: 'fpp', decimals: 1 },
        { kind: 'div', by: 3 },
      ],
    });
  });

  it('have the layout of their arrays', () => {
    const codec = decoderOf(
      field('p', modifier('$tsp', [field('min', modifier('$div', 2))])),
      field('o', modifier('$tso', [field('type')])),
      field('f', modifier('$wmbus', null)),
      field('l', modifier('$loc', 'ncellmeas')),
    );
    expect(codec.keys.map(({ series }) => series?.kind)).toEqual(['period', 'offsets', 'frames', undefined]);
    expect(codec.keys[0]?.series).toMatchObject({ columns: [{ name: 'min', modifiers: [{ kind: 'div', by: 2 }] }] });
  });

  it('number the fields of an encoder, too', () => {
    const codec = encoderOf(field('relay', modifier('$type', 'int')));
    expect(codec.keys[0]).toMatchObject({ number: 0, type: 'int' });
  });
});

describe('a wrong schema', () => {
  it.each<[CodecEntry, string]>([
    [field('a', modifier('$div', 0)), '$div of "a" must be a number other than 0, not "0"'],
    [field('a', modifier('$mul', 'two')), '$mul of "a" must be a number, not "two"'],
    [field('a', modifier('$add', Number.NaN)), '$add of "a" must be a number, not "NaN"'],
    [field('a', modifier('$fpp', 16)), '$fpp of "a" must be a whole number from 0 to 15, not "16"'],
    [field('a', modifier('$fpp', 0.5)), '$fpp of "a" must be a whole number from 0 to 15, not "0.5"'],
    [field('a', modifier('$enum', 'off')), '$enum of "a" must be a list of texts, not "off"'],
    [field('a', modifier('$enum', [field('off')])), '$enum of "a" must be a list of texts, not a list'],
    [field('a', modifier('$key', null)), '$key of "a" must be a text, not empty'],
    [field('a', modifier('$type', 'byte')), '$type of "a" must be one of int, float, bool, string, not "byte"'],
    [field('a', modifier('$round', 2)), '"$round" of "a" is not a modifier'],
    [field('a', modifier('$tsp', null)), '"a.$tsp" needs at least one field'],
    [field('a', modifier('$tso', [field('b', modifier('$div', 'x'))])), '$div of "a.$tso.b" must be a number, not "x"'],
    [modifier('a', 5), '"a" must be empty or a list of modifiers and fields, not "5"'],
    [modifier('a', ['b']), '"a" must be empty or a list of modifiers and fields, not a list'],
    [modifier('$div', 5), 'modifier "$div" is outside of a field'],
  ])('is rejected (%#)', (entry, problem) => {
    expect(problemsOf(() => decoderOf(entry))).toEqual([problem]);
  });

  it.each<[string, number]>([
    ['$fpp', 0],
    ['$fpp', 15],
    ['$mul', 0],
    ['$add', 0],
    ['$sub', 2],
  ])('is not reported for the valid modifier %s %d', (name, value) => {
    expect(problemsOf(() => decoderOf(field('a', modifier(name, value))))).toEqual([]);
  });

  it('is rejected with at most 60 characters of a value', () => {
    const problem = `$div of "a" must be a number, not "${'x'.repeat(60)}"`;
    expect(problemsOf(() => decoderOf(field('a', modifier('$div', 'x'.repeat(61)))))).toEqual([problem]);
  });

  it('is reported as a CodecError whose message joins all problems', () => {
    const error = new CodecError(['one', 'two']);
    expect([error.name, error.message]).toEqual(['CodecError', 'one; two']);
  });

  it('is rejected with all problems', () => {
    const schema = [field('a', modifier('$div', 0), field('b', modifier('$fpp', -1))), field('a')];
    expect(problemsOf(() => decoderOf(...schema))).toEqual([
      '$div of "a" must be a number other than 0, not "0"',
      '$fpp of "a.b" must be a whole number from 0 to 15, not "-1"',
      '"a" occurs twice',
    ]);
  });
});

const anyModifier: fc.Arbitrary<CodecEntry> = fc.oneof(
  fc.record({ name: fc.constantFrom('$add', '$sub', '$mul'), value: fc.maxSafeInteger() }),
  fc.record({ name: fc.constant('$div'), value: fc.double({ min: 0.1, max: 0.9, noNaN: true }) }),
  fc.record({ name: fc.constant('$key'), value: fc.string({ unit: 'grapheme', maxLength: 10 }) }),
  fc.record({ name: fc.constant('$enum'), value: fc.array(fc.string()) }),
);
const anySchema: fc.Arbitrary<CodecEntry[]> = fc.letrec<{ fields: CodecEntry[]; field: CodecEntry }>((tie) => ({
  fields: fc.uniqueArray(tie('field'), { maxLength: 4, selector: ({ name }) => name }),
  field: fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9_]{0,9}$/),
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.array(anyModifier, { maxLength: 3 }),
      fc.tuple(anyModifier, tie('fields')).map(([first, fields]) => [first, ...fields]),
    ),
  }),
})).fields;

function documentWith(entry: Parameters<typeof encodeCbor>[0]): Uint8Array {
  return encodeCbor(map(['version', 2], ['type', 'decoder'], ['name', 'x'], ['schema', [entry]]));
}
