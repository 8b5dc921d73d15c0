import { noise } from '../../../kernel/random.js';
import { hours, minutes, type UnixMillis } from '../../../kernel/time.js';
import type { PulsesModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rhythm } from './week.js';

/** Within such a stretch of active time pulses come evenly; from one to the next their number varies. */
const STRETCH = minutes(10);

/** The total since the beginning of time, so that any two moments have the same pulses between them for everybody. */
export function pulses({ perHour, by }: PulsesModel): Model {
  const { activeTime } = rhythm(by);
  const mean = (perHour * STRETCH) / hours(1);
  // A stretch begins up to `mean` late. That keeps the total rising, and gives a stretch from none to twice the mean.
  const before = (seed: number, stretch: number): number => mean * (stretch + noise(seed, stretch));
  return {
    value(seed: number, wall: UnixMillis): number {
      const active = activeTime(wall);
      const stretch = Math.floor(active / STRETCH);
      const from = before(seed, stretch);
      return Math.floor(from + (before(seed, stretch + 1) - from) * (active / STRETCH - stretch));
    },
  };
}
