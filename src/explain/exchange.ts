/**
 * One exchange of a device under given conditions: how long it takes, and whether it works within its time limit. The numbers
 * were measured on simulated devices: under each of 27 faults, their polls fetched 180 downlinks (docs/EXPLAIN.md, "How it is
 * computed").
 */
import type { Ratio } from '../kernel/ratio.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { Conditions } from './conditions.js';

/** `answer`: the device sends the answer to a downlink; `session`: the first exchanges after a boot. */
export type ExchangeKind = 'report' | 'poll' | 'answer' | 'session';

interface Attempt {
  /** When the first datagram gets through. */
  readonly begin: Instant;
  readonly until: Instant;
  /** Probability that the exchange succeeds within its time limit, 0 to 1. */
  readonly chance: Ratio;
}

/** If the modem could not send anything within the limit, the firmware gives up 30 s later (firmware timing, 5). */
const GRACE: Millis = seconds(30);
/** Durations without faults: radio connection, datagrams, connection evaluation. */
const DURATION: Readonly<Record<ExchangeKind, Millis>> = {
  report: seconds(3),
  poll: seconds(3),
  answer: seconds(8),
  session: seconds(8),
};
/** Number of round trips. */
const ROUNDS: Readonly<Record<ExchangeKind, number>> = { report: 1, poll: 1, answer: 1, session: 4 };
/** The device listens this long; a later answer is read when it listens again (firmware timing, 6). */
const LISTENS: Millis = seconds(5);
const LISTENS_AGAIN: Millis = seconds(12);
/** From this delay on, no answer to a downlink can be sent. */
const TOO_LATE: Millis = seconds(14);
/**
 * Mean time of a repetition. The number of repetitions depends on the square of the share that gets through, because a transfer
 * also begins again after a lost answer.
 */
const REPETITION: Millis = seconds(8);
const FEWEST_PASS: Ratio = 0.02;
const FEWEST_READABLE: Ratio = 0.02;

/**
 * @param pace time of the exchange as a share of its usual time
 * @param limit null if the firmware waits until the exchange works
 */
export function attempt(
  kind: ExchangeKind,
  at: Instant,
  conditions: Conditions,
  pace: number,
  limit: Millis | null,
): Attempt {
  let begin = conditions.open(at);
  const last = limit === null ? Number.POSITIVE_INFINITY : at + limit;
  for (;;) {
    if (begin > last || !Number.isFinite(begin)) return { begin, until: last + GRACE, chance: 0 };
    const usual = course(kind, begin, conditions, limit);
    const takes = usual.takes * pace;
    // A fault that begins during the exchange stops it.
    const open = conditions.open(begin + takes);
    if (open === begin + takes) return { begin, until: open, chance: usual.chance };
    begin = open;
  }
}

/** When the cloud has the answer that the device sends at `at`. Its acknowledgement may take longer. */
export function answered(at: Instant, conditions: Conditions): Instant {
  const begin = conditions.open(at);
  if (!Number.isFinite(begin)) return begin;
  const oneWay = Math.sqrt(Math.max(FEWEST_PASS, conditions.passes(begin)));
  const readable = Math.sqrt(Math.max(FEWEST_READABLE, conditions.readable(begin)));
  return begin + seconds(2) + conditions.delay(begin) / 2 + LISTENS_AGAIN * (1 / (oneWay * readable) - 1);
}

function course(
  kind: ExchangeKind,
  at: Instant,
  conditions: Conditions,
  limit: Millis | null,
): { readonly takes: Millis; readonly chance: Ratio } {
  const passes = Math.max(FEWEST_PASS, conditions.passes(at));
  const readable = Math.max(FEWEST_READABLE, conditions.readable(at));
  const trip = roundTrip(conditions.delay(at));
  if (kind === 'poll' && limit !== null) {
    const takes = Math.min(limit, DURATION.poll + trip + seconds(4) * (1 / passes - 1));
    return { takes, chance: (1 - missed(passes)) * readable };
  }
  const repeats = ROUNDS[kind] * (trip + REPETITION * (1 / (passes * passes) - 1));
  // If an answer is unreadable, a session begins again, but a report or the answer to a downlink is lost.
  if (kind === 'session') return { takes: (DURATION.session + repeats) / (readable * readable), chance: 1 };
  const takes = DURATION[kind] + repeats;
  // The device mistakes late answers for answers to later datagrams.
  if (kind === 'answer' && trip > LISTENS) return { takes, chance: readable * inOrder(conditions.delay(at)) };
  if (limit === null || takes <= limit) return { takes, chance: readable };
  return { takes: limit, chance: (readable * limit) / (2 * takes) };
}

/**
 * The probability that no copy of a poll gets an answer: `lost` to the power of 2.5. The power is not higher, because the cloud
 * does not answer the first repetition.
 */
function missed(passes: Ratio): Ratio {
  const lost = 1 - passes;
  return lost * lost * Math.sqrt(lost);
}

/** The probability that the answer to a downlink is sent although the answers to its datagrams are late. */
function inOrder(delay: Millis): Ratio {
  return delay < TOO_LATE ? 0.5 : 0;
}

/** Time of a round trip beyond that of an exchange without faults. */
function roundTrip(delay: Millis): Millis {
  return delay <= LISTENS ? delay : Math.max(LISTENS_AGAIN, 1.1 * delay);
}
