/** Passes requests of the console on to the cloud of the run, so that the page needs only one origin for the console and the cloud. */
import { type IncomingMessage, type ServerResponse, request as send } from 'node:http';

/** Hop-by-hop headers, which are not passed on (RFC 9110, 7.6.1). */
const OF_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * @param target address of the cloud
 * @param body the body of the request, if it was read already
 * @param answered called with the head of the answer before it is sent
 */
export function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  { body, answered }: { readonly body?: string; readonly answered?: (answer: IncomingMessage) => void } = {},
): void {
  const { method, url, headers } = request;
  const outgoing = send({ host: target.hostname, port: target.port, method, path: url, headers: { ...headers } });
  outgoing.on('response', (answer) => {
    answered?.(answer);
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !OF_HOP.includes(name)) response.setHeader(name, value);
    }
    response.writeHead(answer.statusCode ?? 502);
    // The head is sent at once, because the first event of a stream may come much later.
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  outgoing.on('error', () => fail(response));
  // The client has disconnected: a stream of events would not end by itself.
  response.on('close', () => outgoing.destroy());
  if (body === undefined) request.pipe(outgoing);
  else outgoing.end(body);
}

function fail(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const fault = {
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'the cloud of the run is down',
    code: 'down',
  };
  response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' });
  response.end(JSON.stringify(fault));
}
