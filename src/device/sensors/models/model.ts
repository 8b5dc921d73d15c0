/**
 * What a sensor model does: it says what there is to measure at a time, as a pure function of a seed and that time. It
 * keeps nothing, so that a device in a fleet costs nothing for it, a value does not depend on how often it is read, and no
 * sensor changes what another one shows.
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

/** The other quantities of the same sensor, for models that are made of them. */
export interface Others {
  value(quantity: number, wall: UnixMillis): number;
}
