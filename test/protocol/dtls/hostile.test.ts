/** Bytes that no client of ours sends: nothing throws, and no memory is kept for them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Inbox } from '../../../src/protocol/dtls/inbox.js';
import { recordsIn } from '../../../src/protocol/dtls/record.js';
import { type Client, network, PSK } from './pair.js';

/** Datagrams of a whole dialogue, from both ends. */
async function dialogue(): Promise<readonly Uint8Array[]> {
  const { connect, pass } = network();
  const client = connect();
  await pass(60);
  client.send('text');
  client.dtls.close();
  await pass(20);
  return [...client.sent, ...client.arrived];
}

/** Changes of a datagram: bytes set, cut or doubled, or another one appended. */
function mutations(originals: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const original = fc.constantFrom(...originals);
  const place = fc.nat({ max: 160 });
  return fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(original, fc.array(fc.tuple(place, fc.nat({ max: 255 })), { maxLength: 4 })).map(([bytes, edits]) => {
      const edited = bytes.slice();
      for (const [at, value] of edits) if (at < edited.length) edited[at] = value;
      return edited;
    }),
    fc.tuple(original, place).map(([bytes, length]) => bytes.slice(0, length)),
    fc.tuple(original, original, place).map(([a, b, from]) => Buffer.concat([a, b.subarray(from)])),
  );
}

describe('hostile datagrams', () => {
  it('neither throw nor open a connection, at any time of a handshake, and leave nothing behind', async () => {
    const inputs = mutations(await dialogue());
    await fc.assert(
      fc.asyncProperty(fc.array(inputs, { maxLength: 30 }), fc.nat({ max: 70 }), async (datagrams, time) => {
        const { connect, pass, server, opened, clock } = network({ seed: 'another world', keys: () => PSK });
        const clients: Client[] = [connect('a:1'), connect('a:2', { identity: 'hsn:2' })];
        await pass(time);
        for (const [n, datagram] of datagrams.entries()) {
          server.receive(datagram, `a:${n % 5}`);
          clients[n % 2]?.dtls.receiveDatagram(datagram);
        }
        await pass(31_000);
        expect(opened.length).toBeLessThanOrEqual(2);
        expect(server.size.handshakes).toBe(0);
        expect(clock.waiting).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('of any content cannot fill the memory of a handshake', () => {
    const inbox = new Inbox(0);
    for (let sequence = 0; sequence < 65_536; sequence += 7) {
      for (const length of [0xff_ffff, 1025, 1024]) {
        inbox.put({ type: 1, length, sequence, offset: 0, part: new Uint8Array(1) });
      }
    }
    expect(inbox.size).toBeLessThanOrEqual(4 * 1024);
  });

  it('that are longer than any datagram of a device are ignored', () => {
    const record = Buffer.from('16fefd0000000000000000000100', 'hex');
    expect(recordsIn(Buffer.concat(Array(146).fill(record)), 4).length).toBe(146);
    expect(recordsIn(Buffer.concat(Array(147).fill(record)), 4)).toEqual([]);
  });
});
