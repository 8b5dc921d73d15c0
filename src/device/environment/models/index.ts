/** All sensor models. A new one has its options in src/profile/models.ts, its behaviour in a file here, and a line below. */
import type { ModelSpec } from '../../../profile/models.js';
import { battery } from './battery.js';
import { calibrated } from './calibrated.js';
import { constant } from './constant.js';
import { daily } from './daily.js';
import { direction } from './direction.js';
import { meter } from './meter.js';
import type { Model } from './model.js';
import { orientation } from './orientation.js';
import { presses } from './presses.js';
import { pulses } from './pulses.js';
import { rain } from './rain.js';
import { scaled } from './scaled.js';
import { contact } from './switch.js';
import { tank } from './tank.js';

const sensorModels: {
  readonly [K in ModelSpec['kind']]: (spec: Extract<ModelSpec, { readonly kind: K }>) => Model;
} = {
  constant,
  daily,
  meter,
  pulses,
  rain,
  tank,
  presses,
  direction,
  calibrated,
  switch: contact,
  battery,
  scaled,
  orientation,
};

/** Builds a model from its options. */
export function makeModel(spec: ModelSpec): Model {
  const make = sensorModels[spec.kind] as (spec: ModelSpec) => Model;
  return make(spec);
}
