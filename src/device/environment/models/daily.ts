import { days, type UnixMillis } from '../../../kernel/time.js';
import type { DailyModel } from '../../../profile/models.js';
import { jitter, own, weather } from './chance.js';
import type { Model } from './model.js';
import { warmth } from './people.js';
import { front, rain } from './sky.js';

/** Factor of the daily swing in the middle of an area of low pressure, when the sky is covered. */
const OVERCAST = 0.5;

/** A mean plus the effects of the day, the year, the weather and people; gusts multiply the sum by a random factor. */
export function daily(spec: DailyModel): Model {
  const { mean, spread, swing, drift, noise, season, people } = spec;
  const outdoors = spec.front !== 0 || spec.rain !== 0;
  return {
    value(seed, wall, { place }) {
      let value = mean + spread * (2 * own(seed) - 1);
      const low = outdoors ? front(place, wall) : 0;
      value += swing * timeOfDay(wall) * (outdoors ? 1 - OVERCAST * 0.5 * (1 + low) : 1);
      value += drift * weather(seed, wall);
      if (season !== 0) value += season * timeOfYear(wall);
      if (spec.front !== 0) value += spec.front * low;
      if (spec.rain !== 0) value += spec.rain * rain(place, wall);
      if (people !== 0) value += people * warmth(place, wall);
      if (spec.gusts !== 0) value *= 1 + spec.gusts * jitter(~seed, wall);
      return value + noise * jitter(seed, wall);
    },
  };
}

/** Temperature by the hour from midnight UTC, -1 to 1: lowest at 5, highest at 15. Sine functions differ between engines. */
const BY_HOUR = [
  -0.66, -0.76, -0.85, -0.92, -0.98, -1, -0.95, -0.8, -0.57, -0.29, 0.02, 0.33, 0.61, 0.83, 0.96, 1, 0.96, 0.85, 0.66,
  0.42, 0.15, -0.11, -0.34, -0.52, -0.66,
];

/** Temperature by the month, from the middle of January (the coldest time) to the next. */
const BY_MONTH = [-1, -0.91, -0.56, -0.05, 0.47, 0.86, 1, 0.92, 0.55, 0.02, -0.5, -0.87, -1];
const YEAR = days(365.2425);
const MIDDLE_OF_JANUARY = days(15);

/** In [-1, 1]. */
function timeOfDay(wall: UnixMillis): number {
  return along(BY_HOUR, wall / days(1));
}

/** In [-1, 1]. */
function timeOfYear(wall: UnixMillis): number {
  return along(BY_MONTH, (wall - MIDDLE_OF_JANUARY) / YEAR);
}

/** Linear interpolation in a table of one period. */
function along(table: readonly number[], rounds: number): number {
  const place = (table.length - 1) * (rounds - Math.floor(rounds));
  const entry = Math.floor(place);
  const from = table[entry] ?? 0;
  return from + ((table[entry + 1] ?? 0) - from) * (place - entry);
}
