/** The datagrams of a flight. */
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { Flight, type FlightItem } from '../../../src/protocol/dtls/flight.js';
import { CONTENT, recordsIn } from '../../../src/protocol/dtls/record.js';
import { RecordLayer } from '../../../src/protocol/dtls/record-layer.js';

const message = (length: number): FlightItem => {
  return { kind: 'message', epoch: 0, message: { type: 11, sequence: 0, body: new Uint8Array(length) } };
};

/** A flight without a timer, and the datagrams that it has sent. */
function flight(...items: readonly FlightItem[]) {
  const sent: Uint8Array[] = [];
  const options = { clock: new VirtualClock(), layer: new RecordLayer(), items, mtu: 150, timed: false };
  return { sent, flight: new Flight({ ...options, send: (datagram) => sent.push(datagram) }) };
}

describe('a flight', () => {
  it('is sent at most ten times, however often the other end repeats its own', () => {
    const { sent, flight: one } = flight(message(5));
    one.start();
    for (let n = 0; n < 30; n++) one.repeat();
    expect(sent).toHaveLength(10);
  });

  it('fills a datagram up to its largest size before it begins another one', () => {
    // Each record has 13 bytes before its message, and each message 12 before its body.
    const fitting = flight(message(50), message(50));
    fitting.flight.start();
    expect(fitting.sent.map(({ length }) => length)).toEqual([150]);
    const longer = flight(message(50), message(51));
    longer.flight.start();
    expect(longer.sent.map(({ length }) => length)).toEqual([75, 76]);
  });

  it('announces the change of keys with a record of its own (RFC 5246, section 7.1)', () => {
    const { sent, flight: one } = flight(message(5), { kind: 'change' });
    one.start();
    const records = sent.flatMap((datagram) => recordsIn(datagram, 0));
    expect(records.map(({ type }) => type)).toEqual([CONTENT.handshake, CONTENT.changeCipherSpec]);
    expect(records[1]?.body).toEqual(Buffer.of(1));
  });
});
