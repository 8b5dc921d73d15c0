/**
 * What services that share one database have to tell each other. A service that has its store to itself has nobody to tell:
 * memory and SQLite have no such thing.
 *
 * A service remembers the devices that it talks to, with their queues and transfers (delivery/device-session.ts). Another one may queue,
 * cancel or deliver a downlink of such a device, and the device itself may move to another gateway.
 */
import type { Clock } from '../../kernel/clock.js';

export type News =
  /** Another service has changed the device's row or queue: what is remembered of them is to be read again. */
  | { readonly kind: 'changed'; readonly serial: number }
  /** The device talks to another service now: what is remembered of its transfers is over. */
  | { readonly kind: 'moved'; readonly serial: number }
  /** News may have been missed: every device may have changed. */
  | { readonly kind: 'missed' };

export interface Nodes {
  /** Hears the news from now on, `missed` first; never its own. */
  listen(clock: Clock, hear: (news: News) => void): void;
  /** Tells the others that the device talks to this service now. */
  claim(serial: number): Promise<void>;
  /** Runs `work` when no service is running work of this name: one after another. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
}
