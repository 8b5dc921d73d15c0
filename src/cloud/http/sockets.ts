/** HTTP servers with limits: connections, requests of each, the time to arrive and to be received; and what a client's end means. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import { endOfTurn } from '../../kernel/real-timers.js';
import { minutes, seconds } from '../../kernel/time.js';
import { networkOf } from './addresses.js';
import { ApiFault, errorBody } from './errors.js';

/** Time within which the head of a request, and also the whole request, must arrive. */
const ARRIVAL = seconds(15);

const OPTIONS = {
  // Clients close idle connections earlier than this. So the server does not close a connection on which a request is arriving.
  keepAliveTimeout: seconds(75),
  requestTimeout: ARRIVAL,
  headersTimeout: ARRIVAL,
  connectionsCheckingInterval: seconds(2),
  maxHeaderSize: 16_384,
  // Node would refuse it itself, and all such requests of a read at once.
  requireHostHeader: false,
} as const;

/** Most unanswered requests of a connection. Browsers and common clients wait for the answer before the next request. */
const MOST_UNANSWERED = 32;

/**
 * Most pieces of bodies in one read of a connection, which takes at most 64 KiB. Each piece costs as much as a buffer and a call,
 * also one of a single byte: 11,000 chunks of one byte fit into a read.
 */
const MOST_PIECES = 1000;

/** How long a rejected request may continue to send its body, which is read and discarded. */
const LINGER = seconds(1);

/** How long a connection may go on whose client has closed its sending half. */
const HALF_CLOSED = minutes(2);

/**
 * How long a client may take nothing of an answer. The operating system reports what a client has taken only in steps of a third
 * of its buffer: on a line with 1 kB/s, each step takes up to a minute.
 */
const RECEIVING = minutes(2);

export interface ServerLimits {
  /** Most connections in all, and of each network ({@link networkOf}). */
  readonly connections: { readonly all: number; readonly each: number };
  /** Whether an address belongs to a proxy, whose connections carry the requests of many callers. Default: no address does. */
  readonly isProxy?: ((address: string) => boolean) | undefined;
  /** Default: real time. */
  readonly patience?: Pick<Clock, 'after'>;
}

/**
 * A server that handles the requests of a connection one after another: the next one begins when the answer before it was
 * received. So a client that does not read its answers occupies the service with one request for each connection.
 */
export function limitedServer(handle: RequestListener, limits: ServerLimits): Server {
  const server = createServer(OPTIONS);
  const serve: RequestListener = (request, response) => serveInTurn(request, response, handle);
  server.on('request', serve);
  // Without a listener, Node refuses it itself.
  server.on('checkExpectation', serve);
  limitConnections(server, limits);
  limitPieces(server);
  answerHalfClosed(server, limits.patience ?? new RealClock());
  server.timeout = RECEIVING;
  server.on('timeout', (socket: Socket) => {
    if (waitsForClient(socket)) socket.destroy();
  });
  return server;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** By connection: the request that is handled, and those that wait behind it. */
const lines = new WeakMap<Socket, Exchange[]>();

function serveInTurn(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
  const { socket } = request;
  const line = lines.get(socket) ?? [];
  lines.set(socket, line);
  if (line.length >= MOST_UNANSWERED) {
    stopParsing(socket);
    socket.destroy();
    return;
  }
  if (line.push({ request, response }) === 1) serveFirst(line, handle);
}

/** What Node's types do not know of the parser of a connection, which other connections of the process use before and after. */
interface Parser {
  readonly socket: Socket | null;
  onIncoming?: (request: { upgrade: boolean }) => number;
  /** Contains the number of the property that is called with each piece of a body. */
  readonly constructor: { readonly kOnBody: number };
  [handler: number]: ((this: Parser, piece: Buffer) => void) | undefined;
}

function parserOf(socket: Socket): Parser | undefined {
  return (socket as { parser?: Parser | null }).parser ?? undefined;
}

/** A closed connection does not stop Node.js from parsing what has arrived: thousands of small requests. */
function stopParsing(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser === undefined) return;
  parser.onIncoming = (request) => {
    // Otherwise a CONNECT gives the parser to another connection before this one is closed.
    request.upgrade = false;
    // The result ends the work of the parser, as the head of an upgrade does.
    return 2;
  };
}

/** By connection of a limited server: the pieces since the last read. */
const counts = new WeakMap<Socket, { read: number; pieces: number }>();

/** What Node.js does with a piece of a body. */
let passOn: Parser[number];

/** Closes a connection with more than {@link MOST_PIECES}, also while a body without a reader is discarded. */
function limitPieces(server: Server): void {
  server.on('connection', (socket: Socket) => {
    const parser = parserOf(socket);
    if (parser === undefined) return;
    const { kOnBody } = parser.constructor;
    passOn ??= parser[kOnBody];
    counts.set(socket, { read: 0, pieces: 0 });
    // It stays when another connection takes the parser, and so it holds nothing of this one.
    parser[kOnBody] = countPiece;
  });
}

