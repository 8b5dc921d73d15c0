/**
 * A service that does nothing, and is faster than whoever asks: its answer is a page without items, or an id for whoever wants
 * something made. A request is taken to come in one piece, or with its body apart. Prints its port.
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
  // Whoever asks may go when it pleases.
  socket.on('error', () => {});
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
