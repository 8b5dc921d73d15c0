/** When a device makes contact again. A poll is a contact like a report. Pure functions. */
import type { Device } from '../../../../src/client/types.js';
import type { DeviceDoing } from '../../../../src/control/run-state.js';
import { lengthText } from '../../model/length.js';

interface Known {
  /** Unix time in ms; null before the first contact. */
  readonly lastContact: number | null;
  /** Expected time from one contact to the next, in ms; null if it is not known. */
  readonly contactEvery: number | null;
  /** Undefined without a run. */
  readonly doing: DeviceDoing | undefined;
  /** Unix time in ms. */
  readonly now: number;
}

export function rhythmOf({ last_contact, contact_every }: Device): Pick<Known, 'lastContact' | 'contactEvery'> {
  return {
    lastContact: last_contact === null ? null : Date.parse(last_contact),
    contactEvery: contact_every === null ? null : contact_every * 1000,
  };
}

/** Texts for a card. */
interface NextContact {
  readonly value: string;
  readonly more: string;
  readonly tone?: 'late';
}

/** A run knows the timers of the device; without one, the contact is expected by the rhythm of the device. */
export function nextContact({ lastContact, contactEvery, doing, now }: Known): NextContact {
  if (doing) return planned(doing);
  if (lastContact === null) return { value: '–', more: 'no contact yet' };
  if (contactEvery === null) return { value: '–', more: 'its rhythm is not known yet' };
  const left = lastContact + contactEvery - now;
  const every = `every ${lengthText(contactEvery)}`;
  if (left >= 0) return { value: `in ${lengthText(left)}`, more: every };
  return { value: `${lengthText(-left)} ago`, more: `was expected, ${every}`, tone: 'late' };
}

function planned({ kind, next_report_ms: report, next_poll_ms: poll }: DeviceDoing): NextContact {
  if (kind === 'off') return { value: '–', more: 'while it is off' };
  const [first, second] = [
    ...(report === null ? [] : [{ what: 'report', left: report }]),
    ...(poll === null ? [] : [{ what: 'poll', left: poll }]),
  ].sort((a, b) => a.left - b.left);
  if (!first) return { value: '–', more: 'no timer is set' };
  const later = second ? `, ${second.what} in ${lengthText(second.left)}` : '';
  return { value: `in ${lengthText(first.left)}`, more: `${first.what}${later}` };
}
