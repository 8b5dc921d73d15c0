/**
 * The part of a link that every protocol shares: the radio, and the firmware's patience (wire protocol, 5.2).
 *
 * What is sent and what an answer means is the dialogue's business, which never repeats anything. This layer repeats the
 * byte-identical datagram: listen 5 s, pause 5 s, send again, until the budget of this one datagram is used up.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { Modem } from '../modem/modem.js';
import type { Link, LinkObserver, LinkPhase, PollOutcome, UplinkOutcome } from './link.js';

const LISTEN = seconds(5);
const PAUSE = seconds(5);
/** Datagrams that the modem's socket keeps for a reader that is not there. */
const SOCKET_BUFFER = 8;

/** Where datagrams leave; what arrives is handed to {@link RadioLink.receive}. */
export interface DatagramPort {
  send(datagram: Uint8Array): void;
  /** The modem has closed its socket and opened another: what is sent from now on comes from another port. */
  reopen(): void;
}

/** Send this and wait for an answer. `again`: why the exchange did not simply go on. */
export interface SendStep {
  readonly kind: 'send';
  readonly datagram: Uint8Array;
  readonly again?: string;
}

/** How an exchange ends. */
export type End =
  /** The message is acknowledged; `poll`: the cloud has something for us. */
  | { readonly kind: 'uplink-done'; readonly poll: boolean }
  /** The poll is over; see {@link PollOutcome}. `farewell` goes out before that, and is not answered. */
  | {
      readonly kind: 'poll-done';
      readonly message: Uint8Array;
      readonly more: boolean;
      readonly farewell: Uint8Array | undefined;
    }
  | { readonly kind: 'failed'; readonly why: string };

/** One exchange after the other: what to send next, given what was answered. Knows neither clock nor wire. */
export interface Dialogue {
  startUplink(message: Uint8Array): SendStep;
  startPoll(): SendStep;
  /** Takes a datagram from the network; undefined: it answers nothing that was sent last, so go on listening. */
  answered(datagram: Uint8Array): SendStep | End | undefined;
  /** Gives the exchange up. */
  fail(why: string): End;
  /** As after a boot. */
  reset(): void;
}

/** The device at whose end the link is. */
export interface DeviceEnd {
  readonly clock: Clock;
  readonly modem: Modem;
  readonly port: DatagramPort;
  readonly observer: LinkObserver;
  readonly serial: number;
  /** Claim token, 32 small hex digits. */
  readonly token: string;
  /** Longest downlink message in bytes. */
  readonly bufferSize: number;
}

export class RadioLink implements Link {
  readonly #device: DeviceEnd;
  readonly #dialogue: Dialogue;
  #exchange: Exchange | undefined;
  #inbox: Uint8Array[] | undefined;
  /** From the first exchange to the next rest. */
  #awake = false;

  constructor(device: DeviceEnd, dialogue: Dialogue) {
    this.#device = device;
    this.#dialogue = dialogue;
  }

  get busy(): boolean {
    return this.#exchange !== undefined;
  }

  get phase(): LinkPhase | undefined {
    return this.#exchange?.phase;
  }

