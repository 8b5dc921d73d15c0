/** One suite for every transport: datagrams reach the cloud, and answers reach the right device. */
import { createSocket } from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import { listenUdp, type UdpListener } from '../../src/cloud/gateway/udp.js';
import { type Datagram, datagramBytes, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { NOTHING, POLL } from '../../src/protocol/flap/packet.js';
import { memoryTransport } from '../../src/transport/memory.js';
import type { Receive, Transport } from '../../src/transport/transport.js';
import { udpTransport } from '../../src/transport/udp.js';
import { TOKEN } from '../support/cloud.js';

type Deliver = (datagram: Datagram, reply: Receive) => void;

interface Case {
  readonly name: string;
  readonly open: (deliver: Deliver) => Promise<Transport>;
}

const listeners: UdpListener[] = [];
const transports: Transport[] = [];

const CASES: readonly Case[] = [
  { name: 'memory', open: async (deliver) => memoryTransport(deliver) },
  ...(['base64', 'raw'] as const).map((format) => ({
    name: `udp, ${format}`,
    open: async (deliver: Deliver) => {
      const listener = await listenUdp(
        (bytes, from, send) => deliver(bytes, (answer) => send(datagramBytes(answer), from)),
        {
          host: '127.0.0.1',
          port: 0,
        },
      );
      listeners.push(listener);
      return udpTransport({ host: '127.0.0.1', ports: { [format]: listener.port }, sockets: 2 });
    },
  })),
];

afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
  for (const listener of listeners.splice(0)) await listener.close();
});

describe.each(CASES)('the transport "$name"', ({ name, open }) => {
  const format = name.endsWith('raw') ? 'raw' : 'base64';
  const datagramOf = (serial: number, sequence: number) =>
    seal({ flags: POLL, sequence, data: NOTHING }, serial, tokenBytes(TOKEN), format);

  it('carries a datagram to the cloud unchanged', async () => {
    const sent = datagramOf(7, 1);
    const arrived = await new Promise<Datagram>((resolve) => {
      void open(resolve).then((transport) => {
        transports.push(transport);
        transport.connect(7, { receive: () => {} }, format).send(sent);
      });
    });
    expect(Buffer.compare(datagramBytes(arrived), sent)).toBe(0);
  });

  it('passes each answer to the device whose datagram it answers', async () => {
    const transport = await open((datagram, reply) => reply(datagram));
    transports.push(transport);
    const serials = [7, 8, 9, 10];
    const answers = await Promise.all(
      serials.map(
        (serial) =>
          new Promise<Datagram>((receive) => {
            transport.connect(serial, { receive }, format).send(datagramOf(serial, serial));
          }),
      ),
    );
    answers.forEach((answer, i) => {
      expect(Buffer.compare(datagramBytes(answer), datagramOf(serials[i] ?? 0, serials[i] ?? 0))).toBe(0);
    });
  });
});

describe('a device with a new socket', () => {
  it('sends from another UDP port, and is still reached', async () => {
    const ports = new Set<number>();
    const cloud = createSocket('udp4');
    cloud.on('message', (datagram, { port, address }) => {
      ports.add(port);
      cloud.send(datagram, port, address);
    });
    await new Promise<void>((bound) => cloud.bind(0, '127.0.0.1', bound));
    const transport = await udpTransport({ host: '127.0.0.1', ports: { raw: cloud.address().port }, sockets: 2 });
    transports.push(transport);
    let arrived = () => {};
    const channel = transport.connect(7, { receive: () => arrived() }, 'raw');
    const exchange = () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
        channel.send(seal({ flags: POLL, sequence: 1, data: NOTHING }, 7, tokenBytes(TOKEN), 'raw'));
      });
    await exchange();
    await exchange();
    expect(ports.size).toBe(1);
    channel.reopen();
    await exchange();
    expect(ports.size).toBe(2);
    await new Promise<void>((closed) => cloud.close(() => closed()));
  });
});

describe('a UDP port', () => {
  it('that is in use is rejected with a message, and leaves no socket', async () => {
    const listener = await listenUdp(() => {}, { host: '127.0.0.1', port: 0 });
    listeners.push(listener);
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length;
    const before = sockets();
    const again = listenUdp(() => {}, { host: '127.0.0.1', port: listener.port });
    await expect(again).rejects.toThrow(`cannot open UDP port ${listener.port} on "127.0.0.1": another process`);
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });
});
