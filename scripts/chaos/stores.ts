/** The stores of the crash test. With PostgreSQL, the database keeps running; only the service is killed. */
import { join } from 'node:path';
import { startPostgres } from '../../test/support/postgres/server.js';

export interface TestedStore {
  /** Value of the option `--db` of `serve`. */
  readonly db: string;
  close(): Promise<void>;
}

export async function openStoreFor(name: string, directory: string): Promise<TestedStore> {
  switch (name) {
    case 'sqlite':
      return { db: join(directory, 'cloud.db'), close: async () => {} };
    case 'postgres': {
      const server = await startPostgres({ durable: true });
      return { db: server.url, close: () => server.stop() };
    }
    default:
      throw new Error(`store "${name}" is not "sqlite" or "postgres"`);
  }
}
