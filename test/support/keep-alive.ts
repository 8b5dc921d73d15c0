/** The keep-alive timers of TCP connections of this machine, as Linux shows them. */
import { readFileSync } from 'node:fs';

/** State and timer of a connection in /proc/net/tcp. */
const ESTABLISHED = '01';
const KEEP_ALIVE = '02';
/** Ticks per second of the timers there. */
const HERTZ = 100;

/**
 * Seconds until the silent connections of a port ask for their other end; not of those without keep-alive.
 * @param side whether the port is that of the connection's own end, or that of the other end
 */
export function keepAliveTimers(port: number, side: 'own' | 'other'): readonly number[] {
  const lines = ['tcp', 'tcp6'].flatMap((file) => readFileSync(`/proc/net/${file}`, 'utf8').split('\n').slice(1));
  return lines.flatMap((line) => {
    const [, own = '', other = '', state, , timer = ''] = line.trim().split(/\s+/);
    const [, hex = ''] = (side === 'own' ? own : other).split(':');
    const [active, ticks = ''] = timer.split(':');
    const isIt = Number.parseInt(hex, 16) === port && state === ESTABLISHED && active === KEEP_ALIVE;
    return isIt ? [Number.parseInt(ticks, 16) / HERTZ] : [];
  });
}
