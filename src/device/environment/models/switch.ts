import { noise } from '../../../kernel/random.js';
import { days, seconds, type UnixMillis } from '../../../kernel/time.js';
import type { SwitchModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rhythm } from './week.js';

/** A contact closes once in each equal part of active time (week.ts), at a random moment and for a random duration. */
export function contact({ perDay, stays, by }: SwitchModel): Model {
  if (perDay === 0) return { value: () => 0, nextChange: () => Number.POSITIVE_INFINITY };
  const part = days(1) / perDay;
  const { activeTime, wallAt, peak } = rhythm(by);

  const length = (seed: number, n: number): number =>
    Math.floor(seconds(1) + (stays - seconds(1)) * noise(seed, 2 * n + 1));
  const start = (seed: number, n: number): UnixMillis =>
    // The contact opens within the same part, even if active time runs at its highest speed meanwhile.
    Math.ceil(wallAt(n * part + (part - (length(seed, n) + 1) * peak) * noise(seed, 2 * n)));
  const end = (seed: number, n: number): UnixMillis => start(seed, n) + length(seed, n);

  return {
    value(seed, wall) {
      const n = Math.floor(activeTime(wall) / part);
      return wall >= start(seed, n) && wall < end(seed, n) ? 1 : 0;
    },
    nextChange(seed, wall) {
      const n = Math.floor(activeTime(wall) / part);
      if (wall < start(seed, n)) return start(seed, n);
      return wall < end(seed, n) ? end(seed, n) : start(seed, n + 1);
    },
  };
}
