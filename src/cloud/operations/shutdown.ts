/** Closing time: no new connections, requests that are under way are finished, and there is an end to patience. */
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
