/**
 * A sensor model gives the value of a quantity as a pure function of a seed and a time. It has no state: it takes no memory in
 * a device, a value does not depend on how often it is read, and sensors do not influence each other.
 */
import type { UnixMillis } from '../../../kernel/time.js';

/** A model with its options, shared by all devices of a profile. */
export interface Model {
  /** @param wall calendar time of the simulated world, whatever the device's own clock shows */
  value(seed: number, wall: UnixMillis, others: Others): number;
  /**
   * When the value next changes after `wall`; Infinity for never. Only models whose value stays for a while and then jumps
   * have this: an input can be watched without reading it all the time.
   */
  nextChange?(seed: number, wall: UnixMillis): UnixMillis;
}

/** Other values of the same device, for models that depend on them. */
export interface Others {
  /** Another quantity of the same sensor. */
  value(quantity: number, wall: UnixMillis): number;
  /** Seed of what all sensors of a device share: the weather and the people of its place. */
  readonly place: number;
  /** Volts that feed the board, at rest or under the test load: the battery has a state of its own, which ages with use. */
  voltage(underLoad: boolean, wall: UnixMillis): number;
}
