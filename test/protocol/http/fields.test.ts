/** Readers of JSON fields, frames and UUIDs, with exact values and messages. */
import { describe, expect, it } from 'vitest';
import { JsonFields } from '../../../src/protocol/http/fields.js';
import { decodeRequest, decodeResponse } from '../../../src/protocol/http/frames.js';
import { MessageError } from '../../../src/protocol/messages/error.js';
import { uuidBytes, uuidText } from '../../../src/protocol/uuid.js';

const UUID = '0197a3b0-1c2d-7e3f-8a4b-5c6d7e8f9a0b';
const fields = (value: object) => new JsonFields(value, 'body');

describe('JSON fields', () => {
  it('are undefined when they are missing, null or inherited', () => {
    expect(fields({}).text('a')).toBeUndefined();
    expect(fields({ a: null }).uint('a')).toBeUndefined();
    expect(fields({}).plain('constructor')).toBeUndefined();
    expect(fields({}).hex('a')).toBeUndefined();
  });

  it('are read by type', () => {
    const read = fields({ t: 'x', n: -1, u: 0, b: false, h: 'ABCDEF0123456789', d: '0123', x: '0aFF', l: ['a'] });
    expect([read.text('t'), read.int('n'), read.uint('u'), read.bool('b')]).toEqual(['x', -1, 0, false]);
    expect([read.hash('h'), read.digits('d'), read.texts('l'), read.list('l')]).toEqual([
      'abcdef0123456789',
      '0123',
      ['a'],
      ['a'],
    ]);
    expect(read.hex('x')).toEqual(Uint8Array.of(10, 255));
    expect(fields({ c: 'AAE=' }).base64('c')).toEqual(Uint8Array.of(0, 1));
    expect(
      fields({ o: { p: 'q' } })
        .object('o')
        ?.text('p'),
    ).toBe('q');
    expect(fields({ id: UUID }).uuid('id')).toEqual(uuidBytes(UUID));
  });

  it.each(['oQA=', 'oQA', 'oA==', 'oA', 'oQAB', ''])('reads base64 with or without its padding: "%s"', (text) => {
    expect(fields({ a: text }).base64('a')).toEqual(new Uint8Array(Buffer.from(text, 'base64')));
  });

  it.each([
    [() => fields({ a: 1 }).text('a'), 'body/a 1 is not a text'],
    [() => fields({ a: 0.5 }).int('a'), 'body/a 0.5 is not a whole number'],
    [() => fields({ a: -1 }).uint('a'), 'body/a -1 is not a whole number from 0'],
    [() => fields({ a: 'x' }).uint('a'), 'body/a "x" is not a whole number from 0'],
    [() => fields({ a: 0 }).bool('a'), 'body/a 0 is not true or false'],
    [() => fields({ a: '0'.repeat(15) }).hash('a'), 'body/a "000000000000000" is not 16 hex digits'],
    [() => fields({ a: '1'.repeat(20) }).digits('a'), 'body/a "11111111111111111111" is not a text of up to 19 digits'],
    [() => fields({ a: 'A' }).base64('a'), 'body/a "A" is not base64'],
    [() => fields({ a: 'oA=' }).base64('a'), 'body/a "oA=" is not base64'],
    [() => fields({ a: 'oB' }).base64('a'), 'body/a "oB" is not base64'],
    [() => fields({ a: 'oA\n' }).base64('a'), 'body/a "oA\n" is not base64'],
    [() => fields({ a: 'abc' }).hex('a'), 'body/a "abc" is not pairs of hex digits'],
    [() => fields({ a: `${UUID}0` }).uuid('a'), `body/a "${UUID}0" is not a UUID`],
    [() => fields({ a: '0'.repeat(17) }).hash('a'), 'body/a "00000000000000000" is not 16 hex digits'],
    [() => fields({ a: `x${'0'.repeat(16)}` }).hash('a'), 'body/a "x0000000000000000" is not 16 hex digits'],
    [() => fields({ a: `${'0'.repeat(16)}x` }).hash('a'), 'body/a "0000000000000000x" is not 16 hex digits'],
    [() => fields({ a: `0${UUID}` }).uuid('a'), `body/a "0${UUID}" is not a UUID`],
    [() => fields({ a: 'x'.repeat(40) }).uint('a'), `body/a "${'x'.repeat(40)}" is not a whole number from 0`],
    [() => fields({ a: ['x', 1] }).texts('a'), 'body/a is not a list of texts'],
    [() => fields({ a: [1] }).texts('a'), 'body/a is not a list of texts'],
    [() => fields({ a: {} }).list('a'), 'body/a is not a list'],
    [() => fields({ a: [] }).object('a'), 'body/a is not a JSON object'],
    [() => fields({ a: 'x'.repeat(41) }).uint('a'), `body/a "${'x'.repeat(40)}…" is not a whole number from 0`],
    [() => fields({}).need('a', undefined), 'body needs "a"'],
    [() => new JsonFields([], 'body'), 'body is not a JSON object'],
    [() => new JsonFields(null, 'body'), 'body is not a JSON object'],
  ])('of another form are rejected (%#)', (read, message) => {
    expect(read).toThrow(new MessageError('malformed', message));
  });
});

describe('frames', () => {
  it.each(['session', 'session key', 'other key token\n'])('of a request are rejected when incomplete: %j', (text) => {
    expect(() => decodeRequest(Buffer.from(`${text}\n`))).toThrow('not a request frame');
  });

  it('of a response are undefined when they are incomplete', () => {
    expect(decodeResponse(Buffer.from('key\n{}'))).toBeUndefined();
    expect(decodeResponse(Buffer.from('key 204\n'))).toEqual({ key: 'key', status: 204, body: '' });
  });
});

describe('a UUID', () => {
  it('is 16 bytes, and the same text again in lower case', () => {
    expect(uuidBytes(UUID.toUpperCase())).toHaveLength(16);
    expect(uuidText(uuidBytes(UUID.toUpperCase()))).toBe(UUID);
    expect(uuidText(Uint8Array.of(9, ...uuidBytes(UUID)).subarray(1))).toBe(UUID);
  });
});
