/** What both ends share: alerts, the end of a connection, and records that they must ignore. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { DtlsClient } from '../../../src/protocol/dtls/client.js';
import type { Ending } from '../../../src/protocol/dtls/connection.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { CONTENT, DTLS_1_2, NO_ID } from '../../../src/protocol/dtls/record.js';
import { againstServer, plainHello } from './against-server.js';
import { messageOf } from './by-hand.js';
import { IDENTITY, PSK } from './pair.js';

const DATA = Buffer.from('data');

describe('the end of a connection', () => {
  it('is announced by close_notify, which is a warning', () => {
    const { client, server, sent } = againstServer('finished');
    client.close();
    expect(server.read(sent.at(-1))).toEqual([CONTENT.alert, [1, 0]]);
  });

  it('by the other end is answered with close_notify', () => {
    const { server, sent, endings } = againstServer('finished');
    server.record(CONTENT.alert, Uint8Array.of(1, 0), { epoch: 1 });
    expect(server.read(sent.at(-1))).toEqual([CONTENT.alert, [1, 0]]);
    expect(endings).toEqual([{ kind: 'closed', by: 'peer' }]);
  });

  it('is announced and reported once', () => {
    const { client, sent, endings } = againstServer('finished');
    client.close();
    const datagrams = sent.length;
    client.close();
    expect([sent.length, endings]).toEqual([datagrams, [{ kind: 'closed', by: 'us' }]]);
  });

  it('is possible before the start', () => {
    const endings: Ending[] = [];
    const client = new DtlsClient({
      ...{ identity: IDENTITY, psk: PSK, clock: new VirtualClock(), random: seededRandom('client') },
      events: { send: () => {}, opened: () => {}, received: () => {}, closed: (ending) => endings.push(ending) },
    });
    client.close();
    expect(endings).toEqual([{ kind: 'closed', by: 'us' }]);
  });

  it('makes every later record one of an unknown connection', () => {
    const { client } = againstServer('finished');
    client.close();
    const record = {
      type: CONTENT.alert,
      version: DTLS_1_2,
      epoch: 0,
      sequence: 9,
      id: NO_ID,
      body: Uint8Array.of(1, 0),
    };
    expect(client.receive(record)).toBe('unknown-connection');
  });
});

it('data are encrypted only as long as a connection is open', () => {
  const { client, finish } = againstServer('hello done');
  expect(client.encrypt(DATA)).toBeUndefined();
  finish();
  expect(client.encrypt(DATA)).toBeDefined();
  client.close();
  expect(client.encrypt(DATA)).toBeUndefined();
});

describe('a connection ignores', () => {
  it('data before the end of the handshake, although they are authentic', () => {
    const { server, received, endings } = againstServer('hello done');
    server.record(CONTENT.applicationData, DATA, { epoch: 1 });
    expect([received, endings]).toEqual([[], []]);
  });

  it('plain data, during the handshake and afterwards', () => {
    const { server, received, finish } = againstServer('hello done');
    server.record(CONTENT.applicationData, DATA);
    finish();
    server.record(CONTENT.applicationData, DATA);
    expect(received).toEqual([]);
  });

  it('encrypted records of other types', () => {
    const { server, received } = againstServer('finished');
    server.record(CONTENT.changeCipherSpec, DATA, { epoch: 1 });
    server.record(99, DATA, { epoch: 1 });
    expect(received).toEqual([]);
  });

  it('a Finished message that is not encrypted', () => {
    const { server, client } = againstServer('hello done');
    server.say(MESSAGE.finished, server.finished());
    expect(client.phase).toBe('handshake');
  });

  it('warnings and malformed alerts', () => {
    const { server, endings } = againstServer('hello');
    server.record(CONTENT.alert, Uint8Array.of(1, 90));
    server.record(CONTENT.alert, Uint8Array.of(2));
    expect(endings).toEqual([]);
  });

  it('messages that arrived early, if it rejects the message before them', () => {
    const { server, sent } = againstServer('nothing');
    server.record(CONTENT.handshake, messageOf(MESSAGE.serverHello, 1, plainHello));
    server.record(CONTENT.handshake, messageOf(MESSAGE.serverHelloDone, 2));
    server.record(CONTENT.handshake, messageOf(MESSAGE.serverKeyExchange, 0));
    expect(sent.map(([type]) => type)).toEqual([CONTENT.handshake, CONTENT.alert]);
  });

  it('repetitions in the record that ends the connection', () => {
    const { server, sent } = againstServer('hello done');
    const both = [messageOf(MESSAGE.serverHelloDone, 1), messageOf(MESSAGE.serverHelloDone, 2)];
    server.record(CONTENT.handshake, Buffer.concat(both));
    expect(sent.length).toBe(3);
    expect(server.read(sent[2])).toEqual([CONTENT.alert, [2, 10]]);
  });
});
