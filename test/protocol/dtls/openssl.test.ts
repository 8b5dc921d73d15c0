/** OpenSSL as an independent implementation of either end. */
import type { Socket } from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import { entropy } from '../../../src/kernel/entropy.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { DtlsClient } from '../../../src/protocol/dtls/client.js';
import { DtlsServer } from '../../../src/protocol/dtls/server.js';
import { until } from '../../support/until.js';
import { type Openssl, openSocket, sClient, sServer, withoutOpenssl } from './openssl.js';
import { IDENTITY, PSK } from './pair.js';

const OTHER_KEY = Buffer.alloc(16, 7);
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

function stopLater(program: Openssl): Openssl {
  cleanUp.push(() => program.stop());
  return program;
}

async function socketFor(receive: (datagram: Uint8Array, port: number) => void): Promise<Socket> {
  const socket = await openSocket();
  cleanUp.push(() => socket.close());
  socket.on('message', (datagram, { port }) => receive(datagram, port));
  return socket;
}

/** One event for each line: OpenSSL may send several lines of its standard input in one datagram. */
function receivedLines(plain: Uint8Array): string[] {
  const lines = Buffer.from(plain).toString().trim().split('\n');
  return lines.map((line) => `received ${line}`);
}

/** A server that answers every text with `OK`. */
async function serve() {
  const events: string[] = [];
  const server = new DtlsServer({
    ...{ clock: new RealClock(), random: entropy },
    events: {
      send: (datagram, address) => socket.send(datagram, Number(address), '127.0.0.1'),
      // The key comes later, as from a store.
      keyOf: (_, identity, answer) => setImmediate(() => answer(identity === IDENTITY ? PSK : undefined)),
      opened: (_, identity) => events.push(`opened ${identity}`),
      received: (session, plain, address) => {
        events.push(...receivedLines(plain));
        server.send(session, Buffer.from('OK\n'), address);
      },
      closed: (_, ending) => events.push(ending.kind),
      failed: () => {},
    },
  });
  const socket = await socketFor((datagram, port) => server.receive(datagram, String(port)));
  return { events, port: socket.address().port };
}

async function connectTo(program: Openssl, psk: Uint8Array = PSK) {
  const announced = /ACCEPT 127\.0\.0\.1:(\d+)/;
  await until(() => announced.test(program.output()));
  const port = Number(announced.exec(program.output())?.[1]);
  const events: string[] = [];
  const client = new DtlsClient({
    ...{ identity: IDENTITY, psk, clock: new RealClock(), random: entropy, timeout: 500 },
    events: {
      send: (datagram) => socket.send(datagram, port, '127.0.0.1'),
      opened: () => events.push('opened'),
      received: (plain) => events.push(...receivedLines(plain)),
      closed: (ending) => events.push(ending.kind),
    },
  });
  const socket = await socketFor((datagram) => client.receiveDatagram(datagram));
  client.start();
  const send = (text: string) => socket.send(client.encrypt(Buffer.from(text)) ?? '', port, '127.0.0.1');
  return { events, client, send };
}

/** Repeats `send` every second until `condition` holds, because DTLS does not repeat lost datagrams with data. */
async function sendUntil(send: () => void, condition: () => boolean): Promise<void> {
  send();
  const again = setInterval(send, 1000);
  await until(condition).finally(() => clearInterval(again));
}

// Recorded dialogues cover the same without OpenSSL; see vectors.test.ts.
describe.skipIf(withoutOpenssl)(`OpenSSL${withoutOpenssl ? ` (skipped: ${withoutOpenssl})` : ''}`, () => {
  it('connects to our server, with data both ways and an orderly end', async () => {
    const { events, port } = await serve();
    const program = stopLater(sClient(port));
    await until(() => events.length > 0);
    await sendUntil(
      () => program.write('hello\n'),
      () => program.output().includes('OK\n'),
    );
    program.endInput();
    await until(() => events.includes('closed'));
    expect([...new Set(events)]).toEqual([`opened ${IDENTITY}`, 'received hello', 'closed']);
    expect(program.output()).toMatch(/Secure Renegotiation IS supported/);
    expect(program.output()).toMatch(/PSK identity hint: hio-udp-server[\s\S]*Extended master secret: yes/);
  });

  it.each([
    ['a wrong key', { psk: OTHER_KEY }],
    ['an unknown identity', { identity: 'hsn:1' }],
  ])('gets the alert "decrypt error" for %s', async (_, options) => {
    const { events, port } = await serve();
    const program = stopLater(sClient(port, options));
    await until(() => program.output().includes('alert decrypt error'));
    expect(events).toEqual([]);
  });

  it('accepts our client, with data both ways and an orderly end', async () => {
    const program = stopLater(sServer());
    const { events, client, send } = await connectTo(program);
    await until(() => events.includes('opened'));
    await sendUntil(
      () => send('hello\n'),
      () => program.output().includes('hello\n'),
    );
    await sendUntil(
      () => program.write('OK\n'),
      () => events.includes('received OK'),
    );
    client.close();
    await until(() => program.output().includes('DONE'));
  });

  it('does not accept our client with a wrong key', async () => {
    const { events } = await connectTo(stopLater(sServer()), OTHER_KEY);
    await until(() => events.length > 0);
    expect(events[0]).toMatch(/alert|timeout/);
  });
});
