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
import { asQueued, type Peer } from './device-session.js';

export interface PeersOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called with a device that has been read, before anybody else sees it. */
  readonly onRead: (peer: Peer) => Promise<void>;
}

export class Peers {
  readonly #store: Store;
  readonly #onRead: (peer: Peer) => Promise<void>;
  readonly #peers = new Map<number, Peer>();
  readonly #loading = new Map<number, Promise<Peer | undefined>>();
  readonly #stale = new Set<number>();
  /** Devices that the others know to talk to this service. */
  readonly #claimed = new Set<number>();

  constructor({ store, clock, onRead }: PeersOptions) {
    this.#store = store;
    this.#onRead = onRead;
    store.nodes?.listen(clock, (news) => this.#hear(news));
  }

  /** Do other services share the store? Otherwise what is remembered is what is stored. */
  get shared(): boolean {
    return this.#store.nodes !== undefined;
  }

  /** A device that is remembered and not stale. */
  known(serial: number): Peer | undefined {
    return this.#stale.has(serial) ? undefined : this.#peers.get(serial);
  }

  /** A device that is remembered, stale or not. */
  get(serial: number): Peer | undefined {
    return this.#peers.get(serial);
  }

  /** The same, also one that is just being read. */
  async settled(serial: number): Promise<Peer | undefined> {
    return this.#peers.get(serial) ?? (await this.#loading.get(serial));
  }

  /** Reads a device from the store, into what is remembered of it; undefined when there is none. */
  load(serial: number): Promise<Peer | undefined> {
    const loading = this.#loading.get(serial) ?? this.#read(serial);
    this.#loading.set(serial, loading);
    return loading.finally(() => this.#loading.delete(serial));
  }

  /** The device has been heard: tells the others, once. */
  claim({ device: { serial } }: Peer): void {
    if (!this.shared || this.#claimed.has(serial)) return;
    this.#claimed.add(serial);
    this.#store.nodes?.claim(serial).catch(() => this.#claimed.delete(serial));
  }

  /** The API has changed or deleted the device. */
  async forget(serial: number): Promise<void> {
    const peer = this.#peers.get(serial);
    if (peer === undefined) return;
    const device = await this.#store.deviceBySerial(serial);
    if (device?.id === peer.device.id) peer.device = device;
    else this.#drop(serial);
  }

  /** Brings device and queue up to date. What the device has to itself (what is in flight, attempts) stays. */
  async refresh(peer: Peer): Promise<void> {
    while (!(await this.#reread(peer))) {
      // Somebody was faster, here or elsewhere.
    }
  }

  /** False when what was read is old already. */
  async #reread(peer: Peer): Promise<boolean> {
    const { device, queue } = peer;
    const { serial, id } = device;
    const wasStale = this.#peers.get(serial) === peer && this.#stale.delete(serial);
    let done = false;
    try {
      // What this service has begun to write is to be seen in what is read.
      await this.#store.commit([]);
      const [row, pending] = await Promise.all([this.#store.deviceBySerial(serial), this.#store.pendingDownlinks(id)]);
      if (this.#stale.has(serial) || peer.device !== device || peer.queue !== queue) return false;
      const known = new Map(queue.map((entry) => [entry.row.id, entry]));
      peer.queue = pending.map((downlink) => known.get(downlink.id) ?? asQueued(downlink));
      if (row?.id === id) peer.device = row;
      else if (this.#peers.get(serial) === peer) this.#drop(serial);
      if (wasStale) {
        peer.update = undefined;
        await this.#onRead(peer);
      }
      done = true;
      return true;
    } finally {
      if (wasStale && !done) this.#stale.add(serial);
    }
  }

  async #read(serial: number): Promise<Peer | undefined> {
    const peer = this.#peers.get(serial);
    if (peer) {
      await this.refresh(peer);
      // Unless it turned out to be deleted; then there may be a new one with its serial number.
      return this.#peers.get(serial) ?? this.#read(serial);
    }
    const device = await this.#store.deviceBySerial(serial);
    if (device === undefined) {
      this.#stale.delete(serial);
      return undefined;
    }
    const pending = await this.#store.pendingDownlinks(device.id);
    const made: Peer = {
      device,
      token: tokenBytes(device.token),
      queue: pending.map(asQueued),
      inFlight: undefined,
      configUnchecked: false,
      update: undefined,
    };
    await this.#onRead(made);
    this.#peers.set(serial, made);
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
        for (const serial of this.#peers.keys()) this.#stale.add(serial);
        for (const serial of this.#loading.keys()) this.#stale.add(serial);
        return;
      default:
        news satisfies never;
    }
  }

  #doubt(serial: number): void {
    if (this.#peers.has(serial) || this.#loading.has(serial)) this.#stale.add(serial);
  }

  #drop(serial: number): void {
    this.#peers.delete(serial);
    this.#stale.delete(serial);
    this.#claimed.delete(serial);
  }
}