function countPiece(this: Parser, piece: Buffer): void {
  const { socket } = this;
  const count = socket ? counts.get(socket) : undefined;
  if (!socket || !count) return passOn?.call(this, piece);
  if (socket.bytesRead !== count.read) Object.assign(count, { read: socket.bytesRead, pieces: 0 });
  count.pieces++;
  if (count.pieces <= MOST_PIECES) return passOn?.call(this, piece);
  const { kOnBody } = this.constructor;
  // Without it, the parser goes through the rest of the read without calls. The connection keeps the parser until it is closed.
  this[kOnBody] = undefined;
  socket.once('close', () => {
    this[kOnBody] = countPiece;
  });
  stopParsing(socket);
  socket.destroy();
}

function serveFirst(line: Exchange[], handle: RequestListener): void {
  const [first] = line;
  if (!first || first.request.socket.destroyed) return;
  first.response.once('close', () => {
    // Not in this turn: an answer can end while its read is still parsed, so that no request of it would count as unanswered.
    void endOfTurn().then(() => {
      line.shift();
      serveFirst(line, handle);
    });
  });
  const fault = faultOf(first.request);
  if (fault) refuse(first.response, fault);
  else handle(first.request, first.response);
}

/** What is wrong with a request for each server of HTTP/1.1 (RFC 9112, 3.2, and RFC 9110, 10.1.1). */
function faultOf({ httpVersion, headers: { host, expect } }: IncomingMessage): ApiFault | undefined {
  if (host === undefined && httpVersion === '1.1') return new ApiFault(400, 'the request has no header "Host"');
  const isKnown = expect === undefined || /^100-continue$/i.test(expect);
  return isKnown ? undefined : new ApiFault(417, 'the only known value of the header "Expect" is "100-continue"');
}

function refuse(response: ServerResponse, fault: ApiFault): void {
  response.writeHead(fault.statusCode, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
  response.end(JSON.stringify(errorBody(fault)));
}

/** Whether an answer is due, or a part of it was sent: the client would take another answer for this one, or for a part of it. */
export function isAnswering(socket: Socket): boolean {
  return lines.get(socket)?.some(({ request, response }) => request.complete || response.headersSent) ?? false;
}

/** Whether a connection is idle, or has an answer that its client does not take. */
function waitsForClient(socket: Socket): boolean {
  return !lines.get(socket)?.length || socket.writableLength > 0;
}

/**
 * Lets clients close their sending half after a request and still get the answer (RFC 9112, 9.6). A client that is gone looks
 * the same, so the connection ends with the answer, or {@link HALF_CLOSED} later.
 */
function answerHalfClosed(server: Server, patience: Pick<Clock, 'after'>): void {
  // Node's types do not know this property. Without it, Node closes the connection at once.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const alarm = patience.after(HALF_CLOSED, 'an answer to a client that sends no more', () => socket.destroy());
      socket.once('close', () => alarm.cancel());
    });
  });
}

/** Calls `over` once the answer was sent, or the connection is gone. */
export function whenOver(response: ServerResponse, over: () => void): void {
  if (response.closed) over();
  else response.once('close', over);
}

/** Call it when an answer begins that lasts as long as its client wants: it ends when the client closes its sending half. */
export function endWithClient(response: ServerResponse): void {
  const { socket } = response.req;
  // A request that a test injects has no connection.
  if (!(socket instanceof Socket)) return;
  const end = () => socket.destroySoon();
  socket.once('end', end);
  response.once('close', () => socket.off('end', end));
}

/** Closes the connection if a request still arrives {@link LINGER} after its answer: at once, the answer could be lost. */
export function closeHalfOpen(request: IncomingMessage, patience: Clock): void {
  const { socket } = request;
  // A request that a test injects has no connection.
  if (request.complete || !(socket instanceof Socket) || socket.destroyed) return;
  const alarm = patience.after(LINGER, 'the rest of a rejected request', () => {
    if (!request.complete) socket.destroy();
  });
  request.once('close', () => alarm.cancel());
}

/**
 * Limits the number of connections of the whole server, and of each network. A further connection of a network with too many is
 * closed immediately. If the server has too many, the network with the most gives up the oldest connection on which the server
 * waits for the client. So a few networks that hold idle connections, or read no answers, do not keep others out.
 */
function limitConnections(server: Server, { connections: most, isProxy = () => false }: ServerLimits): void {
  const open = new Map<string, Set<Socket>>();
  let all = 0;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const caller = networkOf(remoteAddress);
    const own = open.get(caller) ?? new Set();
    const ofProxy = isProxy(remoteAddress);
    const isWelcome = ofProxy || own.size < most.each;
    if (!isWelcome || (all >= most.all && !makeRoom(open, own.size))) {
      socket.destroy();
      return;
    }
    all += 1;
    if (!ofProxy) open.set(caller, own.add(socket));
    socket.once('close', () => {
      all -= 1;
      if (own.delete(socket) && own.size === 0) open.delete(caller);
    });
  });
}

/**
 * Closes the oldest connection of the network that has the most on which the server waits for the client.
 * @param own how many connections the network has that wants another one
 * @returns false if no network has more than that, or each of its connections waits for the server
 */
function makeRoom(open: ReadonlyMap<string, ReadonlySet<Socket>>, own: number): boolean {
  let largest: ReadonlySet<Socket> = new Set();
  for (const sockets of open.values()) if (sockets.size > largest.size) largest = sockets;
  if (largest.size <= own) return false;
  for (const socket of largest) {
    if (socket.destroyed || !waitsForClient(socket)) continue;
    socket.destroy();
    return true;
  }
  return false;
}
