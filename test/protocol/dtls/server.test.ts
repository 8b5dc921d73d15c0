/** The server against clients by hand: which records it accepts, from where, and what ends its connections. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { hours } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { CONTENT, DTLS_1_2, encodeRecord, NO_ID } from '../../../src/protocol/dtls/record.js';
import { DtlsServer } from '../../../src/protocol/dtls/server.js';
import { againstClients, WITH_ID } from './against-clients.js';
import { messageOf } from './by-hand.js';

const { clientHello: HELLO, finished: FINISHED } = MESSAGE;
const DATA = Buffer.from('data');
/** A forged body, long enough for an encrypted record. */
const FORGED = new Uint8Array(40);

describe('a hello', () => {
  it('is only read in a plain record of the handshake', () => {
    const { client, sent, rejected } = againstClients();
    const { end, body } = client('cookie');
    end.record(CONTENT.applicationData, messageOf(HELLO, 1, body));
    end.record(CONTENT.handshake, messageOf(HELLO, 1, body), { epoch: 1 });
    expect([sent.length, rejected]).toEqual([1, ['unknown-connection', 'unknown-connection']]);
  });

  it('is not answered if it is malformed', () => {
    const { client, sent } = againstClients();
    const { end, body } = client('cookie');
    end.say(HELLO, body.subarray(0, 20));
    expect(sent.length).toBe(1);
  });

  it('is not answered if it is in fragments', () => {
    const { client, sent } = againstClients();
    const { end, body } = client('cookie');
    const fragment = messageOf(HELLO, 1, body);
    // The message is announced with one byte more than the fragment has.
    fragment[3] = (fragment[3] ?? 0) + 1;
    end.record(CONTENT.handshake, fragment);
    expect(sent.length).toBe(1);
  });

  it('is answered once in a datagram, however many hellos that has', () => {
    const { client, server, sent } = againstClients();
    const { body } = client('cookie');
    const hello = { type: CONTENT.handshake, version: DTLS_1_2, epoch: 0, sequence: 0, id: NO_ID };
    const record = encodeRecord({ ...hello, body: messageOf(HELLO, 0, body) });
    server.receive(Buffer.concat(Array(20).fill(record)), 'b:1');
    expect(sent.filter(({ address }) => address === 'b:1')).toHaveLength(1);
  });

  it.each([
    ['DTLS 1.0 at most', { version: [0xfe, 0xff] }, 'protocol-version', 70],
    ['a version of TLS', { version: [3, 3] }, 'protocol-version', 70],
    ['other suites', { suites: [0xc0a9] }, 'handshake-failure', 40],
  ] as const)('that offers %s is rejected with an alert and without a connection', (_, hello, name, code) => {
    const { client, sent, failed, server } = againstClients();
    client('hello', hello);
    expect([...(sent.at(-1)?.datagram.subarray(-2) ?? [])]).toEqual([2, code]);
    expect(failed).toEqual([{ session: undefined, identity: '', ending: { kind: 'alert', by: 'us', name } }]);
    expect(server.size.handshakes).toBe(0);
  });

  it('ends the handshake that another hello has begun at its address', () => {
    const { client, failed, server } = againstClients();
    client('hello', { random: 1 });
    client('hello', { random: 2 });
    expect(failed).toMatchObject([{ identity: '', ending: { kind: 'replaced' } }]);
    expect(server.size.handshakes).toBe(1);
  });
});

describe('a record is rejected', () => {
  it('as one of an unknown connection if no connection has its address or its ID', () => {
    const { client, rejected } = againstClients();
    const { end } = client('cookie');
    end.record(CONTENT.alert, Uint8Array.of(2, 40));
    end.record(CONTENT.handshake, messageOf(FINISHED, 1));
    end.record(CONTENT.applicationData, FORGED, { epoch: 1 });
    end.record(CONTENT.cid, FORGED, { epoch: 1, id: Uint8Array.of(1, 2, 3, 4) });
    expect(rejected).toEqual(Array(4).fill('unknown-connection'));
  });

  it('as one of an unknown connection if the connection at its address has ended', () => {
    const { client, rejected } = againstClients();
    const { end } = client('finished');
    end.record(CONTENT.alert, Uint8Array.of(1, 0), { epoch: 1 });
    end.record(CONTENT.alert, Uint8Array.of(1, 0));
    expect(rejected).toEqual(['unknown-connection']);
  });

  it('as not authentic if the key does not fit', () => {
    const { client, server, rejected } = againstClients();
    client('finished');
    const header = { type: CONTENT.applicationData, version: DTLS_1_2, epoch: 1, sequence: 9, id: NO_ID };
    server.receive(encodeRecord({ ...header, body: FORGED }), 'a:1');
    expect(rejected).toEqual(['not-authentic']);
  });

  it('as not authentic without the agreed connection ID, although the key fits', () => {
    const { client, rejected, received } = againstClients();
    client('finished', WITH_ID).end.record(CONTENT.applicationData, DATA, { epoch: 1 });
    expect([rejected, received]).toEqual([['not-authentic'], []]);
  });

  it('as not authentic with a connection ID but not encrypted', () => {
    const { client, rejected } = againstClients();
    const { end, id } = client('finished', WITH_ID);
    end.record(CONTENT.cid, DATA, { id: id() });
    expect(rejected).toEqual(['not-authentic']);
  });

  it('from another address than that of the unfinished handshake', () => {
    const { client, rejected, opened } = againstClients();
    const { at, finish } = client('key exchange', WITH_ID);
    at.address = 'b:9';
    finish();
    expect([rejected, opened]).toEqual([['unknown-connection'], []]);
  });

  it('without an error if the owner of the server has no function for the reasons', () => {
    const ignore = (): void => {};
    const server = new DtlsServer({
      ...{ clock: new VirtualClock(), random: seededRandom('server') },
      events: { send: ignore, keyOf: ignore, opened: ignore, received: ignore, closed: ignore, failed: ignore },
    });
    const alert = [CONTENT.alert, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 40];
    expect(() => server.receive(Uint8Array.from(alert), 'a:1')).not.toThrow();
  });
});

