/** Passes requests of the console on to the cloud of the run, so that the page needs only one origin for the console and the cloud. */
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { request as sendEncrypted } from 'node:https';
import { SAFE_HEADERS } from '../cloud/http/host-guard.js';
import { endWithClient, whenOver } from '../cloud/http/sockets.js';
import { limitInterim } from '../kernel/interim-responses.js';
import { type Millis, seconds } from '../kernel/time.js';

/** Headers of one connection, which are not passed on (RFC 9110, 7.6.1); this server has already answered `Expect`. */
const OF_HOP = 'connection expect keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' ');

/** Time until the head of an answer: a cloud that is slower than this is down. */
const LONGEST_WAIT: Millis = seconds(60);

/** Where requests go. */
export interface Destination {
  readonly url: URL;
  /** Prefix of all paths there. Default: none */
  readonly prefix?: string;
  /**
   * Headers with which the run signs in there. Then the cloud gets nothing that identifies the browser or its page, and sets no
   * cookies. Default: the browser signs in itself
   */
  readonly credentials?: Readonly<Record<string, string>>;
}

/**
 * Each request has a connection of its own: on a shared one, bytes of one user could become a part of the next user's request.
 * @param body replaces the body of the request
 * @param answered called with the head of the answer before it is sent
 */
export function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { url: { protocol, hostname, host, port }, prefix = '', credentials }: Destination,
  { body, answered }: { readonly body?: string; readonly answered?: (answer: IncomingMessage) => void } = {},
): void {
  const { method, url = '/' } = request;
  const headers = credentials
    ? { ...pick(endToEnd(request.headers), (name) => !OF_BROWSER.includes(name)), host, ...credentials }
    : endToEnd(request.headers);
  if (body !== undefined) {
    headers['content-length'] = String(Buffer.byteLength(body));
    // The caller reads the answer, too.
    headers['accept-encoding'] = 'identity';
  }
  // Without it, Node.js sends the body of a DELETE without any framing.
  else if ('transfer-encoding' in request.headers) headers['transfer-encoding'] = 'chunked';
  const isEncrypted = protocol === 'https:';
  const options = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    method,
    path: prefix + url,
    headers,
    agent: false,
    timeout: LONGEST_WAIT,
  };
  const outgoing = isEncrypted ? sendEncrypted(options) : send(options);
  limitInterim(outgoing);
  // A stream of events can be silent for longer.
  outgoing.on('timeout', () => response.headersSent || outgoing.destroy());
  outgoing.on('upgrade', (_, socket) => {
    socket.destroy();
    fail(response);
  });
  outgoing.on('response', (answer) => {
    const { statusCode = 0 } = answer;
    // Node.js accepts such a status of a server, but sends none.
    if (statusCode < 100) {
      answer.destroy();
      return fail(response);
    }
    answered?.(answer);
    const head = credentials ? onlyData(answer.headers) : endToEnd(answer.headers);
    for (const [name, value] of Object.entries(head)) {
      // The date of every answer is that of this server.
      if (value !== undefined && name !== 'date') response.setHeader(name, value);
    }
    if (answer.headers['content-type']?.startsWith('text/event-stream')) endWithClient(response);
    response.writeHead(statusCode);
    // The head is sent at once, because the first event of a stream may come much later.
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  outgoing.on('error', () => fail(response));
  // The client has disconnected: a stream of events would not end by itself.
  whenOver(response, () => outgoing.destroy());
  if (body === undefined) request.pipe(outgoing);
  else outgoing.end(body);
}

/** Headers about the browser and its page, which belong to this port. */
const OF_BROWSER =
  'cookie origin referer authorization x-api-key sec-fetch-site sec-fetch-mode sec-fetch-dest sec-fetch-user'.split(
    ' ',
  );

/** Headers of another cloud that describe its data. Others could clear the session of this port, or open it for other pages. */
const OF_DATA = 'content-type content-length content-encoding etag last-modified location retry-after vary'.split(' ');

/** The headers of an answer of another cloud, as one that no browser shows as a page of this port. */
function onlyData(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return {
    ...pick(headers, (name) => OF_DATA.includes(name) || name.startsWith('x-')),
    ...SAFE_HEADERS,
    'content-security-policy': "sandbox; default-src 'none'",
  };
}

function pick(headers: IncomingHttpHeaders, isKept: (name: string) => boolean): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isKept(name)));
}

/** Headers that `Connection` cannot take away: the body would lose its end, and the request its host, origin and user. */
const OF_REQUEST = 'content-length host origin cookie authorization x-api-key sec-fetch-site'.split(' ');

/** The headers without those of this connection only: {@link OF_HOP}, and those that `Connection` names. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const named = listed.filter((name) => !OF_REQUEST.includes(name));
  return pick(headers, (name) => !OF_HOP.includes(name) && !named.includes(name));
}

function fail(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const fault = {
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'the cloud of the run is down',
    code: 'down',
  };
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' });
  response.end(JSON.stringify(fault));
}
