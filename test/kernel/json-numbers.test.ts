/** Numbers in JSON text that JavaScript would change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedNumbers, changedNumbersIn, isKept, quoteChangedNumbers } from '../../src/kernel/json-numbers.js';

describe('a number', () => {
  it.each([
    ...['9007199254740993', '-9007199254740993', '12345678901234567890', '18446744073709551616', '9223372036854775807'],
    ...['9007199254740993.0', '9.007199254740993e15', '9007199254740.993e3', '123456789012345678.5'],
    ...['1e400', '-1e309', '1e-400', `${'9'.repeat(400)}`, `1${'0'.repeat(400)}1`, `0.${'0'.repeat(400)}1`],
  ])('%s is not kept', (number) => {
    expect(changedNumbers(`{"a":[1,${number}]}`)).toEqual([number]);
  });

  it.each([
    ...['0', '-0', '0e400', '0.0', '9007199254740991', '-9007199254740992', '9007199254740994', '12345678901234567000'],
    ...['100000000000000000000', '1e300', '9.91E+37', '9.9100000000000005e+37', '3.4028234663852886e38', '5e-324'],
    ...['0.1', '3.14159265358979323846264338327950288', '21.500000000000000000'],
  ])('%s is kept', (number) => {
    expect(changedNumbers(`{"a":[1,${number}]}`)).toEqual([]);
  });

  it('that JavaScript has written is always kept', () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => isKept(JSON.stringify(n))));
  });

  it('is kept exactly if, as an integer, it comes back unchanged', () => {
    const integers = fc.bigInt(-(2n ** 80n), 2n ** 80n);
    fc.assert(
      fc.property(
        integers,
        (n) => isKept(String(n)) === (BigInt(Number(n)) === n && same(String(Number(n)), String(n))),
      ),
    );
  });
});

/** Whether two decimal texts are equal; an exponent is never needed below 2^69. */
function same(a: string, b: string): boolean {
  return a.includes('e') ? Number(b) === Number(a) && /^-?\d+0{5,}$/.test(b) : a === b;
}

it('digits in a text are not numbers', () => {
  expect(changedNumbers('{"9007199254740993":"12345678901234567890 \\" 1e400"}')).toEqual([]);
});

it('all changed numbers are named in one message, long ones shortened', () => {
  expect(changedNumbersIn(`[1e400,9007199254740993,${'7'.repeat(50)}]`)).toBe(
    `1e400, 9007199254740993, ${'7'.repeat(37)}… cannot be kept exactly as a number; write it as a text in quotation marks`,
  );
});

it('of many changed numbers, ten are named, and the search ends with the next', () => {
  const text = `[${Array.from({ length: 45_000 }, (_, n) => `1e4${String(n).padStart(5, '0')}`).join(',')}]`;
  expect(changedNumbers(text)).toHaveLength(11);
  expect(changedNumbersIn(text)).toMatch(/^1e400000, .*, 1e400009 and others cannot be kept exactly/);
});

it('changed numbers can be kept as texts', () => {
  const text = '{"a":9007199254740993,"b":[-1e400,1],"9007199254740993":"12345678901234567890"}';
  expect(JSON.parse(quoteChangedNumbers(text))).toEqual({
    a: '9007199254740993',
    b: ['-1e400', 1],
    '9007199254740993': '12345678901234567890',
  });
});
