import { days, type UnixMillis } from '../../../kernel/time.js';
import type { DailyModel } from '../../../profile/models.js';
import { jitter, own, weather } from './chance.js';
import type { Model } from './model.js';

export function daily({ mean, spread, swing, drift, noise }: DailyModel): Model {
  return {
    value: (seed, wall) =>
      mean +
      spread * (2 * own(seed) - 1) +
      swing * timeOfDay(wall) +
      drift * weather(seed, wall) +
      noise * jitter(seed, wall),
  };
}

/**
 * Temperature by the hour from midnight UTC: lowest at 5, highest at 15, quicker up than down. A table, because sines
 * differ between engines.
 */
const BY_HOUR = [
  -0.66, -0.76, -0.85, -0.92, -0.98, -1, -0.95, -0.8, -0.57, -0.29, 0.02, 0.33, 0.61, 0.83, 0.96, 1, 0.96, 0.85, 0.66,
  0.42, 0.15, -0.11, -0.34, -0.52, -0.66,
];

/** In [-1, 1], on straight lines between the hours. */
function timeOfDay(wall: UnixMillis): number {
  const day = wall / days(1);
  const clock = 24 * (day - Math.floor(day));
  const hour = Math.floor(clock);
  const from = BY_HOUR[hour] ?? 0;
  return from + ((BY_HOUR[hour + 1] ?? 0) - from) * (clock - hour);
}
