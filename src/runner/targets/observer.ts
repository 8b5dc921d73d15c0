/**
 * Observes a cloud other than the embedded one through its public API. The embedded cloud emits its trace events itself; for
 * another cloud, the observer derives them from the messages.
 *
 * Events differ from those of the embedded cloud in three ways, because the API does not show everything. An offer becomes
 * known only when the device receives the downlink, so processing time in the service counts as transfer time. Times come from
 * the clock of the cloud (target-clock.ts). Repeated uplinks that the cloud recognised are not visible.
 */
import {
  ApiError,
  ConnectionError,
  type DeviceCloudClient,
  type FirmwareUpdate,
  type Message,
} from '../../client/client.js';
import type { Alarm, Clock } from '../../kernel/clock.js';
import { containsConfig, isLines, readReported } from '../../kernel/config-lines.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { type Instant, seconds, type UnixMillis } from '../../kernel/time.js';
import {
  type DownlinkType,
  type Trace,
  type TraceEvent,
  UPLINK_OF_MESSAGE,
  type UplinkType,
} from '../../trace/events.js';
import type { TargetAudit } from './audit/audit.js';
import { findAnsweredId } from './audit/contents.js';
import type { Asked } from './audit/downlinks.js';
import type { TargetClock } from './target-clock.js';

/** Time between two looks. In a look, the observer reads the new messages, and polls some downlinks and firmware updates. */
const EVERY = seconds(1);
/** A message may become visible after a newer one: each reading begins this long before the newest. */
const OVERLAP = seconds(5);
/** Most undelivered downlinks polled in a look: each poll is a request. */
const EARLY_A_LOOK = 10;
/** Maximum number of firmware updates that one look polls, because each poll is a request. */
const UPDATES_A_LOOK = 20;

/** Most text that one reading of messages keeps in memory: a service could list messages without an end. */
const MOST_READ_MIB = 256;

const UPLINKS: Readonly<Record<string, UplinkType>> = UPLINK_OF_MESSAGE;

interface Watched {
  readonly id: string;
  readonly serial: number;
  readonly type: DownlinkType;
  /** Body of the request that queued it. */
  readonly body: unknown;
  /** When the request was sent; undefined if that is not known. */
  readonly asked: Instant | undefined;
  received: Instant | undefined;
  /** Number of the look that last polled it. */
  polled: number;
  delivered: boolean;
  answered: boolean;
}

interface Look {
  /** Maximum number of downlinks to poll that no device has received yet. */
  readonly downlinks: number;
  /** Maximum number of firmware updates to poll. */
  readonly updates: number;
  readonly signal?: AbortSignal | undefined;
}

export class Observer implements Trace {
  readonly #clock: Clock;
  readonly #trace: Trace;
  readonly #serials: ReadonlySet<number>;
  readonly #speed: number;
  readonly #audit: TargetAudit;
  readonly #times: TargetClock;
  /** Moment of this machine at which the observation began. */
  readonly #began: Instant;
  /** Serial numbers of devices that the run deletes: their downlinks end with them. */
  readonly #leaving = new Set<number>();
  #looks = 0;
  /** Downlinks that are not known to have ended, in the order in which they were queued. */
  readonly #open = new Set<Watched>();
  /** Unfinished firmware updates in their last known state, least recently polled first. */
  readonly #updates = new Map<string, { readonly serial: number; readonly update: FirmwareUpdate | undefined }>();
  /**
   * Times at which devices began sessions, by serial number, until their next configuration or data. A device uploads a changed
   * configuration before its data, so data show that the last configuration is still valid.
   */
  readonly #starting = new Map<number, Instant>();
  /** Creation times of the messages that were read within the overlap, by id. */
  readonly #seen = new Map<string, UnixMillis>();
  /** The newest time stamp of these messages. */
  #newest: UnixMillis | undefined;
  #next: Alarm | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** Aborted when the observation ends. */
  readonly #watching = new AbortController();

  /**
   * @param serials serial numbers of the run; messages of other devices are ignored
   * @param speed milliseconds of the run per millisecond of the cloud
   */
  constructor(
    clock: Clock,
    trace: Trace,
    serials: ReadonlySet<number>,
    speed: number,
    audit: TargetAudit,
    times: TargetClock,
  ) {
    this.#clock = clock;
    this.#trace = trace;
    this.#serials = serials;
    this.#speed = speed;
    this.#audit = audit;
    this.#times = times;
    this.#began = times.now;
  }

