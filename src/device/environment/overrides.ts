/**
 * What somebody does to a signal by hand, as plain functions of time: hold it, let it run from one value to another, play
 * back what was recorded, give pulses, close a contact now and then. None of it keeps count of readings, so that a sample
 * taken late by a quiet task is the one that was due.
 *
 * A device has none of this unless somebody lays a hand on it (environment.ts).
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';
import { type Series, seriesChange, seriesValue } from './series.js';

/** What a signal shows in place of what its model says. */
export type Course =
  /** NaN: the sensor does not answer. */
  | { readonly kind: 'held'; readonly value: number }
  /** On a straight line from one value to the other, where it stays. */
  | {
      readonly kind: 'ramp';
      readonly from: number;
      readonly to: number;
      readonly start: UnixMillis;
      readonly over: Millis;
    }
  /** Rows of a record, the first of them at `start`; the last value stays. */
  | { readonly kind: 'replay'; readonly series: Series; readonly start: UnixMillis; readonly stepped: boolean }
  /** A contact that closes again and again; afterwards the model takes over. */
  | { readonly kind: 'blinks'; readonly train: PulseTrain; readonly stays: Millis };

/** `times` pulses, the first at `start`. */
export interface PulseTrain {
  readonly start: UnixMillis;
  readonly every: Millis;
  readonly times: number;
}

/** A hand on a signal. */
export interface Hand {
  readonly course: Course | undefined;
  /** What is added to the model, and to pulses that have been given: running totals go on from where they were left. */
  readonly moved: number;
  /** Pulses that are being given. */
  readonly trains: readonly PulseTrain[];
}

/** A line that is looked at all the time is looked at this often while it runs from one value to another. */
const LOOK_EVERY: Millis = 1000;

/** What a course shows; undefined: it is over, or says nothing. */
export function courseValue(course: Course, wall: UnixMillis): number | undefined {
  switch (course.kind) {
    case 'held':
      return course.value;
    case 'ramp': {
      const { from, to, start, over } = course;
      const part = over === 0 ? 1 : Math.min(Math.max((wall - start) / over, 0), 1);
      return part === 1 ? to : from + (to - from) * part;
    }
    case 'replay':
      return seriesValue(course.series, wall - course.start, course.stepped);
    case 'blinks': {
      const { train, stays } = course;
      const { start, every, times } = train;
      if (wall < start || wall >= start + (times - 1) * every + stays) return undefined;
      return (wall - start) % every < stays ? 1 : 0;
    }
    default:
      return course satisfies never;
  }
}

/** When a course next does something that a watched input shows, after `wall`; Infinity for never. */
export function courseChange(course: Course, wall: UnixMillis): UnixMillis {
  switch (course.kind) {
    case 'held':
      return Number.POSITIVE_INFINITY;
    case 'ramp':
      return wall < course.start + course.over
        ? Math.min(wall + LOOK_EVERY, course.start + course.over)
        : Number.POSITIVE_INFINITY;
    case 'replay':
      return course.start + seriesChange(course.series, wall - course.start);
    case 'blinks': {
      const { train, stays } = course;
      const { start, every, times } = train;
      if (wall < start) return start;
      const n = Math.floor((wall - start) / every);
      if (n >= times) return Number.POSITIVE_INFINITY;
      const end = start + n * every + stays;
      if (wall < end) return end;
      return n + 1 < times ? start + (n + 1) * every : Number.POSITIVE_INFINITY;
    }
    default:
      return course satisfies never;
  }
}

/** Pulses that a train has given by `wall`. */
export function pulsesGiven({ start, every, times }: PulseTrain, wall: UnixMillis): number {
  if (wall < start) return 0;
  return every === 0 ? times : Math.min(times, Math.floor((wall - start) / every) + 1);
}

/** When a train gives its next pulse after `wall`; Infinity for never. */
export function nextPulse(train: PulseTrain, wall: UnixMillis): UnixMillis {
  const given = pulsesGiven(train, wall);
  return given < train.times ? train.start + given * train.every : Number.POSITIVE_INFINITY;
}

/** Whether nothing is left of a hand. */
export function isIdle({ course, moved, trains }: Hand): boolean {
  return course === undefined && moved === 0 && trains.length === 0;
}
