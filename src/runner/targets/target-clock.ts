/**
 * Converts times of another cloud to times of the run. Its clock may differ from the clock of this machine, so the difference
 * is measured: a time stamp that the cloud made between two moments of this machine limits it from both sides.
 */
import type { Clock } from '../../kernel/clock.js';
import { foreignTime } from '../../kernel/json-text.js';
import { humanDuration, type Instant, type Millis, seconds } from '../../kernel/time.js';

/** Milliseconds by which the clock of a cloud is ahead of the clock of this machine, and the largest error of this number. */
export interface ClockOffset {
  readonly offset: Millis;
  readonly error: Millis;
}

interface TargetClockOptions {
  /** Real time of this machine, without corrections of its system clock. */
  readonly time: Pick<Clock, 'now' | 'wall'>;
  /** Time of the run. */
  readonly run: Pick<Clock, 'now'>;
  /** Milliseconds of the run per millisecond of the cloud. */
  readonly speed: number;
}

/** Time of the run: a report warns of a larger error. */
const INEXACT: Millis = seconds(1);

export class TargetClock {
  readonly #options: TargetClockOptions;
  /** Time stamp of this machine at the time 0 of `time`. */
  readonly #epoch: number;
  /** From time stamps in bodies. */
  readonly #stamps = new Limits();
  /** From `Date` headers, only without stamps: whole seconds, maybe of a proxy with another clock. */
  readonly #dates = new Limits();

  constructor(options: TargetClockOptions) {
    const { now, wall } = options.time;
    this.#options = options;
    this.#epoch = wall - now;
  }

  /** A moment of this machine, for {@link noteCreated}, {@link noteDated} and {@link findStampBefore}. */
  get now(): Instant {
    return this.#options.time.now;
  }

  /** The difference between the clocks; undefined if it was not measured. */
  get offset(): ClockOffset | undefined {
    return this.#stamps.offset ?? this.#dates.offset;
  }

  /** Largest error of {@link findMoment}, in ms of the run: infinite if the clock was not measured, or was corrected. */
  get error(): Millis {
    if (this.#stamps.wasCorrected) return Number.POSITIVE_INFINITY;
    return (this.offset?.error ?? Number.POSITIVE_INFINITY) * this.#options.speed;
  }

  /** A request that was sent at `sent`, and has now been answered, created something with this time stamp. */
  noteCreated(stamp: string, sent: Instant): void {
    this.#noteSeen(this.#stamps, stamp, sent);
  }

  /** A response with this `Date` header has now arrived; its request was sent at `sent`. */
  noteDated(header: string, sent: Instant): void {
    this.#noteSeen(this.#dates, header, sent);
  }

  /**
   * The cloud now shows this time stamp of an event.
   * @param after a time of the run before the event; undefined if none is known
   */
  noteShown(stamp: string, after: Instant | undefined): void {
    const { run, speed } = this.#options;
    const ago = after === undefined ? Number.POSITIVE_INFINITY : (run.now - after) / speed;
    this.#noteSeen(this.#stamps, stamp, this.now - ago);
  }

  /**
   * Converts a time stamp of the cloud, which stands for a time of 1 ms or more, to a time of the run: not before the start of
   * the run, and not later than now. What is not a time becomes now: of updates, the client checks only the id.
   * @param notBefore a time at which the event cannot have happened yet. If the error can explain it, an earlier result becomes
   * this time
   */
  findMoment(stamp: string, notBefore: Instant = 0): Instant {
    const { run, speed } = this.#options;
    const there = foreignTime(stamp);
    if (Number.isNaN(there)) return run.now;
    const half = findPrecision(stamp) / 2;
    const ago = this.now + this.#epoch + (this.offset?.offset ?? 0) - (there + half);
    const at = Math.min(run.now, Math.max(0, run.now - ago * speed));
    return at < notBefore && notBefore - at <= this.error + half * speed ? notBefore : at;
  }

  /** A time stamp of the cloud that it certainly made before the moment `at` of this machine. */
  findStampBefore(at: Instant): number {
    const { offset, error } = this.offset ?? { offset: 0, error: 0 };
    return Math.floor(this.#epoch + at + offset - error);
  }

  #noteSeen(limits: Limits, stamp: string, sent: Instant): void {
    const there = foreignTime(stamp);
    if (Number.isNaN(there)) return;
    const here = this.#epoch;
    limits.add(there - (here + this.now), there + findPrecision(stamp) - (here + sent));
  }
}

/** A warning if times of the cloud are not exact. @param speed milliseconds of the run per millisecond of the cloud */
export function warnOfClock(measured: ClockOffset | undefined, speed: number): readonly string[] {
  if (measured === undefined || measured.error * speed <= INEXACT) return [];
  const [error, ofRun] = [humanDuration(measured.error), humanDuration(measured.error * speed)];
  return [
    `the clock of the target is known to ± ${error}: times that come from it may be wrong by ${ofRun} of the run`,
  ];
}

/** The range that contains all offsets, which are from machines with different clocks; undefined without offsets. */
export function mergeOffsets(offsets: readonly ClockOffset[]): ClockOffset | undefined {
  if (offsets.length === 0) return undefined;
  const least = Math.min(...offsets.map(({ offset, error }) => offset - error));
  const most = Math.max(...offsets.map(({ offset, error }) => offset + error));
  return { offset: (least + most) / 2, error: (most - least) / 2 };
}

/** A larger contradiction between the limits of an offset shows a correction of a clock. */
const CORRECTION: Millis = seconds(1);

/** What is known about an offset. */
class Limits {
  #least = Number.NEGATIVE_INFINITY;
  #most = Number.POSITIVE_INFINITY;
  /** How exactly the offset was known before the limits contradicted each other. */
  #exactness: Millis = Number.POSITIVE_INFINITY;

  add(least: Millis, most: Millis): void {
    this.#exactness = Math.min(this.#exactness, most - least);
    this.#least = Math.max(this.#least, least);
    this.#most = Math.min(this.#most, most);
    if (this.#least <= this.#most) this.#exactness = Math.min(this.#exactness, this.#most - this.#least);
  }

  get wasCorrected(): boolean {
    return this.#least - this.#most > CORRECTION;
  }

  /**
   * If the limits contradict each other, the clock of the cloud was corrected or runs at another rate, or there are several
   * clocks. All values of the offset are then between the limits, or a little outside.
   */
  get offset(): ClockOffset | undefined {
    const width = this.#most - this.#least;
    if (!Number.isFinite(width)) return undefined;
    const error = width < 0 ? this.#exactness - width / 2 : width / 2;
    return { offset: (this.#least + this.#most) / 2, error };
  }
}

/** The length of the time that a time stamp can stand for. */
function findPrecision(stamp: string): Millis {
  const [, digits = ''] = /\.(\d+)/.exec(stamp) ?? [];
  return [1000, 100, 10][digits.length] ?? 1;
}
