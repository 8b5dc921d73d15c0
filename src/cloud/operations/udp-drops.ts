/**
 * Datagrams that the kernel threw away because a receive buffer was full: the one loss that a gateway cannot see itself.
 * Linux tells in /proc/net/udp and udp6, other systems do not.
 */
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/net/udp', '/proc/net/udp6'];

/** Drops of the sockets bound to these ports, summed up; undefined where the system does not tell. */
export async function udpDrops(ports: readonly number[]): Promise<number | undefined> {
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'utf8').catch(() => undefined)));
  const readable = texts.filter((text) => text !== undefined);
  if (readable.length === 0) return undefined;
  return readable.reduce((sum, text) => sum + dropsIn(text, ports), 0);
}

/** The same of one table: the second column is the local address in hex digits, the last one the drops. */
export function dropsIn(table: string, ports: readonly number[]): number {
  let drops = 0;
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    const port = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
    if (ports.includes(port)) drops += Number(columns.at(-1));
  }
  return drops;
}
