/** Plays a script, a section of a recording, in virtual time. Returns when its downlinks were delivered. */

import { ApiError } from '../../client/errors.js';
import { LONGEST_QUEUE } from '../../cloud/interfaces/downlinks.js';
import { entropy } from '../../kernel/entropy.js';
import { asError, UsageError } from '../../kernel/errors.js';
import { isObject } from '../../kernel/json-text.js';
import type { Log } from '../../kernel/log.js';
import { randomBytes, seededRandom } from '../../kernel/random.js';
import { type Instant, type Millis, minutes, seconds, type UnixMillis } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';
import { toHex } from '../../protocol/hashes.js';
import { groupByDevice } from '../../record/group.js';
import type { Script, ScriptDownlink } from '../../record/script.js';
import type { Trace } from '../../trace/events.js';
import { openEmbeddedTarget } from '../targets/embedded.js';
import type { Target } from '../targets/target.js';
import { QUEUED_BY_USERS, queueLike } from './messages.js';
import { Player } from './player.js';

/** Simulated time before the recording begins. */
const LEAD = minutes(2);
/** When, in the time before the recording, devices upload the encoders that the cloud already had when the recording began. */
const BEFORE: Millis = minutes(1);
/** Simulated time after the end of the recording, to finish open exchanges. */
const AFTER = seconds(30);
const FIRST_SERIAL = 2_159_017_985;

interface PlayOptions {
  readonly script: Script;
  /** Calendar time of the beginning of the recording. */
  readonly from: UnixMillis;
  readonly log: Log;
  /** Ends the replay early. */
  readonly signal: AbortSignal;
}

/**
 * Plays a script. Returns the delivery times of the delivered downlinks by number, in ms since the beginning of the recording.
 */
export async function play({ script, from, log, signal }: PlayOptions): Promise<ReadonlyMap<number, Millis>> {
  const clock = new VirtualClock({ start: from - LEAD });
  const random = seededRandom('replay');
  const stop = () => clock.stop(signal.reason);
  signal.addEventListener('abort', stop);
  const watch = new Watch(script);
  const target = await openEmbeddedTarget({
    transport: 'memory',
    db: 'memory',
    space: 'replay',
    virtual: true,
    clock,
    random,
    log,
    trace: watch,
  });
  try {
    signal.throwIfAborted();
    const world = new ReplayWorld(script, watch, clock, target);
    for (const [i, device] of script.devices.entries()) {
      await world.add(device, FIRST_SERIAL + i, randomBytes(entropy, 16));
    }
    world.start();
    await clock.runUntil(LEAD + script.length + AFTER);
    return watch.delivered;
  } finally {
    signal.removeEventListener('abort', stop);
    await target.close();
  }
}

/** The devices of a replay, with their planned contacts (uploads and polls) and downlinks. */
class ReplayWorld {
  readonly #script: Script;
  readonly #watch: Watch;
  readonly #clock: VirtualClock;
  readonly #target: Target;
  readonly #ids = new Map<string, string>();
  /** Message ids by the numbers of their downlinks. */
  readonly #messages = new Map<number, string>();
  readonly #players = new Map<string, Player>();
  /** Numbers of the downlinks that fail. */
  readonly #failing: ReadonlySet<number>;

  constructor(script: Script, watch: Watch, clock: VirtualClock, target: Target) {
    this.#script = script;
    this.#failing = new Set(script.downlinks.filter(({ fails }) => fails).map(({ n }) => n));
    this.#watch = watch;
    this.#clock = clock;
    this.#target = target;
  }

