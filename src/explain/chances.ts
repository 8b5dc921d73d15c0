/**
 * The chances that a device had to exchange messages with the cloud. A chance begins when the device wakes its radio, boots, or
 * repeats a datagram. It ends when the device has an answer, gives up, or begins the next chance.
 *
 * A successful exchange leaves events, except for a poll without a downlink. So a poll without any event may have succeeded;
 * every other exchange without an event has failed.
 */
import type { Instant, Millis } from '../kernel/time.js';
import { minutes, seconds } from '../kernel/time.js';
import {
  type BootCause,
  type ContactReason,
  DATAGRAM_SIGNS,
  type DatagramSign,
  type RadioPause,
  type TraceEvent,
  type UplinkType,
} from '../trace/events.js';
import { findMissed, type Missed } from './missed.js';

export interface Chance {
  readonly at: Instant;
  /** When the result of the exchange was known; the start of the next chance if no earlier event shows the result. */
  readonly until: Instant;
  readonly why: ContactReason;
  /** Why the device booted; undefined if it did not. */
  readonly booted: BootCause | undefined;
  /**
   * How the chance began: the device woke its radio, booted, repeated a datagram, continued an exchange, or polled again 5 min
   * after a failed poll.
   */
  readonly begins: 'wake' | 'boot' | 'repeat' | 'follow' | 'retry';
  /** If it repeats a datagram: the time since the device last sent it. */
  readonly waited: Millis | undefined;
  /** `open`: no event shows the result. */
  readonly result: 'reached' | 'failed' | 'open';
  /** Why the exchange failed, in a short fixed phrase; empty if no event shows the reason. */
  readonly note: string;
  /** Whether the cloud received a datagram, even if its answer was lost. */
  readonly heard: boolean;
  /** Names of the faults that hit its datagrams, each once. */
  readonly lost: readonly string[];
  /** Name of the fault because of which a datagram of the same contact arrived twice; null if there is none. */
  readonly copiedBy: DatagramSign | null;
  /** What the cloud lacks although the device counts the exchange as complete (missed.ts). */
  readonly missed: Missed | undefined;
  /** Cause of the boot that interrupted the exchange; undefined if no boot did. */
  readonly cutBy: BootCause | undefined;
  readonly pauses: readonly { readonly at: Instant; readonly why: RadioPause; readonly lasts: Millis }[];
  /**
   * When a rule of the firmware started the transfer again: after stale answers or, at the beginning of this chance, because
   * the device has changed to another address of the cloud.
   */
  readonly restarts: readonly { readonly at: Instant; readonly why: RuledRestart }[];
}

/** The reasons in `device.restart` events that follow from a rule of the firmware and not from an answer of the cloud. */
export type RuledRestart = 'another address' | 'stale answers without end';

type Draft = { -readonly [K in keyof Chance]: Chance[K] } & {
  lost: string[];
  pauses: { at: Instant; why: RadioPause; lasts: Millis }[];
  restarts: { at: Instant; why: RuledRestart }[];
  /** Time of the last event that belongs to the chance. */
  lastEvent: Instant;
  /** Whether the device sent a report in this chance. */
  sentReport: boolean;
};

/** Reason for the failure of a poll or a report that waited too long for another exchange. The other exchange continues. */
const LOCKED = 'another exchange holds the cloud lock';
/** Reason for the failure of a poll that found a downlink longer than the buffer of the device (timing T-63). */
export const OVERLONG = 'message longer than the buffer';
/** Reasons for dropped uplinks that say nothing about the present exchange. */
const OTHER_DROPS: ReadonlySet<string> = new Set([LOCKED, 'spool full', 'reboot', 'power off', 'device failed']);
/** A failed poll is repeated after this time (timing T-20). */
const POLL_RETRY = minutes(5);
/** A time limit of 120 s for a report and 30 s of grace (timing T-26, T-41). */
const LONGEST_SILENCE = seconds(150);
/** A repetition may be late by this time (timing T-33, T-41). */
const LATE = seconds(30);
/** After a datagram has arrived twice, the device may read the copy within this time. */
const SAME_CONTACT = seconds(30);

/** @param events events of one device, in order */
export function findChances(events: readonly TraceEvent[]): readonly Chance[] {
  const walk = new Walk(findMissed(events));
  for (const event of events) walk.take(event);
  return walk.end();
}

class Walk {
  readonly #missed: ReadonlyMap<Instant, Missed>;
  readonly #chances: Chance[] = [];
  #current: Draft | undefined;
  #now: Instant = 0;
  #copied: { readonly at: Instant; readonly by: DatagramSign } | undefined;

  constructor(missed: ReadonlyMap<Instant, Missed>) {
    this.#missed = missed;
  }

  take(event: TraceEvent): void {
    this.#now = event.at;
    switch (event.kind) {
      case 'device.boot':
        return this.#takeBoot(event.at, event.cause);
      case 'device.wake':
        return this.#takeWake(event.at, event.why);
      case 'device.repeat':
        return this.#takeRepeat(event.at, event.waited);
      case 'device.restart':
        return this.#takeRestart(event.at, event.why);
      case 'uplink.acked':
      case 'downlink.received':
        return this.#takeSuccess(event.at);
      case 'net.fault':
        if (DATAGRAM_SIGNS[event.fault] === 'copies') this.#copied = { at: event.at, by: event.fault };
        else this.#findHit(event.at).lost.push(event.fault);
        return;
      case 'downlink.offered':
        return this.#takePoll(event.at);
      case 'cloud.stored':
        this.#getOngoing(event.at).heard = true;
        return;
      case 'uplink.sent':
        return this.#takeUplink(event.at, event.type);
      case 'poll.failed':
        if (event.why !== LOCKED) this.#takeFailure(event.at, event.why);
        return;
      case 'uplink.dropped':
        if (!OTHER_DROPS.has(event.why)) this.#takeFailure(event.at, event.why);
        return;
      case 'radio.paused':
        this.#current?.pauses.push({ at: event.at, why: event.why, lasts: event.lasts });
        return;
      default:
        return;
    }
  }

