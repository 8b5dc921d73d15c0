/** Starts a server that serves a known number of requests a second. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The server is a process of its own, so that it takes no time from the process that measures it. */
export async function limitedServer(perSecond: number) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/prove/limited-server.ts', String(perSecond)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, cloud: JSON.parse(line) as { readonly api: string; readonly apiKey: string } };
  }
  throw new Error('the server did not start');
}
