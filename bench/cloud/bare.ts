/**
 * Starts bare servers for comparison, each in a separate process. A bare server does only the unavoidable part of the cloud's
 * work.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { buildSync } from 'esbuild';
import { cpuOf } from './processes.js';

export interface BareServer {
  readonly port: number;
  /** CPU time that it has used so far, in ms. */
  cpu(): number;
  end(): Promise<void>;
}

/** @param name name of a file in `bench/`, such as `cloud/bare-udp`; the program prints its port in the first line */
export async function startBare(name: string, ...args: readonly string[]): Promise<BareServer> {
  const outfile = `.bench/out/${name}.js`;
  const entryPoints = [`bench/${name}.ts`];
  buildSync({ entryPoints, outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
  const child: ChildProcess = spawn(process.execPath, [outfile, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const end = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  const cpu = () => cpuOf(child.pid ?? 0);
  if (child.stdout) {
    for await (const line of createInterface({ input: child.stdout })) return { port: Number(line), cpu, end };
  }
  throw new Error(`${name} did not start`);
}
