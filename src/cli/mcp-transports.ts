/** How clients reach the MCP server: through the standard streams, or over HTTP on the loopback interface. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  INVALID_REQUEST,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isSpecType,
  type JSONRPCMessage,
  type McpServer,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { endWithClient } from '../cloud/http/sockets.js';
import { messageOf } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { minutes } from '../kernel/time.js';
import type { Host } from './host.js';
import { serveLocally } from './local-server.js';

type MakeServer = () => McpServer;

/**
 * Serves one client through the standard streams. The promise resolves when the client has closed its end and has its answers,
 * or at an interrupt.
 */
export async function serveStreams(host: Host, make: MakeServer): Promise<void> {
  const transport = new StreamTransport(host);
  const serving = serveStdio(make, { transport, onerror: (error) => complain(host, error) });
  const forget = host.onInterrupt(() => transport.close());
  await transport.closed;
  forget();
  await serving.close();
}

/** How long calls may go on after the client has closed its end: it may still read answers, or be gone. */
const LAST_ANSWERS = minutes(1);

/** One JSON message a line, over the streams of the Host. */
class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly closed: Promise<void>;
  readonly #host: Host;
  readonly #lines: AsyncIterator<string>;
  /** Requests without an answer. */
  readonly #open = new Set<RequestId>();
  readonly #clock = new RealClock();
  #end = (): void => {};
  #answered = (): void => {};

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
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#settle(message.id);
  }

  async close(): Promise<void> {
    this.#end();
    this.onclose?.();
    await this.#lines.return?.();
  }

  async #read(): Promise<void> {
    for (;;) {
      const next = await this.#lines.next();
      if (next.done) break;
      if (next.value.trim() === '') continue;
      const message = readMessage(next.value);
      if ('error' in message) await this.#refuse(message);
      else this.#pass(message.read);
    }
    if (this.#open.size > 0) await this.#awaitAnswers();
    await this.close();
  }

  #pass(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    this.onmessage?.(message);
    // A request that is given up gets no answer.
    if (isSpecType.CancelledNotification(message) && message.params.requestId !== undefined)
      this.#settle(message.params.requestId);
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#answered();
  }

  #awaitAnswers(): Promise<void> {
    return new Promise((resolve) => {
      const alarm = this.#clock.after(LAST_ANSWERS, 'the last answers of an MCP server', resolve);
      this.#answered = () => {
        alarm.cancel();
        resolve();
      };
      void this.closed.then(this.#answered);
    });
  }

  /** A client that gets no answer waits for it. */
  async #refuse({ id, error }: Refusal): Promise<void> {
    this.onerror?.(new Error(`a line from the client: ${error.message}`));
    // The cast is safe because JSON-RPC demands this id of null, which the type of the SDK lacks.
    await this.send({ jsonrpc: '2.0', id, error } as never);
  }
}

interface Refusal {
  /** That of the request; null if it has none that can be read. */
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

function readMessage(line: string): { readonly read: JSONRPCMessage } | Refusal {
  let value: unknown;
  try {
    value = JSON.parse(line);
    return { read: parseJSONRPCMessage(value) };
  } catch {
    if (value === undefined) return { id: null, error: { code: PARSE_ERROR, message: 'not JSON' } };
    const { id = null } = (Array.isArray(value) ? {} : (value ?? {})) as { readonly id?: unknown };
    const message = 'not a message of JSON-RPC 2.0; batches are not supported';
    return {
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      error: { code: INVALID_REQUEST, message },
    };
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
