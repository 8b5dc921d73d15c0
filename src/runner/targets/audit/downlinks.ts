/** Compares the downlinks that the run queued with those that the devices received, and with their states in the API. */
import type { Message } from '../../../client/client.js';
import { type Instant, type Millis, minutes, seconds } from '../../../kernel/time.js';
import {
  type ComparedType,
  type DownlinkContent,
  isCompared,
  type KnownCodecs,
  makeContent,
  readDownlink,
} from './contents.js';
import type { Findings } from './rules.js';

/** A request to queue a downlink. `asked`: its place among requests and answers; undefined if unknown. */
export interface Asked {
  readonly body: unknown;
  readonly asked: number | undefined;
  /** When the request was sent; undefined if that is not known. */
  readonly at: Instant | undefined;
}

interface Entry {
  readonly id: string;
  readonly type: ComparedType;
  readonly body: unknown;
  readonly asked: number | undefined;
  readonly answered: number;
  readonly createdAt: string;
  readonly queuedAt: Instant;
  receivedAt: Instant | undefined;
  /** Time stamp of the cloud since which the downlink has been in state `sent`, and this time as it was converted first. */
  sent: { readonly stamp: string | null; readonly at: Instant } | undefined;
  /** Whether the downlink was cancelled or has expired. */
  over: boolean;
}

/** A request without an answer: the target may have accepted it or not. */
interface Unanswered {
  readonly type: string;
  readonly body: unknown;
  /** Whether a downlink in the API has been attributed to this request. */
  listed: boolean;
  /** Whether a downlink that the device received has been attributed to this request. */
  received: boolean;
}

/** The times of the cloud as times of the run. */
export interface CloudTimes {
  /** Converts a time stamp of the cloud. */
  findMoment(stamp: string): Instant;
  /** Largest error of {@link findMoment}, in ms of the run. */
  readonly error: Millis;
}

/** What is known about a device. */
interface Receiver {
  readonly unanswered: Unanswered[];
  readonly entries: Entry[];
  /** Received downlinks that were not yet known to be queued: the answer of the API may arrive later. */
  readonly early: { readonly content: DownlinkContent; readonly at: Instant }[];
  /** Time of the device's last event. */
  heardAt: Instant;
  /** Time of the last event after which the cloud and the device may disagree about a delivery (`TROUBLE` in audit.ts). */
  troubledAt: Instant;
}

/** If a device had an event at most this long before a downlink was queued, it may still be in contact with the cloud. */
const STILL_AWAKE = minutes(1);
/** Maximum time from the moment at which the cloud receives the confirmation of a downlink until the device processes it. */
const CONFIRMATION = seconds(10);
/** Real time by which a slow machine can delay a device. */
const SLOWNESS = seconds(1);

export class DownlinkAudit {
  readonly #codecs: KnownCodecs;
  readonly #findings: Findings;
  readonly #tolerance: Millis;
  readonly #times: CloudTimes;
  readonly #receivers = new Map<number, Receiver>();
  readonly #ids = new Set<string>();
  #order = 0;

  /** @param speed milliseconds of the run per millisecond of the cloud */
  constructor(codecs: KnownCodecs, findings: Findings, speed: number, times: CloudTimes) {
    this.#codecs = codecs;
    this.#findings = findings;
    this.#tolerance = CONFIRMATION + SLOWNESS * speed;
    this.#times = times;
  }

