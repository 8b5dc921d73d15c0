/** Compares the uplinks that devices made with the messages that the API shows. */
import type { Message } from '../../../client/client.js';
import type { Instant } from '../../../kernel/time.js';
import {
  type ComparedType,
  type Content,
  isCompared,
  type KnownCodecs,
  listStoredForms,
  readUplink,
} from './contents.js';
import type { Findings } from './rules.js';

/** Maximum number of uplinks that are kept for a device. For each further uplink, another one is removed (`#forget`). */
const MOST_KEPT = 512;

interface Entry {
  readonly uplink: number;
  readonly type: ComparedType;
  readonly contents: readonly Content[];
  /** Place of its first transmission among all and their acknowledgements; undefined if not sent. */
  sent: number | undefined;
  sentAt: Instant;
  acked: { readonly order: number; readonly at: Instant } | undefined;
  stored: boolean;
  dropped: boolean;
}

/** What is known about a device: its uplinks in the order in which they were made, and the data uplink that was stored last. */
interface Sender {
  readonly entries: Entry[];
  last: Entry | undefined;
  /** Time of the last event after which the cloud may store an uplink twice (`TROUBLE` in audit.ts). */
  troubledAt: Instant;
}

export class UplinkAudit {
  readonly #codecs: KnownCodecs;
  readonly #findings: Findings;
  readonly #senders = new Map<number, Sender>();
  #order = 0;
  #unclear = false;

  constructor(codecs: KnownCodecs, findings: Findings) {
    this.#codecs = codecs;
    this.#findings = findings;
  }

