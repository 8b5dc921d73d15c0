/** The groups of a fleet in a scenario. */
import type { Instant, Millis } from '../../kernel/time.js';

export interface FleetGroup {
  readonly name: string;
  /** Name of a profile: the device type. */
  readonly profile: string;
  /** Factory firmware version of the devices, such as `3.5.5`; null for the newest. */
  readonly firmware: string | null;
  /** The version with which the devices start, also if it is the newest. */
  readonly version: string;
  readonly count: number;
  /** Serial number of the first device; the others follow. */
  readonly firstSerial: number;
  readonly boot: Boot;
  /** Lines such as `app config interval-report 900`. */
  readonly config: readonly string[];
  /** Set for a device type without a parameter for the radio mode, which always uses LTE. */
  readonly alwaysLte?: true;
  readonly tags: readonly string[];
  /** A label that selectors can name; null if there is none. */
  readonly region: string | null;
  /** Whether the devices are created in the cloud before the run starts. */
  readonly register: boolean;
}

/** When the devices of a group are powered up. */
export interface Boot {
  /** Earliest time of a power-up. */
  readonly from: Instant;
  /** All devices are powered up within this time after `from`. */
  readonly over: Millis;
  readonly pattern: BootPattern;
}

/** `staggered`: evenly; `random`: each at random; `storm`: at once; `poisson`: by serial, with exponential gaps. */
export const BOOT_PATTERNS = ['staggered', 'random', 'storm', 'poisson'] as const;
export type BootPattern = (typeof BOOT_PATTERNS)[number];
