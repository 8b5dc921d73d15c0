/** A real PostgreSQL server for tests, on a free port, with its data in a temporary directory; see keeper.ts. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from './keeper.js';

export interface PostgresServer {
  /** Address of an empty database, with user and password. */
  readonly url: string;
  /** Kills the server as a power failure would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** @param options.durable whether commits wait for the disk, as in production */
export async function startPostgres(options: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
  // The path does not depend on this file, because this file may be a part of a bundle.
  const script = join('test', 'support', 'postgres', 'keeper.ts');
  // Detached, so that Ctrl-C does not reach the keeper, which still has to clean up.
  const keeper = fork(script, options.durable ? ['--durable'] : [], { execArgv: ['--import', 'tsx'], detached: true });
  const url = await nextReport(keeper);
  return {
    url,
    async crash() {
      keeper.send('crash');
      await nextReport(keeper);
    },
    async stop() {
      if (keeper.exitCode !== null) return;
      keeper.disconnect();
      await once(keeper, 'exit');
    },
  };
}

function nextReport(keeper: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`these tests need PostgreSQL, and it did not start: ${why}`));
    const ended = () => fail('its keeper ended at once');
    keeper.once('exit', ended);
    keeper.once('message', (report: Report) => {
      keeper.off('exit', ended);
      if ('url' in report) resolve(report.url);
      else fail(report.error);
    });
  });
}
