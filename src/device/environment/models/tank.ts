import { noise } from '../../../kernel/random.js';
import type { TankModel } from '../../../profile/models.js';
import { jitter, own } from './chance.js';
import type { Model } from './model.js';
import { rhythm } from './week.js';

/** Share of a cycle that filling takes. */
const FILLING = 0.02;
/** The tank is filled when at least this share is used. */
const LEAST = 0.6;

/** A level that falls slowly and is filled again. All sensors of a device see the same tank. */
export function tank({ full, empty, lasts, spread, noise: off, by }: TankModel): Model {
  const { activeTime } = rhythm(by);
  return {
    value(seed, wall, { place }) {
      const rounds = own(place) + activeTime(wall) / lasts;
      const round = Math.floor(rounds);
      const part = rounds - round;
      const lowest = LEAST + (1 - LEAST) * noise(place, round);
      const used = lowest * (part < 1 - FILLING ? part / (1 - FILLING) : (1 - part) / FILLING);
      return full + (empty - full) * used + spread * (2 * own(seed) - 1) + off * jitter(seed, wall);
    },
  };
}
