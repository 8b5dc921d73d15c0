/** Protects a public gateway from recorded datagrams, and from flooding others (docs/SECURITY.md, "Replayed datagrams"). */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type Instant, type Millis, minutes } from '../../kernel/time.js';
import type { CloudTransfer } from '../../protocol/flap/cloud-transfer.js';
import { type Envelope, type EnvelopeFormat, sealedSize } from '../../protocol/flap/envelope.js';
import { type Packet, RESET } from '../../protocol/flap/packet.js';
import type { DeviceSession } from '../delivery/device-session.js';
import { AnswerLimits, GuestAllowance } from './answer-limits.js';
import { ReplayGuard, type Source, type Verdict } from './replay-guard.js';

/**
 * At most one security event per device is logged in this time, with the number of all dropped datagrams of the device so far.
 */
const LOG_EVERY = minutes(1);

/** State of the protection for a device. It is kept until the process ends, or until another device uses the serial number. */
interface Watched {
  readonly deviceId: string;
  readonly guard: ReplayGuard;
  readonly allowance: GuestAllowance;
  dropped: number;
  loggedAt: Instant | undefined;
}

/**
 * Kind of the sender of a datagram. `stranger`: the tag is wrong. `elsewhere`: the tag is valid, but the address is not proven,
 * and the datagram may be a copy. `home`: the address of the device is proven. Each kind has its own limits, so that an
 * attacker cannot use up the limits of the device.
 */
type Sender = 'stranger' | 'elsewhere' | 'home';

/** A datagram with a valid tag. */
interface Datagram {
  readonly envelope: Envelope;
  readonly format: EnvelopeFormat;
  readonly source: Source;
}

/** A datagram that may be processed. */
export interface Admitted {
  readonly verdict: Verdict;
  /** Whether it belongs to the dialogue of the device, and not to one of its sender alone. */
  readonly isProven: boolean;
  /** Whether this answer may be sent. Counts resets and repeated answers, and bytes to an unproven address. */
  mayAnswer(answer: Packet): boolean;
  /** Whether the address is that of the device, although another host has asked for a session since its latest proof. */
  readonly isDoubted: boolean;
  /** The packet has proven the address. */
  prove(): void;
}

interface ProtectionOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly patience: Millis;
  /** Whether other nodes share the store: a device may have communicated with them. */
  readonly shared: boolean;
}

export class Protection {
  readonly #shared: boolean;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #patience: Millis;
  readonly #limits: Readonly<Record<Sender, AnswerLimits>> = {
    stranger: new AnswerLimits(),
    elsewhere: new AnswerLimits(),
    home: new AnswerLimits(),
  };
  readonly #watched = new Map<number, Watched>();

  constructor({ clock, log, patience, shared }: ProtectionOptions) {
    this.#shared = shared;
    this.#clock = clock;
    this.#log = log;
    this.#patience = patience;
  }

  /**
   * Judges a datagram with a valid tag. Returns undefined for a replayed datagram, which must be dropped.
   * @param transfer that of the device, if it has one
   */
  admit(
    session: DeviceSession,
    { envelope, format, source }: Datagram,
    transfer: CloudTransfer | undefined,
  ): Admitted | undefined {
    const { packet, bytes } = envelope;
    const watched = this.#watch(session);
    const { guard, allowance } = watched;
    const at = this.#clock.now;
    if (session.otherwiseAt !== undefined) guard.noteOtherwise(session.otherwiseAt);
    const arrival = { packet, mark: markOf(bytes), source, at, transfer, elsewhere: this.#elsewhere(session) };
    const repeated = guard.isRepeated(arrival);
    const verdict = guard.judge(arrival);
    if (verdict === 'copy') {
      this.#report(session.device.serial, watched, source);
      return undefined;
    }
    const isProven = verdict !== 'guest' && verdict !== 'visitor';
    if (!isProven) allowance.received(source, sealedSize(packet, format));
    return {
      verdict,
      isProven,
      isDoubted: verdict === 'known' && guard.isContested,
      mayAnswer: (answer) => {
        if (verdict === 'repeat' && answer.data.length > 0) return false;
        if (!isProven && !allowance.admit(sealedSize(answer, format))) return false;
        return (
          !(repeated || answer === RESET) ||
          this.#mayRepeat(verdict === 'known' ? 'home' : 'elsewhere', session, source)
        );
      },
      prove: () => guard.prove(source, at),
    };
  }

  /** Whether a datagram with a wrong tag may be answered with a reset. Counts it if so. */
  mayReset(session: DeviceSession, source: Source): boolean {
    return this.#mayRepeat('stranger', session, source);
  }

  #elsewhere({ device: { sessionId, lastContact } }: DeviceSession): Instant | undefined {
    if (!this.#shared || sessionId === null) return undefined;
    const { now, wall } = this.#clock;
    return now - (wall - (lastContact ?? 0));
  }

  #mayRepeat(sender: Sender, { device }: DeviceSession, { host }: Source): boolean {
    // An attacker must not use up the resets that the device needs at a new address.
    const who = sender === 'elsewhere' ? `${device.serial} ${host}` : device.serial;
    return this.#limits[sender].admit(who, host, this.#clock.now);
  }

  #watch({ device: { serial, id } }: DeviceSession): Watched {
    const known = this.#watched.get(serial);
    if (known?.deviceId === id) return known;
    const parts = { guard: new ReplayGuard(this.#patience), allowance: new GuestAllowance() };
    const watched = { deviceId: id, ...parts, dropped: 0, loggedAt: undefined };
    this.#watched.set(serial, watched);
    return watched;
  }

  #report(serial: number, watched: Watched, { host, port }: Source): void {
    watched.dropped++;
    const { now } = this.#clock;
    if (watched.loggedAt !== undefined && now - watched.loggedAt < LOG_EVERY) return;
    watched.loggedAt = now;
    this.#log.warn(
      { security: 'replay', serial, from: `${host}:${port}`, dropped: watched.dropped },
      'dropped a copy of an earlier datagram',
    );
  }
}

/** The first 48 bits of the tag, as a number. */
function markOf(bytes: Uint8Array): number {
  let mark = 0;
  for (let at = 0; at < 6; at++) mark = mark * 256 + (bytes[at] as number);
  return mark;
}
