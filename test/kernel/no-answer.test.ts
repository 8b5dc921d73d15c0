import { describe, expect, it } from 'vitest';
import { codeOf, reasonOf } from '../../src/kernel/no-answer.js';

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code });

describe('the reason for a missing answer', () => {
  it.each([
    [failure('connect ECONNREFUSED ::1:80', 'ECONNREFUSED'), 'connection refused'],
    [
      failure('40:error:0A00010B:SSL routines::\n', 'ERR_SSL_WRONG_VERSION_NUMBER'),
      'the server does not support HTTPS',
    ],
    [failure('40:error:0A000126:SSL routines::\n', 'ERR_SSL_NO_CIPHER_MATCH'), 'TLS failed: no cipher match'],
    [failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'self-signed certificate'],
    [failure('', 'EPROTO'), 'EPROTO'],
    ['a word', 'a word'],
  ])('is, for the error %j: %s', (error, words) => {
    expect(reasonOf(error)).toBe(words);
  });

  it('has the code of the error, or the name of an error that has no code', () => {
    expect([codeOf(failure('x', 'EPIPE')), codeOf(failure('x'))]).toEqual(['EPIPE', 'Error']);
  });
});
