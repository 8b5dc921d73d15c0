/** Messages for network errors of Node and undici, made from their code and message only. */

/** The code of an error, such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`; its name if it has no code. */
export function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** A message for users; the error's own one for an unknown code. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  const [, security] = /^ERR_SSL_(.+)$/.exec(code) ?? [];
  const known = WORDS[code] ?? (security && `TLS failed: ${security.toLowerCase().replaceAll('_', ' ')}`);
  // A failure to connect to several addresses has a code but no message.
  return known ?? (error.message.trim() || code);
}

const NO_HTTPS = 'the server does not support HTTPS';

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'connecting timed out',
  UND_ERR_SOCKET: 'connection lost',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped half-way',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too large',
  HTTPParserError: 'the response is not HTTP',
  // OpenSSL versions report plain HTTP differently.
  ERR_SSL_WRONG_VERSION_NUMBER: NO_HTTPS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_HTTPS,
};
