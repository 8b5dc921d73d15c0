/** Why somebody on the network gave no answer, in words: of an error of Node's or undici's, only its code and message are read. */

/** Such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`; the name of an error that has no code. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** What users can make something of; otherwise the error's own message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  const [, security] = /^ERR_SSL_(.+)$/.exec(code) ?? [];
  const known = WORDS[code] ?? (security && `no secure connection: ${security.toLowerCase().replaceAll('_', ' ')}`);
  // A failure to connect at several addresses has a code and no message.
  return known ?? (error.message.trim() || code);
}

const NO_HTTPS = 'it does not speak https';

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'it lets connect, and then says nothing',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the answer is too large',
  HTTPParserError: 'what it says is not HTTP',
  // What plain HTTP looks like differs between versions of OpenSSL.
  ERR_SSL_WRONG_VERSION_NUMBER: NO_HTTPS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_HTTPS,
};
