/**
 * A flight: the messages that one end sends before it waits for the other end (RFC 6347, section 4.2.4). A flight that needs an
 * answer is sent again, in new records, until the answer arrives. The last flight of a handshake needs no answer; it is sent
 * again only if the other end repeats its own flight. No flight is sent more than {@link MOST_TRANSMISSIONS} times.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { encodeMessage, type HandshakeMessage } from './handshake.js';
import { CONTENT } from './record.js';
import type { RecordLayer } from './record-layer.js';

/** Largest datagram of a handshake (wire W-4). */
export const LARGEST_DATAGRAM = 508;
/** Maximum overhead of a record: header, connection ID, and encryption (nonce, tag, type). */
const RECORD_OVERHEAD = 13 + 32 + 17;

/** Time before the first repetition; it doubles with every further one (RFC 6347, section 4.2.4.1). */
const FIRST_WAIT = seconds(1);
/** Maximum number of transmissions of a flight, whatever causes them. */
const MOST_TRANSMISSIONS = 10;

/** A handshake message in its epoch, or the change of keys. */
export type FlightItem =
  | { readonly kind: 'message'; readonly epoch: 0 | 1; readonly message: HandshakeMessage }
  | { readonly kind: 'change' };

interface FlightOptions {
  readonly clock: Clock;
  readonly layer: RecordLayer;
  readonly items: readonly FlightItem[];
  readonly send: (datagram: Uint8Array) => void;
  /** Size of the largest datagram. */
  readonly mtu: number;
  /** Whether a timer repeats the flight. If false, it is repeated only if the other end repeats its own flight. */
  readonly timed: boolean;
}

export class Flight {
  readonly #options: FlightOptions;
  #wait: Millis = FIRST_WAIT;
  #transmissions = 0;
  #alarm: Alarm | undefined;

  constructor(options: FlightOptions) {
    this.#options = options;
  }

  /** Sends the flight for the first time. */
  start(): void {
    if (this.#options.timed) this.#arm();
    this.#transmit();
  }

  /** Sends the flight again because the other end has repeated its own. */
  repeat(): void {
    this.#transmit();
  }

  /** Stops the timer, because the other end has answered or the connection has ended. */
  end(): void {
    this.#alarm?.cancel();
  }

  #arm(): void {
    this.#alarm = this.#options.clock.after(this.#wait, 'the next repetition in a DTLS handshake', () => {
      this.#wait *= 2;
      this.#arm();
      this.#transmit();
    });
  }

  #transmit(): void {
    if (this.#transmissions >= MOST_TRANSMISSIONS) return;
    this.#transmissions++;
    const { layer, items, mtu, send } = this.#options;
    for (const datagram of datagrams(items, layer, mtu)) send(datagram);
  }
}

/** The records of a flight, packed into as few datagrams as possible. */
function datagrams(items: readonly FlightItem[], layer: RecordLayer, mtu: number): readonly Uint8Array[] {
  const packed: Uint8Array[][] = [];
  let length = mtu;
  for (const record of items.flatMap((item) => recordsOf(item, layer, mtu - RECORD_OVERHEAD))) {
    if (length + record.length > mtu) {
      packed.push([]);
      length = 0;
    }
    packed.at(-1)?.push(record);
    length += record.length;
  }
  return packed.map((records) => Buffer.concat(records));
}

function recordsOf(item: FlightItem, layer: RecordLayer, room: number): readonly Uint8Array[] {
  if (item.kind === 'change') return [layer.plain(CONTENT.changeCipherSpec, Uint8Array.of(1))];
  return encodeMessage(item.message, room).map((fragment) =>
    item.epoch === 0 ? layer.plain(CONTENT.handshake, fragment) : layer.sealed(CONTENT.handshake, fragment),
  );
}