describe('two connections at one address', () => {
  it('are possible if the records of the older connection have an ID', () => {
    const { client, received, closed } = againstClients();
    const older = client('finished', { ...WITH_ID, random: 1, identity: 'hsn:1' });
    const newer = client('finished', { random: 2, identity: 'hsn:2' });
    older.send('older');
    newer.send('newer');
    older.end.record(CONTENT.alert, Uint8Array.of(1, 0), { epoch: 1, id: older.id() });
    newer.send('still here');
    expect(received).toEqual(['older', 'newer', 'still here']);
    expect(closed.length).toBe(1);
  });

  it('are not possible without an ID: the newer connection replaces the older one', () => {
    const { client, opened, closed } = againstClients();
    client('finished', { random: 1, identity: 'hsn:1' });
    client('finished', { random: 2, identity: 'hsn:2' });
    expect(closed).toEqual([{ session: opened[0], ending: { kind: 'replaced' } }]);
  });

  it('may be an open one and an unfinished handshake, which gets no records of the open one', () => {
    const { client, received, rejected } = againstClients();
    const { send } = client('finished', { random: 1, identity: 'hsn:1' });
    client('key exchange', { random: 2, identity: 'hsn:2' });
    send('data');
    expect([received, rejected]).toEqual([['data'], []]);
  });
});

describe('a connection ID', () => {
  /** Random numbers that yield each connection ID (four bytes) twice. */
  const repeating = () => {
    let ids = 0;
    const others = seededRandom('other bytes');
    const bytes = (length: number): Uint8Array =>
      length === 4
        ? Uint8Array.of(0, 0, 0, Math.floor(ids++ / 2))
        : Uint8Array.from({ length }, () => others.next() * 256);
    return { next: () => others.next(), bytes };
  };

  it.each(['hello', 'finished'] as const)(
    'is not assigned twice (progress of the other connection: %s)',
    (progress) => {
      const { client } = againstClients({ random: repeating() });
      const first = client(progress, { ...WITH_ID, address: 'a:1' });
      const second = client('hello', { ...WITH_ID, address: 'a:2' });
      expect([[...first.id()], [...second.id()]]).toEqual([
        [0, 0, 0, 0],
        [0, 0, 0, 1],
      ]);
    },
  );
});

describe('the server', () => {
  it('sends data as long as the connection is open', () => {
    const { client, server, opened, sent } = againstClients();
    client('finished');
    const [session = 0] = opened;
    expect(server.send(session, DATA, 'a:1')).toBe(true);
    server.close(session);
    const datagrams = sent.length;
    expect(server.send(session, DATA, 'a:1')).toBe(false);
    server.close(session);
    expect(sent.length).toBe(datagrams);
  });

  it('ends all connections with close_notify and all handshakes without a record', () => {
    const { client, server, sent, closed, failed, opened } = againstClients();
    const { end } = client('finished', { address: 'a:1' });
    client('hello', { address: 'a:2' });
    const datagrams = sent.length;
    server.closeAll();
    expect(closed).toEqual([{ session: opened[0], ending: { kind: 'closed', by: 'us' } }]);
    expect(failed).toMatchObject([{ ending: { kind: 'closed', by: 'us' } }]);
    expect(sent.slice(datagrams).map(({ address, datagram }) => [address, end.read(datagram)])).toEqual([
      ['a:1', [CONTENT.alert, [1, 0]]],
    ]);
  });

  it('reports a handshake that it ends because there are too many', () => {
    const { client, failed } = againstClients({ mostHandshakes: 1 });
    client('hello', { address: 'a:1' });
    client('hello', { address: 'a:2' });
    expect(failed).toMatchObject([{ ending: { kind: 'replaced' } }]);
  });

  it('ends a connection 24 h after its last record', async () => {
    const { client, server, clock } = againstClients();
    const { send } = client('finished');
    await clock.runUntil(hours(13));
    send('data');
    const sessionsAt = async (time: number) => {
      await clock.runUntil(time);
      server.receive(NO_ID, 'b:1');
      return server.size.sessions;
    };
    expect([await sessionsAt(hours(37) - 1), await sessionsAt(hours(37))]).toEqual([1, 0]);
  });
});
