/** A real PgBouncer in front of a PostgreSQL server, with its default settings except the pool mode. */
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, programAt, type Running, start } from './programs.js';

export interface Bouncer extends Running {
  /** Address of the database through PgBouncer. */
  readonly url: string;
}

/** PgBouncer refuses to run as root; root runs it as a user without rights. */
const UNPRIVILEGED = 65_534;

/** @param more further settings, one a line */
export async function startBouncer(
  database: string,
  mode: 'session' | 'transaction' | 'statement',
  more = '',
): Promise<Bouncer> {
  const { hostname, port, username, password, pathname } = new URL(database);
  const folder = mkdtempSync(join(tmpdir(), 'gf-pgbouncer-'));
  const own = await freePort();
  const secret = decodeURIComponent(password);
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${secret}"\n`);
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${own}`, 'unix_socket_dir =', `auth_file = ${folder}/users.txt`],
    ...['auth_type = scram-sha-256', `pool_mode = ${mode}`, more],
  ];
  writeFileSync(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  const isRoot = process.getuid?.() === 0;
  for (const path of [folder, join(folder, 'users.txt'), join(folder, 'pgbouncer.ini')]) {
    if (isRoot) chownSync(path, UNPRIVILEGED, UNPRIVILEGED);
    chmodSync(path, 0o700);
  }
  const words = ['-q', join(folder, 'pgbouncer.ini')];
  const running = await start(programAt('pgbouncer') ?? 'pgbouncer', words, own, isRoot ? UNPRIVILEGED : undefined);
  return {
    output: running.output,
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
