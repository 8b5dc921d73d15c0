/** How clients reach the MCP server: through the standard streams, or over HTTP on the loopback interface. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  deserializeMessage,
  type JSONRPCMessage,
  type McpServer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { endWithClient } from '../cloud/http/sockets.js';
import { asError, messageOf } from '../kernel/errors.js';
import type { Host } from './host.js';
import { serveLocally } from './local-server.js';

type MakeServer = () => McpServer;

/** Serves one client through the standard streams. The promise resolves when the client has closed its end, or at an interrupt. */
export async function serveStreams(host: Host, make: MakeServer): Promise<void> {
  const transport = new StreamTransport(host);
  const serving = serveStdio(make, { transport, onerror: (error) => complain(host, error) });
  const forget = host.onInterrupt(() => transport.close());
  await transport.closed;
  forget();
  await serving.close();
}

/** One JSON message a line, over the streams of the Host. */
class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly closed: Promise<void>;
  readonly #host: Host;
  readonly #lines: AsyncIterator<string>;
  #end = (): void => {};

  constructor(host: Host) {
    this.#host = host;
    this.#lines = host.lines()[Symbol.asyncIterator]();
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // The server has escaped the texts in it. The escapes of the Host are not JSON.
    this.#host.out.write(serializeMessage(message), 'styled');
  }

  async close(): Promise<void> {
    this.#end();
    this.onclose?.();
    await this.#lines.return?.();
  }

  async #read(): Promise<void> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done) return this.close();
      if (next.value.trim() === '') continue;
      try {
        this.onmessage?.(deserializeMessage(next.value));
      } catch (error) {
        this.onerror?.(asError(error));
      }
    }
  }
}

const PATH = '/mcp';

interface HttpServing {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Serves clients on this machine, which need the token.
 * @param port 0 for any free port @throws UsageError if the port cannot be used
 */
export async function serveHttp(port: number, token: string, host: Host, make: MakeServer): Promise<HttpServing> {
  const handler = createMcpHandler(make, { onerror: (error) => complain(host, error) });
  const answer = toNodeHandler(handler, { onerror: (error) => complain(host, error) });
  const server = await serveLocally(port, '--http', (request, response) => {
    const status = findRefusal(request, token);
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (status !== undefined) return void response.writeHead(status).end();
    // The call of a client that has left ends, even if the client has only closed its side of the connection.
    endWithClient(response);
    // The cast is safe because a request of a server has a method and an address.
    void answer(request as NodeIncomingMessageLike, response);
  });
  const close = async (): Promise<void> => {
    await handler.close();
    server.close();
  };
  return { url: server.origin + PATH, close };
}

/** The status with which a request is refused; undefined for a request of a client with the token. */
function findRefusal({ headers, url = '' }: IncomingMessage, token: string): number | undefined {
  // Only browsers send this header. No page may use the server, even if it knows the token.
  if (headers.origin !== undefined) return 403;
  if (!isToken(headers.authorization, token)) return 401;
  return url.replace(/\?.*$/s, '') === PATH ? undefined : 404;
}

function isToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function complain(host: Host, error: Error): void {
  host.err.write(`ghostfleet: ${messageOf(error)}\n`);
}
