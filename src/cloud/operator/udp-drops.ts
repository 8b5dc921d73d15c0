/** Counts datagrams that the kernel dropped from a full buffer, as Linux reports them in /proc/net/udp and udp6. */
import { readFile } from 'node:fs/promises';

const TABLES = ['/proc/net/udp', '/proc/net/udp6'];

/** Number of datagrams dropped at the sockets bound to these ports; undefined if the system does not report it. */
export async function udpDrops(ports: readonly number[]): Promise<number | undefined> {
  const texts = await Promise.all(TABLES.map((path) => readFile(path, 'utf8').catch(() => undefined)));
  const readable = texts.filter((text) => text !== undefined);
  if (readable.length === 0) return undefined;
  return readable.reduce((sum, text) => sum + dropsIn(text, ports), 0);
}

/** The drops in one table. The second column is the local address in hex, the last column the number of drops. */
export function dropsIn(table: string, ports: readonly number[]): number {
  let drops = 0;
  for (const line of table.split('\n').slice(1)) {
    const columns = line.trim().split(/\s+/);
    const port = Number.parseInt(columns[1]?.split(':')[1] ?? '', 16);
    if (ports.includes(port)) drops += Number(columns.at(-1));
  }
  return drops;
}
