/**
 * The cached device sessions of this service, kept correct while other services share the store (store/nodes.ts).
 *
 * A change by another service makes a session stale. A stale session is read again when the device sends something, or before a
 * downlink is offered to the device. The session object stays the same, so that a running transfer continues. When the device
 * connects to the gateway of another service, this service drops the session and its transfer. When the device returns, its
 * transfer is reset (wire W-24).
 */
import type { Clock } from '../../kernel/clock.js';
import { tokenBytes } from '../../protocol/flap/envelope.js';
import type { News } from '../store/nodes.js';
import type { Store } from '../store/store.js';
import { type DeviceSession, makeQueued, mergeQueue, replaceDevice } from './device-session.js';

interface DeviceSessionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with a session that has been read, before it is used. */
  readonly onRead: (session: DeviceSession) => Promise<void>;
}

export class DeviceSessions {
  readonly #store: Store;
  readonly #onRead: (session: DeviceSession) => Promise<void>;
  readonly #sessions = new Map<number, DeviceSession>();
  readonly #loading = new Map<number, Promise<DeviceSession | undefined>>();
  /** The stale sessions. Each notification makes a new mark. A read removes only the mark that it found when it began. */
  readonly #stale = new Map<number, symbol>();
  /** Devices that this service has claimed: the other services have been notified. */
  readonly #claimed = new Set<number>();

  constructor({ store, clock, onRead }: DeviceSessionsOptions) {
    this.#store = store;
    this.#onRead = onRead;
    store.nodes?.listen(clock, (news) => this.#hear(news));
  }

  /** True if other services share the store. Otherwise the cache equals the store. */
  get shared(): boolean {
    return this.#store.nodes !== undefined;
  }

  /** The cached session; undefined if it is stale or not cached. */
  getFresh(serial: number): DeviceSession | undefined {
    return this.#stale.has(serial) ? undefined : this.#sessions.get(serial);
  }

  /** The cached session, stale or not. */
  get(serial: number): DeviceSession | undefined {
    return this.#sessions.get(serial);
  }

  /** Calls `change` with the cached session, or when it has been read from the store. */
  changeWhenRead(serial: number, change: (session: DeviceSession) => void): void {
    const session = this.#sessions.get(serial);
    if (session) return change(session);
    const ready = (read: DeviceSession | undefined) => read && change(read);
    // An error is ignored: the next read of the session includes the change.
    this.#loading.get(serial)?.then(ready, () => {});
  }

  load(serial: number): Promise<DeviceSession | undefined> {
    const loading = this.#loading.get(serial) ?? this.#read(serial);
    this.#loading.set(serial, loading);
    return loading.finally(() => this.#loading.delete(serial));
  }

  /** Notifies the other services that the device now communicates with this service. Further calls have no effect. */
  claim({ device: { serial } }: DeviceSession): void {
    if (!this.shared || this.#claimed.has(serial)) return;
    this.#claimed.add(serial);
    this.#store.nodes?.claim(serial).catch(() => this.#claimed.delete(serial));
  }

  /** Reads the device again after it has been changed. Drops the session of a deleted device. */
  async forget(serial: number): Promise<void> {
    const session = this.#sessions.get(serial);
    // A read in progress may not contain the change.
    if (session === undefined) return this.#markStale(serial);
    const device = await this.#store.deviceBySerial(serial).catch((error: unknown) => {
      this.#markStale(serial);
      throw error;
    });
    if (device?.id === session.device.id) replaceDevice(session, device);
    else this.#drop(serial);
  }

  /**
   * Reads device and queue again, once. When it resolves, the session has everything that the store had at the time of the
   * call. A stale session stays stale during the read, and after it if another service has made a change meanwhile: waiting
   * until no such change arrives could take forever. State that only this service has, such as the downlink in flight, stays.
   * @returns false if the device is deleted
   */
  async refresh(session: DeviceSession): Promise<boolean> {
    const { serial, id } = session.device;
    const isCached = () => this.#sessions.get(serial) === session;
    const mark = isCached() ? this.#stale.get(serial) : undefined;
    // Waits for the commits of this service that are still in progress.
    await this.#store.commit([]);
    const { device, queue } = session;
    const [row, pending] = await Promise.all([this.#store.deviceBySerial(serial), this.#store.pendingDownlinks(id)]);
    mergeQueue(session, pending, queue);
    const changed = session.device !== device;
    if (row?.id !== id) {
      if (isCached()) this.#drop(serial);
    } else {
      // An edit by a user, such as a new claim token, is in effect at once.
      if (!changed || row.version > session.device.version) replaceDevice(session, row);
      // This service has changed the device during the read, so the read may not contain the change.
      if (changed && isCached() && this.shared) this.#markStale(serial);
    }
    if (mark !== undefined) {
      session.update = undefined;
      await this.#onRead(session);
      if (this.#stale.get(serial) === mark) this.#stale.delete(serial);
    }
    return row?.id === id;
  }

  async #read(serial: number): Promise<DeviceSession | undefined> {
    const session = this.#sessions.get(serial);
    if (session) {
      await this.refresh(session);
      // `refresh` drops a deleted device; a new device may have the same serial number.
      return this.#sessions.get(serial) ?? this.#read(serial);
    }
    const device = await this.#store.deviceBySerial(serial);
    if (device === undefined) {
      this.#stale.delete(serial);
      return undefined;
    }
    const pending = await this.#store.pendingDownlinks(device.id);
    const made: DeviceSession = {
      device,
      token: tokenBytes(device.token),
      queue: pending.map(makeQueued),
      inFlight: undefined,
      configUnchecked: false,
      update: undefined,
    };
    await this.#onRead(made);
    this.#sessions.set(serial, made);
    // A notification has arrived during the read.
    if (this.#stale.has(serial) && !(await this.refresh(made))) return this.#read(serial);
    return made;
  }

  #hear(news: News): void {
    switch (news.kind) {
      case 'changed':
        return this.#markStale(news.serial);
      case 'moved':
        this.#drop(news.serial);
        // A read in progress may have begun before a change that this service has heard of.
        return this.#markStale(news.serial);
      case 'missed':
        for (const serial of [...this.#sessions.keys(), ...this.#loading.keys()]) this.#markStale(serial);
        return;
      case 'events':
      case 'journal':
        return;
      default:
        news satisfies never;
    }
  }

  #markStale(serial: number): void {
    if (this.#sessions.has(serial) || this.#loading.has(serial)) this.#stale.set(serial, Symbol());
  }

  #drop(serial: number): void {
    this.#sessions.delete(serial);
    this.#stale.delete(serial);
    this.#claimed.delete(serial);
  }
}