  async add(device: Script['devices'][number], serial: number, token: Uint8Array): Promise<void> {
    const { api, wire: transport } = this.#target;
    const row = await api.createDevice({
      name: `replay-${device.device}`,
      serial_number: String(serial).padStart(10, '0'),
      token: toHex(token),
    });
    this.#ids.set(device.device, row.id);
    const waits = () => this.#watch.countWaiting(serial) > 0;
    const player = new Player({ script: device, serial, token, clock: this.#clock, transport, waits });
    this.#players.set(device.device, player);
    this.#watch.add(device.device, serial, (n) => {
      player.noteDelivered(n, LEAD);
      if (this.#failing.has(n)) player.noteFailure();
    });
  }

  start(): void {
    const { devices, downlinks } = this.#script;
    const takesData = new Set(downlinks.filter(({ type }) => type === 'data').map(({ device }) => device));
    for (const { device, contacts } of devices) {
      const player = this.#players.get(device);
      player?.start(LEAD);
      // If the recording contains no encoder of the device, the device uploaded it before the recording began.
      if (!takesData.has(device) || contacts.some(({ kind }) => kind === 'encoder')) continue;
      this.#clock.after(BEFORE, 'a report before the recording', () => player?.beginContact('encoder'));
    }
    for (const downlink of downlinks) {
      if (!QUEUED_BY_USERS.has(downlink.type)) continue;
      this.#requestAt(downlink.at, () => this.#queue(downlink));
      if (downlink.cancelled !== null) this.#requestAt(downlink.cancelled, () => this.#cancel(downlink.n));
    }
  }

  /** Sends a request at the time `at` of the recording. Virtual time stands still while the request is open. */
  #requestAt(at: Millis, request: () => Promise<void>): void {
    const { now } = this.#clock;
    this.#clock.after(Math.max(0, LEAD + at - now), 'a request of a recording', () => {
      const release = this.#clock.hold('a request of a recording');
      request()
        .catch((error: unknown) => this.#clock.stop(asError(error)))
        .finally(release);
    });
  }

  async #queue(downlink: ScriptDownlink): Promise<void> {
    const id = this.#ids.get(downlink.device);
    if (id === undefined) throw new UsageError('bad-file', `downlink ${downlink.n} is for an unknown device`);
    this.#watch.expect(downlink);
    const message = await queueLike(downlink, this.#target.api, id).catch((error: unknown) => {
      throw isQueueFull(error) ? new UsageError('bad-file', tooManyWait(downlink)) : error;
    });
    this.#messages.set(downlink.n, message.id);
  }

  /** Cancels a downlink, unless the replay has already delivered it. */
  async #cancel(n: number): Promise<void> {
    const id = this.#messages.get(n);
    if (id !== undefined && !this.#watch.delivered.has(n)) await this.#target.api.cancelMessage(id).catch(() => {});
  }
}

function isQueueFull(error: unknown): boolean {
  return error instanceof ApiError && isObject(error.body) && error.body.code === 'queue-full';
}

function tooManyWait({ n, device }: ScriptDownlink): string {
  return `downlink ${n} cannot be replayed: "${device}" already has ${LONGEST_QUEUE} pending downlinks, the most in a cloud`;
}

/** Follows the events of the cloud: matches its messages with the downlinks of the script, and notes their delivery times. */
class Watch implements Trace {
  /** Delivery times by the numbers of the downlinks. */
  readonly delivered = new Map<number, Millis>();
  /** Recorded session answers that are not matched yet, by device. The cloud makes them, not a user. */
  readonly #made: ReadonlyMap<string, ScriptDownlink[]>;
  readonly #devices = new Map<
    number,
    { readonly device: string; readonly onDelivered: (n: number) => void; waiting: number }
  >();
  /** Numbers of the downlinks of the script by the ids of their messages. */
  readonly #numbers = new Map<string, number>();
  /**
   * Number of the downlink that is being queued, by device. There is at most one, because time stands still during a request.
   */
  readonly #expected = new Map<string, number>();

  constructor({ downlinks }: Script) {
    const made = groupByDevice(downlinks.filter(({ type }) => type === 'session'));
    this.#made = new Map([...made].map(([device, own]) => [device, [...own]]));
  }

  add(device: string, serial: number, onDelivered: (n: number) => void): void {
    this.#devices.set(serial, { device, onDelivered, waiting: 0 });
  }

  expect({ n, device }: ScriptDownlink): void {
    this.#expected.set(device, n);
  }

  countWaiting(serial: number): number {
    return this.#devices.get(serial)?.waiting ?? 0;
  }

  emit(event: Parameters<Trace['emit']>[0]): void {
    if (event.kind === 'downlink.queued')
      this.#noteQueued(event.serial, event.downlink, event.type === 'session', event.at);
    else if (event.kind === 'downlink.delivered') this.#noteEnded(event.serial, event.downlink, event.at);
    else if (event.kind === 'downlink.cancelled' || event.kind === 'downlink.expired') this.#noteLeft(event.serial);
  }

  #noteQueued(serial: number, id: string, made: boolean, at: Instant): void {
    const entry = this.#devices.get(serial);
    if (entry === undefined) return;
    entry.waiting++;
    const n = made ? this.#answerTo(entry.device, at - LEAD) : this.#expected.get(entry.device);
    if (n !== undefined) this.#numbers.set(id, n);
    if (!made) this.#expected.delete(entry.device);
  }

  /** Number of the recorded session answer whose time is closest to `at`. Each is returned once; undefined if none is left. */
  #answerTo(device: string, at: Instant): number | undefined {
    const made = this.#made.get(device) ?? [];
    let best: ScriptDownlink | undefined;
    for (const candidate of made) {
      if (best === undefined || Math.abs(candidate.at - at) < Math.abs(best.at - at)) best = candidate;
    }
    if (best === undefined) return undefined;
    made.splice(made.indexOf(best), 1);
    return best.n;
  }

  #noteEnded(serial: number, id: string, at: Instant): void {
    this.#noteLeft(serial);
    const n = this.#numbers.get(id);
    if (n === undefined) return;
    this.delivered.set(n, at - LEAD);
    this.#devices.get(serial)?.onDelivered(n);
  }

  #noteLeft(serial: number): void {
    const entry = this.#devices.get(serial);
    if (entry) entry.waiting--;
  }
}
