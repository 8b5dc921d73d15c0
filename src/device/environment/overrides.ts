/**
 * What somebody does to a signal by override, as plain functions of time: hold it, let it run from one value to another, play
 * back what was recorded, give pulses, close a contact now and then. None of it keeps count of readings, so that a sample
 * taken late by a quiet task is the one that was due.
 *
 * A device has none of this unless somebody lays a hand on it (environment.ts).
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';
import { type Series, seriesChange, seriesValue } from './series.js';

/** What a signal shows in place of what its model says. */
export type Waveform =
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
export interface Override {
  readonly waveform: Waveform | undefined;
  /** What is added to the model, and to pulses that have been given: running totals go on from where they were left. */
  readonly moved: number;
  /** Pulses that are being given. */
  readonly trains: readonly PulseTrain[];
}

/** A line that is looked at all the time is looked at this often while it runs from one value to another. */
const LOOK_EVERY: Millis = 1000;

/** What a waveform shows; undefined: it is over, or says nothing. */
export function waveformValue(waveform: Waveform, wall: UnixMillis): number | undefined {
  switch (waveform.kind) {
    case 'held':
      return waveform.value;
    case 'ramp': {
      const { from, to, start, over } = waveform;
      const part = over === 0 ? 1 : Math.min(Math.max((wall - start) / over, 0), 1);
      return part === 1 ? to : from + (to - from) * part;
    }
    case 'replay':
      return seriesValue(waveform.series, wall - waveform.start, waveform.stepped);
    case 'blinks': {
      const { train, stays } = waveform;
      const { start, every, times } = train;
      if (wall < start || wall >= start + (times - 1) * every + stays) return undefined;
      return (wall - start) % every < stays ? 1 : 0;
    }
    default:
      return waveform satisfies never;
  }
}

/** When a waveform next does something that a watched input shows, after `wall`; Infinity for never. */
export function waveformChange(waveform: Waveform, wall: UnixMillis): UnixMillis {
  switch (waveform.kind) {
    case 'held':
      return Number.POSITIVE_INFINITY;
    case 'ramp':
      return wall < waveform.start + waveform.over
        ? Math.min(wall + LOOK_EVERY, waveform.start + waveform.over)
        : Number.POSITIVE_INFINITY;
    case 'replay':
      return waveform.start + seriesChange(waveform.series, wall - waveform.start);
    case 'blinks': {
      const { train, stays } = waveform;
      const { start, every, times } = train;
      if (wall < start) return start;
      const n = Math.floor((wall - start) / every);
      if (n >= times) return Number.POSITIVE_INFINITY;
      const end = start + n * every + stays;
      if (wall < end) return end;
      return n + 1 < times ? start + (n + 1) * every : Number.POSITIVE_INFINITY;
    }
    default:
      return waveform satisfies never;
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

/** Whether nothing is left of a override. */
export function isEmpty({ waveform, moved, trains }: Override): boolean {
  return waveform === undefined && moved === 0 && trains.length === 0;
}
