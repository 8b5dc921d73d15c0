/**
 * Finds out when the order of events does not show to which uplink a stored data message belongs. Normally a device sends an
 * uplink, and the next data message that the cloud stores is this uplink. If anything else happens, the embedded cloud compares
 * the content of the message with earlier messages, and the event `cloud.stored` contains the result. A comparison for every
 * message would be too slow.
 */
import { hours, type Instant } from '../../kernel/time.js';
import type { Trace, TraceEvent } from '../../trace/events.js';

/** How long contents are compared after a repetition or restart: a datagram may be on its way. */
const TROUBLED = hours(1);

interface DeviceOrder {
  /** Data uplinks that were sent, and neither acknowledged nor dropped. */
  readonly open: Set<number>;
  /** The uplink to which the next stored message must belong; undefined if this is unclear. */
  next: number | undefined;
  troubledUntil: Instant;
}

/** Passes on all events. */
export class UplinkOrder implements Trace {
  readonly #to: Trace;
  /** Devices with open uplinks or recent trouble. */
  readonly #devices = new Map<number, DeviceOrder>();

  constructor(to: Trace) {
    this.#to = to;
  }

  emit(event: TraceEvent): void {
    this.#take(event);
    this.#to.emit(event);
  }

  /** Whether the next data message that the cloud stores could belong to several uplinks of the device. */
  isUnclear(serial: number): boolean {
    return this.#devices.get(serial)?.next === undefined;
  }

  #take(event: TraceEvent): void {
    const { kind } = event;
    if (kind === 'device.repeat' || kind === 'device.restart') {
      this.#getOrder(event.serial).troubledUntil = event.at + TROUBLED;
      this.#noteUnclear(event.serial);
    } else if (kind === 'uplink.sent' || kind === 'uplink.acked' || kind === 'uplink.dropped') {
      if (event.type !== 'data') return;
      if (kind === 'uplink.sent') this.#noteSent(event.serial, event.uplink, event.at);
      else this.#noteEnded(event.serial, event.uplink, event.at);
    } else if (kind === 'cloud.stored' && event.type === 'data') this.#noteUnclear(event.serial);
  }

  #noteSent(serial: number, uplink: number, at: Instant): void {
    const device = this.#getOrder(serial);
    // An uplink that is sent again may be stored already.
    const isFirst = device.open.size === 0 && at >= device.troubledUntil;
    device.next = isFirst ? uplink : undefined;
    device.open.add(uplink);
  }

  #noteEnded(serial: number, uplink: number, at: Instant): void {
    const device = this.#devices.get(serial);
    if (device === undefined) return;
    device.open.delete(uplink);
    device.next = undefined;
    if (device.open.size === 0 && at >= device.troubledUntil) this.#devices.delete(serial);
  }

  #noteUnclear(serial: number): void {
    const device = this.#devices.get(serial);
    if (device !== undefined) device.next = undefined;
  }

  #getOrder(serial: number): DeviceOrder {
    let device = this.#devices.get(serial);
    if (device === undefined) {
      device = { open: new Set(), next: undefined, troubledUntil: 0 };
      this.#devices.set(serial, device);
    }
    return device;
  }
}
