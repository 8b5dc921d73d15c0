/** The check of a body: its work is small before a limit is known to be exceeded. */
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { checker } from '../../../src/cloud/http/validation.js';
import { NewDevice } from '../../../src/contract/devices.js';

let looks = 0;
const Text = Type.Refine(Type.String({ description: 'a text' }), () => {
  looks++;
  return true;
});
const many = Array.from({ length: 100_000 }, (_, n) => `text ${n}`);

function messageOf(checked: ReturnType<ReturnType<typeof checker>>): string {
  return 'error' in checked ? checked.error.message : 'valid';
}

describe('a value beyond its limits', () => {
  it.each([
    ['a list', Type.Array(Text, { maxItems: 100, description: 'a list of at most 100 texts' }), many],
    [
      'a list in a field',
      Type.Object({ z: Type.Array(Text, { maxItems: 100, description: 'a list of at most 100 texts' }) }),
      { z: many },
    ],
    [
      'an object',
      Type.Record(Type.String(), Text, { maxProperties: 64, description: 'an object of at most 64 texts' }),
      Object.fromEntries(many.map((name) => [name, name])),
    ],
  ])('is rejected before each of its entries is checked: %s', (_, schema, value) => {
    looks = 0;
    expect(messageOf(checker(schema, 'body')(value))).toMatch(/^body.* is not an? (list|object) of at most/);
    expect(looks).toBeLessThan(3000);
  });

  it('keeps the fields of its schema that come after many other fields', () => {
    const others = Object.fromEntries(many.map((name) => [name, 1]));
    const device = { ...others, name: 'x', serial_number: '2000000003', token: '1'.repeat(32), label: 7 };
    expect(messageOf(checker(NewDevice, 'body')(device))).toMatch(/^body\/label 7 is not an object of at most 64/);
  });
});

describe('a long value without a limit', () => {
  it('is valid as a whole', () => {
    const check = checker(Type.Record(Type.String(), Type.Unknown()), 'body');
    const value = Object.fromEntries(many.map((name) => [name, many]));
    expect(check(value)).toEqual({ value });
  });

  it('is rejected for an entry near its end', () => {
    const check = checker(Type.Array(Type.String({ description: 'a text' })), 'body');
    expect(messageOf(check([...many, 7]))).toMatch(/^body is invalid after the first 500 entries/);
    expect(messageOf(check([7, ...many]))).toBe('body/0 7 is not a text');
  });
});