  /** Called when a request to queue a downlink begins. */
  noteAsked(body: unknown, at: Instant): Asked {
    return { body, asked: ++this.#order, at };
  }

  /** Called when the API has accepted a downlink. */
  noteQueued(serial: number, message: Message, { body, asked }: Asked, at: Instant): void {
    const { id, type, created_at: createdAt } = message;
    if (!isCompared(type)) return;
    const receiver = this.#getReceiver(serial);
    this.#findings.noteChecked('queued');
    if (this.#ids.has(id)) {
      this.#findings.noteBroken('queued', { at, serial, what: `two requests were answered with the downlink ${id}` });
      return;
    }
    this.#ids.add(id);
    if (message.body !== undefined && makeContent(message.body) !== makeContent(body)) {
      const what = `the ${type} downlink ${id} was queued with another body than that of the request`;
      this.#findings.noteBroken('queued', { at, serial, what });
    }
    const known = { id, type, body, asked, answered: ++this.#order, createdAt, queuedAt: at };
    receiver.entries.push({ ...known, receivedAt: undefined, sent: undefined, over: false });
    const early = receiver.early.findIndex(
      ({ content }) => content.type === type && content.isAskedFor(body) !== false && !this.#isOfAnother(content, id),
    );
    const [received] = early < 0 ? [] : receiver.early.splice(early, 1);
    if (received !== undefined) this.#noteArrived(serial, receiver, received.content, received.at);
  }

  /** Called when a request to queue a downlink has ended without an answer. */
  noteUnanswered(serial: number, type: string, body: unknown): void {
    this.#findings.noteChecked('queued');
    this.#getReceiver(serial).unanswered.push({ type, body, listed: false, received: false });
  }

  /** Called if the API has accepted a request to queue a downlink, but the response does not contain this downlink. */
  noteUnnamed(serial: number, at: Instant): void {
    this.#findings.noteChecked('queued');
    const what = 'a request was accepted, but its answer is not a downlink of this device';
    this.#findings.noteBroken('queued', { at, serial, what });
  }

  /** Returns the id of the downlink that the device has received; undefined if it is not known, or not known yet. */
  noteReceived(serial: number, bytes: Uint8Array, at: Instant): string | undefined {
    const content = readDownlink(bytes, this.#codecs);
    if (content === undefined) return undefined;
    this.#findings.noteChecked('delivered');
    return this.#noteArrived(serial, this.#getReceiver(serial), content, at);
  }

  /** Whether the run has queued the downlink with this id. */
  knows(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Called for each event of the device. `trouble`: the cloud and the device may then disagree about a delivery. */
  noteHeard(serial: number, at: Instant, trouble: boolean): void {
    const receiver = this.#getReceiver(serial);
    receiver.heardAt = at;
    if (trouble) receiver.troubledAt = at;
  }

  /** Called when the API, at the time `at`, says that a downlink has been in state `sent` since the time stamp `since`. */
  noteSent(serial: number, id: string, since: string | null, at: Instant): void {
    const entry = this.#getEntry(serial, id);
    if (entry === undefined || entry.sent !== undefined) return;
    entry.sent = { stamp: since, at: since === null ? at : Math.min(at, this.#times.findMoment(since)) };
    this.#findings.noteChecked('sent');
    const { heardAt } = this.#getReceiver(serial);
    if (entry.receivedAt !== undefined || heardAt >= entry.queuedAt - STILL_AWAKE) return;
    const what = `downlink ${id} is in state "sent", but the device has sent nothing since it was queued`;
    this.#findings.noteBroken('sent', { at, serial, what });
    entry.sent = undefined;
  }

  /** Called if the API has no downlink with this id, although its response to a request contained it. */
  noteMissing(serial: number, id: string, at: Instant): void {
    const what = `a request was answered with the downlink ${id}, but the target has no such downlink`;
    this.#findings.noteBroken('queued', { at, serial, what });
  }

  /** Called when the API says that a downlink was cancelled or has expired. */
  noteOver(serial: number, id: string): void {
    const entry = this.#getEntry(serial, id);
    if (entry !== undefined) entry.over = true;
  }

  /**
   * Judges the remaining downlinks.
   * @param listed all downlinks that the API shows for devices of the run, each with the serial number of its device
   */
  end(listed: readonly (readonly [serial: number, message: Message])[], at: Instant): void {
    for (const [serial, { id, type, body }] of listed) {
      if (!isCompared(type) || this.#ids.has(id)) continue;
      const receiver = this.#getReceiver(serial);
      const perhaps = receiver.unanswered.find(
        (request) => !request.listed && request.type === type && makeContent(request.body) === makeContent(body),
      );
      if (perhaps !== undefined) {
        perhaps.listed = true;
        continue;
      }
      const twin = receiver.entries.find((entry) => makeContent(entry.body) === makeContent(body));
      const what =
        twin === undefined
          ? `there is a ${type} downlink ${id}, but it was not queued by the run`
          : `the request of the downlink ${twin.id} was sent once, but the target also has the identical ${type} downlink ${id}`;
      this.#findings.noteBroken('queued', { at, serial, what });
    }
    for (const [serial, receiver] of this.#receivers) {
      for (const { content, at: arrival } of receiver.early) this.#noteStrange(serial, receiver, content, arrival);
      for (const entry of receiver.entries) this.#judgeSent(serial, receiver, entry);
    }
  }

  #noteArrived(serial: number, receiver: Receiver, content: DownlinkContent, at: Instant): string | undefined {
    const alike = receiver.entries.filter(({ type, over }) => type === content.type && !over);
    const likely = alike.filter(({ body }) => content.isAskedFor(body) !== false);
    // Identical commands have the same content: only the id distinguishes a repetition from the next downlink.
    const named = likely.filter(({ id }) => id === content.id);
    const same = named.length > 0 ? named : likely;
    const next = same.find(({ receivedAt }) => receivedAt === undefined);
    const last = same.findLast(({ receivedAt }) => receivedAt !== undefined);
    if (next !== undefined) {
      this.#judgeTurn(serial, receiver, alike, next, at);
      next.receivedAt = at;
      return next.id;
    }
    if (last?.receivedAt === undefined) receiver.early.push({ content, at });
    else if (receiver.troubledAt < last.receivedAt && !isOfUnanswered(receiver, content)) {
      this.#findings.noteBroken('delivered', { at, serial, what: `downlink ${last.id} was delivered again` });
    }
    return last?.id;
  }

  /** Whether the received message contains the id of a downlink of the run other than `id`. */
  #isOfAnother(content: DownlinkContent, id: string): boolean {
    return content.id !== undefined && content.id !== id && this.#ids.has(content.id);
  }

  /** After trouble, an earlier downlink may be lost, so only one that was queued since then must arrive before `entry`. */
  #judgeTurn(serial: number, { troubledAt }: Receiver, alike: readonly Entry[], entry: Entry, at: Instant): void {
    this.#findings.noteChecked('turn');
    const before = alike.find(
      (other) => other.receivedAt === undefined && troubledAt < other.queuedAt && isBefore(other, entry),
    );
    if (before === undefined) return;
    const what = `downlink ${entry.id} arrived before ${before.id}, which was queued earlier`;
    this.#findings.noteBroken('turn', { at, serial, what });
  }

  /** Judges a received downlink that matches no queued one. */
  #noteStrange(serial: number, receiver: Receiver, content: DownlinkContent, at: Instant): void {
    if (isOfUnanswered(receiver, content)) return;
    const { type } = content;
    const meant = receiver.entries.find(
      (entry) => entry.type === type && entry.receivedAt === undefined && !entry.over,
    );
    if (meant !== undefined) meant.receivedAt = at;
    const what =
      meant === undefined
        ? `a ${type} downlink arrived that was not queued`
        : `a ${type} downlink arrived with another content than that of ${meant.id}`;
    this.#findings.noteBroken('delivered', { at, serial, what });
  }

  #judgeSent(serial: number, { troubledAt }: Receiver, { id, sent, receivedAt, queuedAt }: Entry): void {
    if (sent === undefined || troubledAt >= queuedAt) return;
    // A correction of the target's clock may make one of the conversions wrong.
    const sentAt = sent.stamp === null ? sent.at : Math.max(sent.at, this.#times.findMoment(sent.stamp));
    const lateBy = receivedAt === undefined ? Number.POSITIVE_INFINITY : receivedAt - sentAt - this.#tolerance;
    if (lateBy <= 0) return;
    if (receivedAt !== undefined && lateBy <= this.#times.error) return this.#findings.noteUnclear('sent');
    const never = receivedAt === undefined ? 'never received it' : 'received it later';
    const what = `downlink ${id} was in state "sent" then, but the device ${never}`;
    this.#findings.noteBroken('sent', { at: sentAt, serial, what });
  }

  #getEntry(serial: number, id: string): Entry | undefined {
    return this.#receivers.get(serial)?.entries.find((entry) => entry.id === id);
  }

  #getReceiver(serial: number): Receiver {
    const known = this.#receivers.get(serial);
    if (known !== undefined) return known;
    const none = Number.NEGATIVE_INFINITY;
    const fresh: Receiver = { unanswered: [], entries: [], early: [], heardAt: none, troubledAt: none };
    this.#receivers.set(serial, fresh);
    return fresh;
  }
}

/** Whether a received downlink can come from a request without an answer. Each such request accounts for one downlink. */
function isOfUnanswered({ unanswered }: Receiver, { type, isAskedFor }: DownlinkContent): boolean {
  const request = unanswered.find(
    (other) => !other.received && other.type === type && isAskedFor(other.body) !== false,
  );
  if (request !== undefined) request.received = true;
  return request !== undefined;
}

/** Whether `one` was certainly queued before `other`. */
function isBefore(one: Entry, other: Entry): boolean {
  if (other.asked !== undefined) return one.answered < other.asked;
  return one.answered < other.answered && one.createdAt < other.createdAt;
}
