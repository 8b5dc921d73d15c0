/**
 * Runs a device and a cloud in simulated time over an unreliable channel, to test the protocol as a whole.
 *
 * The device follows wire W-17 to W-22: it listens for 5 s, pauses for 5 s and repeats the same bytes. It repeats an uplink
 * without end. It repeats each datagram of a poll for 60 s, and a failed poll after 300 s. There are no sessions, no spool and
 * no layers above the messages.
 */
import { days, type Millis, seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { type DeviceStep, DeviceTransfer } from '../../src/protocol/flap/device-transfer.js';
import { FRAGMENT_SIZE, hasValidTag, open, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import type { Packet } from '../../src/protocol/flap/packet.js';
import type { Channel, Exchange } from './flap-channel.js';
import { LittleCloud } from './flap-cloud.js';
import { Observer, type Picture } from './flap-picture.js';

const SERIAL = 2_159_017_986;
const TOKEN = tokenBytes('00112233445566778899aabbccddeeff');
const BUFFER_SIZE = 16_384;
/**
 * Simulated time to send a datagram. If it were 0, the device would read a socket full of old answers without any time passing.
 */
const SEND = 50;
const LISTEN = seconds(5);
const PAUSE = seconds(5);
const POLL_BUDGET = seconds(60);
const POLL_RETRY = seconds(300);
const LAST_POLLS = 20;

/** Lets the device run its exchanges, and then poll until the queue is empty, at most 20 times. */
export async function runFlapPair(exchanges: readonly Exchange[], channel: Channel): Promise<Picture> {
  const clock = new VirtualClock();
  const pair = new FlapPair(clock, exchanges, channel);
  await clock.runUntil(days(365));
  return pair.picture();
}

interface Arrival {
  readonly bytes: Uint8Array;
  /** Number of the exchange of the device to which it belongs. Neither end knows this number. */
  readonly exchange: number;
}

class FlapPair {
  readonly #clock: VirtualClock;
  readonly #channel: Channel;
  readonly #observer = new Observer();
  readonly #device = new DeviceTransfer(FRAGMENT_SIZE.base64.up, BUFFER_SIZE);
  readonly #cloud = new LittleCloud({ fragmentSize: FRAGMENT_SIZE.base64.down });

  readonly #exchanges: Exchange[];
  /** Waiting jobs of the device, which does one thing at a time. */
  readonly #jobs: (() => void)[] = [];
  #busy = false;
  #pollRetryPending = false;
  #lastPolls = 0;
  /** Datagrams that the device has not read yet, oldest first. */
  readonly #socket: Arrival[] = [];
  #listener: ((arrival: Arrival) => void) | undefined;
  /** Number of the running exchange. */
  #exchange = 0;

  constructor(clock: VirtualClock, exchanges: readonly Exchange[], channel: Channel) {
    this.#clock = clock;
    this.#channel = channel;
    this.#exchanges = [...exchanges];
    this.#nextExchange();
  }

  picture(): Picture {
    return this.#observer.finish(this.#cloud);
  }

  // The exchanges of the device

  #nextExchange(): void {
    const exchange = this.#exchanges.shift();
    if (exchange === undefined) return this.#pollToTheEnd();
    this.#clock.after(exchange.pause, 'exchange', () => {
      for (const downlink of exchange.downlinks) {
        this.#observer.downlinkQueued(downlink);
        this.#cloud.queue.push(downlink);
      }
      this.#do(() => this.#send(exchange.uplink));
    });
  }

  #send(message: Uint8Array): void {
    this.#observer.uplinkBegins(message, this.#clock.now);
    this.#drive(this.#device.startUplink(message), Number.POSITIVE_INFINITY, (outcome) => {
      if (outcome.kind === 'uplink-done') {
        this.#observer.uplinkAcknowledged(message, this.#clock.now);
        if (outcome.poll) this.#wantPoll();
      } else this.#observer.uplinkAborted();
      this.#nextExchange();
    });
  }

  #wantPoll(): void {
    if (!this.#pollRetryPending) this.#do(() => this.#poll());
  }

  #poll(): void {
    this.#drive(this.#device.startPoll(), POLL_BUDGET, (outcome) => {
      if (outcome.kind === 'poll-done') {
        if (outcome.message.length > 0) this.#observer.downlinkReceived(outcome.message);
        if (outcome.more) this.#wantPoll();
        return;
      }
      this.#pollRetryPending = true;
      this.#clock.after(POLL_RETRY, 'poll retry', () => {
        this.#pollRetryPending = false;
        this.#wantPoll();
      });
    });
  }

  #pollToTheEnd(): void {
    if (this.#cloud.queue.length === 0 || this.#lastPolls++ === LAST_POLLS) return;
    this.#wantPoll();
    this.#clock.after(POLL_RETRY, 'last polls', () => this.#pollToTheEnd());
  }

  #do(job: () => void): void {
    this.#jobs.push(job);
    if (!this.#busy) this.#nextJob();
  }

  #nextJob(): void {
    const job = this.#jobs.shift();
    this.#busy = job !== undefined;
    job?.();
  }

  // How the device exchanges packets (wire W-20)

  #drive(
    step: DeviceStep,
    budget: Millis,
    done: (outcome: Exclude<DeviceStep, { readonly kind: 'send' }>) => void,
  ): void {
    if (step.kind === 'send') {
      this.#exchangePacket(step.packet, budget, (next) => this.#drive(next, budget, done));
      return;
    }
    if (step.kind === 'poll-done' && step.finalAck) this.#request(step.finalAck, ++this.#exchange);
    done(step);
    this.#nextJob();
  }

  #exchangePacket(packet: Packet, budget: Millis, then: (step: DeviceStep) => void): void {
    const exchange = ++this.#exchange;
    const begun = this.#clock.now;
    const attempt = () => {
      this.#request(packet, exchange);
      this.#clock.after(SEND, 'send', () => this.#listen(heard));
    };
    const heard = (arrival: Arrival | undefined) => {
      if (arrival) return then(this.#read(arrival, exchange));
      this.#clock.after(PAUSE, 'pause', () => {
        if (this.#clock.now - begun < budget) attempt();
        else then(this.#device.fail('no answer in time'));
      });
    };
    attempt();
  }

  /** Waits up to 5 s for the oldest datagram in the socket. */
  #listen(heard: (arrival: Arrival | undefined) => void): void {
    const waiting = this.#socket.shift();
    if (waiting) return heard(waiting);
    const hear = (arrival: Arrival | undefined) => {
      this.#listener = undefined;
      timeout.cancel();
      heard(arrival);
    };
    const timeout = this.#clock.after(LISTEN, 'listen', () => hear(undefined));
    this.#listener = hear;
  }

  #read({ bytes, exchange }: Arrival, current: number): DeviceStep {
    const step = this.#device.answered(unwrap(bytes));
    this.#observer.answerRead(step, exchange, current);
    return step;
  }

  // The channel and the cloud

  #request(packet: Packet, exchange: number): void {
    const bytes = wrap(packet);
    for (const delay of this.#channel('up', packet)) {
      this.#clock.after(SEND + delay, 'request', () => this.#handle({ bytes, exchange }));
    }
  }

  #handle({ bytes, exchange }: Arrival): void {
    this.#cloud.now = this.#clock.now;
    const answer = this.#cloud.receive(unwrap(bytes));
    this.#observer.packetHandled(this.#cloud, exchange, this.#exchange);
    if (answer === undefined) return;
    const arrival: Arrival = { bytes: wrap(answer), exchange };
    for (const delay of this.#channel('down', answer)) {
      this.#clock.after(delay, 'answer', () => {
        if (this.#listener) this.#listener(arrival);
        else this.#socket.push(arrival);
      });
    }
  }
}

function wrap(packet: Packet): Uint8Array {
  return seal(packet, SERIAL, TOKEN, 'base64');
}

function unwrap(bytes: Uint8Array): Packet {
  const envelope = open(bytes, 'base64');
  const isSound = envelope !== undefined && hasValidTag(envelope, TOKEN);
  if (!isSound) throw new Error('a datagram arrived damaged, although the channel changes no bytes');
  return envelope.packet;
}
