/**
 * Keeps the ports of a service that is down, so that no other program on this machine gets them before its restart. As without
 * a service, datagrams that arrive are lost, and connections end at once.
 */
import { createSocket, Socket } from 'node:dgram';
import { createServer } from 'node:net';
import { lookUpAtOnce } from '../../kernel/immediate-lookup.js';

type Kind = 'tcp' | 'udp';

export class KeptPorts {
  readonly #host: string;
  readonly #kept = new Map<string, { close(): unknown }>();

  constructor(host: string) {
    this.#host = host;
  }

  /**
   * Takes a port which the service has closed in this turn of the event loop, so that no other program is faster. Resolves when it
   * is taken, or if that fails: the restart then says why.
   */
  keep(kind: Kind, port: number): Promise<void> {
    const key = `${kind}/${port}`;
    if (this.#kept.has(key)) return Promise.resolve();
    const keeper =
      kind === 'udp'
        ? createSocket({ type: 'udp4', lookup: lookUpAtOnce })
        : createServer((socket) => socket.resetAndDestroy());
    this.#kept.set(key, keeper);
    return new Promise((resolve) => {
      keeper.once('listening', resolve).on('error', () => {
        this.giveBack(kind, port);
        resolve();
      });
      if (keeper instanceof Socket) keeper.bind(port, this.#host);
      else keeper.listen(port, this.#host);
    });
  }

  /** Gives a port to the service, which must bind it in this turn of the event loop. */
  giveBack(kind: Kind, port: number): void {
    const key = `${kind}/${port}`;
    this.#kept.get(key)?.close();
    this.#kept.delete(key);
  }

  giveAllBack(): void {
    for (const keeper of this.#kept.values()) keeper.close();
    this.#kept.clear();
  }
}
