/** Limits of connections: their number, requests of each, the time for a request to arrive, and what a client's end means. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Clock } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import { minutes, seconds } from '../../kernel/time.js';
import { networkOf } from './addresses.js';

/** Time within which the head of a request, and also the whole request, must arrive. */
const ARRIVAL = seconds(15);

/** Options for every HTTP server. */
export const HTTP_LIMITS = {
  // Clients close idle connections earlier than this. So the server does not close a connection on which a request is arriving.
  keepAliveTimeout: seconds(75),
  requestTimeout: ARRIVAL,
  headersTimeout: ARRIVAL,
  connectionsCheckingInterval: seconds(2),
  maxHeaderSize: 16_384,
} as const;

/** Most unanswered requests of a connection. Browsers and common clients wait for the answer before the next request. */
const MOST_UNANSWERED = 32;

/** How long a rejected request may continue to send its body, which is read and discarded. */
const LINGER = seconds(1);

/** How long a connection may go on whose client has closed its sending half. */
const HALF_CLOSED = minutes(2);

/**
 * Lets clients close their sending half after a request and still get the answer (RFC 9112, 9.6). A client that is gone looks
 * the same, so the connection ends with the answer, or {@link HALF_CLOSED} later.
 */
export function answerHalfClosed(server: Server, patience: Pick<Clock, 'after'> = new RealClock()): void {
  // Node's types do not know this property. Without it, Node closes the connection at once.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const alarm = patience.after(HALF_CLOSED, 'an answer to a client that sends no more', () => socket.destroy());
      socket.once('close', () => alarm.cancel());
    });
  });
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

/** The requests of a connection that are not over, in the order of their arrival, and what is called when each is over. */
const unanswered = new WeakMap<Socket, Map<ServerResponse, (() => void)[]>>();

function unansweredAt(socket: Socket): Map<ServerResponse, (() => void)[]> {
  const known = unanswered.get(socket);
  if (known) return known;
  const requests = new Map<ServerResponse, (() => void)[]>();
  unanswered.set(socket, requests);
  socket.once('close', () => {
    for (const response of requests.keys()) end(requests, response);
  });
  return requests;
}

function end(requests: Map<ServerResponse, (() => void)[]>, response: ServerResponse): void {
  const all = requests.get(response) ?? [];
  requests.delete(response);
  for (const over of all) over();
}

/** Calls `over` once the answer is sent or the connection gone; Node emits no `close` for answers that wait. */
export function whenOver(response: ServerResponse, over: () => void): void {
  const { socket } = response.req;
  // A request that a test injects has no connection.
  if (!(socket instanceof Socket)) {
    response.once('close', over);
    return;
  }
  const requests = unansweredAt(socket);
  const known = requests.get(response);
  if (known) {
    known.push(over);
    return;
  }
  requests.set(response, [over]);
  response.once('close', () => end(requests, response));
  if (socket.closed) end(requests, response);
}

/** Whether to ignore a request and close its connection: more than {@link MOST_UNANSWERED}. Call it before `whenOver`. */
export function isFlood({ req: { socket } }: ServerResponse): boolean {
  if (!(socket instanceof Socket)) return false;
  if (unansweredAt(socket).size >= MOST_UNANSWERED) socket.destroy();
  return socket.destroyed;
}

/** Resolves when the connection's earlier requests are over; false if it is gone. Answers have the order of requests. */
export async function inTurn(response: ServerResponse): Promise<boolean> {
  const { socket } = response.req;
  const before = [...unansweredAt(socket).keys()].at(-1);
  whenOver(response, () => {});
  if (before) await new Promise<void>((resolve) => whenOver(before, resolve));
  return !socket.destroyed;
}

/**
 * Limits the number of connections of the whole server, and of each network ({@link networkOf}). A further connection of a
 * network with too many is closed immediately. If the server has too many, the network with the most gives up the oldest
 * connection on which it waits for no answer. So a few networks that hold idle connections do not keep others out.
 * @param isProxy whether an address belongs to a proxy, whose connections carry the requests of many callers
 */
export function limitConnections(
  server: Server,
  most: { readonly all: number; readonly each: number },
  isProxy: (address: string) => boolean = () => false,
): void {
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
      own.delete(socket);
      if (own.size === 0) open.delete(caller);
    });
  });
}

/**
 * Closes the oldest idle connection of the network that has the most.
 * @param own how many connections the network has that wants another one
 * @returns false if no network has more than that, or each of its connections waits for an answer
 */
function makeRoom(open: ReadonlyMap<string, ReadonlySet<Socket>>, own: number): boolean {
  let largest: ReadonlySet<Socket> = new Set();
  for (const sockets of open.values()) if (sockets.size > largest.size) largest = sockets;
  if (largest.size <= own) return false;
  for (const socket of largest) {
    if (socket.destroyed || unansweredAt(socket).size > 0) continue;
    socket.destroy();
    return true;
  }
  return false;
}
