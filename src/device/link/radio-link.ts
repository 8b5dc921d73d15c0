/**
 * The part of a link that every protocol shares: the socket of the modem, and one exchange at a time (wire W-23, timing T-35).
 *
 * The dialogue (flap-link.ts, http-link.ts) decides what is sent and what an answer means, and never repeats anything. The
 * modem repeats the byte-identical datagram until it is answered or its time limit is over. For hio devices, resending-link.ts
 * repeats it instead.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { TransferProgress } from '../../protocol/flap/device-transfer.js';
import { type Datagram, datagramBytes, type FragmentSizes } from '../../protocol/flap/envelope.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';
import type { Modem } from '../modem/modem.js';
import type { SendError, SendRequest } from '../modem/pending-send.js';
import type { FailoverState, Link, LinkObserver, PollOutcome, UplinkOutcome } from './link.js';

/** Number of datagrams that the modem's socket keeps until they are read. */
const SOCKET_BUFFER = 8;

/** Sends datagrams. Received datagrams are passed to {@link RadioLink.receive}. */
export interface DatagramPort {
  send(datagram: Datagram): void;
  /**
   * The modem has opened a new socket: later datagrams come from another port.
   * @param server number of the address, from 1
   * @param started whether it is the first socket since the start of the device
   */
  reopen(server: number, started: boolean): void;
  /** The modem has lost its RAM, and with it the state of a connection. Default: there is none to lose. */
  reset?(): void;
}

/** The link must send this datagram and wait for its answer. `again`: why the transfer starts over, if it does. */
export interface SendStep {
  readonly kind: 'send';
  readonly datagram: Datagram;
  readonly again?: string;
}

/** Result of an exchange. */
export type End =
  /** The message is acknowledged; `poll`: the cloud has set the poll flag. */
  | { readonly kind: 'uplink-done'; readonly poll: boolean }
  /** The poll is over; see {@link PollOutcome}. `farewell`: a last datagram to send, which is not answered. */
  | {
      readonly kind: 'poll-done';
      readonly message: Uint8Array;
      readonly more: boolean;
      readonly farewell: Datagram | undefined;
    }
  | { readonly kind: 'failed'; readonly why: string };

/** Runs one exchange at a time, and decides from the answers what to send next. It has no access to clock and network. */
export interface Dialogue {
  /** Sizes by which the device counts the fragments of a message. */
  readonly fragments: FragmentSizes;
  /** Longest datagram that fits into the buffer of the device, in bytes. */
  readonly longestAnswer: number;
  /** How far the present exchange is; undefined if it only has to confirm what it has received. */
  readonly progress: TransferProgress | undefined;
  startUplink(message: Uint8Array): SendStep;
  startPoll(): SendStep;
  /** Takes a datagram. Undefined if it does not answer the one sent last: the modem keeps listening. */
  answered(datagram: Datagram): SendStep | End | undefined;
  /** Begins the present message or poll again. Returns undefined if the same datagram may be sent again instead. */
  startOver(why: string): SendStep | undefined;
  /** The exchange has failed. */
  fail(why: string): End;
  /** Restores the state after a boot. */
  reset(): void;
}

/** The parts of the device that the link needs. */
export interface DeviceEnd {
  readonly clock: Clock;
  /** Rules of the family of firmware. */
  readonly policy: Policy;
  readonly config: DeviceConfig;
  readonly modem: Modem;
  readonly port: DatagramPort;
  readonly observer: LinkObserver;
  readonly serial: number;
  /** Claim token, 32 lower-case hex digits. */
  readonly token: string;
  /** Longest downlink message in bytes. */
  readonly bufferSize: number;
}

export class RadioLink implements Link, SendRequest {
  protected readonly device: DeviceEnd;
  protected readonly dialogue: Dialogue;
  #exchange: Exchange | undefined;
  #inbox: Datagram[] | undefined;
  /** True from the first exchange until {@link rest}. */
  #awake = false;

  constructor(device: DeviceEnd, dialogue: Dialogue) {
    this.device = device;
    this.dialogue = dialogue;
  }

  get fragments(): FragmentSizes {
    return this.dialogue.fragments;
  }

  get busy(): boolean {
    return this.#exchange !== undefined;
  }

  get progress(): TransferProgress | undefined {
    return this.dialogue.progress;
  }

  uplink(message: Uint8Array, budget: Millis, started: () => void, done: (outcome: UplinkOutcome) => void): void {
    this.begin(budget, started, (end) => {
      if (end.kind === 'uplink-done') done({ ok: true, poll: end.poll });
      else done({ ok: false, why: end.kind === 'failed' ? end.why : 'poll ended' });
    });
    this.perform(this.dialogue.startUplink(message));
  }

