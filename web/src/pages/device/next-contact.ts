/** When a device makes contact again. A poll is a contact like a report. Pure functions. */
import type { Rhythm } from '../../../../src/contract/health.js';
import type { DeviceDoing } from '../../../../src/control/run-state.js';
import { lengthText } from '../../model/length.js';

interface Known extends Omit<Rhythm, 'contactGaps'> {
  /** Undefined without a run. */
  readonly doing: DeviceDoing | undefined;
  /** Unix time in ms. */
  readonly now: number;
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
