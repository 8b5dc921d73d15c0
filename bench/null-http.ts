/**
 * A server that does nothing, so that it is faster than any client. It answers with an empty list, and a POST with an id. It
 * assumes that a request arrives in one piece, or in two pieces of which the second is the body. Prints its port.
 */
import { type AddressInfo, createServer } from 'node:net';

const [GET, POST, DELETE] = ['G', 'P', 'D'].map((letter) => letter.charCodeAt(0));

const [nothing, made] = ['[]', '{"id":"something"}'].map(
  (body) => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
) as [string, string];

const server = createServer((socket) => {
  socket.on('data', (bytes) => {
    const first = bytes[0];
    if (first === POST) socket.write(made, 'latin1');
    else if (first === GET || first === DELETE) socket.write(nothing, 'latin1');
  });
  // A client may close its connection at any time.
  socket.on('error', () => {});
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