  poll(budget: Millis, done: (outcome: PollOutcome) => void): void {
    this.begin(budget, undefined, (end) => {
      if (end.kind === 'poll-done') done({ ok: true, message: end.message, more: end.more });
      else done({ ok: false, why: end.kind === 'failed' ? end.why : 'uplink ended' });
    });
    this.perform(this.dialogue.startPoll());
  }

  rest(): void {
    this.#awake = false;
  }

  reset(): void {
    this.#exchange = undefined;
    this.#inbox = undefined;
    this.#awake = false;
    this.dialogue.reset();
  }

  /** Takes a datagram from the network. While the modem does not listen, the datagram waits in the socket (wire W-23). */
  receive(datagram: Datagram): void {
    if (this.device.modem.listening) this.takeAnswer(datagram);
    else {
      this.#inbox ??= [];
      if (this.#inbox.length < SOCKET_BUFFER) this.#inbox.push(datagram);
    }
  }

  /** Drops the datagrams in the old socket. Returns the number of the address that the new socket uses, from 1. */
  socketOpened(): number {
    this.#inbox = undefined;
    return 1;
  }

  get listens(): boolean {
    return this.#exchange?.end === undefined;
  }

  get releases(): boolean {
    const end = this.#exchange?.end;
    return end?.kind === 'poll-done' && !end.more;
  }

  transmit(): void {
    const exchange = this.current();
    const { clock, observer, modem, port } = this.device;
    if (exchange.sentAt >= 0) observer.repeated(clock.now - exchange.sentAt);
    exchange.sentAt = clock.now;
    exchange.started?.();
    exchange.started = undefined;
    if (modem.carries('up')) port.send(exchange.datagram);
  }

  listening(): void {
    while (this.device.modem.listening) {
      const waiting = this.#inbox?.shift();
      if (waiting === undefined || this.takeAnswer(waiting)) return;
    }
  }

  ended(error: SendError | undefined): void {
    const { end } = this.current();
    if (error !== undefined) this.failed(error);
    else if (end !== undefined) {
      this.succeeded();
      this.finish(end);
    }
  }

  /** The changes of the address; undefined for devices with one address. */
  get failover(): FailoverState | undefined {
    return undefined;
  }

  /** A new datagram is sent. */
  protected sends(): void {}

  /** A datagram was answered, or needed no answer and has left. */
  protected succeeded(): void {}

  /** A datagram could not be sent, or was not answered. */
  protected failed(error: SendError): void {
    this.perform(this.dialogue.fail(error));
  }

  private begin(budget: Millis, started: (() => void) | undefined, done: (end: End) => void): void {
    if (this.#exchange) throw new Error('the link carries one exchange at a time');
    if (!this.#awake) this.device.observer.woke();
    this.#awake = true;
    this.#exchange = { budget, started, done, datagram: NONE, end: undefined, sentAt: -1 };
  }

  /** @param follows whether the step follows an answer */
  protected perform(step: SendStep | End, follows = false): void {
    if (step.kind === 'send') {
      if (step.again !== undefined) this.device.observer.restarted(step.again);
      this.sendDatagram(step.datagram, undefined, follows);
    } else if (step.kind === 'poll-done' && step.farewell) {
      this.sendDatagram(step.farewell, step, follows);
    } else {
      this.finish(step);
    }
  }

  private sendDatagram(datagram: Datagram, end: End | undefined, follows: boolean): void {
    const exchange = this.current();
    exchange.datagram = datagram;
    exchange.end = end;
    exchange.sentAt = -1;
    this.sends();
    this.device.modem.send(this, exchange.budget, follows);
  }

  /** Returns false for a datagram that does not answer the one sent last. */
  private takeAnswer(datagram: Datagram): boolean {
    const { longestAnswer } = this.dialogue;
    if (datagram.length > longestAnswer) {
      const { modem, observer, policy } = this.device;
      const read = policy.transfers.cutsAnswers ? longestAnswer : 0;
      observer.overran(datagram.length, read);
      if (read === 0) {
        modem.overran();
        return true;
      }
    }
    const step = this.dialogue.answered(
      datagram.length > longestAnswer ? datagramBytes(datagram).subarray(0, longestAnswer) : datagram,
    );
    if (step === undefined) return false;
    this.device.modem.answered();
    this.succeeded();
    this.perform(step, true);
    return true;
  }

  private finish(end: End): void {
    const { done } = this.current();
    this.#exchange = undefined;
    done(end);
  }

  protected current(): Exchange {
    if (this.#exchange === undefined) throw new Error('no exchange is running');
    return this.#exchange;
  }
}

interface Exchange {
  readonly budget: Millis;
  started: (() => void) | undefined;
  readonly done: (end: End) => void;
  datagram: Datagram;
  /** Result of the exchange if the datagram is its last one and needs no answer. */
  end: End | undefined;
  /** When the present datagram left last; -1 before that. */
  sentAt: Instant;
}

const NONE: Datagram = new Uint8Array(0);
