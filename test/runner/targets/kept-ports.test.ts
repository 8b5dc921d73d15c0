/** The keeper of the ports of a service that is down. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { KeptPorts } from '../../../src/runner/targets/kept-ports.js';

const HOST = '127.0.0.1';

it('a port that another program has taken stays with it, and the keeper goes on without it', async () => {
  const [udp, tcp] = [createSocket('udp4').bind(0, HOST), createServer().listen(0, HOST)];
  await Promise.all([once(udp, 'listening'), once(tcp, 'listening')]);
  const kept = new KeptPorts(HOST);
  await kept.keep('udp', udp.address().port);
  await kept.keep('tcp', (tcp.address() as AddressInfo).port);
  expect([udp.address().address, tcp.listening]).toEqual([HOST, true]);
  kept.giveAllBack();
  udp.close();
  tcp.close();
});

it('a kept port of the API ends each connection at once', async () => {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const kept = new KeptPorts(HOST);
  await kept.keep('tcp', port);
  const [error] = await once(connect(port, HOST), 'error').catch((reason) => [reason]);
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  kept.giveAllBack();
});
