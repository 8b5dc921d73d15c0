/** Texts for what the operating system refuses, by error code, the same for files, ports and connections. */
import { innerErrors, isError, messageOf, UsageError } from './errors.js';

/** The text for a code such as `EACCES`, for use in a message; undefined for an unknown code. */
export function systemReason(code: string): string | undefined {
  return REASONS[code];
}

/** Whether a failure to send is this machine's, before the network: limits, memory, firewall, resolver, routes. */
export function isOfThisMachine(code: string): boolean {
  return OF_THIS_MACHINE.has(code) || code.startsWith('EAI_');
}

const OF_THIS_MACHINE: ReadonlySet<string> = new Set([
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EPERM', 'EACCES'],
  ...['ENETDOWN', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EADDRINUSE', 'EINVAL', 'EMSGSIZE'],
]);

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'a file with that name exists',
  EISDIR: 'it is a directory',
  ERR_FS_EISDIR: 'it is a directory',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EMFILE: 'too many open files of this process',
  ENFILE: 'too many open files of this machine',
  ENOBUFS: 'no memory for the network is left',
  ENOMEM: 'no memory is left',
  ENOSPC: 'the disk is full',
  EFBIG: 'the file exceeds the size limit of the process or of the file system',
  EROFS: 'the file system is read-only',
  EADDRINUSE: 'another process uses it',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  EHOSTUNREACH: 'no route to the host',
  ENETDOWN: 'the network of this machine is down',
  ENETUNREACH: 'no route to the host',
  ETIMEDOUT: 'connecting timed out',
};

/** @param missing the message for a file that does not exist */
export function fileReason(error: unknown, missing: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (systemReason(code) ?? message);
}

/** The message for an action on a file or folder that the system refuses; undefined for any other error. */
export function describeRefusal(error: unknown): string | undefined {
  if (!isError(error) || !('syscall' in error && 'path' in error)) return undefined;
  const reason = systemReason(codeOf(error));
  return reason && `"${error.path}" cannot be used: ${reason}`;
}

/** @param what the file with its path in quotes, such as `the event log "runs/events.jsonl"` */
export function cannotWrite(what: string, error: unknown): UsageError {
  return new UsageError('cannot-write', `cannot write ${what}: ${fileReason(error, 'no such directory')}`);
}

/** @param port with its purpose, such as `UDP port 5003` */
export function portRefused(port: string, host: string, { code = '', message }: NodeJS.ErrnoException): UsageError {
  return new UsageError('port-in-use', `cannot open ${port} on "${host}": ${systemReason(code) ?? message}`);
}

/**
 * The code of an error, such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`; its name if it has no code. A failure to connect to
 * several addresses has the code of the first one that this machine could reach: it may have no IPv6, for example.
 */
export function codeOf(error: Error): string {
  const inner = innerErrors(error)?.filter(isError).map(codeOf) ?? [];
  const code = inner.find((each) => !isOfThisMachine(each)) ?? inner[0];
  if (code !== undefined) return code;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** A message for users; for an unknown code, the error's own message. */
export function reasonOf(error: unknown): string {
  if (!isError(error)) return messageOf(error);
  const code = tlsCodeOf(error) ?? codeOf(error);
  // A port that was asked for has words of its own.
  const words = isOfListening(error) ? systemReason(code) : wordsFor(code);
  // A failure to connect to several addresses has a code but no message.
  return words ?? (error.message.trim() || code);
}

/** A code with its meaning, such as `ECONNREFUSED, connection refused`; an unknown code or another text stays as it is. */
export function describeCode(code: string): string {
  const words = wordsFor(code);
  return words === undefined ? code : `${code}, ${words}`;
}

const NO_PORT = 'this machine has no free local port or address for it';

/** Texts for what the system refuses to a connection or datagram; the local port is of its choice. */
const OF_CONNECTIONS: Readonly<Record<string, string | undefined>> = {
  EADDRINUSE: NO_PORT,
  EADDRNOTAVAIL: NO_PORT,
};

function wordsFor(code: string): string | undefined {
  const [, security] = /^ERR_SSL_(.+)$/.exec(code) ?? [];
  return (
    OF_CONNECTIONS[code] ??
    systemReason(code) ??
    WORDS[code] ??
    (code.startsWith('HPE_') ? WORDS.HTTPParserError : undefined) ??
    (security && `TLS failed: ${security.toLowerCase().replaceAll('_', ' ')}`)
  );
}

function isOfListening(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'bind');
}

/** Node's own HTTPS client reports a failure of OpenSSL as `EPROTO`, and its reason in the message. */
function tlsCodeOf(error: Error): string | undefined {
  const [, reason] = codeOf(error) === 'EPROTO' ? (/:SSL routines:[^:]*:([^:]+):/.exec(error.message) ?? []) : [];
  return reason && `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}

const NO_CERTIFICATE = 'a client certificate, which ghostfleet does not have';
const NO_HTTPS = 'the server does not support HTTPS';
const OWN_AUTHORITY = 'set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority';
const UNKNOWN_AUTHORITY = `the server's certificate is not from a known authority; ${OWN_AUTHORITY}`;
const SELF_SIGNED =
  'the server has a self-signed certificate; set NODE_EXTRA_CA_CERTS to the file with this certificate';

const NOT_HTTP = 'the response is not HTTP';

/** Texts for errors of undici, OpenSSL and Node's HTTP parser. */
const WORDS: Readonly<Record<string, string | undefined>> = {
  UND_ERR_SOCKET: systemReason('ECONNRESET'),
  UND_ERR_CONNECT_TIMEOUT: systemReason('ETIMEDOUT'),
  UND_ERR_HEADERS_TIMEOUT: 'connected, but no response in time',
  UND_ERR_BODY_TIMEOUT: 'the response stopped half-way',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is larger than ghostfleet accepts',
  UND_ERR_DESTROYED: 'ghostfleet has closed the connection',
  UND_ERR_INVALID_ARG: 'the path or a header of the request contains a character that is not allowed there',
  HTTPParserError: NOT_HTTP,
  HPE_INVALID_VERSION: `${NOT_HTTP}: its version is not HTTP/1.0 or HTTP/1.1`,
  HPE_INVALID_STATUS: `${NOT_HTTP}: its status is not a number from 100 to 999`,
  HPE_INVALID_HEADER_TOKEN: `${NOT_HTTP}: a header has a character that is not allowed there`,
  HPE_INVALID_CONTENT_LENGTH: `${NOT_HTTP}: its Content-Length is not a number`,
  HPE_UNEXPECTED_CONTENT_LENGTH: `${NOT_HTTP}: it has a second Content-Length, or one beside Transfer-Encoding`,
  HPE_INVALID_TRANSFER_ENCODING: `${NOT_HTTP}: its Transfer-Encoding is not chunked`,
  HPE_INVALID_CHUNK_SIZE: `${NOT_HTTP}: the size of a chunk is not a hexadecimal number`,
  HPE_STRICT: `${NOT_HTTP}: a chunk is longer than its size`,
  HPE_CR_EXPECTED: `${NOT_HTTP}: a line does not end with CR LF`,
  HPE_LF_EXPECTED: `${NOT_HTTP}: a line does not end with CR LF`,
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
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'the server accepts only HTTP/2, and ghostfleet uses HTTP/1.1',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: `the server demands ${NO_CERTIFICATE}`,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: `the server ended the TLS handshake; it may demand ${NO_CERTIFICATE}`,
};
