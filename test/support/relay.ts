/** A TCP port that forwards connections to a server, for tests of a server that hangs, is away, or is reached by another address. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** The address of the server, with the host and the port of the relay. */
  readonly url: string;
  /** From now on, discards what arrives, in both directions. */
  hang(): void;
  /** Ends {@link hang}. */
  recover(): void;
  /** Breaks all connections, and refuses new ones. Call it also at the end. */
  close(): Promise<void>;
  /** Ends {@link close}. */
  open(): void;
}

/** @param host where the relay listens */
export async function relayTo(url: string, host = '127.0.0.1'): Promise<Relay> {
  const relayed = new URL(url);
  const { port, hostname } = relayed;
  const sockets = new Set<Socket>();
  let passes = true;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => passes && to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await once(server.listen(0, host), 'listening');
  // The cast is safe because a server that listens on a port has such an address.
  const { port: own } = server.address() as AddressInfo;
  relayed.host = `${host}:${own}`;
  return {
    url: relayed.href,
    hang: () => {
      passes = false;
    },
    recover: () => {
      passes = true;
    },
    close: async () => {
      const closed = once(server.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    open: () => void server.listen(own, host),
  };
}
