/**
 * Compares the messages that the API of a cloud other than the embedded one shows with those that the run sent and received:
 * their identity, content and order in both directions. The run fails if they differ, whatever the scenario expects.
 *
 * After a loss, the protocol allows some differences (wire W-27, W-29). So some rules are not checked after a network fault, a
 * dropped uplink, a repetition, a failed poll or a restart of the device.
 */
import type { Message } from '../../../client/client.js';
import type { MessageWitness } from '../../../device/hardware/hardware.js';
import type { Clock } from '../../../kernel/clock.js';
import { type Instant, seconds } from '../../../kernel/time.js';
import type { Profile } from '../../../profile/profile.js';
import type { TraceEvent } from '../../../trace/events.js';
import type { KnownCodecs } from './contents.js';
import { type Asked, type CloudTimes, DownlinkAudit } from './downlinks.js';
import { Findings, type RuleTally } from './rules.js';
import { UplinkAudit } from './uplinks.js';

/** With a larger error in real time, messages may have been missed: new ones are found by time. */
const MESSAGES_MISSED = seconds(2);

/** Events after which a cloud and a device may disagree about a delivery. */
const TROUBLE: ReadonlySet<TraceEvent['kind']> = new Set([
  'device.boot',
  'device.repeat',
  'device.restart',
  'net.fault',
  'poll.failed',
  'uplink.dropped',
]);

export class TargetAudit implements MessageWitness {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #speed: number;
  readonly #times: CloudTimes;
  readonly #findings = new Findings();
  readonly #uplinks: UplinkAudit;
  readonly #downlinks: DownlinkAudit;
  /** Id of the downlink that each device has received last; undefined if it is not known. */
  readonly #lastReceived = new Map<number, string | undefined>();
  #ended = false;

  /** @param speed milliseconds of the run per millisecond of the cloud */
  constructor(clock: Pick<Clock, 'now'>, profiles: Iterable<Profile>, speed: number, times: CloudTimes) {
    this.#clock = clock;
    this.#speed = speed;
    this.#times = times;
    const codecs = collectCodecs(profiles);
    this.#uplinks = new UplinkAudit(codecs, this.#findings);
    this.#downlinks = new DownlinkAudit(codecs, this.#findings, speed, times);
  }

  noteMade(serial: number, uplink: number, message: Uint8Array): void {
    this.#uplinks.noteMade(serial, uplink, message);
  }

  noteReceived(serial: number, message: Uint8Array): void {
    this.#lastReceived.set(serial, this.#downlinks.noteReceived(serial, message, this.#clock.now));
  }

  /** Id of the downlink that the device has received last; undefined if it is not known. */
  lastReceived(serial: number): string | undefined {
    return this.#lastReceived.get(serial);
  }

  /** Whether the run has queued the downlink with this id. */
  knows(id: string): boolean {
    return this.#downlinks.knows(id);
  }

  /** Takes the events of the devices and of their network. */
  take(event: TraceEvent): void {
    if (!('serial' in event)) return;
    const { serial, at } = event;
    if (event.kind === 'uplink.sent') this.#uplinks.noteSent(serial, event.uplink, at);
    else if (event.kind === 'uplink.acked') this.#uplinks.noteAcked(serial, event.uplink, at);
    else if (event.kind === 'uplink.dropped') this.#uplinks.noteDropped(serial, event.uplink);
    const isTrouble = TROUBLE.has(event.kind);
    if (isTrouble) this.#uplinks.noteTrouble(serial, at);
    this.#downlinks.noteHeard(serial, at, isTrouble);
  }

  /** Called when a request to queue a downlink begins. Pass the result to {@link noteQueued}. */
  noteAsked(body: unknown): Asked {
    return this.#downlinks.noteAsked(body, this.#clock.now);
  }

  /** Called when the API has accepted a downlink. */
  noteQueued(serial: number, message: Message, asked: Asked): void {
    this.#downlinks.noteQueued(serial, message, asked, this.#clock.now);
  }

  /** Called when a request to queue a downlink has ended without an answer: the target may have accepted it or not. */
  noteUnanswered(serial: number, type: string, body: unknown): void {
    this.#downlinks.noteUnanswered(serial, type, body);
  }

  /** Called if the API has accepted a request to queue a downlink, but the response does not contain this downlink. */
  noteUnnamed(serial: number): void {
    this.#downlinks.noteUnnamed(serial, this.#clock.now);
  }

  /** Called for each uplink of the API, oldest first. When it was sent; undefined if unknown. */
  noteStored(serial: number, message: Message, at: Instant): Instant | undefined {
    return this.#uplinks.noteStored(serial, message, at);
  }

  /**
   * Called when the API says that a downlink is in state `sent`.
   * @param since time stamp of the cloud; null: since now
   */
  noteSent(serial: number, id: string, since: string | null): void {
    this.#downlinks.noteSent(serial, id, since, this.#clock.now);
  }

  /** Called if the API has no downlink with this id, although its response to a request contained it. */
  noteMissing(serial: number, id: string): void {
    this.#downlinks.noteMissing(serial, id, this.#clock.now);
  }

  /** Called when the API says that a downlink was cancelled or has expired. */
  noteOver(serial: number, id: string): void {
    this.#downlinks.noteOver(serial, id);
  }

  /**
   * Judges the remaining messages.
   * @param listed all downlinks that the API shows for devices of the run, each with the serial number of its device
   */
  end(listed: readonly (readonly [serial: number, message: Message])[]): void {
    this.#uplinks.end(this.#times.error > MESSAGES_MISSED * this.#speed);
    this.#downlinks.end(listed, this.#clock.now);
    this.#ended = true;
  }

  /** The results for each rule. If {@link end} was not called, the rule `stored` is undecided. */
  listTallies(): readonly RuleTally[] {
    return this.#findings.tallies(this.#ended ? [] : ['stored']);
  }
}

function collectCodecs(profiles: Iterable<Profile>): KnownCodecs {
  const all = [...profiles].flatMap(({ decoder, encoder }) => (encoder === undefined ? [decoder] : [decoder, encoder]));
  return new Map(all.map((codec) => [codec.hash, codec]));
}
