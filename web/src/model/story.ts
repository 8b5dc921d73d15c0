/**
 * Describes the delivery of a downlink in sentences, with the data of the cloud alone. These data do not show why a device was
 * silent.
 */
import type { Device, Message, TimelineEntry } from '../../../src/client/types.js';
import type { Rhythm } from '../../../src/contract/health.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { lengthText } from './length.js';

/** Known contacts of the device. */
export interface Contacts {
  /** Unix time in ms; undefined before the first contact. */
  readonly last: number | undefined;
  /** Expected time of the next contact, in Unix ms, derived from earlier ones; undefined if there are too few. */
  readonly next: number | undefined;
}

/** Before the first contact. */
export const NO_CONTACTS: Contacts = { last: undefined, next: undefined };

type KnownRhythm = Omit<Rhythm, 'contactGaps'>;

export function rhythmOf({ last_contact, contact_every }: Pick<Device, 'last_contact' | 'contact_every'>): KnownRhythm {
  return {
    lastContact: last_contact === null ? null : Date.parse(last_contact),
    contactEvery: contact_every === null ? null : contact_every * 1000,
  };
}

export function contactsOf({ lastContact, contactEvery }: KnownRhythm): Contacts {
  if (lastContact === null) return NO_CONTACTS;
  return { last: lastContact, next: contactEvery === null ? undefined : lastContact + contactEvery };
}

/**
 * The stations of a downlink from the moment at which it was queued: for a part of a firmware update, which waits like the
 * downlinks of users, the cloud keeps no station of that moment.
 */
export function withStart(
  { id, type, created_at }: Pick<Message, 'id' | 'type' | 'created_at'>,
  entries: readonly TimelineEntry[],
): readonly TimelineEntry[] {
  const [first] = entries;
  if (type !== 'firmware' || first === undefined || Date.parse(first.at) <= Date.parse(created_at)) return entries;
  return [{ id: `${id} queued`, at: created_at, what: 'queued', detail: null }, ...entries];
}

type Known = Pick<Message, 'down_state' | 'down_attempt' | 'created_at'>;

/** @param entries the timeline of the downlink @param now Unix time in ms */
export function storyOf(
  message: Known,
  entries: readonly TimelineEntry[],
  contacts: Contacts,
  now: number,
): readonly string[] {
  // The timeline may begin before the message: for a downlink of the cloud itself, the first entry is a contact of the device.
  const queued = Date.parse(entries[0]?.at ?? message.created_at);
  const at = (what: string) => {
    const found = entries.find((entry) => entry.what === what);
    return found && Date.parse(found.at);
  };
  const [sent, contact, answered] = [at('sent'), at('contact'), at('answered')];
  if (message.down_state === 'pending') {
    const waited = contact ?? now;
    const since = `It has waited ${humanDuration(Math.max(0, now - queued))}`;
    const forContact =
      contact === undefined ? '' : `, ${humanDuration(waited - queued)} of it until the device made contact`;
    return [`${since}${forContact}.`, ...waiting(message, entries, contacts, now)];
  }
  if (message.down_state !== 'sent' || sent === undefined) {
    const ended = at('expired') ?? at('cancelled');
    const after = ended === undefined ? '' : ` after ${humanDuration(ended - queued)}`;
    return [`It ${message.down_state === 'expired' ? 'expired' : 'was cancelled'}${after}, before its delivery.`];
  }
  const parts =
    contact === undefined || contact > sent || contact === queued
      ? ''
      : `: ${humanDuration(contact - queued)} until the device made contact, ${humanDuration(sent - contact)} for the exchange`;
  return [
    `It was delivered after ${humanDuration(sent - queued)}${parts}.`,
    ...(answered === undefined ? [] : [`The answer came ${humanDuration(answered - sent)} later.`]),
  ];
}

/** The sentences about the wait of a pending downlink. */
function waiting(
  { down_attempt }: Known,
  entries: readonly TimelineEntry[],
  { last, next }: Contacts,
  now: number,
): readonly string[] {
  const latest = entries.at(-1);
  if (latest?.what === 'waiting') return [`The cloud holds it back: ${latest.detail ?? 'the reason is unknown'}.`];
  if (last === undefined) return ['It waits for the first contact of the device.'];
  if (down_attempt > 0) {
    const times = down_attempt === 1 ? 'once' : `${down_attempt} times`;
    return [`The cloud has sent it ${times}; the device has not confirmed it.`];
  }
  const first = 'It waits for the next contact of the device';
  if (next === undefined) return [`${first}.`];
  if (next > now) return [`${first}, in about ${lengthText(next - now)} by its rhythm.`];
  return [
    `${first}, which was expected ${lengthText(now - next)} ago.`,
    'The cloud cannot know why the device is silent. In a run, this page names the cause.',
  ];
}