  end(): readonly Chance[] {
    this.#close(this.#now, false);
    return this.#chances;
  }

  #takeBoot(at: Instant, cause: BootCause): void {
    const current = this.#current;
    // A poll without an event for this long has ended before the boot.
    const rested = current?.why === 'poll' && at - current.lastEvent > LONGEST_SILENCE;
    if (current?.result === 'open' && !rested) {
      current.result = 'failed';
      current.cutBy = cause;
      current.until = at;
    }
    this.#close(at, rested);
    this.#current = { ...draftChance(at, 'boot', 'boot'), booted: cause };
  }

  #takeWake(at: Instant, why: ContactReason): void {
    const current = this.#current;
    const sameBoot = why === 'boot' && current?.booted !== undefined && current.result === 'open' && !current.heard;
    if (sameBoot) return;
    this.#close(at, true);
    const last = this.#chances.at(-1);
    const retry = why === 'poll' && last?.result === 'failed' && Math.abs(at - last.until - POLL_RETRY) < seconds(1);
    this.#current = draftChance(at, why, retry ? 'retry' : 'wake');
  }

  #takeRepeat(at: Instant, waited?: Millis): void {
    const { why } = this.#getOngoing(at);
    this.#takeFailure(at, 'no answer');
    this.#close(at, false);
    this.#current = { ...draftChance(at, why, 'repeat'), waited };
  }

  #takeRestart(at: Instant, why: string): void {
    // A change of the address ends a failed attempt.
    if (why === 'another address') this.#takeRepeat(at);
    if (why === 'another address' || why === 'stale answers without end')
      this.#getOngoing(at).restarts.push({ at, why });
  }

  /** An uplink that follows in an exchange: a report from the spool, an answer, or an upload of the session phase. */
  #takeUplink(at: Instant, type: UplinkType): void {
    const current = this.#getOngoing(at);
    current.sentReport = type === 'data';
    if (current.begins !== 'follow') return;
    current.why = type === 'data' ? 'report' : type === 'shell' ? 'answer' : 'boot';
    // The chance of an answer begins when it is sent: before that, the device was running the commands.
    if (current.why === 'answer') current.at = at;
  }

  /** A downlink is the answer to a poll, so a report without a result has failed before. It stays in the spool. */
  #takePoll(at: Instant): void {
    const sending = this.#current?.result === 'open' && this.#current.sentReport;
    if (sending) this.#takeFailure(at, 'out of time');
    const current = this.#getOngoing(at);
    if (sending) current.why = 'poll';
    current.heard = true;
  }

  #takeSuccess(at: Instant): void {
    const current = this.#getOngoing(at);
    current.result = 'reached';
    current.until = at;
    current.missed = this.#missed.get(at);
  }

  #takeFailure(at: Instant, note: string): void {
    const current = this.#getOngoing(at);
    current.result = 'failed';
    current.note = note;
    current.until = at;
  }

  /**
   * The chance to which a datagram hit by a fault belongs. A datagram at the very end of an exchange is its last
   * acknowledgement.
   */
  #findHit(at: Instant): Draft {
    const current = this.#current;
    return current?.missed !== undefined && current.until === at ? current : this.#getOngoing(at);
  }

  /** The present chance; a new one if the last one has a result, as for a poll that follows a report. */
  #getOngoing(at: Instant): Draft {
    const current = this.#current;
    if (current?.result === 'open') {
      current.lastEvent = at;
      return current;
    }
    const begins = current?.until ?? at;
    this.#close(begins, false);
    this.#current = draftChance(
      begins,
      current === undefined || current.result === 'reached' ? 'poll' : current.why,
      'follow',
    );
    this.#current.lastEvent = at;
    return this.#current;
  }

  /** @param rested whether the device was at rest before `at`, so that the chance ended earlier */
  #close(at: Instant, rested: boolean): void {
    const current = this.#current;
    if (current === undefined) return;
    if (current.result === 'open') current.until = Math.min(at, findSilentEnd(current, at, rested));
    const { lastEvent: _, sentReport: __, ...chance } = current;
    const copied = this.#copied;
    const copiedBy = copied !== undefined && chance.at - copied.at <= SAME_CONTACT ? copied.by : null;
    this.#chances.push({ ...chance, lost: [...new Set(chance.lost)], copiedBy });
    this.#current = undefined;
  }
}

/** When the device gave up without an event; later than `at` if it may still have tried then. */
function findSilentEnd({ lastEvent, waited, pauses }: Draft, at: Instant, rested: boolean): Instant {
  // A device that still tried would have repeated its datagram again after the same time.
  if (waited !== undefined && pauses.length === 0 && (rested || at - lastEvent > waited + LATE))
    return lastEvent + waited;
  return rested ? lastEvent + LONGEST_SILENCE : at;
}

function draftChance(at: Instant, why: ContactReason, begins: Chance['begins']): Draft {
  return {
    at,
    until: at,
    why,
    booted: undefined,
    begins,
    waited: undefined,
    result: 'open',
    note: '',
    heard: false,
    lost: [],
    copiedBy: null,
    missed: undefined,
    cutBy: undefined,
    pauses: [],
    restarts: [],
    lastEvent: at,
    sentReport: false,
  };
}
