import { noise } from '../../../kernel/random.js';
import { days, type UnixMillis } from '../../../kernel/time.js';
import type { ShowersModel } from '../../../profile/models.js';
import type { Model, Others } from './model.js';
import { pulses } from './pulses.js';

/**
 * Pulses on a clock that only runs while it rains: time is cut into equal parts with one shower in each, at a random moment
 * and as long as all others, so that it is known without looking back how long it has rained since the beginning of time.
 */
export function showers({ perDay, lasts, perHour }: ShowersModel): Model {
  const part = days(1) / perDay;
  const rain = pulses({ kind: 'pulses', perHour });
  return {
    value(seed: number, wall: UnixMillis, others: Others): number {
      if (perDay === 0) return 0;
      const n = Math.floor(wall / part);
      const start = (n + (1 - lasts / part) * noise(~seed, n)) * part;
      return rain.value(seed, n * lasts + Math.min(Math.max(wall - start, 0), lasts), others);
    },
  };
}
