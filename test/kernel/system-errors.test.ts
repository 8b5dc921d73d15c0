import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { codeOf, reasonOf } from '../../src/kernel/system-errors.js';

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code });

describe('the reason for a missing answer', () => {
  it.each([
    [failure('connect ECONNREFUSED ::1:80', 'ECONNREFUSED'), 'connection refused'],
    [
      failure('40:error:0A00010B:SSL routines::\n', 'ERR_SSL_WRONG_VERSION_NUMBER'),
      'the server does not support HTTPS',
    ],
    [failure('40:error:0A000126:SSL routines::\n', 'ERR_SSL_NO_CIPHER_MATCH'), 'TLS failed: no cipher match'],
    [
      failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
      'the server has a self-signed certificate; set NODE_EXTRA_CA_CERTS to the file with this certificate',
    ],
    [failure('certificate has expired', 'CERT_HAS_EXPIRED'), "the server's certificate has expired"],
    [failure('Parse Error', 'HPE_INVALID_CONSTANT'), 'the response is not HTTP'],
    [
      failure('Response does not match the HTTP/1.1 protocol', 'HPE_INVALID_CHUNK_SIZE'),
      'the response is not HTTP: the size of a chunk is not a hexadecimal number',
    ],
    [runInNewContext('Object.assign(new Error("x"), { code: "ECONNREFUSED" })'), 'connection refused'],
    [failure('', 'EPROTO'), 'EPROTO'],
    [
      failure(
        'write EPROTO 80:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:a.c:1:',
        'EPROTO',
      ),
      'the server ended the TLS handshake; it may demand a client certificate, which ghostfleet does not have',
    ],
    [
      failure('x', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
      'the server demands a client certificate, which ghostfleet does not have',
    ],
    [
      failure('x', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'),
      'the server accepts only HTTP/2, and ghostfleet uses HTTP/1.1',
    ],
    ['a word', 'a word'],
  ])('is, for the error %j: %s', (error, words) => {
    expect(reasonOf(error)).toBe(words);
  });

  it.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
  ])('names NODE_EXTRA_CA_CERTS if the authority is private: %s', (code) => {
    expect(reasonOf(failure('x', code))).toBe(
      "the server's certificate is not from a known authority; " +
        'set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority',
    );
  });

  it('has the code of the error, or the name of an error that has no code', () => {
    expect([codeOf(failure('x', 'EPIPE')), codeOf(failure('x'))]).toEqual(['EPIPE', 'Error']);
  });
});