  uplink(message: Uint8Array, budget: Millis, started: () => void, done: (outcome: UplinkOutcome) => void): void {
    this.#begin(budget, started, (end) => {
      if (end.kind === 'uplink-done') done({ ok: true, poll: end.poll });
      else done({ ok: false, why: end.kind === 'failed' ? end.why : 'poll ended' });
    });
    this.#perform(this.#dialogue.startUplink(message));
  }

  poll(budget: Millis, done: (outcome: PollOutcome) => void): void {
    this.#begin(budget, undefined, (end) => {
      if (end.kind === 'poll-done') done({ ok: true, message: end.message, more: end.more });
      else done({ ok: false, why: end.kind === 'failed' ? end.why : 'uplink ended' });
    });
    this.#perform(this.#dialogue.startPoll());
  }

  rest(): void {
    this.#awake = false;
    this.#device.modem.release();
  }

  reset(): void {
    this.#exchange?.alarm?.cancel();
    this.#exchange = undefined;
    this.#inbox = undefined;
    this.#awake = false;
    this.#dialogue.reset();
  }

  /** Takes a datagram from the network. One that nobody listens for waits in the socket and is read next (quirk 3). */
  receive(datagram: Uint8Array): void {
    const exchange = this.#exchange;
    if (exchange?.phase === 'listen') this.#answered(exchange, datagram);
    else {
      this.#inbox ??= [];
      if (this.#inbox.length < SOCKET_BUFFER) this.#inbox.push(datagram);
    }
  }

  /** What waited in the modem's socket is gone with it. */
  socketOpened(): void {
    this.#inbox = undefined;
  }

  #begin(budget: Millis, started: (() => void) | undefined, done: (end: End) => void): void {
    if (this.#exchange) throw new Error('the link carries one exchange at a time');
    if (!this.#awake) this.#device.observer.woke();
    this.#awake = true;
    this.#exchange = {
      budget,
      started,
      done,
      phase: 'connect',
      alarm: undefined,
      datagram: NONE,
      deadline: 0,
      sentAt: -1,
    };
  }

  #perform(step: SendStep | End): void {
    const exchange = this.#current();
    if (step.kind === 'send') return this.#sendStep(exchange, step);
    if (step.kind === 'poll-done' && step.farewell) {
      const { farewell } = step;
      return this.#whenConnected(exchange, () => {
        this.#transmit(farewell);
        this.#end(exchange, step);
      });
    }
    this.#end(exchange, step);
  }

  #sendStep(exchange: Exchange, step: SendStep): void {
    if (step.again !== undefined) this.#device.observer.restarted(step.again);
    exchange.datagram = step.datagram;
    exchange.deadline = this.#device.clock.now + exchange.budget;
    exchange.sentAt = -1;
    this.#attempt(exchange);
  }

  #attempt(exchange: Exchange): void {
    this.#whenConnected(exchange, () => {
      const { clock, observer } = this.#device;
      if (exchange.sentAt >= 0) observer.repeated(clock.now - exchange.sentAt);
      exchange.sentAt = clock.now;
      exchange.started?.();
      exchange.started = undefined;
      this.#transmit(exchange.datagram);
      this.#listen(exchange);
    });
  }

  /** Runs `action` once the radio is up; gives the exchange up when its budget ends before that. */
  #whenConnected(exchange: Exchange, action: () => void): void {
    const { modem, clock } = this.#device;
    if (modem.connected) return action();
    exchange.phase = 'connect';
    const left = exchange.deadline - clock.now;
    if (Number.isFinite(left)) {
      exchange.alarm = clock.after(Math.max(0, left), 'end of the time budget', () => {
        modem.abandon();
        this.#perform(this.#dialogue.fail('no connection in time'));
      });
    }
    modem.connect(() => {
      exchange.alarm?.cancel();
      if (this.#exchange === exchange) action();
    });
  }

  #listen(exchange: Exchange): void {
    exchange.phase = 'listen';
    for (let waiting = this.#inbox?.shift(); waiting !== undefined; waiting = this.#inbox?.shift()) {
      if (this.#answered(exchange, waiting)) return;
    }
    exchange.alarm = this.#device.clock.after(LISTEN, 'an answer of the cloud', () => {
      exchange.phase = 'pause';
      if (this.#isOver(exchange)) return;
      exchange.alarm = this.#device.clock.after(PAUSE, 'the pause before a repetition', () => {
        if (!this.#isOver(exchange)) this.#attempt(exchange);
      });
    });
  }

  #isOver(exchange: Exchange): boolean {
    if (this.#device.clock.now < exchange.deadline) return false;
    this.#perform(this.#dialogue.fail('no answer in time'));
    return true;
  }

  /** False: it was no answer to what was sent. */
  #answered(exchange: Exchange, datagram: Uint8Array): boolean {
    const step = this.#dialogue.answered(datagram);
    if (step === undefined) return false;
    exchange.alarm?.cancel();
    exchange.phase = 'pause';
    this.#perform(step);
    return true;
  }

  #transmit(datagram: Uint8Array): void {
    if (this.#device.modem.carries('up')) this.#device.port.send(datagram);
  }

  #end(exchange: Exchange, end: End): void {
    exchange.alarm?.cancel();
    this.#exchange = undefined;
    exchange.done(end);
  }

  #current(): Exchange {
    if (this.#exchange === undefined) throw new Error('no exchange is under way');
    return this.#exchange;
  }
}

interface Exchange {
  readonly budget: Millis;
  started: (() => void) | undefined;
  readonly done: (end: End) => void;
  phase: LinkPhase;
  alarm: Alarm | undefined;
  datagram: Uint8Array;
  /** When the budget of the present datagram ends. */
  deadline: Instant;
  /** When the present datagram left last; -1 before that. */
  sentAt: Instant;
}

const NONE = new Uint8Array(0);
