/** Handshakes over networks that lose, repeat and reorder datagrams. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Network, network, PSK, undisturbed } from './pair.js';

/** Datagrams of a handshake without disturbance. */
const USUAL = 6;

/** Whether a handshake over this network succeeds within 30 s. With `mtu`, the messages of the server are fragmented. */
async function opens(disturbed: Network, mtu?: number): Promise<boolean> {
  let calm = false;
  const { connect, pass, server } = network({
    network: (passing) => (calm ? undisturbed(passing) : disturbed(passing)),
    keys: () => PSK,
    ...(mtu && { mtu }),
  });
  // With `mtu`, the message with the long identity is fragmented; the hello must not be.
  const client = connect('a:1', { timeout: 60_000, ...(mtu && { mtu: mtu + 60, identity: 'long '.repeat(60) }) });
  await pass(30_000);
  calm = true;
  client.send('x');
  await pass(50);
  return client.dtls.phase === 'open' && client.received.includes('x?') && server.size.handshakes === 0;
}

describe('a handshake succeeds', () => {
  it.each(Array.from({ length: USUAL }, (_, lost) => lost))('although datagram %i is lost', async (lost) => {
    expect(await opens((passing) => (passing.index === lost ? [] : undisturbed(passing)))).toBe(true);
  });

  it('although every datagram is lost once', async () => {
    const lost = new Set<string>();
    // A repetition has another record number, so only receiver, type and length of datagrams are compared.
    const once: Network = (passing) => {
      const key = `${passing.to} ${passing.datagram[0]} ${passing.datagram.length}`;
      if (lost.has(key)) return undisturbed(passing);
      lost.add(key);
      return [];
    };
    expect(await opens(once)).toBe(true);
    expect(lost.size).toBeGreaterThanOrEqual(USUAL);
  });

  it('although every datagram arrives twice', async () => {
    expect(await opens(() => [10, 15])).toBe(true);
  });

  it('whatever happens to the first 24 datagrams if at most four are lost, with and without fragments', async () => {
    const fate = fc.constantFrom([10], [10], [10], [], [10, 200], [900], [30, 1500]);
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 24 }), fc.constantFrom(undefined, 110), async (fates, mtu) => {
        // The fifth repetition of a flight is sent 31 s after the flight itself.
        let lost = 0;
        const disturbed: Network = ({ index }) => {
          const times = fates[index] ?? [10];
          return times.length > 0 || ++lost <= 4 ? times : [10];
        };
        expect(await opens(disturbed, mtu)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

describe('records are not dropped', () => {
  it('if the client repeats its last flight because the last flight of the server was lost', async () => {
    const { connect, pass, rejected } = network({
      network: (passing) => (passing.index === USUAL - 1 ? [] : undisturbed(passing)),
    });
    const client = connect();
    await pass(30_000);
    expect([client.dtls.phase, rejected]).toEqual(['open', []]);
  });
});

describe('the reason of a dropped record', () => {
  it('is `not-authentic` without the agreed connection ID, and `replayed` for a copy', async () => {
    const { connect, pass, rejected, server } = network();
    const client = connect();
    await pass(100);
    client.send('text');
    const record = Buffer.from(client.sent.at(-1) ?? []);
    await pass(100);
    server.receive(record, client.address);
    // The record gets another type and the next number, and loses its connection ID.
    const next = Buffer.concat([record.subarray(0, 11), record.subarray(15)]);
    next[0] = 23;
    next[10] = (next[10] ?? 0) + 1;
    server.receive(next, client.address);
    expect(rejected).toEqual(['replayed', 'not-authentic']);
  });

  it('is `not-authentic` for a plain alert in an open connection', async () => {
    const { connect, pass, rejected, server } = network();
    const client = connect();
    await pass(100);
    server.receive(Buffer.from('15fefd000000000000000900020228', 'hex'), client.address);
    expect([rejected, client.dtls.phase]).toEqual([['not-authentic'], 'open']);
  });
});
