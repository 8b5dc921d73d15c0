import { hours, type UnixMillis } from '../../../kernel/time.js';
import type { MeterModel } from '../../../profile/models.js';
import { own } from './chance.js';
import type { Model } from './model.js';

/** 2024-01-01T00:00:00Z, when all meters were installed. */
const BEGINNING: UnixMillis = 1_704_067_200_000;

/** A reading that rises evenly, for each device at 0.5 to 1.5 times `perHour`. */
export function meter({ perHour }: MeterModel): Model {
  return { value: (seed, wall) => (perHour * (0.5 + own(seed)) * (wall - BEGINNING)) / hours(1) };
}
