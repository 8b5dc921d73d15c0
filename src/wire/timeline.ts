/**
 * Measures the times of a device in a capture, and compares them with the rules of its firmware (docs/reference/timing.md). What
 * is measured is what went over the wire where the capture was taken: at the cloud, a datagram that the radio lost is missing.
 */
import { type Instant, type Millis, minutes, seconds } from '../kernel/time.js';
import type { PacketFormat } from '../protocol/flap/envelope.js';
import {
  ACK,
  FIRST,
  formatFlags,
  type KeptPacket,
  keepPacket,
  POLL,
  samePacket,
  successor,
} from '../protocol/flap/packet.js';
import { TYPE } from '../protocol/messages/index.js';
import type { ReadEntry } from './dialogue-text.js';

/** A time that a rule of the firmware limits. */
export interface Measured {
  /** Number of the rule in docs/reference/timing.md. */
  readonly rule: string;
  readonly what: string;
  /** Undefined if the capture does not say which limits the device has. */
  readonly expected: Range | undefined;
  /** In order of time. */
  readonly values: readonly Measurement[];
}

interface Range {
  readonly from: Millis;
  readonly to: Millis;
}

interface Measurement {
  /** When the time ended. */
  readonly at: Instant;
  readonly took: Millis;
}

type ReadPacket = Extract<ReadEntry, { readonly kind: 'packet' }>;
type RuleName = 'answer' | 'copy' | 'next' | 'asked' | 'first' | 'report' | 'poll' | 'failed';

/** For the connection of the radio, which is not always up (timing T-34), and for the network. */
const SLACK: Millis = seconds(5);
/** How long a report or a poll may wait for the exchange before it (timing T-18, T-26). */
const QUEUED: Millis = minutes(2);

/** After this time, the same bytes begin a new exchange: those of a poll are always the same (timing T-18, T-26). */
const GIVEN_UP: Millis = minutes(2.5);

/** Settings of the device, as its configuration in the capture says. */
interface Settings {
  readonly report: Millis | undefined;
  readonly poll: Millis | undefined;
}

interface Rule {
  readonly rule: string;
  readonly what: string;
  readonly expected: (settings: Settings, isHio: boolean) => Range | undefined;
}

const RULES: Readonly<Record<RuleName, Rule>> = {
  answer: {
    rule: 'T-35',
    what: 'from a datagram to its answer; the device listens for so long',
    expected: (_, isHio) => ({ from: 0, to: isHio ? seconds(60) : seconds(5) }),
  },
  copy: {
    rule: 'T-36',
    what: 'until an unanswered datagram is sent again',
    // hio listens for longer, and a DTLS handshake of up to 7 s delays a copy.
    expected: (_, isHio) =>
      isHio ? { from: seconds(2), to: seconds(70) } : { from: seconds(9), to: seconds(10) + SLACK },
  },
  next: {
    rule: 'T-43',
    what: 'from an answer to the next datagram of the exchange',
    expected: () => ({ from: 0, to: seconds(30) + SLACK }),
  },
  asked: {
    rule: 'T-22',
    what: 'from "please poll" to the poll',
    expected: () => ({ from: 0, to: seconds(30) + SLACK }),
  },
  first: {
    rule: 'T-2',
    what: 'from the end of the session phase to the first report',
    // Ten seconds, in Serial thirty.
    expected: () => ({ from: seconds(9), to: seconds(30) + SLACK }),
  },
  report: {
    rule: 'T-3',
    what: 'between reports; events and commands cause further ones',
    expected: ({ report }) => (report === undefined ? undefined : { from: 0, to: 1.2 * report + QUEUED }),
  },
  poll: {
    rule: 'T-17',
    what: 'between polls of the timer; commands cause further ones',
    expected: ({ poll }) => (poll === undefined || poll === 0 ? undefined : { from: 0, to: poll + QUEUED }),
  },
  failed: {
    rule: 'T-20',
    what: 'from an unanswered poll to the next one',
    expected: (_, isHio) => (isHio ? undefined : { from: minutes(5), to: minutes(6) + SLACK }),
  },
};

/** The times of a device, by rule; without the rules for which the capture has none. */
export function measureTimeline(entries: Iterable<ReadEntry>, format: PacketFormat): readonly Measured[] {
  const timeline = new Timeline();
  for (const entry of entries) if (entry.kind === 'packet' && entry.meaning !== 'wrong tag') timeline.take(entry);
  // Only devices with the hio SDK send other datagrams than base64.
  return timeline.result(format !== 'base64');
}

