/** Messages for network errors of Node and undici, made from their code and message only. */
import { messageOf } from './errors.js';
import { systemReason } from './system-errors.js';

/** The code of an error, such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`; its name if it has no code. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** A message for users; for an unknown code, the error's own message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  const code = codeOf(error);
  const [, security] = /^ERR_SSL_(.+)$/.exec(code) ?? [];
  const known =
    systemReason(code) ??
    WORDS[code] ??
    (code.startsWith('HPE_') ? WORDS.HTTPParserError : undefined) ??
    (security && `TLS failed: ${security.toLowerCase().replaceAll('_', ' ')}`);
  // A failure to connect to several addresses has a code but no message.
  return known ?? (error.message.trim() || code);
}

const NO_HTTPS = 'the server does not support HTTPS';
const OWN_AUTHORITY = 'set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority';
const UNKNOWN_AUTHORITY = `the server's certificate is not from a known authority; ${OWN_AUTHORITY}`;
const SELF_SIGNED =
  'the server has a self-signed certificate; set NODE_EXTRA_CA_CERTS to the file with this certificate';

/** Texts for errors of undici, OpenSSL and Node's HTTP parser. */
const WORDS: Readonly<Record<string, string | undefined>> = {
  UND_ERR_SOCKET: systemReason('ECONNRESET'),
  UND_ERR_CONNECT_TIMEOUT: systemReason('ETIMEDOUT'),
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped half-way',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too large',
  HTTPParserError: 'the response is not HTTP',
  HPE_HEADER_OVERFLOW: 'the head of the response is too large',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  // OpenSSL versions report plain HTTP differently.
  ERR_SSL_WRONG_VERSION_NUMBER: NO_HTTPS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_HTTPS,
};
