/**
 * What the device needs of a connection to its cloud: whole messages up, whole messages down, one exchange at a time.
 */
import type { Millis } from '../../kernel/time.js';

/** How a message went up. `poll`: the cloud has something for us. */
export type UplinkOutcome =
  | { readonly ok: true; readonly poll: boolean }
  | { readonly ok: false; readonly why: string };

/** How a poll went. `message` is empty when nothing was waiting; `more`: another one waits behind it. */
export type PollOutcome =
  | { readonly ok: true; readonly message: Uint8Array; readonly more: boolean }
  | { readonly ok: false; readonly why: string };

/** What an exchange waits for: the radio, an answer, or the time to repeat itself. */
export type LinkPhase = 'connect' | 'listen' | 'pause';

export interface Link {
  /** Is an exchange under way? */
  readonly busy: boolean;
  /** Of the exchange under way; undefined when there is none. */
  readonly phase: LinkPhase | undefined;
  /**
   * Sends one message. `budget` limits each datagram of it, Infinity for none. `started` is called when its first datagram
   * leaves, `done` exactly once, unless the link is reset before.
   */
  uplink(message: Uint8Array, budget: Millis, started: () => void, done: (outcome: UplinkOutcome) => void): void;
  /** Asks for one downlink. */
  poll(budget: Millis, done: (outcome: PollOutcome) => void): void;
  /** No exchange will follow at once: the radio may sleep. */
  rest(): void;
  /** As after a boot: forgets any exchange under way without a word. */
  reset(): void;
}

/** What happens on a link, for the trace and for `cloud metrics`. */
export interface LinkObserver {
  /** The radio is woken for an exchange. */
  woke(): void;
  /** The same datagram goes out again. */
  repeated(waited: Millis): void;
  /** A transfer did not simply go on. */
  restarted(why: string): void;
}
