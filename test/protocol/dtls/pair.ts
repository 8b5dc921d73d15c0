/** A server and its clients in virtual time, connected by a network that a test can disturb. */

import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { type ClientOptions, DtlsClient } from '../../../src/protocol/dtls/client.js';
import type { Ending, Rejection } from '../../../src/protocol/dtls/connection.js';
import { DtlsServer, type ServerOptions, type SessionId } from '../../../src/protocol/dtls/server.js';

export const IDENTITY = 'hsn:2159017985';
export const PSK = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const LATENCY = 10;

/** A datagram on its way. `index` counts the datagrams of both directions from 0. */
export interface Passing {
  readonly index: number;
  readonly to: 'server' | 'client';
  readonly datagram: Uint8Array;
}

/** Delays in ms after which copies of a datagram arrive; an empty list loses it. */
export type Network = (passing: Passing) => readonly number[];

export const undisturbed: Network = () => [LATENCY];

export interface Client {
  readonly dtls: DtlsClient;
  /** Datagrams that the client has sent, and datagrams that have reached it. */
  readonly sent: Uint8Array[];
  readonly arrived: Uint8Array[];
  readonly received: string[];
  readonly endings: Ending[];
  address: string;
  send(text: string): void;
}

interface Options extends Partial<Pick<ServerOptions, 'mostHandshakes' | 'mostSessions' | 'mtu' | 'idle'>> {
  readonly network?: Network;
  /** Keys by identity. */
  readonly keys?: (identity: string) => Uint8Array | undefined;
  readonly seed?: string;
}

/** The server answers every text `x` with `x?`. */
export function network({ network = undisturbed, keys, seed = 'dtls', ...limits }: Options = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const clients = new Map<string, Client>();
  const opened: { readonly session: SessionId; readonly identity: string }[] = [];
  const closed: { readonly session: SessionId; readonly ending: Ending }[] = [];
  const failed: { readonly identity: string; readonly address: string; readonly ending: Ending }[] = [];
  const received: { readonly session: SessionId; readonly text: string; readonly address: string }[] = [];
  const rejected: Rejection[] = [];
  let index = 0;
  const pass = (to: Passing['to'], datagram: Uint8Array, arrive: () => void) => {
    for (const delay of network({ index: index++, to, datagram })) clock.after(delay, 'a datagram', arrive);
  };
  const server = new DtlsServer({
    clock,
    random: random.fork('server'),
    events: {
      send: (datagram, address) => {
        pass('client', datagram, () => {
          const client = clients.get(address);
          client?.arrived.push(datagram);
          client?.dtls.receiveDatagram(datagram);
        });
      },
      keyOf: (_, identity, answer) => answer(keys ? keys(identity) : identity === IDENTITY ? PSK : undefined),
      opened: (session, identity) => opened.push({ session, identity }),
      closed: (session, ending) => closed.push({ session, ending }),
      rejected: (why) => rejected.push(why),
      failed: (_, identity, address, ending) => failed.push({ identity, address, ending }),
      received: (session, plain, address) => {
        const text = Buffer.from(plain).toString();
        received.push({ session, text, address });
        server.send(session, Buffer.from(`${text}?`), address);
      },
    },
    ...limits,
  });
  return {
    ...{ clock, server, opened, closed, failed, received, rejected, clients },
    /** A client that begins its handshake at once. */
    connect(address = 'a:1', options: Partial<ClientOptions> = {}): Client {
      const deliver = (datagram: Uint8Array) => {
        client.sent.push(datagram);
        pass('server', datagram, () => server.receive(datagram, client.address));
      };
      const client: Client = {
        ...{ sent: [], arrived: [], received: [], endings: [], address },
        dtls: new DtlsClient({
          ...{ identity: IDENTITY, psk: PSK, clock, random: random.fork(address) },
          events: {
            send: deliver,
            opened: () => {},
            received: (plain) => client.received.push(Buffer.from(plain).toString()),
            closed: (ending) => client.endings.push(ending),
          },
          ...options,
        }),
        send: (text) => {
          const record = client.dtls.encrypt(Buffer.from(text));
          if (record) deliver(record);
        },
      };
      clients.set(address, client);
      client.dtls.start();
      return client;
    },
    /** Lets the client send from another address from now on. */
    move(client: Client, address: string): void {
      clients.delete(client.address);
      client.address = address;
      clients.set(address, client);
    },
    /** Lets time pass, in ms. */
    pass: (time: number) => clock.runUntil(clock.now + time),
  };
}