/** A datagram of the device, with the times of its first and of its last copy. */
interface Sent {
  readonly packet: KeptPacket;
  readonly first: Instant;
  last: Instant;
  isAnswered: boolean;
}

class Timeline {
  readonly #values = new Map<RuleName, Measurement[]>();
  #settings: Settings = { report: undefined, poll: undefined };
  #sent: Sent | undefined;
  #answer: { readonly at: Instant; readonly sequence: number; readonly asksForPoll: boolean } | undefined;
  #phase: 'unknown' | 'session' | 'ready' = 'unknown';
  #reportAt: Instant | undefined;
  #pollAt: Instant | undefined;

  take(entry: ReadPacket): void {
    if (entry.way === 'up') this.#up(entry);
    else this.#down(entry);
    this.#readSettings(entry.content);
  }

  result(isHio: boolean): readonly Measured[] {
    return keysOfRules.flatMap((name) => {
      const values = this.#values.get(name);
      const { rule, what, expected } = RULES[name];
      return values === undefined ? [] : [{ rule, what, expected: expected(this.#settings, isHio), values }];
    });
  }

  #up({ at, packet }: ReadPacket): void {
    const before = this.#sent;
    const kept = keepPacket(packet);
    if (before && !before.isAnswered && at - before.last <= GIVEN_UP && samePacket(before.packet, kept)) {
      this.#add('copy', at, at - before.last);
      before.last = at;
      return;
    }
    const answer = this.#answer;
    const goesOn = answer !== undefined && packet.sequence === successor(answer.sequence) && packet.sequence > 0;
    const isPoll = packet.flags === POLL;
    if (isPoll) this.#poll(at, before, goesOn && answer.asksForPoll ? answer.at : undefined);
    else if (packet.flags & FIRST) this.#message(at, packet.data[0]);
    else if (goesOn) this.#add('next', at, at - answer.at);
    this.#sent = { packet: kept, first: at, last: at, isAnswered: false };
  }

  #poll(at: Instant, before: Sent | undefined, asked: Instant | undefined): void {
    if (asked !== undefined) return this.#add('asked', at, at - asked);
    const isFailed = before !== undefined && !before.isAnswered && formatFlags(before.packet.flags) === 'xxxP';
    if (isFailed) this.#add('failed', at, at - before.first);
    else if (this.#pollAt !== undefined) this.#add('poll', at, at - this.#pollAt);
    this.#pollAt = at;
  }

  #message(at: Instant, type: number | undefined): void {
    if (type === TYPE['create-session']) {
      this.#phase = 'session';
      this.#reportAt = undefined;
      this.#pollAt = undefined;
    }
    if (type !== TYPE['upload-data']) return;
    if (this.#phase === 'session' && this.#answer) this.#add('first', at, at - this.#answer.at);
    if (this.#reportAt !== undefined) this.#add('report', at, at - this.#reportAt);
    this.#phase = 'ready';
    this.#reportAt = at;
  }

  #down({ at, packet }: ReadPacket): void {
    const sent = this.#sent;
    if (sent === undefined || sent.isAnswered) return;
    if (packet.sequence !== 0 && packet.sequence !== successor(sent.packet.sequence)) return;
    sent.isAnswered = true;
    this.#add('answer', at, at - sent.last);
    const asksForPoll = (packet.flags & ACK) !== 0 && (packet.flags & POLL) !== 0;
    this.#answer = { at, sequence: packet.sequence, asksForPoll };
  }

  /** The configuration is uploaded as lines, later ones as differences. */
  #readSettings(content: readonly string[]): void {
    for (const line of content) {
      const [, key, value] = /^(?:\+ )?\S+ config interval-(report|poll) (\d+)$/.exec(line) ?? [];
      if (key !== undefined) this.#settings = { ...this.#settings, [key]: seconds(Number(value)) };
    }
  }

  #add(name: RuleName, at: Instant, took: Millis): void {
    const values = this.#values.get(name) ?? [];
    values.push({ at, took });
    this.#values.set(name, values);
  }
}

// The cast is safe because RULES has exactly these keys.
const keysOfRules = Object.keys(RULES) as readonly RuleName[];

/** The measurements outside of what the rule allows. */
export function findOutside({ expected, values }: Measured): readonly Measurement[] {
  if (expected === undefined) return [];
  return values.filter(({ took }) => took < expected.from || took > expected.to);
}
