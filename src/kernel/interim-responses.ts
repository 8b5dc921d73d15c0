/** Interim responses of Node's own client, which accepts as many as a server sends. */
import type { ClientRequest } from 'node:http';

/** Most interim responses before an answer. Servers send one or two, or one each few seconds. */
const MOST_INTERIM = 100;

/** Ends a request that gets more interim responses (RFC 9110, 15.2). */
export function limitInterim(request: ClientRequest): void {
  let count = 0;
  request.on('information', () => {
    count++;
    if (count > MOST_INTERIM) request.destroy(new Error('too many interim responses'));
  });
}
