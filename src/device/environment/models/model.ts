/**
 * A sensor model computes the value of a quantity from a seed and a time. It has no state, so it takes no memory in a device. A
 * value does not depend on how often it is read, and sensors do not influence each other.
 */
import type { UnixMillis } from '../../../kernel/time.js';

/** A model with its options, shared by all devices of a profile. */
export interface Model {
  /** @param wall calendar time of the simulated world, which can differ from the clock of the device */
  value(seed: number, wall: UnixMillis, others: Others): number;
  /** When the value next changes; Infinity for never. The firmware watches an input with it, instead of reading always. */
  nextChange?(seed: number, wall: UnixMillis): UnixMillis;
}

/** Values of the same device that a model may depend on. */
export interface Others {
  /** Another quantity of the same sensor. */
  value(quantity: number, wall: UnixMillis): number;
  /** Seed of the weather and the people at the device's place, which all its sensors share. */
  readonly place: number;
  /** Supply voltage of the board, at rest or under the test load. It depends on earlier use of the battery. */
  voltage(underLoad: boolean, wall: UnixMillis): number;
}
