import type { ScaledModel } from '../../../profile/models.js';
import type { Model } from './model.js';

/** Another quantity of the same sensor, multiplied by a factor. */
export function scaled({ of, factor }: ScaledModel): Model {
  return { value: (_seed, wall, others) => factor * others.value(of, wall) };
}
