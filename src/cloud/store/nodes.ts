/**
 * Notifications between services that share one database. Services cannot share a store in memory or in SQLite, so these stores
 * have no `Nodes`.
 *
 * A service caches the sessions of the devices that it communicates with (delivery/device-session.ts). Another service may
 * queue, cancel or deliver a downlink of such a device. The device may also move to the gateway of another service.
 */
import type { Clock } from '../../kernel/clock.js';

export type News =
  /** Another service has changed the device's row or queue: its cached session is stale. */
  | { readonly kind: 'changed'; readonly serial: number }
  /** The device now communicates with another service: its cached session is dropped. */
  | { readonly kind: 'moved'; readonly serial: number }
  /** Another service has written entries of the journal of events. */
  | { readonly kind: 'events' }
  /** Another service has begun, continued or shortened the journal of events. */
  | { readonly kind: 'journal' }
  /** Notifications may have been lost: every cached session is stale. */
  | { readonly kind: 'missed' };

export interface Nodes {
  /** Calls `hear` for every notification of other services from now on, first with `missed`. Several may listen. */
  listen(clock: Clock, hear: (news: News) => void): void;
  /** Notifies the other services that the device now communicates with this service. */
  claim(serial: number): Promise<void>;
  /** Runs `work` while no other service runs work with this name. */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
}