  noteMade(serial: number, uplink: number, bytes: Uint8Array): void {
    const found = readUplink(bytes, this.#codecs);
    if (found === undefined || found.forms.length === 0) return;
    const { entries } = this.#getSender(serial);
    const fresh = {
      sent: undefined,
      sentAt: Number.POSITIVE_INFINITY,
      acked: undefined,
      stored: false,
      dropped: false,
    };
    entries.push({ uplink, type: found.type, contents: found.forms, ...fresh });
    if (entries.length > MOST_KEPT) this.#forget(serial, entries);
  }

  noteSent(serial: number, uplink: number, at: Instant): void {
    const entry = this.#getEntry(serial, uplink);
    if (entry === undefined || entry.sent !== undefined) return;
    entry.sent = ++this.#order;
    entry.sentAt = at;
  }

  /** After this event, the cloud may store uplinks twice: only data are recognised by content. */
  noteTrouble(serial: number, at: Instant): void {
    this.#getSender(serial).troubledAt = at;
  }

  noteAcked(serial: number, uplink: number, at: Instant): void {
    const entry = this.#getEntry(serial, uplink);
    if (entry !== undefined) entry.acked ??= { order: ++this.#order, at };
  }

  noteDropped(serial: number, uplink: number): void {
    const entry = this.#getEntry(serial, uplink);
    if (entry !== undefined) entry.dropped = true;
  }

  /** Called for each uplink that the API shows, oldest first. Returns the time at which the device sent it, if it is known. */
  noteStored(serial: number, message: Message, at: Instant): Instant | undefined {
    const { type, id } = message;
    const forms = isCompared(type) ? listStoredForms(message) : [];
    const [content] = forms;
    if (content === undefined) return undefined;
    const sender = this.#getSender(serial);
    const alike = sender.entries.filter((entry) => entry.type === type && entry.sent !== undefined);
    const matches = forms.map((form) => alike.filter((entry) => entry.contents.includes(form)));
    const same = matches.find(({ length }) => length > 0) ?? [];
    const open = same.find((entry) => !entry.stored);
    this.#findings.noteChecked('content');
    this.#findings.noteChecked('once');
    if (open !== undefined) this.#noteMatched(serial, sender, open, id, at);
    else if (same.length === 0) this.#noteStrange(serial, alike, message, content, at);
    else this.#judgeCopy(serial, sender, same, message, at);
    return open?.sentAt;
  }

  #judgeCopy(serial: number, { troubledAt }: Sender, same: readonly Entry[], { type, id }: Message, at: Instant): void {
    const original = same.at(-1);
    // The copy may be one of any uplink with this content.
    if (original === undefined || (type !== 'data' && same.some(({ sentAt }) => troubledAt >= sentAt))) return;
    this.#findings.noteBroken('once', {
      at,
      serial,
      what: `${type} uplink ${original.uplink} was stored again, as message ${id}`,
    });
  }

  /**
   * Judges the uplinks that are not stored, when all messages have been read.
   * @param unclear whether messages of the target may have been missed because of its clock
   */
  end(unclear: boolean): void {
    this.#unclear = unclear;
    for (const [serial, { entries }] of this.#senders) for (const entry of entries) this.#judge(serial, entry, entries);
  }

  #noteMatched(serial: number, sender: Sender, entry: Entry, id: string, at: Instant): void {
    entry.stored = true;
    if (entry.type !== 'data') return;
    const { last } = sender;
    this.#findings.noteChecked('order');
    if (last?.sent !== undefined && entry.acked !== undefined && entry.acked.order < last.sent) {
      const what = `data uplink ${entry.uplink} is stored after data uplink ${last.uplink}, as message ${id}`;
      this.#findings.noteBroken('order', { at, serial, what });
    } else sender.last = entry;
  }

  #noteStrange(serial: number, alike: readonly Entry[], { type, id }: Message, content: Content, at: Instant): void {
    const owner = type === 'data' ? this.#findDevice(content) : undefined;
    // The altered message is attributed to an uplink without a stored message. Otherwise this uplink would also count as lost.
    const meant = alike.find((entry) => !entry.stored);
    if (meant !== undefined && owner === undefined) meant.stored = true;
    const change =
      owner !== undefined
        ? `contains what the device ${owner} sent`
        : meant !== undefined
          ? `differs from ${type} uplink ${meant.uplink}`
          : 'contains what the device never sent';
    this.#findings.noteBroken('content', { at, serial, what: `${type} message ${id} ${change}` });
  }

  #findDevice(content: Content): number | undefined {
    for (const [serial, { entries }] of this.#senders) {
      if (entries.some(({ type, contents }) => type === 'data' && contents.includes(content))) return serial;
    }
    return undefined;
  }

  #judge(serial: number, { type, uplink, acked, stored, contents }: Entry, entries: readonly Entry[]): void {
    if (acked === undefined) return;
    this.#findings.noteChecked('stored');
    // The cloud may recognise an identical message as a copy, and store only the first one.
    const [content = ''] = contents;
    if (stored || entries.some((entry) => entry.stored && entry.contents.includes(content))) return;
    if (this.#unclear) return this.#findings.noteUnclear('stored');
    const what = `${type} uplink ${uplink} was acknowledged and is not stored`;
    this.#findings.noteBroken('stored', { at: acked.at, serial, what });
  }

  /** Removes the oldest entry that needs no further check; if there is none, the oldest entry of all. */
  #forget(serial: number, entries: Entry[]): void {
    const settled = entries.findIndex(({ stored, dropped, acked }) => dropped || (stored && acked !== undefined));
    const [entry] = entries.splice(Math.max(0, settled), 1);
    if (entry !== undefined) this.#judge(serial, entry, entries);
  }

  #getEntry(serial: number, uplink: number): Entry | undefined {
    return this.#senders.get(serial)?.entries.findLast((entry) => entry.uplink === uplink);
  }

  #getSender(serial: number): Sender {
    const known = this.#senders.get(serial);
    if (known !== undefined) return known;
    const fresh: Sender = { entries: [], last: undefined, troubledAt: Number.NEGATIVE_INFINITY };
    this.#senders.set(serial, fresh);
    return fresh;
  }
}
