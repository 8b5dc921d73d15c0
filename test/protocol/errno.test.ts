import { describe, expect, it } from 'vitest';
import { errorText } from '../../src/protocol/errno.js';

describe('the text of a result code', () => {
  it('has the number, the name and the meaning', () => {
    expect(errorText(-2)).toBe('error -2 (ENOENT: not found)');
  });

  it.each([
    [-1, 'EPERM'],
    [-5, 'EIO'],
    [-8, 'ENOEXEC'],
    [-12, 'ENOMEM'],
    [-16, 'EBUSY'],
    [-17, 'EEXIST'],
    [-19, 'ENODEV'],
    [-22, 'EINVAL'],
    [-28, 'ENOSPC'],
    [-61, 'ENODATA'],
    [-116, 'ETIMEDOUT'],
    [-134, 'ENOTSUP'],
  ])('%i has the name %s', (code, name) => {
    expect(errorText(code)).toMatch(`error ${code} (${name}: `);
  });

  it('is the number for a code without a name', () => {
    expect(errorText(-99)).toBe('error -99');
  });
});
