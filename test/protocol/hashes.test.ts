import { describe, expect, it } from 'vitest';
import { configHash, contentFingerprint, fromHex, toHex } from '../../src/protocol/hashes.js';

describe('hashes', () => {
  it('of an empty configuration are those of a single line break', () => {
    // SHA-256 of 0d 0a, folded: 7eb70257593da06f 682a3ddda54a9d26 0d4fc514f645237f 5ca74b08f8da61a6.
    expect(configHash([])).toBe('4775b196f2e87f90');
  });

  it('of a configuration depend on its line breaks', () => {
    expect(configHash(['a', 'b'])).not.toBe(configHash(['ab']));
    expect(configHash(['a', 'b'])).toBe(configHash(['a\r\nb']));
  });

  it('include the fingerprint of a message, which is the first 8 bytes of its SHA-256', () => {
    // SHA-256 of "abc" begins with ba7816bf 8f01cfea.
    expect(contentFingerprint(new TextEncoder().encode('abc'))).toBe('ba7816bf8f01cfea');
  });
});

describe('hex', () => {
  it('is the same after writing and reading', () => {
    expect(toHex(fromHex('00ff10ab'))).toBe('00ff10ab');
  });

  it('shows only the bytes of a view', () => {
    expect(toHex(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).toBe('0203');
  });

  it.each(['0', 'zz', '00 1', '0x00'])('is not read from %j, and the error does not repeat the text', (text) => {
    expect(() => fromHex(text)).toThrow(new RangeError('the text does not consist of pairs of hex digits'));
  });
});
