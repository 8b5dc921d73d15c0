/** Closing time. Normally there are no new connections, requests that are under way are finished, and there is an end to patience. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { seconds } from '../../kernel/time.js';

/** How long requests that are under way may take. */
const LAST_ORDERS = seconds(10);
/** How often connections are looked for whose last request is finished, and which would stay open for another one. */
const ROUND = 50;

export async function closeServer(api: FastifyInstance, clock: Clock): Promise<void> {
  const deadline = clock.now + LAST_ORDERS;
  let next: Alarm | undefined;
  const look = () => {
    if (clock.now < deadline) api.server.closeIdleConnections();
    else api.server.closeAllConnections();
    next = clock.after(ROUND, 'requests under way', look);
  };
  look();
  await api.close();
  next?.cancel();
}

/** The connections of a server, to break them off as a crash would. */
export class Connections {
  readonly #open = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  /** Ends them all; resolves when the other ends have ended theirs, too: they will not use them again. */
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
