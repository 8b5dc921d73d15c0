/**
 * What models draw from the stateless noise of a sensor. Each kind of draw has its own stretch of the stream: the device's
 * own share is at -1, weather counts in hours, readings in milliseconds, so that none of them ever meet.
 */
import { noise } from '../../../kernel/random.js';
import { hours, type Millis, type UnixMillis } from '../../../kernel/time.js';

/** Uniform in [0, 1): what is a device's own and stays. */
export function own(seed: number): number {
  return noise(seed, -1);
}

/** Uniform in [-1, 1): what is different at every reading. */
export function jitter(seed: number, wall: UnixMillis): number {
  return 2 * noise(seed, wall) - 1;
}

const WEATHER = hours(8);

/** In [-1, 1): what drifts from one value to another within hours, and is far away after a day. */
export function weather(seed: number, wall: UnixMillis): number {
  return walk(seed, wall, WEATHER);
}

/** In [-1, 1): a walk that is at a new place after each `step`, and never far from 0 for long. Its slope is 3 a step at most. */
export function walk(seed: number, wall: UnixMillis, step: Millis): number {
  const n = Math.floor(wall / step);
  const from = noise(seed, n);
  const part = wall / step - n;
  // Smoothstep: the slope is 0 at both ends, so that the steps join without a kink.
  return 2 * (from + (noise(seed, n + 1) - from) * part * part * (3 - 2 * part)) - 1;
}
