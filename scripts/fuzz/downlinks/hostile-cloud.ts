/** A cloud that answers each packet of one device with the next move of a list (moves.ts), and as a correct cloud when none is left. */
import type { Clock } from '../../../src/kernel/clock.js';
import { type EnvelopeFormat, open, seal } from '../../../src/protocol/flap/envelope.js';
import { FIRST, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeDown, TYPE } from '../../../src/protocol/messages/index.js';
import { LittleCloud } from '../../../test/support/flap-cloud.js';
import type { Move } from './moves.js';

/** Time on the wire. */
const HOP = 1;
/** Datagrams that can be sent again. */
const KEPT = 16;
/** How often a downlink is offered. */
const MOST_OFFERS = 3;

interface CloudOptions {
  readonly clock: Clock;
  readonly serial: number;
  /** 16 bytes. */
  readonly token: Uint8Array;
  readonly format: EnvelopeFormat;
  readonly fragmentSize: number;
  readonly moves: readonly Move[];
  readonly deliver: (datagram: Uint8Array) => void;
}

export class HostileCloud {
  readonly #options: CloudOptions;
  readonly #honest: LittleCloud;
  readonly #sent: Uint8Array[] = [];
  #next = 0;
  #repents = false;
  #offered: Uint8Array | undefined;
  #offers = 0;
  /** Number of answers on their way. */
  inFlight = 0;
  /** Number of datagrams of the device. */
  received = 0;
  /** Shortest time between two datagrams of the device. */
  gap = Number.POSITIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Number of polls, of CREATE_SESSION messages, and of answers with the poll flag; without repetitions. */
  polls = 0;
  sessions = 0;
  pollFlags = 0;
  /** Number of moves that changed a packet, so that a device may start over. */
  disturbances = 0;
  #last: Uint8Array = new Uint8Array(0);

  constructor(options: CloudOptions) {
    this.#options = options;
    this.#honest = new LittleCloud({
      fragmentSize: options.fragmentSize,
      accepts: (message) => {
        if (message[0] === TYPE['create-session']) this.#honest.queue.unshift(this.#session());
        return true;
      },
    });
  }

  /** Number of moves made. */
  get made(): number {
    return Math.min(this.#next, this.#options.moves.length);
  }

  /** Whether all moves are made and all downlinks are fetched. */
  get isHonest(): boolean {
    return this.#next >= this.#options.moves.length && this.#honest.queue.length === 0;
  }

  receive(datagram: Uint8Array): void {
    const { format, moves, clock } = this.#options;
    this.received++;
    this.gap = Math.min(this.gap, clock.now - this.#lastAt);
    this.#lastAt = clock.now;
    const packet = open(datagram, format)?.packet;
    if (packet === undefined) throw new Error('the device has sent an unreadable datagram');
    const move = (this.#repents ? undefined : moves[this.#next++]) ?? { kind: 'honest' };
    if (move.kind !== 'queue' && move.kind !== 'honest') this.disturbances++;
    if (move.kind === 'queue') this.#honest.queue.push(Buffer.from(move.hex, 'hex'));
    this.#countCauses(datagram, packet);
    if (packet.flags & POLL) this.#giveUp();
    this.#honest.now = clock.now;
    const answer = this.#honest.receive({ ...packet, data: Uint8Array.from(packet.data) });
    this.#answer(move, packet, answer);
    this.#forget();
  }

  /** Drops the downlinks that are left, when the device should recover. */
  repent(): void {
    this.#repents = true;
    this.#honest.queue.length = this.#honest.offering ? 1 : 0;
  }

  #countCauses(datagram: Uint8Array, { flags, data }: Packet): void {
    const isRepeated = Buffer.compare(datagram, this.#last) === 0;
    this.#last = datagram;
    if (isRepeated) return;
    if (flags & POLL) this.polls++;
    if (flags & FIRST && data[0] === TYPE['create-session']) this.sessions++;
  }

  /** Replaces a downlink that the device does not fetch by a harmless one: it may be too long, or never be acknowledged. */
  #giveUp(): void {
    const { queue } = this.#honest;
    this.#offers = queue[0] === this.#offered ? this.#offers + 1 : 1;
    this.#offered = queue[0];
    if (this.#offered !== undefined && this.#offers > MOST_OFFERS) queue[0] = Uint8Array.of(TYPE['download-data']);
  }

  /** A cloud that runs for long must not fill the memory. */
  #forget(): void {
    this.#honest.stored.length = 0;
    this.#honest.delivered.length = 0;
  }

  #answer(move: Move, packet: Packet, answer: Packet | undefined): void {
    switch (move.kind) {
      case 'honest':
      case 'queue':
        if (answer) this.#send(this.#sealed(answer));
        return;
      case 'packet': {
        const sequence = move.sequence === 'zero' ? 0 : (packet.sequence + 1 + move.sequence + 8190) % 4096;
        return this.#send(this.#sealed({ flags: move.flags, sequence, data: Buffer.from(move.hex, 'hex') }));
      }
      case 'changed':
        if (answer) this.#send(this.#changed(move, { ...answer, flags: answer.flags ^ move.flags }));
        return;
      case 'bytes':
        return this.#send(Buffer.from(move.hex, 'hex'));
      case 'late':
        if (answer) for (const after of move.after) this.#send(this.#sealed(answer), after);
        return;
      case 'old': {
        const old = this.#sent.at(-move.back);
        if (old) this.#send(old);
        return;
      }
      default:
        move satisfies never;
    }
  }

  #changed({ how }: Extract<Move, { kind: 'changed' }>, answer: Packet): Uint8Array {
    const { serial, format, token } = this.#options;
    if (how === 'serial') return seal(answer, serial ^ 1, token, format);
    if (how === 'tag')
      return seal(
        answer,
        serial,
        token.map((byte) => byte ^ 1),
        format,
      );
    const datagram = this.#sealed(answer);
    if (how === 'cut') return datagram.subarray(0, datagram.length - 4);
    return how === 'longer' ? Buffer.concat([datagram, datagram]) : datagram;
  }

  #sealed(packet: Packet): Uint8Array {
    const { serial, token, format } = this.#options;
    return seal(packet, serial, token, format);
  }

  #send(datagram: Uint8Array, after = 0): void {
    this.#sent.push(datagram);
    if (this.#sent.length > KEPT) this.#sent.shift();
    this.inFlight++;
    if ((open(datagram, this.#options.format)?.packet.flags ?? 0) & POLL) this.pollFlags++;
    this.#options.clock.after(HOP + after, 'an answer of a hostile cloud', () => {
      this.inFlight--;
      this.#options.deliver(datagram);
    });
  }

  #session(): Uint8Array {
    const timestamp = Math.floor(this.#options.clock.wall / 1000);
    return encodeDown({ kind: 'set-session', sessionId: 7, timestamp, deviceId: 'a'.repeat(36), deviceName: 'fuzzed' });
  }
}
