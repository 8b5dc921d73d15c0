import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACK,
  decodePacket,
  encodePacket,
  FIRST,
  formatFlags,
  isAhead,
  keepPacket,
  LAST,
  POLL,
  RESET,
  samePacket,
  successor,
} from '../../../src/protocol/flap/packet.js';
import { flagsOf, fromHex, message, packet, toHex } from './notation.js';

const number = fc.integer({ min: 1, max: 4095 });

describe('sequence numbers', () => {
  it('follow one another, and 4095 is followed by 1', () => {
    expect([0, 1, 4094, 4095].map(successor)).toEqual([1, 2, 4095, 1]);
  });

  it.each([
    { sequence: 40, expected: 7, ahead: true },
    { sequence: 7, expected: 40, ahead: false },
    { sequence: 7, expected: 7, ahead: false },
    { sequence: 1, expected: 4095, ahead: true },
    { sequence: 4095, expected: 1, ahead: false },
    { sequence: 2048, expected: 1, ahead: true },
    { sequence: 2049, expected: 1, ahead: false },
  ])('$sequence is ahead of $expected: $ahead', ({ sequence, expected, ahead }) => {
    expect(isAhead(sequence, expected)).toBe(ahead);
  });

  it('are ahead for the next 2047 steps, and behind for the 2047 after those', () => {
    fc.assert(
      fc.property(number, fc.integer({ min: 1, max: 4094 }), (expected, steps) => {
        const sequence = ((expected - 1 + steps) % 4095) + 1;
        expect(isAhead(sequence, expected)).toBe(steps <= 2047);
      }),
    );
  });

  it('of two, one is ahead of the other unless they are the same', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect([isAhead(a, b), isAhead(b, a)].filter(Boolean)).toHaveLength(a === b ? 0 : 1);
      }),
    );
  });
});

describe('flags', () => {
  it('are written in the order FLAP with x for 0', () => {
    expect(formatFlags(FIRST | LAST)).toBe('FLxx');
    expect(formatFlags(ACK | POLL)).toBe('xxAP');
    for (let flags = 0; flags < 16; flags++) expect(flagsOf(formatFlags(flags))).toBe(flags);
  });

  it('of a reset are all 0, with sequence 0 and no data', () => {
    expect(RESET).toEqual(packet('xxxx', 0));
  });
});

describe('a packet without an envelope', () => {
  it.each([
    { flags: 'FLxx', sequence: 0, data: '01', bytes: 'c00001' },
    { flags: 'xxxP', sequence: 2, data: '', bytes: '1002' },
    { flags: 'xxAP', sequence: 1, data: '', bytes: '3001' },
    { flags: 'Fxxx', sequence: 4095, data: 'abcd', bytes: '8fffabcd' },
  ])('is $bytes for $flags, sequence number $sequence and the data "$data"', ({ flags, sequence, data, bytes }) => {
    expect(toHex(encodePacket(packet(flags, sequence, fromHex(data))))).toBe(bytes);
    expect(decodePacket(fromHex(bytes))).toEqual(packet(flags, sequence, fromHex(data)));
  });

  it('has at least two bytes', () => {
    expect(['', 'c0'].map((bytes) => decodePacket(fromHex(bytes)))).toEqual([undefined, undefined]);
  });
});

it('samePacket compares flags, number and data', () => {
  const isSame = (other: Parameters<typeof keepPacket>[0]) =>
    samePacket(keepPacket(packet('FLxx', 7, message(5))), keepPacket(other));
  expect(isSame(packet('FLxx', 7, message(5)))).toBe(true);
  expect(isSame(packet('Fxxx', 7, message(5)))).toBe(false);
  expect(isSame(packet('FLxx', 8, message(5)))).toBe(false);
  expect(isSame(packet('FLxx', 7, message(5, 1)))).toBe(false);
  expect(isSame(packet('FLxx', 7, message(6)))).toBe(false);
});
