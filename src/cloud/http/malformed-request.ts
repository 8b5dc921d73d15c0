/** Answers what is not an HTTP request: Node's parser refuses it before a route, and the error handler of the API, see it. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { minutes } from '../../kernel/time.js';
import { ApiFault, errorBody } from './errors.js';
import { isAnswering } from './sockets.js';

/** An error of Node's parser. */
interface ParserError extends Error {
  readonly code?: string;
  /** The parser's own words, without content of the request. */
  readonly reason?: string;
  /** The bytes in which the parser failed: a Buffer, which Fastify's type does not know. */
  readonly rawPacket?: unknown;
}

/** Time between two lines of the log: a wrongly configured proxy sends thousands of such requests. */
const BETWEEN_LINES = minutes(1);

/** Returns a handler of what the parser refuses. It logs the reason, but no content of a request. */
export function malformedRequestHandler({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  let lastLine = Number.NEGATIVE_INFINITY;
  let refused = 0;
  return (error: ParserError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const fault = faultOf(error);
    if (socket.writable && !isAnswering(socket)) socket.write(answerOf(fault));
    const { remoteAddress: from } = socket;
    socket.destroy(error);
    // Browsers open connections in advance, and send nothing on some.
    if (fault.statusCode === 408) return;
    refused++;
    if (clock.now - lastLine < BETWEEN_LINES) return;
    log.warn({ why: fault.message, code: error.code, from, refused }, 'a request is not valid HTTP');
    lastLine = clock.now;
    refused = 0;
  };
}

function faultOf({ code, reason, rawPacket }: ParserError): ApiFault {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiFault(408, 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiFault(431, 'the headers of the request are too large');
  return new ApiFault(400, complaint(code, reason, rawPacket), 'malformed-request');
}

/** The first bytes of a TLS connection: a handshake, version 3.x. */
const TLS = Buffer.of(22, 3);

/** The first bytes of the PROXY protocol, versions 1 and 2. */
const PROXY = [Buffer.from('PROXY '), Buffer.from('\r\n\r\n\0\r\nQUIT\n')];

function complaint(code: string | undefined, reason: string | undefined, packet: unknown): string {
  const bytes = Buffer.isBuffer(packet) ? packet : Buffer.alloc(0);
  const beginsWith = (known: Buffer) => bytes.subarray(0, known.length).equals(known);
  if (beginsWith(TLS))
    return 'the connection begins with TLS, but this port serves plain HTTP: use http:// in the address';
  if (PROXY.some(beginsWith)) {
    return 'the connection begins with a header of the PROXY protocol, which this port does not support: turn it off in the proxy';
  }
  if (code === 'HPE_INVALID_EOF_STATE') {
    return 'the connection ended before the request was complete: its head is cut off, or its body is shorter than announced';
  }
  return `the request is not valid HTTP: ${reason ?? 'it cannot be parsed'}`;
}

function answerOf(fault: ApiFault): string {
  const body = JSON.stringify(errorBody(fault));
  return [
    `HTTP/1.1 ${fault.statusCode} ${STATUS_CODES[fault.statusCode]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
