/**
 * The devices that this service remembers, and how that stays true while other services share the store (store/nodes.ts).
 *
 * What another service changes makes a device stale: it is read again when it is heard next, or when a downlink of it is about
 * to be offered. The object stays the same, so that a transfer under way goes on. When the device turns up at another gateway
 * it is forgotten, and with it its transfers; should it come back, it is told to start over (wire protocol, 6.2 step 4).
 */
import type { Clock } from '../../kernel/clock.js';
import { tokenBytes } from '../../protocol/flap/envelope.js';
import type { News } from '../store/nodes.js';
import type { Store } from '../store/store.js';
import { asQueued, type DeviceSession } from './device-session.js';

interface DeviceSessionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with a device that has been read, before anybody else sees it. */
  readonly onRead: (session: DeviceSession) => Promise<void>;
}

export class DeviceSessions {
  readonly #store: Store;
  readonly #onRead: (session: DeviceSession) => Promise<void>;
  readonly #sessions = new Map<number, DeviceSession>();
  readonly #loading = new Map<number, Promise<DeviceSession | undefined>>();
  readonly #stale = new Set<number>();
  /** Devices that the others know to talk to this service. */
  readonly #claimed = new Set<number>();

  constructor({ store, clock, onRead }: DeviceSessionsOptions) {
    this.#store = store;
    this.#onRead = onRead;
    store.nodes?.listen(clock, (news) => this.#hear(news));
  }

  /** Do other services share the store? Otherwise what is remembered is what is stored. */
  get shared(): boolean {
    return this.#store.nodes !== undefined;
  }

  /** A device that is remembered and not stale. */
  known(serial: number): DeviceSession | undefined {
    return this.#stale.has(serial) ? undefined : this.#sessions.get(serial);
  }

  /** A device that is remembered, stale or not. */
  get(serial: number): DeviceSession | undefined {
    return this.#sessions.get(serial);
  }

  /** The same, also one that is just being read. */
  async settled(serial: number): Promise<DeviceSession | undefined> {
    return this.#sessions.get(serial) ?? (await this.#loading.get(serial));
  }

  /** Reads a device from the store, into what is remembered of it; undefined when there is none. */
  load(serial: number): Promise<DeviceSession | undefined> {
    const loading = this.#loading.get(serial) ?? this.#read(serial);
    this.#loading.set(serial, loading);
    return loading.finally(() => this.#loading.delete(serial));
  }

  /** The device has been heard: tells the others, once. */
  claim({ device: { serial } }: DeviceSession): void {
    if (!this.shared || this.#claimed.has(serial)) return;
    this.#claimed.add(serial);
    this.#store.nodes?.claim(serial).catch(() => this.#claimed.delete(serial));
  }

  /** The API has changed or deleted the device. */
  async forget(serial: number): Promise<void> {
    const session = this.#sessions.get(serial);
    if (session === undefined) return;
    const device = await this.#store.deviceBySerial(serial);
    if (device?.id === session.device.id) session.device = device;
    else this.#drop(serial);
  }

  /** Brings device and queue up to date. What the device has to itself (what is in flight, attempts) stays. */
  async refresh(session: DeviceSession): Promise<void> {
    while (!(await this.#reread(session))) {
      // Somebody was faster, here or elsewhere.
    }
  }

  /** False when what was read is old already. */
  async #reread(session: DeviceSession): Promise<boolean> {
    const { device, queue } = session;
    const { serial, id } = device;
    const wasStale = this.#sessions.get(serial) === session && this.#stale.delete(serial);
    let done = false;
    try {
      // What this service has begun to write is to be seen in what is read.
      await this.#store.commit([]);
      const [row, pending] = await Promise.all([this.#store.deviceBySerial(serial), this.#store.pendingDownlinks(id)]);
      if (this.#stale.has(serial) || session.device !== device || session.queue !== queue) return false;
      const known = new Map(queue.map((queued) => [queued.row.id, queued]));
      session.queue = pending.map((downlink) => known.get(downlink.id) ?? asQueued(downlink));
      if (row?.id === id) session.device = row;
      else if (this.#sessions.get(serial) === session) this.#drop(serial);
      if (wasStale) {
        session.update = undefined;
        await this.#onRead(session);
      }
      done = true;
      return true;
    } finally {
      if (wasStale && !done) this.#stale.add(serial);
    }
  }

  async #read(serial: number): Promise<DeviceSession | undefined> {
    const session = this.#sessions.get(serial);
    if (session) {
      await this.refresh(session);
      // Unless it turned out to be deleted; then there may be a new one with its serial number.
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
      queue: pending.map(asQueued),
      inFlight: undefined,
      configUnchecked: false,
      update: undefined,
    };
    await this.#onRead(made);
    this.#sessions.set(serial, made);
    // News came in between the two readings.
    if (this.#stale.has(serial)) await this.refresh(made);
    return made;
  }

  #hear(news: News): void {
    switch (news.kind) {
      case 'changed':
        return this.#doubt(news.serial);
      case 'moved':
        return this.#drop(news.serial);
      case 'missed':
        for (const serial of this.#sessions.keys()) this.#stale.add(serial);
        for (const serial of this.#loading.keys()) this.#stale.add(serial);
        return;
      default:
        news satisfies never;
    }
  }

  #doubt(serial: number): void {
    if (this.#sessions.has(serial) || this.#loading.has(serial)) this.#stale.add(serial);
  }

  #drop(serial: number): void {
    this.#sessions.delete(serial);
    this.#stale.delete(serial);
    this.#claimed.delete(serial);
  }
}
