/** An HTTP server for programs on this machine. */
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasTwoHosts, isHost, LOCAL_HOSTS, SAFE_HEADERS } from '../cloud/http/host-guard.js';
import { limitedServer } from '../cloud/http/sockets.js';
import { portRefused } from '../kernel/system-errors.js';

const HOST = '127.0.0.1';
/** Most connections. A program on this machine has a few. */
const MOST_CONNECTIONS = 200;

interface LocalServer {
  /** `http://127.0.0.1:7400` */
  readonly origin: string;
  /** Also ends open connections. */
  readonly close: () => void;
}

/**
 * Serves on the loopback interface. Requests for other hosts, as a web page could send them, are refused before `answer`.
 * @param port 0 for any free port @param option name of the option with the port, for messages
 * @throws UsageError if the port cannot be used
 */
export async function serveLocally(port: number, option: string, answer: RequestListener): Promise<LocalServer> {
  const guarded: RequestListener = (request, response) => {
    response.setHeaders(new Map(Object.entries(SAFE_HEADERS)));
    if (!isHost(request.headers.host, LOCAL_HOSTS) || hasTwoHosts(request)) response.writeHead(403).end();
    else answer(request, response);
  };
  const server = limitedServer(guarded, { connections: { all: MOST_CONNECTIONS, each: MOST_CONNECTIONS } });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(portRefused(`${option} ${port}`, HOST, error)));
    server.listen(port, HOST, resolve);
  });
  // The cast is safe because a server that listens on a port has such an address.
  const address = server.address() as AddressInfo;
  return {
    origin: `http://${HOST}:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
