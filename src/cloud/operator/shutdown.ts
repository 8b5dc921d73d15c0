/**
 * Graceful shutdown: rejects new connections and finishes running requests within a time limit. {@link Connections} ends
 * connections as a crash would instead.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { seconds } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';

/** How long running requests may take before their connections are closed. */
const REQUEST_LIMIT = seconds(10);
/** Interval in milliseconds for closing idle connections, which keep-alive would keep open. */
const ROUND = 50;

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

export async function closeServer(api: FastifyInstance, clock: Clock): Promise<void> {
  const deadline = clock.now + REQUEST_LIMIT;
  let next: Alarm | undefined;
  const look = () => {
    if (clock.now < deadline) api.server.closeIdleConnections();
    else api.server.closeAllConnections();
    next = clock.after(ROUND, 'running requests', look);
  };
  look();
  await api.close();
  next?.cancel();
}

/** The open connections of a server, to close them as a crash would. */
export class Connections {
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Ends all connections; resolves when their clients have ended them too and will not reuse them. */
  async end(): Promise<void> {
    const ended = [...this.#open].map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('close', () => resolve());
          socket.end();
        }),
    );
    await Promise.all(ended);
  }
}
