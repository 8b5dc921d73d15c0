import { noise } from '../../../kernel/random.js';
import { days, type UnixMillis } from '../../../kernel/time.js';
import type { PressesModel } from '../../../profile/models.js';
import type { Model } from './model.js';
import { rhythm } from './week.js';

/** Presses of a button: one at a random moment of each equal part of active time (faster in busy hours, week.ts). */
export function presses({ perDay, by }: PressesModel): Model {
  if (perDay === 0) return { value: () => 0, nextChange: () => Number.POSITIVE_INFINITY };
  const part = days(1) / perDay;
  const { activeTime, wallAt } = rhythm(by);
  const moment = (seed: number, n: number): UnixMillis => Math.ceil(wallAt((n + noise(seed, n)) * part));
  return {
    value(seed, wall) {
      const n = Math.floor(activeTime(wall) / part);
      return wall >= moment(seed, n) ? n + 1 : n;
    },
    nextChange(seed, wall) {
      const n = Math.floor(activeTime(wall) / part);
      return wall < moment(seed, n) ? moment(seed, n) : moment(seed, n + 1);
    },
  };
}
