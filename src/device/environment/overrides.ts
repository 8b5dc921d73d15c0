/**
 * Overrides of a signal (a quantity of a sensor) by steps and the console, as pure functions of time: hold a value, ramp to a
 * value, play back a recording, add pulses, close a contact repeatedly. They do not depend on earlier readings. So a task that
 * takes a sample later than it was due still gets the value of the due time.
 *
 * Only devices with overrides have objects of this file; environment.ts holds them.
 */
import type { Millis, UnixMillis } from '../../kernel/time.js';
import { type Series, seriesChange, seriesValue } from './series.js';

/** The values of a signal in place of those of its model. */
export type Waveform =
  /** A constant value; NaN if the sensor does not answer. */
  | { readonly kind: 'held'; readonly value: number }
  /** Linear from one value to the other, then constant. */
  | {
      readonly kind: 'ramp';
      readonly from: number;
      readonly to: number;
      readonly start: UnixMillis;
      readonly over: Millis;
    }
  /** Rows of a recording plus `shift`, the first row at `start`; the last value stays. */
  | {
      readonly kind: 'replay';
      readonly series: Series;
      readonly start: UnixMillis;
      readonly stepped: boolean;
      readonly shift: number;
    }
  /** A contact that closes repeatedly; afterwards the model applies again. */
  | { readonly kind: 'blinks'; readonly train: PulseTrain; readonly stays: Millis };

/** `times` pulses, the first at `start`. */
export interface PulseTrain {
  readonly start: UnixMillis;
  readonly every: Millis;
  readonly times: number;
}

export interface Override {
  readonly waveform: Waveform | undefined;
  /** Added to the model: running totals continue from the value at which an override ended. */
  readonly moved: number;
  /** Pulses in progress. */
  readonly trains: readonly PulseTrain[];
}

/** How often a watched input is read during a ramp. */
const LOOK_EVERY: Millis = 1000;

/** The value of a waveform; undefined for `blinks` before the first and after the last pulse. */
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
      return seriesValue(waveform.series, wall - waveform.start, waveform.stepped) + waveform.shift;
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

/** When a watched input next has to be read after `wall`; Infinity for never. */
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

/** Number of pulses up to `wall`. */
export function pulsesGiven({ start, every, times }: PulseTrain, wall: UnixMillis): number {
  if (wall < start) return 0;
  return every === 0 ? times : Math.min(times, Math.floor((wall - start) / every) + 1);
}

/** When the next pulse after `wall` comes; Infinity for never. */
export function nextPulse(train: PulseTrain, wall: UnixMillis): UnixMillis {
  const given = pulsesGiven(train, wall);
  return given < train.times ? train.start + given * train.every : Number.POSITIVE_INFINITY;
}

/** Whether an override has no effect any longer. */
export function isEmpty({ waveform, moved, trains }: Override): boolean {
  return waveform === undefined && moved === 0 && trains.length === 0;
}
