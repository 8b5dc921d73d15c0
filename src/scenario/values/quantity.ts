/** Checks the names of quantities in a step against the device types of its devices. */
import type { Problems } from '../../input/document.js';
import { didYouMean, quote } from '../../input/problems.js';
import type { Profile, QuantitySpec } from '../../profile/profile.js';
import { findQuantity, listQuantityNames } from '../../profile/quantities.js';

/** A quantity of a device type. */
export interface FoundQuantity {
  readonly spec: QuantitySpec;
  /** Whether the quantity is a running total. */
  readonly counter: boolean;
  /** Whether the firmware reacts immediately when the quantity changes between on and off. */
  readonly contact: boolean;
}

type Place = Parameters<Problems['add']>[0];

/** Limit of names in a message. */
const SHOWN = 12;

/**
 * Notes a problem for each device type of the step that does not have this quantity.
 * @returns the quantity of each device type; empty if the device types are not known
 */
export function quantitiesOf(
  name: string,
  place: Place,
  problems: Problems,
  profiles: readonly Profile[],
): readonly FoundQuantity[] {
  return profiles.flatMap((profile) => {
    const found = quantityOf(profile, name);
    if (found) return [found];
    const known = listQuantityNames(profile);
    const shown = known.slice(0, SHOWN).join(', ') + (known.length > SHOWN ? ', …' : '');
    problems.add(
      place,
      `${quote(name)} is not a quantity of ${profile.name}${didYouMean(name, known)}; it has ${shown}`,
    );
    return [];
  });
}

/** A quantity of a device type; undefined if the type has no quantity of this name. */
export function quantityOf(profile: Profile, name: string): FoundQuantity | undefined {
  const address = findQuantity(profile, name);
  const sensor = address && profile.sensors[address.sensor];
  const spec = address && sensor?.quantities[address.quantity];
  if (spec === undefined) return undefined;
  const contact = profile.eventLists.some(
    (list) => list.kind === 'edge' && list.sensor === address?.sensor && list.quantity === address.quantity,
  );
  return { spec, counter: sensor?.counter ?? false, contact };
}
