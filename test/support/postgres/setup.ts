/**
 * Starts the PostgreSQL server shared by the tests as soon as the first test asks for its address; see vitest.config.ts. The
 * requests come through a socket, because the tests run in several processes.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './server.js';

/** Address of the server, or the reason why it did not start; see `sharedServer`. */
export type SharedServer = { readonly url: string } | { readonly problem: string };

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port on 127.0.0.1 that answers a connection with a {@link SharedServer}. */
    readonly postgres: number;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    server ??= startPostgres();
    // A problem is reported only to the tests that need the server: all others can run.
    void server
      .then(
        ({ url }): SharedServer => ({ url }),
        (error): SharedServer => ({ problem: error instanceof Error ? error.message : String(error) }),
      )
      .then((answer) => socket.end(JSON.stringify(answer)));
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  // The cast is safe because a server that listens on a port has such an address.
  project.provide('postgres', (door.address() as AddressInfo).port);
  return async () => {
    door.close();
    await server?.then(
      (started) => started.stop(),
      () => {},
    );
  };
}
