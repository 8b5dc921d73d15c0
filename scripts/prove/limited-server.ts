/**
 * A cloud that serves a known number of requests a second for the newest messages of a device, one after another, and lets
 * further ones wait in a queue. It serves all other requests at once. Prints its address and its API key.
 *
 *     tsx scripts/prove/limited-server.ts 20
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startService } from '../../src/index.js';

const perSecond = Number(process.argv[2]);
const service = await startService({ db: 'memory' });
const { hostname, port } = new URL(service.api);

/** When the server is free again. */
let free = 0;

const server = createServer((asked, answer) => {
  if (/\/messages\?device_id=/.test(asked.url ?? '')) {
    asked.resume();
    free = Math.max(free, performance.now()) + 1000 / perSecond;
    setTimeout(() => {
      answer.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    }, free - performance.now());
    return;
  }
  const { method, url, headers } = asked;
  const passed = request({ hostname, port, method, path: url, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers);
    found.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  asked.pipe(passed);
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const { port: own } = server.address() as AddressInfo;
  console.log(JSON.stringify({ api: `http://127.0.0.1:${own}`, apiKey: service.apiKey }));
});
