/** The device's connection to its cloud: whole messages up, whole messages down, one exchange at a time. */
import type { Millis } from '../../kernel/time.js';
import type { FragmentSizes } from '../../protocol/flap/envelope.js';

/** Result of an uplink. `poll`: the cloud has set the poll flag. */
export type UplinkOutcome =
  | { readonly ok: true; readonly poll: boolean }
  | { readonly ok: false; readonly why: string };

/** Result of a poll. `message` is empty if the cloud had none; `more`: the cloud has set the poll flag. */
export type PollOutcome =
  | { readonly ok: true; readonly message: Uint8Array; readonly more: boolean }
  | { readonly ok: false; readonly why: string };

/** The addresses of the cloud, of which one is active. */
export interface FailoverState {
  readonly address: string;
  /** Index of the active address among those that are not empty, from 0. */
  readonly index: number;
  /** Failed attempts in a row at this address. */
  readonly failures: number;
  /** Changes of the address since boot. */
  readonly count: number;
}

export interface Link {
  /** Whether an exchange is running. */
  readonly busy: boolean;
  /** Sizes by which the device counts the fragments of a message. */
  readonly fragments: FragmentSizes;
  /** Changes of the cloud's address; undefined for devices with one address. */
  readonly failover: FailoverState | undefined;
  /** Sends a message, each datagram acknowledged within `budget`. `done` is called once, unless the link is reset. */
  uplink(message: Uint8Array, budget: Millis, started: () => void, done: (outcome: UplinkOutcome) => void): void;
  /** Asks for one downlink. Each datagram must be answered within `budget`. */
  poll(budget: Millis, done: (outcome: PollOutcome) => void): void;
  /** Ends a use of the radio: the next exchange emits `device.wake` again. */
  rest(): void;
  /** Restores the state after a boot: discards a running exchange without calling `done`. */
  reset(): void;
}

/** Events of a link, for the trace and for `cloud metrics`. */
export interface LinkObserver {
  /** The radio is needed for an exchange. */
  woke(): void;
  /** The same datagram leaves again. */
  repeated(waited: Millis): void;
  /** A transfer starts over. */
  restarted(why: string): void;
  /** An answer of `bytes` is longer than the buffer, from which the device reads only `read` bytes. */
  overran(bytes: number, read: number): void;
  /** The cloud offers a downlink again after it confirmed the acknowledgement. The device does not execute it again. */
  offeredAgain(message: Uint8Array): void;
}