  /** Begins to read. If a look fails, the next look also reads the messages that the failed one missed. */
  follow(api: DeviceCloudClient): void {
    const look = () => {
      this.#looking = this.#look(api)
        .catch(() => {})
        .then(() => this.#lookLater(look));
    };
    this.#lookLater(look);
  }

  /**
   * Reads new messages and open downlinks, and ends the audit.
   * @param signal interrupts the reading
   * @throws GhostfleetError if the cloud is gone; the reason of the signal
   */
  async takeLastLook(api: DeviceCloudClient, signal?: AbortSignal): Promise<void> {
    this.stop();
    await this.#looking;
    try {
      const limits = { downlinks: Number.POSITIVE_INFINITY, updates: Number.POSITIVE_INFINITY };
      await this.#look(api, { ...limits, signal });
      this.#audit.end(await this.#readDownlinks(api, signal));
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof ConnectionError)) throw error;
      const message = `the last messages of the target could not be read at the end of the run: ${error.message}`;
      throw new GhostfleetError('target-gone', message, EXIT.stuck);
    }
  }

  /** Ends the observation. A look in progress ends after its present request; no other look follows. */
  stop(): void {
    this.#watching.abort();
    this.#next?.cancel();
  }

  /**
   * Called when the API has accepted a downlink.
   * @param serial serial number of the device for which the downlink was queued. Default: the one in the response
   */
  noteQueued(message: Message, asked: Asked, serial = Number(message.device_serial_number)): void {
    const { id, type, device_serial_number: named = serial } = message;
    if (Number(named) !== serial) {
      this.#audit.noteUnnamed(serial);
      return;
    }
    // The cast of `type` is safe because the API has just created this message as a downlink.
    const entry = {
      id,
      serial,
      type: type as DownlinkType,
      body: asked.body,
      asked: asked.at,
      received: undefined,
      polled: 0,
      delivered: false,
      answered: false,
    };
    this.#open.add(entry);
    this.#audit.noteQueued(serial, message, asked);
    this.#trace.emit({
      kind: 'downlink.queued',
      at: this.#clock.now,
      serial: entry.serial,
      downlink: id,
      type: entry.type,
    });
    // Some services show at once that the downlink was delivered.
    this.#judge(entry, message);
  }

  /** Called when the run begins to delete a device. */
  leaves(serial: number): void {
    this.#leaving.add(serial);
  }

  /** Called when the API has accepted a firmware update of the device `serial`. */
  noteUpdate(serial: number, update: FirmwareUpdate): void {
    this.#updates.set(update.id, { serial, update: undefined });
    this.#noteMoved(serial, update);
  }

  /** Takes the events of the devices. */
  emit(event: TraceEvent): void {
    this.#audit.take(event);
    if (event.kind === 'downlink.received') this.#noteArrived(event.serial, event.type, event.print, event.at);
    this.#trace.emit(event);
  }

  /**
   * Finds the downlink that a device has received. If the audit does not recognise it, it is the oldest open one of its type,
   * because downlinks of one type reach a device in the order in which they were queued (wire W-38).
   */
  #noteArrived(serial: number, type: DownlinkType, fingerprint: string, at: Instant): void {
    const id = this.#audit.lastReceived(serial);
    const entry =
      id === undefined
        ? this.#findFirst((open) => open.serial === serial && open.type === type && open.received === undefined)
        : this.#findFirst((open) => open.id === id);
    // A device can receive a downlink again if its confirmation was lost.
    if (entry === undefined || entry.received !== undefined) return;
    entry.received = at;
    this.#trace.emit({ kind: 'downlink.offered', at, serial, downlink: entry.id, print: fingerprint, attempt: 1 });
  }

  #lookLater(look: () => void): void {
    if (this.#watching.signal.aborted) return;
    this.#next = this.#clock.after(EVERY * this.#speed, 'the next look at the messages of the cloud', look);
  }

  async #look(
    api: DeviceCloudClient,
    limits: Look = { downlinks: EARLY_A_LOOK, updates: UPDATES_A_LOOK, signal: this.#watching.signal },
  ): Promise<void> {
    this.#looks++;
    for (const entry of this.#findWorthPolling(limits.downlinks)) {
      entry.polled = this.#looks;
      const message = await api.message(entry.id).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return undefined;
        throw error;
      });
      if (message !== undefined) this.#judge(entry, message);
      else if (this.#open.delete(entry) && !this.#leaving.has(entry.serial)) {
        this.#audit.noteMissing(entry.serial, entry.id);
      }
    }
    const asked = [...this.#updates].slice(0, limits.updates);
    for (const [id, { serial }] of asked) this.#noteMoved(serial, await api.firmwareUpdate(id));
    for (const message of await this.#readUnread(api, limits.signal)) {
      await this.#report(api, message);
      this.#read(message);
    }
  }

  /**
   * The downlinks to poll. Downlinks that the API has shown as delivered are left out. All others that a device has received
   * are polled. Of those that no device has received, at most `mostEarly` are polled, least recently polled first.
   */
  #findWorthPolling(mostEarly: number): readonly Watched[] {
    const open = [...this.#open].filter(({ delivered }) => !delivered);
    const early = open.filter(({ received }) => received === undefined).sort((one, other) => one.polled - other.polled);
    return [...open.filter(({ received }) => received !== undefined), ...early.slice(0, mostEarly)];
  }

  /** All downlinks of the devices of the run. */
  async #readDownlinks(
    api: DeviceCloudClient,
    signal: AbortSignal | undefined,
  ): Promise<readonly (readonly [serial: number, message: Message])[]> {
    const oldest = this.#times.findStampBefore(this.#began) - OVERLAP;
    const found: (readonly [number, Message])[] = [];
    for await (const message of listSince(api, oldest, 'down', signal)) {
      const serial = Number(message.device_serial_number);
      if (this.#serials.has(serial)) found.push([serial, message]);
    }
    return found;
  }

  /** The new messages, oldest first. */
  async #readUnread(api: DeviceCloudClient, signal: AbortSignal | undefined): Promise<readonly Message[]> {
    const oldest = (this.#newest ?? this.#times.findStampBefore(this.#began)) - OVERLAP;
    const found: Message[] = [];
    for await (const message of listSince(api, oldest, 'up', signal)) {
      if (!this.#seen.has(message.id)) found.push(message);
    }
    for (const [id, created] of this.#seen) if (created < oldest) this.#seen.delete(id);
    return found.reverse();
  }

  #read({ id, created_at }: Message): void {
    const created = Date.parse(created_at);
    this.#seen.set(id, created);
    this.#newest = Math.max(this.#newest ?? created, created);
  }

  async #report(api: DeviceCloudClient, message: Message): Promise<void> {
    const { id, type, created_at, device_serial_number } = message;
    const serial = Number(device_serial_number);
    const kind = Object.hasOwn(UPLINKS, type) ? UPLINKS[type] : undefined;
    if (kind === undefined || !this.#serials.has(serial)) return;
    const at = this.#times.findMoment(created_at);
    // If this request fails, the next look reads the message again.
    const answered = await this.#findAnswered(api, serial, message, at);
    if (kind === 'session') this.#starting.set(serial, at);
    else if (kind === 'config' || kind === 'data') this.#starting.delete(serial);
    const sent = this.#audit.noteStored(serial, message, at);
    this.#times.noteShown(created_at, sent);
    const storedAt = this.#times.findMoment(created_at, sent);
    this.#trace.emit({ kind: 'cloud.stored', at: storedAt, serial, type: kind, message: id, copy: false });
    for (const asked of answered) {
      const answeredAt = this.#times.findMoment(created_at, asked.received ?? asked.asked);
      this.#trace.emit({ kind: 'downlink.answered', at: answeredAt, serial, downlink: asked.id });
      if (asked.delivered) this.#open.delete(asked);
      else asked.answered = true;
    }
  }

  /** The downlinks that an uplink answers. */
  async #findAnswered(
    api: DeviceCloudClient,
    serial: number,
    message: Message,
    at: Instant,
  ): Promise<readonly Watched[]> {
    const { type, body } = message;
    if (type === 'shell') return this.#findAnsweredShell(serial, body);
    const started = this.#starting.get(serial);
    if (type !== 'config' && (type !== 'data' || started === undefined)) return [];
    // The device restarts after a configuration downlink, before its next message can show the result.
    const open = [...this.#open].filter(
      (entry) =>
        entry.serial === serial &&
        entry.type === 'config' &&
        !entry.answered &&
        entry.received !== undefined &&
        entry.received <= (started ?? at) + this.#times.error,
    );
    if (open.length === 0) return [];
    const reported = type === 'config' ? body : await findLastConfig(api, message);
    // Some clouds show a configuration in another form.
    if (!isLines(reported)) return type === 'config' ? open.slice(0, 1) : [];
    const settings = readReported(reported);
    return open.filter((entry) => isLines(entry.body) && containsConfig(settings, entry.body));
  }

  /** The downlink that the answer names, or else the first open one that the device has received. */
  #findAnsweredShell(serial: number, body: unknown): readonly Watched[] {
    const named = findAnsweredId(body);
    const known = named !== undefined && this.#audit.knows(named);
    const asked = this.#findFirst((open) =>
      known
        ? open.id === named && !open.answered
        : open.serial === serial && open.type === 'shell' && open.received !== undefined && !open.answered,
    );
    return asked === undefined ? [] : [asked];
  }

  #judge(entry: Watched, { down_state: state, down_state_at }: Message): void {
    const { serial, id: downlink } = entry;
    if (down_state_at !== null) this.#times.noteShown(down_state_at, entry.asked);
    const notBefore = entry.received ?? entry.asked;
    const at = down_state_at === null ? this.#clock.now : this.#times.findMoment(down_state_at, notBefore);
    if (state === 'sent') {
      entry.delivered = true;
      this.#audit.noteSent(serial, downlink, down_state_at);
      this.#trace.emit({ kind: 'downlink.delivered', at, serial, downlink, evidence: 'told' });
      if (entry.answered || (entry.type !== 'shell' && entry.type !== 'config')) this.#open.delete(entry);
    } else if (state === 'cancelled' || state === 'expired') {
      this.#open.delete(entry);
      this.#audit.noteOver(serial, downlink);
      this.#trace.emit({ kind: `downlink.${state}`, at, serial, downlink });
    }
  }

  #noteMoved(serial: number, update: FirmwareUpdate): void {
    const { id, state, offset, error, updated_at } = update;
    const before = this.#updates.get(id)?.update;
    this.#updates.delete(id);
    if (state !== 'succeeded' && state !== 'failed' && state !== 'cancelled') this.#updates.set(id, { serial, update });
    if (before?.state === state && before.offset === offset) return;
    const at = this.#times.findMoment(updated_at);
    this.#trace.emit({
      kind: 'update.moved',
      at,
      serial,
      update: id,
      state,
      offset,
      why: typeof error === 'string' ? error : '',
    });
  }

  #findFirst(test: (entry: Watched) => boolean): Watched | undefined {
    for (const entry of this.#open) if (test(entry)) return entry;
    return undefined;
  }
}

/** The messages since a time, newest first. @throws ApiError if they are longer than {@link MOST_READ_MIB}; the reason of the signal */
async function* listSince(
  api: DeviceCloudClient,
  oldest: UnixMillis,
  direction: 'up' | 'down',
  signal: AbortSignal | undefined,
): AsyncGenerator<Message> {
  const after = new Date(oldest).toISOString();
  let read = 0;
  for await (const message of api.allMessages({ after, direction })) {
    signal?.throwIfAborted();
    read += JSON.stringify(message).length;
    if (read > MOST_READ_MIB * 1_048_576) {
      const problem = `the messages since ${after} have more than ${MOST_READ_MIB} MiB`;
      throw new ApiError(200, problem, 'GET', '/messages');
    }
    yield message;
  }
}

/** The last configuration that the device had uploaded before a message; undefined if there is none. */
async function findLastConfig(api: DeviceCloudClient, { device_id, created_at: before }: Message): Promise<unknown> {
  // Without `after`, the service looks for messages of the last day.
  const after = new Date(0).toISOString();
  const [last] = await api.messages({ device_id, type: ['config'], direction: 'up', after, before, limit: 1 });
  return last?.body;
}
