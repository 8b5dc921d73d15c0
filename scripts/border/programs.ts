/** Programs from Debian that the checks run: finding, installing and starting them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';

const PACKAGES = ['nginx-light', 'haproxy', 'pgbouncer', 'postgresql', 'openssl'];
/** Packages put servers into folders that are not in every user's PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];

/** The path of a program; undefined if it is not installed. */
export function programAt(name: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

/** The folder of PostgreSQL's programs, as Debian installs them; undefined if they are not installed. */
export function postgresPrograms(): string | undefined {
  const versions = Array.from({ length: 20 }, (_, n) => `/usr/lib/postgresql/${30 - n}/bin`);
  return versions.find((folder) => existsSync(`${folder}/initdb`));
}

/** Installs the missing programs. Returns the reason if they cannot be installed. */
export function install(): string | undefined {
  const isComplete = ['nginx', 'haproxy', 'pgbouncer', 'openssl'].every(programAt) && postgresPrograms() !== undefined;
  if (isComplete) return undefined;
  if (programAt('apt-get') === undefined) return 'this system has no apt-get';
  if (process.getuid?.() !== 0) return 'only root can install packages';
  // With this run level, the packages do not start their services.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', ...PACKAGES]]) {
    const { status, stderr } = spawnSync('apt-get', ['-q', ...words], { env, encoding: 'utf8' });
    if (status !== 0) return `apt-get ${words[0]} failed: ${stderr.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

export interface Running {
  /** What the program has written so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a server; resolves when its port accepts connections. @throws Error with its output if it ends before */
export async function start(command: string, words: readonly string[], port: number, uid?: number): Promise<Running> {
  const child: ChildProcess = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const ended = once(child, 'exit');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!(await accepts(port))) {
    if (hasEnded()) throw new Error(`${command} ended: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    output: () => output,
    stop: async () => {
      if (!hasEnded()) child.kill('SIGINT');
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

/** A port that no program uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
