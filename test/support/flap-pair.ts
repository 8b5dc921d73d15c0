/**
 * A device and a cloud, back to back on simulated time over a bad channel: how the protocol as a whole behaves.
 *
 * The device is the one of the wire protocol, 5.2 and 5.4: it listens for 5 s, pauses for 5 s and repeats the same bytes;
 * an uplink is repeated for ever, a poll for 60 s a datagram and again 300 s after it failed. There are no sessions, no
 * spool and nothing above the messages. What the protocol does not exclude is counted by name in the {@link Picture}.
 */
import { between, chance, integerBetween, type Random, randomBytes } from '../../src/kernel/random.js';
import { days, type Millis, seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { type DeviceStep, DeviceTransfer, type SendStep } from '../../src/protocol/flap/device-transfer.js';
import { FRAGMENT_SIZE, hasValidTag, open, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import type { Packet } from '../../src/protocol/flap/packet.js';
import { LittleCloud } from './flap-cloud.js';

const SERIAL = 2_159_017_986;
const TOKEN = tokenBytes('00112233445566778899aabbccddeeff');
const BUFFER_SIZE = 16_384;
/** Simulated time that sending takes. Without any, a socket full of old answers would be worked off in no time. */
const SEND = 50;
const LISTEN = seconds(5);
const PAUSE = seconds(5);
const POLL_BUDGET = seconds(60);
const POLL_RETRY = seconds(300);
const LAST_POLLS = 20;

/** How the cloud explains that it took a packet for a new one. */
const ACCEPTED = new Set(['store', 'offer', 'fragment accepted', 'next fragment', 'downlink complete']);

/** What the network does with a packet: the delays after which its copies arrive, none when it is lost. */
export type Channel = (way: 'up' | 'down', packet: Packet) => readonly Millis[];

/** A message to send, `pause` after the one before it, and what somebody has queued for the device by then. */
export interface Errand {
  readonly pause: Millis;
  readonly uplink: Uint8Array;
  readonly downlinks: readonly Uint8Array[];
}

/** What became of everything. */
export interface Picture {
  uplinks: {
    acknowledged: number;
    /** Given up by the device. */
    aborted: number;
    /** Different messages in the store. */
    stored: number;
    /** Acknowledged, but not in the store, although nothing strayed meanwhile. */
    lost: number;
    /** In the store, but never sent like that, although nothing strayed meanwhile. */
    corrupted: number;
    /** From start to acknowledgement, summed. */
    took: Millis;
  };
  downlinks: { delivered: number; received: number; corrupted: number };
  /** What the protocol does not exclude (section 14). */
  quirks: {
    /** Quirk 12: the cloud believes that it has delivered, the device never had the message. */
    deliveredNotReceived: number;
    /** Quirk 13: a repetition that was not answered, so that a lost answer costs 20 s. */
    unansweredRepetitions: number;
    /** Quirk 15: stored again, because after 60 s of repeating the device was told to start over. */
    storedAgainAfterPatience: number;
    /** Stored again, because device and cloud had lost step in another way. */
    storedAgainOtherwise: number;
    /** The device took the answer to an older packet for the answer to this one: numbers come again after a restart. */
    strayAnswersTaken: number;
    /** The cloud took a copy of an older packet for a new one. */
    strayRequestsTaken: number;
    /** Acknowledged, but not in the store, because of a stray answer or request. */
    lostToStrays: number;
    /** In the store, but never sent like that: put together from what strayed. */
    corruptedByStrays: number;
    /** A downlink that the device had already received. */
    receivedAgain: number;
  };
  /** How often the device began a message or a poll again from sequence 0. */
  restarts: number;
}

/** A channel that loses and doubles; a datagram takes up to `delay`, each copy its own time, so that order gets lost. */
export function badChannel(
  random: Random,
  { loss, duplication, delay }: { readonly loss: number; readonly duplication: number; readonly delay: Millis },
): Channel {
  const arrival = () => between(random, 1, delay);
  return () => {
    if (chance(random, loss)) return [];
    return chance(random, duplication) ? [arrival(), arrival()] : [arrival()];
  };
}

/** Messages of 5 to 2000 bytes, 40 % of them with a queued downlink of 10 to 900 bytes (wire protocol, 6.5). */
export function randomErrands(random: Random, count: number): readonly Errand[] {
  // The number makes every message different, like the sequence in a data message.
  const message = (number: number, from: number, to: number) => {
    const bytes = Buffer.from(randomBytes(random, integerBetween(random, from, to)));
    bytes.writeUInt32BE(number, 1);
    return bytes;
  };
  return Array.from({ length: count }, (_, number) => ({
    pause: between(random, seconds(1), seconds(60)),
    uplink: message(number, 5, 2000),
    downlinks: chance(random, 0.4) ? [message(number, 10, 900)] : [],
  }));
}

/** Lets the device run its errands, and then poll until nothing waits (20 times at most). */
export async function runFlapPair(errands: readonly Errand[], channel: Channel): Promise<Picture> {
  const pair = new FlapPair(errands, channel);
  await pair.clock.runUntil(days(365));
  return pair.finish();
}

interface Arrival {
  readonly bytes: Uint8Array;
  /** Which exchange of the device it belongs to. The ends do not know this. */
  readonly exchange: number;
}

class FlapPair {
  readonly clock = new VirtualClock();
  readonly #device = new DeviceTransfer(FRAGMENT_SIZE.base64.up, BUFFER_SIZE);
  readonly #cloud = new LittleCloud({ fragmentSize: FRAGMENT_SIZE.base64.down });
  readonly #channel: Channel;
  readonly #errands: Errand[];
  readonly #picture: Picture = {
    uplinks: { acknowledged: 0, aborted: 0, stored: 0, lost: 0, corrupted: 0, took: 0 },
    downlinks: { delivered: 0, received: 0, corrupted: 0 },
    quirks: {
      deliveredNotReceived: 0,
      unansweredRepetitions: 0,
      storedAgainAfterPatience: 0,
      storedAgainOtherwise: 0,
      strayAnswersTaken: 0,
      strayRequestsTaken: 0,
      lostToStrays: 0,
      corruptedByStrays: 0,
      receivedAgain: 0,
    },
    restarts: 0,
  };
  /** Messages in hex: what was sent, queued, stored and received. */
  readonly #sent = new Set<string>();
  readonly #queued = new Set<string>();
  readonly #stored = new Set<string>();
  readonly #received = new Set<string>();
  /** Since the last uplink began: has the cloud run out of patience? */
  #patienceEnded = false;
  /** Since the last uplink began: was a stray answer or request taken? */
  #strayed = false;

  /** The device does one thing at a time. */
  readonly #jobs: (() => void)[] = [];
  #busy = false;
  #pollRetryPending = false;
  #lastPolls = 0;
  /** Datagrams that nobody has listened for yet, oldest first. */
  readonly #socket: Arrival[] = [];
  #listener: ((arrival: Arrival) => void) | undefined;
  #exchange = 0;
  /** The latest exchange that the cloud has accepted a packet of. */
  #accepted = 0;

  constructor(errands: readonly Errand[], channel: Channel) {
    this.#channel = channel;
    this.#errands = [...errands];
    this.#nextErrand();
  }

  finish(): Picture {
    const { uplinks, downlinks, quirks } = this.#picture;
    uplinks.stored = this.#stored.size;
    downlinks.delivered = this.#cloud.delivered.length;
    downlinks.received = this.#received.size;
    quirks.deliveredNotReceived = this.#cloud.delivered.filter(
      ({ message }) => !this.#received.has(hex(message)),
    ).length;
    return this.#picture;
  }

  // The device's application

  #nextErrand(): void {
    const errand = this.#errands.shift();
    if (errand === undefined) return this.#pollToTheEnd();
    this.clock.after(errand.pause, 'errand', () => {
      for (const downlink of errand.downlinks) {
        this.#queued.add(hex(downlink));
        this.#cloud.queue.push(downlink);
      }
      this.#do(() => this.#sendUplink(errand.uplink));
    });
  }

  #sendUplink(message: Uint8Array): void {
    const { uplinks, quirks } = this.#picture;
    const started = this.clock.now;
    this.#sent.add(hex(message));
    this.#patienceEnded = false;
    this.#strayed = false;
    this.#drive(this.#device.startUplink(message), Number.POSITIVE_INFINITY, (outcome) => {
      if (outcome.kind === 'uplink-done') {
        uplinks.acknowledged++;
        uplinks.took += this.clock.now - started;
        if (!this.#stored.has(hex(message))) this.#strayed ? quirks.lostToStrays++ : uplinks.lost++;
        if (outcome.poll) this.#wantPoll();
      } else uplinks.aborted++;
      this.#nextErrand();
    });
  }

  #wantPoll(): void {
    if (!this.#pollRetryPending) this.#do(() => this.#poll());
  }

  #poll(): void {
    this.#drive(this.#device.startPoll(), POLL_BUDGET, (outcome) => {
      if (outcome.kind === 'poll-done') {
        if (outcome.message.length > 0) this.#receive(outcome.message);
        if (outcome.more) this.#wantPoll();
        return;
      }
      this.#pollRetryPending = true;
      this.clock.after(POLL_RETRY, 'poll retry', () => {
        this.#pollRetryPending = false;
        this.#wantPoll();
      });
    });
  }

  #receive(message: Uint8Array): void {
    const content = hex(message);
    if (!this.#queued.has(content)) this.#picture.downlinks.corrupted++;
    else if (this.#received.has(content)) this.#picture.quirks.receivedAgain++;
    else this.#received.add(content);
  }

  #pollToTheEnd(): void {
    if (this.#cloud.queue.length === 0 || this.#lastPolls++ === LAST_POLLS) return;
    this.#wantPoll();
    this.clock.after(POLL_RETRY, 'last polls', () => this.#pollToTheEnd());
  }

  #do(job: () => void): void {
    this.#jobs.push(job);
    this.#work();
  }

  #work(): void {
    if (this.#busy) return;
    const job = this.#jobs.shift();
    if (job === undefined) return;
    this.#busy = true;
    job();
  }

  // The device's link (wire protocol, 5.4)

  #drive(step: DeviceStep, budget: Millis, done: (outcome: Exclude<DeviceStep, SendStep>) => void): void {
    if (step.kind === 'send') {
      if (step.again !== undefined && step.again !== 'stale answer') this.#picture.restarts++;
      this.#exchangePacket(step.packet, budget, (next) => this.#drive(next, budget, done));
      return;
    }
    if (step.kind === 'poll-done' && step.finalAck) this.#transmit(step.finalAck, ++this.#exchange);
    this.#busy = false;
    done(step);
    this.#work();
  }

  #exchangePacket(packet: Packet, budget: Millis, then: (step: DeviceStep) => void): void {
    const exchange = ++this.#exchange;
    const begun = this.clock.now;
    const attempt = () => {
      this.#transmit(packet, exchange);
      this.clock.after(SEND, 'send', () =>
        this.#listen((arrival) => {
          if (arrival) return then(this.#take(arrival, exchange));
          this.clock.after(PAUSE, 'pause', () => {
            if (this.clock.now - begun >= budget) then(this.#device.fail('no answer in time'));
            else attempt();
          });
        }),
      );
    };
    attempt();
  }

  #take({ bytes, exchange }: Arrival, current: number): DeviceStep {
    const envelope = open(bytes, 'base64');
    if (!envelope || !hasValidTag(envelope, TOKEN)) return this.#device.answered('unreadable');
    const step = this.#device.answered(envelope.packet);
    if (exchange !== current) {
      this.#strayed = true;
      if (step.kind !== 'failed' && !('again' in step)) this.#picture.quirks.strayAnswersTaken++;
    }
    return step;
  }

  /** Waits up to 5 s for the oldest datagram in the socket. */
  #listen(heard: (arrival: Arrival | undefined) => void): void {
    const waiting = this.#socket.shift();
    if (waiting) return heard(waiting);
    const timeout = this.clock.after(LISTEN, 'listen', () => {
      this.#listener = undefined;
      heard(undefined);
    });
    this.#listener = (arrival) => {
      this.#listener = undefined;
      timeout.cancel();
      heard(arrival);
    };
  }

  // The channel and the cloud

  #transmit(packet: Packet, exchange: number): void {
    const bytes = seal(packet, SERIAL, TOKEN, 'base64');
    for (const delay of this.#channel('up', packet)) {
      this.clock.after(SEND + delay, 'request', () => this.#arriveInCloud({ bytes, exchange }));
    }
  }

  #arriveInCloud({ bytes, exchange }: Arrival): void {
    const envelope = open(bytes, 'base64');
    if (!envelope || !hasValidTag(envelope, TOKEN)) throw new Error('the channel does not damage datagrams');
    const storedBefore = this.#cloud.stored.length;
    this.#cloud.now = this.clock.now;
    const answer = this.#cloud.receive(envelope.packet);
    this.#observeCloud(exchange, storedBefore);
    if (answer === undefined) return;
    const answerBytes = seal(answer, SERIAL, TOKEN, 'base64');
    for (const delay of this.#channel('down', answer)) {
      this.clock.after(delay, 'answer', () => this.#arriveAtDevice({ bytes: answerBytes, exchange }));
    }
  }

  #observeCloud(exchange: number, storedBefore: number): void {
    const { uplinks, quirks } = this.#picture;
    if (ACCEPTED.has(this.#cloud.why)) {
      const late = exchange !== this.#exchange;
      const ownAck = this.#cloud.why === 'downlink complete' && exchange > this.#accepted;
      if (late && !ownAck) {
        quirks.strayRequestsTaken++;
        this.#strayed = true;
      }
      this.#accepted = Math.max(this.#accepted, exchange);
    }
    if (this.#cloud.why === 'odd repetition') quirks.unansweredRepetitions++;
    if (this.#cloud.why === 'repeated for too long') this.#patienceEnded = true;
    for (const message of this.#cloud.stored.slice(storedBefore)) {
      const content = hex(message);
      if (!this.#sent.has(content)) this.#strayed ? quirks.corruptedByStrays++ : uplinks.corrupted++;
      else if (!this.#stored.has(content)) this.#stored.add(content);
      else if (this.#patienceEnded) quirks.storedAgainAfterPatience++;
      else quirks.storedAgainOtherwise++;
    }
  }

  #arriveAtDevice(arrival: Arrival): void {
    if (this.#listener) this.#listener(arrival);
    else this.#socket.push(arrival);
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
