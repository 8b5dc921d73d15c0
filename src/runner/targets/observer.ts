/**
 * Observes another cloud through its public API: derives trace events from its messages, as the embedded cloud emits them itself.
 *
 * Three things differ, because the API does not show them. An offer is known only when it has arrived, so the processing time of
 * the service counts as transfer. Times come from the cloud's clock, which must agree with ours. Repetitions that the cloud
 * recognised are not visible.
 */
import type { DeviceCloudClient, FirmwareUpdate, Message } from '../../client/client.js';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Instant, seconds, type UnixMillis } from '../../kernel/time.js';
import type { DownlinkType, Trace, TraceEvent, UplinkType } from '../../trace/events.js';

/** How often messages are read. */
const EVERY = seconds(1);
/** Messages may become visible in another order than that of their times, so this time is read again. */
const OVERLAP = seconds(5);
/** Limit of firmware updates that one look polls: each takes a request. */
const UPDATES_A_LOOK = 20;

/** Types of uplinks by their name in the API. */
const UPLINKS: Readonly<Record<string, UplinkType>> = {
  session: 'session',
  data: 'data',
  config: 'config',
  decoder: 'codec',
  encoder: 'codec',
  shell: 'shell',
  firmware: 'firmware',
  stats: 'stats',
};

interface Watched {
  readonly id: string;
  readonly serial: number;
  readonly type: DownlinkType;
  received: boolean;
  delivered: boolean;
  answered: boolean;
}

export class Observer implements Trace {
  readonly #clock: Clock;
  readonly #trace: Trace;
  readonly #serials: ReadonlySet<number>;
  readonly #speed: number;
  /** Downlinks that are not known to have ended, in the order in which they were queued. */
  readonly #open = new Set<Watched>();
  /** Unfinished firmware updates in their last known state, least recently polled first. */
  readonly #updates = new Map<string, { readonly serial: number; readonly update: FirmwareUpdate | undefined }>();
  /** Creation times of the messages that were read within the overlap, by id. */
  readonly #seen = new Map<string, UnixMillis>();
  #newest: UnixMillis;
  #next: Alarm | undefined;
  #looking: Promise<void> = Promise.resolve();

  /**
   * @param serials serial numbers of the run; messages of other devices are ignored
   * @param speed milliseconds of the run per millisecond of the cloud
   */
  constructor(clock: Clock, trace: Trace, serials: ReadonlySet<number>, speed: number) {
    this.#clock = clock;
    this.#trace = trace;
    this.#serials = serials;
    this.#speed = speed;
    this.#newest = clock.wall;
  }

