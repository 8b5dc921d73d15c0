/** Starts the server that the tests share, before the first of them; see vitest.config.ts. */
import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the server, or why there is none; see `sharedServer`. */
    readonly postgres: { readonly url: string } | { readonly problem: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: PostgresServer | undefined;
  try {
    server = await startPostgres();
    project.provide('postgres', { url: server.url });
  } catch (error) {
    // For the tests that need it: all others can run.
    project.provide('postgres', { problem: error instanceof Error ? error.message : String(error) });
  }
  return async () => server?.stop();
}
