/** Names of quantities in scenarios and on consoles: `hygrometer.temperature`, or of several, `trigger.2.state`. */
import type { Profile } from './profile.js';

/** A quantity of one sensor, as indices into the profile; `number` counts sensors of a kind from 0. */
export interface QuantityAddress {
  readonly sensor: number;
  readonly number: number;
  readonly quantity: number;
}

/** Highest count to which a counter can be set: with the pulses that its model gave since 1970, it stays an exact number. */
const HIGHEST_COUNT = 4_503_599_627_370_496;

/** Why a counter cannot get these values, of which NaN stands for a missing one; undefined if it can. */
export function describeBadCount(counter: string, values: readonly number[]): string | undefined {
  const bad = values.find((value) => value < 0 || value > HIGHEST_COUNT);
  return bad === undefined
    ? undefined
    : `"${counter}" counts from 0 to ${HIGHEST_COUNT} (2^52), so it cannot be set to ${bad}`;
}

/** Finds a quantity by name; undefined if there is none. A single sensor's number is optional. */
export function findQuantity(profile: Profile, name: string): QuantityAddress | undefined {
  const words = name.split('.');
  const sensor = profile.sensors.findIndex((spec) => spec.name === words[0]);
  const spec = profile.sensors[sensor];
  if (spec === undefined || words.length > 3) return undefined;
  if (words.length === 2 && spec.count > 1) return undefined;
  const number = words.length === 3 ? Number(words[1]) - 1 : 0;
  const quantity = spec.quantities.findIndex((known) => known.name === words.at(-1));
  if (quantity < 0 || !Number.isInteger(number) || number < 0 || number >= spec.count) return undefined;
  return { sensor, number, quantity };
}

/** All names that {@link findQuantity} accepts, one for each quantity of a kind: `trigger.<1-8>.state`. */
export function listQuantityNames(profile: Profile): readonly string[] {
  return profile.sensors.flatMap(({ name, count, quantities }) =>
    quantities.map((quantity) => `${name}${count > 1 ? `.<1-${count}>` : ''}.${quantity.name}`),
  );
}

/** Like {@link listQuantityNames}, but with a name for each sensor: `trigger.1.state` to `trigger.8.state`. */
export function listNumberedNames(profile: Profile): readonly string[] {
  return profile.sensors.flatMap(({ name, count, quantities }) =>
    quantities.flatMap((quantity) =>
      Array.from({ length: count }, (_, n) => `${name}${count > 1 ? `.${n + 1}` : ''}.${quantity.name}`),
    ),
  );
}
