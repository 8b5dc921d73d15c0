/**
 * Graceful shutdown: rejects new connections, finishes running requests until the time of the service is over, and ends every
 * connection as soon as no request runs on it. A request runs from the end of its body to the end of its answer: the time that a
 * client takes to send the body, or to read the answer, has a shorter limit. {@link Connections.end} ends connections as a crash
 * would instead.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Alarm } from '../../kernel/clock.js';
import { RealClock } from '../../kernel/real-clock.js';
import { millis, seconds } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';

/** How often connections are looked at on which the service waits for the client: those of two looks in a row end. */
const CLIENT_LIMIT = seconds(1);
/** How long {@link Connections.end} waits for the clients, all of which are on this machine. */
const CRASH_LIMIT = millis(250);

/** Answers requests on open connections while the server closes, with a code and a time to retry. Call it before listening. */
export function refuseWhileClosing(api: FastifyInstance): void {
  let closing = false;
  api.addHook('preClose', async () => {
    closing = true;
  });
  api.addHook('onRequest', (_, _reply, done) => {
    done(closing ? new ApiFault(503, 'the service is shutting down; retry later', 'shutting-down') : undefined);
  });
}

/** @param late when it is aborted, the connections of running requests are closed, too */
export async function closeServer(
  api: { close(): PromiseLike<unknown> },
  connections: Connections,
  late: AbortSignal,
): Promise<void> {
  // Real time, because clients are not simulated.
  const patience = new RealClock();
  connections.endWithoutRequest();
  const destroy = () => connections.destroy();
  if (late.aborted) destroy();
  late.addEventListener('abort', destroy, { once: true });
  let next: Alarm | undefined;
  const look = () => {
    connections.endStalled();
    next = patience.after(CLIENT_LIMIT, 'clients that send or read nothing', look);
  };
  look();
  await api.close();
  late.removeEventListener('abort', destroy);
  next?.cancel();
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Open {
  /** From the end of the head until the request is received and the answer is sent. */
  readonly exchanges: Set<Exchange>;
  /** Whether the service only waited for the client at the last look. */
  waited: boolean;
}

/** The open connections of a server, and the requests on each. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Open>();
  #isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { exchanges: new Set(), waited: false });
      socket.once('close', () => this.#open.delete(socket));
      if (this.#isClosing) socket.destroy();
    });
    // A request begins when its head is complete. It has ended when it was received and its answer was sent, so that a client
    // that is still sending does not lose the answer.
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      const exchange = { request, response };
      this.#open.get(socket)?.exchanges.add(exchange);
      const received = new Promise<void>((resolve) => request.once('close', resolve));
      const answered = new Promise<void>((resolve) => response.once('close', resolve));
      void Promise.all([received, answered]).then(() => this.#ended(socket, exchange));
    });
  }

  /** From now on, connections end as soon as no request runs on them: silent ones, and those with a part of a head, at once. */
  endWithoutRequest(): void {
    this.#isClosing = true;
    for (const [socket, { exchanges }] of this.#open) if (exchanges.size === 0) socket.destroySoon();
  }

  /** Ends connections that wait for their client: for the rest of a body, or to read its answer. */
  endStalled(): void {
    for (const [socket, open] of this.#open) {
      const isWaiting = ![...open.exchanges].some(isRunning);
      if (isWaiting && open.waited) socket.destroy();
      open.waited = isWaiting;
    }
  }

  destroy(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /**
   * Ends all connections, and then closes the port. Resolves when the clients have ended the connections too and will not reuse
   * them; the service does not wait longer for a client that keeps its end open.
   */
  async end(): Promise<void> {
    const limit = new RealClock().after(CRASH_LIMIT, 'clients that keep their connections', () => this.destroy());
    const ended = [...this.#open.keys()].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.end();
        }),
    );
    await Promise.all(ended);
    limit.cancel();
    this.#server.close();
  }

  #ended(socket: Socket, exchange: Exchange): void {
    const open = this.#open.get(socket);
    open?.exchanges.delete(exchange);
    if (this.#isClosing && open?.exchanges.size === 0) socket.destroySoon();
  }
}

function isRunning({ request, response }: Exchange): boolean {
  return request.complete && !response.writableEnded;
}
