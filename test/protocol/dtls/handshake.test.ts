/** Handshakes between our own client and server; test/protocol/dtls/openssl.test.ts has OpenSSL at either end. */
import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../../src/kernel/time.js';
import { IDENTITY, network, PSK } from './pair.js';

const OTHER_KEY = Buffer.alloc(16, 7);

describe('a handshake', () => {
  it('opens a connection that carries data both ways', async () => {
    const { connect, pass, opened } = network();
    const client = connect();
    await pass(60);
    expect(client.dtls.phase).toBe('open');
    expect(opened).toMatchObject([{ identity: IDENTITY }]);
    client.send('hello');
    await pass(20);
    expect(client.received).toEqual(['hello?']);
  });

  it('takes three datagrams of each end, of which none has more than 508 bytes', async () => {
    const { connect, pass } = network();
    const client = connect();
    await pass(60);
    expect([client.sent.length, client.arrived.length]).toEqual([3, 3]);
    expect(Math.max(...[...client.sent, ...client.arrived].map(({ length }) => length))).toBeLessThanOrEqual(508);
  });

  it('does not show data or the key on the wire', async () => {
    const { connect, pass } = network();
    const client = connect();
    await pass(60);
    client.send('a secret text');
    await pass(20);
    const wire = Buffer.concat([...client.sent, ...client.arrived]);
    expect([wire.includes('secret text'), wire.includes(PSK)]).toEqual([false, false]);
  });

  it('works with fragmented messages', async () => {
    const { connect, pass } = network({ mtu: 90, keys: () => PSK });
    const client = connect('a:1', { mtu: 150, identity: 'long '.repeat(60) });
    await pass(60);
    expect([client.sent.length, client.arrived.length]).toEqual([7, 5]);
    expect(client.dtls.phase).toBe('open');
  });

  it.each([
    ['a wrong key', { psk: OTHER_KEY }],
    ['an unknown identity', { identity: 'hsn:1' }],
  ])('fails with %s; the alert does not say whether the key or the identity was wrong', async (_, options) => {
    const { connect, pass, opened, failed, server } = network();
    const client = connect('a:1', options);
    await pass(60);
    expect(client.endings).toEqual([{ kind: 'alert', by: 'peer', name: 'decrypt-error' }]);
    expect(opened).toEqual([]);
    expect(failed).toMatchObject([{ address: 'a:1', ending: { by: 'us', name: 'decrypt-error' } }]);
    expect(server.size).toEqual({ handshakes: 0, sessions: 0 });
  });

  it('ends after 7 s without an answer, with flights after 0, 1 and 3 s', async () => {
    const { connect, pass, clock } = network({ network: () => [] });
    const client = connect();
    await pass(6999);
    expect([client.sent.length, client.endings]).toEqual([3, []]);
    await pass(1);
    expect([client.endings, clock.waiting]).toEqual([[{ kind: 'timeout' }], 0]);
  });

  it('of the server ends after 30 s if the client disappears', async () => {
    const { connect, pass, server, clock } = network({ network: ({ index }) => (index < 4 ? [10] : []) });
    connect();
    await pass(100);
    expect(server.size.handshakes).toBe(1);
    await pass(30_000);
    expect([server.size.handshakes, clock.waiting]).toEqual([0, 0]);
  });
});

describe('before a cookie', () => {
  it('the server keeps no state and answers with fewer bytes than it received', async () => {
    const { connect, pass, server, clock } = network({ network: ({ index }) => (index < 2 ? [10] : []) });
    const client = connect();
    await pass(15);
    expect([server.size.handshakes, clock.waiting]).toEqual([0, 3]);
    await pass(15);
    expect(client.arrived[0]?.length).toBeLessThan(client.sent[0]?.length ?? 0);
  });

  it('a cookie of another address and an expired cookie begin no handshake', async () => {
    const { connect, pass, server, clients } = network();
    const client = connect();
    await pass(60);
    const withCookie = client.sent[1] as Uint8Array;
    server.receive(withCookie, 'b:1');
    await pass(minutes(2));
    clients.set('c:1', client);
    server.receive(withCookie, 'c:1');
    expect(server.size.handshakes).toBe(0);
  });
});

describe('a connection', () => {
  it('ends when the same identity opens another connection', async () => {
    const { connect, pass, opened, closed, server } = network();
    connect('a:1');
    await pass(60);
    connect('a:2');
    await pass(60);
    expect(closed).toEqual([{ session: opened[0]?.session, ending: { kind: 'replaced' } }]);
    expect(server.size.sessions).toBe(1);
  });

  it('is not ended by a new handshake at its address that does not complete', async () => {
    const { connect, pass, server, clients, received } = network();
    const client = connect('a:1');
    await pass(60);
    connect('a:1', { psk: OTHER_KEY });
    await pass(60);
    clients.set('a:1', client);
    client.send('still here');
    await pass(20);
    expect([received.length, server.size.sessions]).toEqual([1, 1]);
  });

  it.each(['client', 'server'] as const)('ends at both ends when the %s closes it', async (end) => {
    const { connect, pass, opened, closed, server } = network();
    const client = connect();
    await pass(60);
    if (end === 'client') client.dtls.close();
    else server.close(opened[0]?.session ?? 0);
    await pass(20);
    expect(client.endings).toEqual([{ kind: 'closed', by: end === 'client' ? 'us' : 'peer' }]);
    expect(closed).toMatchObject([{ ending: { kind: 'closed', by: end === 'client' ? 'peer' : 'us' } }]);
  });

  it('ends after the idle time, at the next datagram of any client', async () => {
    const { connect, pass, closed, server } = network();
    connect();
    await pass(hours(24) + 100);
    server.receive(new Uint8Array(1), 'b:1');
    expect(closed).toMatchObject([{ ending: { kind: 'timeout' } }]);
  });

  it('is not ended by a plain alert, which anyone could send', async () => {
    const { connect, pass, server } = network();
    const client = connect();
    await pass(60);
    const alert = Uint8Array.from([21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 99, 0, 2, 2, 40]);
    client.dtls.receiveDatagram(alert);
    server.receive(alert, 'a:1');
    expect([client.dtls.phase, server.size.sessions]).toEqual(['open', 1]);
  });
});
