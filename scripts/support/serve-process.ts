/** `ghostfleet serve` in a separate process, which scripts may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { program } from './program.js';

export interface Ports {
  readonly http: number;
  readonly udp: number;
  readonly udpRaw: number;
  readonly udpDtls: number;
}

export interface ServeProcess {
  readonly api: string;
  readonly spaceId: string;
  readonly ports: Ports;
  readonly pid: number;
  readonly alive: boolean;
  /** Output on its stderr. */
  readonly complaints: string;
  /** Resolves when the process has ended, with its exit code; null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export const FREE_PORTS: Ports = { http: 0, udp: 0, udpRaw: 0, udpDtls: 0 };

/** The key of services with PostgreSQL, which have no key file. */
const SECRETS_KEY = '5'.repeat(64);

/**
 * Resolves when the service accepts requests. Port 0 means any free port.
 * @param main path of the program; default: built from the sources
 */
export async function startServe(
  args: readonly string[],
  { http, udp, udpRaw, udpDtls }: Ports = FREE_PORTS,
  env: Readonly<Record<string, string>> = {},
  main = program(),
): Promise<ServeProcess> {
  const datagrams = ['--udp-port', udp, '--udp-raw-port', udpRaw, '--udp-dtls-port', udpDtls];
  const ports = ['--port', http, ...datagrams].map(String);
  const isShared = args.some((arg) => arg.startsWith('postgres:') || arg.startsWith('postgresql:'));
  const child = spawn(process.execPath, [main, 'serve', '--json', '--log-level', 'error', ...ports, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...(isShared && { GHOSTFLEET_SECRETS_KEY: SECRETS_KEY }), ...process.env, ...env },
  });
  let complaints = '';
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const hello = JSON.parse(line);
    return {
      api: hello.api,
      spaceId: hello.spaceId,
      ports: { http: Number(new URL(hello.api).port), udp: hello.udp, udpRaw: hello.udpRaw, udpDtls: hello.udpDtls },
      pid: child.pid ?? 0,
      get alive() {
        return isAlive(child);
      },
      get complaints() {
        return complaints;
      },
      end: (signal) => end(child, signal),
    };
  }
  throw new Error(`the service did not start: ${complaints}`);
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((resolve) => {
    if (!isAlive(child)) return resolve(child.exitCode);
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}
