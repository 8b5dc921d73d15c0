/**
 * The random numbers of models, drawn from the stateless noise of a sensor. Each kind of draw has its own range of indices, so
 * that no two draws use the same random number: -1 for the constant of a device, steps since 1970 for walks, milliseconds since
 * 1970 for readings.
 */
import { noise } from '../../../kernel/random.js';
import { hours, type Millis, type UnixMillis } from '../../../kernel/time.js';

/** Uniform in [0, 1): a constant of the device. */
export function own(seed: number): number {
  return noise(seed, -1);
}

/** Uniform in [-1, 1): different at every reading. */
export function jitter(seed: number, wall: UnixMillis): number {
  return 2 * noise(seed, wall) - 1;
}

const WEATHER = hours(8);

/** In [-1, 1): drifts within hours; values a day apart are unrelated. */
export function weather(seed: number, wall: UnixMillis): number {
  return walk(seed, wall, WEATHER);
}

/** In [-1, 1): interpolates between independent random values, one every `step`. The slope is at most 3 per step. */
export function walk(seed: number, wall: UnixMillis, step: Millis): number {
  const n = Math.floor(wall / step);
  const from = noise(seed, n);
  const part = wall / step - n;
  // Smoothstep: the slope is 0 at both ends of a step, so the curve has no kinks.
  return 2 * (from + (noise(seed, n + 1) - from) * part * part * (3 - 2 * part)) - 1;
}
