/**
 * Graceful shutdown: rejects new connections, finishes running requests within a time limit, and ends every connection as soon
 * as no request runs on it. {@link Connections.end} ends connections as a crash would instead.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { RealClock } from '../../kernel/real-clock.js';
import { seconds } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';

/** How long running requests may take before their connections are closed. In real time, because clients are not simulated. */
const REQUEST_LIMIT = seconds(10);

/**
 * Answers requests that arrive on open connections while the server is closing: the framework's own answer has neither a
 * code nor the time after which to retry. Call it before the API listens.
 */
export function refuseWhileClosing(api: FastifyInstance): void {
  let closing = false;
  api.addHook('preClose', async () => {
    closing = true;
  });
  api.addHook('onRequest', (_, _reply, done) => {
    done(closing ? new ApiFault(503, 'the service is shutting down; retry later', 'shutting-down') : undefined);
  });
}

export async function closeServer(api: FastifyInstance, connections: Connections): Promise<void> {
  connections.endWithoutRequest();
  const alarm = new RealClock().after(REQUEST_LIMIT, 'running requests', () => connections.destroy());
  await api.close();
  alarm.cancel();
}

/** The open connections of a server, and how many requests run on each. */
export class Connections {
  readonly #running = new Map<Socket, number>();
  #isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#running.set(socket, 0);
      socket.once('close', () => this.#running.delete(socket));
      if (this.#isClosing) socket.destroy();
    });
    // A request begins when its head is complete. It has ended when it was received and its answer was sent, so that a client
    // that is still sending does not lose the answer.
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request;
      this.#count(socket, 1);
      const received = new Promise<void>((resolve) => request.once('close', resolve));
      const answered = new Promise<void>((resolve) => response.once('close', resolve));
      void Promise.all([received, answered]).then(() => this.#count(socket, -1));
    });
  }

  /** From now on, connections end as soon as no request runs on them: silent ones, and those with a part of a head, at once. */
  endWithoutRequest(): void {
    this.#isClosing = true;
    for (const [socket, running] of this.#running) if (running === 0) socket.destroySoon();
  }

  destroy(): void {
    for (const socket of this.#running.keys()) socket.destroy();
  }

  /** Ends all connections; resolves when their clients have ended them too and will not reuse them. */
  async end(): Promise<void> {
    const ended = [...this.#running.keys()].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.end();
        }),
    );
    await Promise.all(ended);
  }

  #count(socket: Socket, by: 1 | -1): void {
    const running = this.#running.get(socket);
    if (running === undefined) return;
    this.#running.set(socket, running + by);
    if (this.#isClosing && running + by === 0) socket.destroySoon();
  }
}