  /** Begins to read. If a look fails, the next one also reads what it missed. */
  follow(api: DeviceCloudClient): void {
    const look = () => {
      this.#looking = this.#look(api)
        .catch(() => {})
        .then(() => this.#after(look));
    };
    this.#after(look);
  }

  /** Reads the new messages and the state of every open downlink. @throws an error of the client if the cloud does not answer */
  async lastLook(api: DeviceCloudClient): Promise<void> {
    await this.#looking;
    this.stop();
    await this.#look(api, () => true, Number.POSITIVE_INFINITY);
  }

  stop(): void {
    this.#next?.cancel();
  }

  /** The API has accepted a downlink. */
  queued({ id, type, device_serial_number: serial }: Message): void {
    // Because the API has just made it of this type.
    const entry = {
      id,
      serial: Number(serial),
      type: type as DownlinkType,
      received: false,
      delivered: false,
      answered: false,
    };
    this.#open.add(entry);
    this.#trace.emit({
      kind: 'downlink.queued',
      at: this.#clock.now,
      serial: entry.serial,
      downlink: id,
      type: entry.type,
    });
  }

  /** The API has accepted a firmware update of the device `serial`. */
  updating(serial: number, update: FirmwareUpdate): void {
    this.#updates.set(update.id, { serial, update: undefined });
    this.#moved(serial, update);
  }

  /** Takes the events of the devices. */
  emit(event: TraceEvent): void {
    if (event.kind === 'downlink.received') this.#arrived(event.serial, event.type, event.print, event.at);
    this.#trace.emit(event);
  }

  /** Downlinks of one type reach a device in the order in which they were queued (wire protocol, 15). */
  #arrived(serial: number, type: DownlinkType, print: string, at: Instant): void {
    const entry = this.#first((open) => open.serial === serial && open.type === type && !open.received);
    if (entry === undefined) return;
    entry.received = true;
    this.#trace.emit({ kind: 'downlink.offered', at, serial, downlink: entry.id, print, attempt: 1 });
  }

  #after(look: () => void): void {
    this.#next = this.#clock.after(EVERY * this.#speed, 'the next look at the messages of the cloud', look);
  }

  /**
   * @param worthAsking whether to request the state of an open downlink
   * @param mostUpdates limit of firmware updates to poll
   */
  async #look(
    api: DeviceCloudClient,
    worthAsking = (entry: Watched) => entry.received,
    mostUpdates = UPDATES_A_LOOK,
  ): Promise<void> {
    for (const entry of this.#open) {
      if (!entry.delivered && worthAsking(entry)) this.#judge(entry, await api.message(entry.id));
    }
    const asked = [...this.#updates].slice(0, mostUpdates);
    for (const [id, { serial }] of asked) this.#moved(serial, await api.firmwareUpdate(id));
    for (const message of await this.#unread(api)) this.#report(message);
  }

  /** The new messages, oldest first. */
  async #unread(api: DeviceCloudClient): Promise<readonly Message[]> {
    const after = new Date(this.#newest - OVERLAP).toISOString();
    const found: Message[] = [];
    for await (const message of api.allMessages({ after, direction: 'up' })) {
      if (!this.#seen.has(message.id)) found.push(message);
    }
    for (const { id, created_at } of found) {
      const created = Date.parse(created_at);
      this.#seen.set(id, created);
      this.#newest = Math.max(this.#newest, created);
    }
    for (const [id, created] of this.#seen) if (created < this.#newest - OVERLAP) this.#seen.delete(id);
    return found.reverse();
  }

  #report({ id, type, created_at, device_serial_number }: Message): void {
    const serial = Number(device_serial_number);
    const kind = UPLINKS[type];
    if (kind === undefined || !this.#serials.has(serial)) return;
    const at = this.#moment(created_at);
    this.#trace.emit({ kind: 'cloud.stored', at, serial, type: kind, message: id, copy: false });
    // A shell uplink after a shell command answers it; a configuration uplink answers a configuration.
    const asked = this.#first((open) => open.serial === serial && open.type === kind && open.received);
    if (asked === undefined || (kind !== 'shell' && kind !== 'config')) return;
    this.#trace.emit({ kind: 'downlink.answered', at, serial, downlink: asked.id });
    if (asked.delivered) this.#open.delete(asked);
    else asked.answered = true;
  }

  #judge(entry: Watched, { down_state: state, down_state_at }: Message): void {
    const { serial, id: downlink } = entry;
    const at = down_state_at === null ? this.#clock.now : this.#moment(down_state_at);
    if (state === 'sent') {
      entry.delivered = true;
      this.#trace.emit({ kind: 'downlink.delivered', at, serial, downlink, evidence: 'told' });
      if (entry.answered || (entry.type !== 'shell' && entry.type !== 'config')) this.#open.delete(entry);
    } else if (state === 'cancelled' || state === 'expired') {
      this.#open.delete(entry);
      this.#trace.emit({ kind: `downlink.${state}`, at, serial, downlink });
    }
  }

  #moved(serial: number, update: FirmwareUpdate): void {
    const { id, state, offset, error, updated_at } = update;
    const before = this.#updates.get(id)?.update;
    this.#updates.delete(id);
    if (state !== 'succeeded' && state !== 'failed' && state !== 'cancelled') this.#updates.set(id, { serial, update });
    if (before?.state === state && before.offset === offset) return;
    const at = this.#moment(updated_at);
    this.#trace.emit({ kind: 'update.moved', at, serial, update: id, state, offset, why: error ?? '' });
  }

  #first(test: (entry: Watched) => boolean): Watched | undefined {
    for (const entry of this.#open) if (test(entry)) return entry;
    return undefined;
  }

  /** Converts a time of the cloud to a time of the run; never later than now. */
  #moment(time: string): Instant {
    const { now, wall } = this.#clock;
    return Math.min(now, Math.max(0, (Date.parse(time) - (wall - now)) * this.#speed));
  }
}
