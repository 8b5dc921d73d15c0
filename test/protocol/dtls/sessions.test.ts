/** Many connections, copies of records, and changes of address. */
import { describe, expect, it } from 'vitest';
import { network, PSK } from './pair.js';

describe('records', () => {
  it('that arrive again are ignored', async () => {
    const { connect, pass, server, received } = network();
    const client = connect();
    await pass(60);
    client.send('once');
    await pass(20);
    server.receive(client.sent.at(-1) as Uint8Array, 'a:1');
    server.receive(client.sent.at(-1) as Uint8Array, 'b:1');
    expect(received.map(({ text }) => text)).toEqual(['once']);
  });

  it('of a client are accepted in any order, up to 63 numbers behind the newest', async () => {
    const { connect, pass, server, received } = network({ network: ({ index }) => (index < 6 ? [10] : []) });
    const client = connect();
    await pass(60);
    for (let n = 0; n < 100; n++) client.send(String(n));
    const data = client.sent.slice(3);
    for (const n of [99, 98, 36, 35, 0]) server.receive(data[n] as Uint8Array, 'a:1');
    expect(received.map(({ text }) => text)).toEqual(['99', '98', '36']);
  });

  it('that were changed on their way are ignored', async () => {
    const { connect, pass, server, received } = network({ network: ({ index }) => (index < 6 ? [10] : []) });
    const client = connect();
    await pass(60);
    client.send('text');
    const record = client.sent.at(-1) as Uint8Array;
    for (let at = 0; at < record.length; at++) {
      const changed = record.slice();
      changed[at] = (changed[at] as number) ^ 1;
      server.receive(changed, 'a:1');
    }
    expect(received).toEqual([]);
    server.receive(record, 'a:1');
    expect(received.length).toBe(1);
  });
});

describe('after a change of address', () => {
  it('a client with a connection ID continues, and is answered at its new address', async () => {
    const { connect, move, pass, received } = network();
    const client = connect('a:1');
    await pass(60);
    move(client, 'b:9');
    client.send('moved');
    await pass(20);
    expect(received).toMatchObject([{ text: 'moved', address: 'b:9' }]);
    expect(client.received).toEqual(['moved?']);
  });

  it('a client without a connection ID gets no answer', async () => {
    const { connect, move, pass, received } = network();
    const client = connect('a:1', { connectionId: null });
    await pass(60);
    client.send('here');
    await pass(20);
    move(client, 'b:9');
    client.send('moved');
    await pass(20);
    expect(received.map(({ text }) => text)).toEqual(['here']);
  });

  it('a late record does not move the connection back', async () => {
    let lost = false;
    const { connect, move, pass, server, opened, received } = network({ network: () => (lost ? [] : [10]) });
    const client = connect('a:1');
    await pass(60);
    lost = true;
    client.send('early');
    client.send('late');
    const [early, late] = client.sent.slice(-2) as [Uint8Array, Uint8Array];
    move(client, 'b:9');
    server.receive(late, 'b:9');
    server.receive(early, 'a:1');
    expect(received.map(({ address }) => address)).toEqual(['b:9', 'a:1']);
    lost = false;
    server.close(opened[0]?.session ?? 0);
    await pass(20);
    expect(client.endings).toEqual([{ kind: 'closed', by: 'peer' }]);
  });
});

it('both ends of a connection may have connection IDs', async () => {
  const { connect, pass } = network();
  const client = connect('a:1', { connectionId: Uint8Array.of(1, 2, 3) });
  await pass(60);
  client.send('hello');
  await pass(20);
  expect(client.received).toEqual(['hello?']);
  expect(client.arrived.at(-1)?.[0]).toBe(25);
});

describe('a server', () => {
  it('can have 100 connections, each with its own key', async () => {
    const keyOf = (identity: string) => Buffer.concat([PSK.subarray(0, 12), Buffer.from(identity).subarray(-4)]);
    const { connect, pass, server, received } = network({ keys: keyOf });
    const clients = Array.from({ length: 100 }, (_, n) => {
      const identity = `hsn:215901${1000 + n}`;
      return connect(`a:${n}`, { identity, psk: keyOf(identity) });
    });
    await pass(100);
    expect(server.size).toEqual({ handshakes: 0, sessions: 100 });
    for (const [n, client] of clients.entries()) client.send(String(n));
    await pass(20);
    expect(clients.every((client, n) => client.received[0] === `${n}?`)).toBe(true);
    expect(new Set(received.map(({ session }) => session)).size).toBe(100);
  });

  it('ends the oldest of too many handshakes', async () => {
    const { connect, pass, server } = network({
      mostHandshakes: 10,
      network: ({ index }) => (index < 120 ? [10] : []),
    });
    for (let n = 0; n < 40; n++) connect(`a:${n}`);
    await pass(100);
    expect(server.size.handshakes).toBe(10);
  });

  it('ends the least recently used of too many connections', async () => {
    const { connect, pass, server, opened, closed } = network({ mostSessions: 2, keys: () => PSK });
    const first = connect('a:1', { identity: '1' });
    await pass(60);
    connect('a:2', { identity: '2' });
    await pass(60);
    first.send('used');
    await pass(20);
    connect('a:3', { identity: '3' });
    await pass(60);
    expect(closed.map(({ session }) => session)).toEqual([opened[1]?.session]);
    expect(server.size.sessions).toBe(2);
  });
});
