import { noise } from '../../../kernel/random.js';
import { hours, minutes, type UnixMillis } from '../../../kernel/time.js';
import type { PulsesModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rhythm } from './week.js';

/** Active time (faster in busy hours, week.ts) has stretches of this length, each with evenly spaced pulses. */
const STRETCH = minutes(10);

/** The total number of pulses since 1970. It depends only on seed and time, not on earlier readings. */
export function pulses({ perHour, by }: PulsesModel): Model {
  const { activeTime } = rhythm(by);
  const mean = (perHour * STRETCH) / hours(1);
  // The total at the start of a stretch exceeds that of evenly spaced pulses by a random part of `mean`. So the total grows by
  // 0 to 2 × `mean` in a stretch, and never falls.
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
