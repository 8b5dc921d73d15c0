/**
 * The health of a device by its own rhythm: whether it makes contact as often as its report and poll intervals promise. The API,
 * the console and the metrics all use this rule.
 *
 * A configured interval counts. Without one, the interval is learned from the contacts.
 */
import { days, type Millis, minutes, type UnixMillis } from '../kernel/time.js';

/** From the healthiest to the least known. */
export const HEALTHS = ['on_time', 'late', 'silent', 'never_seen'] as const;
export type Health = (typeof HEALTHS)[number];

/** Number of devices with each health. */
export type HealthCounts = Record<Health, number>;

export function countNone(): HealthCounts {
  return { on_time: 0, late: 0, silent: 0, never_seen: 0 };
}

/** What is known of a device's contacts: its messages and polls. */
export interface Rhythm {
  /** Null before the first contact. */
  readonly lastContact: UnixMillis | null;
  /** Expected time from one contact to the next; null if it is not known yet. */
  readonly contactEvery: Millis | null;
  /** The latest times between two contacts, at most {@link GAPS}, while the interval is learned; null if it is configured. */
  readonly contactGaps: readonly Millis[] | null;
}

/** Longest interval that can be configured (behaviour B-18): a device of unknown rhythm is not late before. */
export const LONGEST_INTERVAL = days(1);

/**
 * A device is late, or silent, if it has made no contact for this many intervals and {@link GRACE}. A report may be 20 % late
 * (timing T-3). Late: one contact is missing. Silent: three in a row.
 */
export const INTERVALS = { late: 1.5, silent: 3.5 } as const;
/** Five minutes to attach (timing T-46), and five until a failed poll is repeated (timing T-20). */
export const GRACE = minutes(10);

/** Contacts within this time belong together: a report, and the polls that it causes. */
const TOGETHER = minutes(1);

/** Number of gaps from which the interval is learned. */
const GAPS = 8;

/** @param now Unix time in ms, by the clock of the service */
export function findHealth({ lastContact, contactEvery }: Omit<Rhythm, 'contactGaps'>, now: UnixMillis): Health {
  if (lastContact === null) return 'never_seen';
  const silence = now - lastContact;
  if (silence <= allowedSilence('late', contactEvery)) return 'on_time';
  return silence <= allowedSilence('silent', contactEvery) ? 'late' : 'silent';
}

/** Time after a contact at which a device becomes late or silent. */
function allowedSilence(health: keyof typeof INTERVALS, contactEvery: Millis | null): Millis {
  return (contactEvery ?? LONGEST_INTERVAL) * INTERVALS[health] + GRACE;
}

/**
 * The rhythm after a contact. A learned interval is the second longest of the latest gaps. So one long gap, as after an outage,
 * changes nothing, and neither do short gaps between long ones, as of a device that sends several messages each hour.
 */
export function noteContact({ lastContact, contactEvery, contactGaps }: Rhythm, now: UnixMillis): Rhythm {
  const at = Math.max(Math.floor(now), lastContact ?? 0);
  const gap = at - (lastContact ?? at);
  const isConfigured = contactEvery !== null && contactGaps === null;
  if (isConfigured || gap <= TOGETHER) return { lastContact: at, contactEvery, contactGaps };
  const gaps = [...(contactGaps ?? []), gap].slice(-GAPS);
  const [longest = gap, second = longest] = gaps.toSorted((a, b) => b - a);
  // Of two gaps, the longer one: a device may begin with two messages one after another.
  return { lastContact: at, contactEvery: gaps.length < 3 ? longest : second, contactGaps: gaps };
}

/**
 * The rhythm after the device has reported its configuration: the shorter one of the intervals of reports and polls. Without
 * them, the rhythm is learned.
 * @param lines such as `app config interval-report 1800`
 */
export function noteConfig(
  { contactEvery, contactGaps }: Rhythm,
  lines: readonly string[],
): Omit<Rhythm, 'lastContact'> {
  const configured = shortestInterval(lines);
  if (configured !== undefined) return { contactEvery: configured, contactGaps: null };
  return { contactEvery: contactGaps === null ? null : contactEvery, contactGaps };
}

const INTERVAL = /^\s*app\s+config\s+interval-(?:report|poll)\s+(\d+)\s*$/;

/** An interval of 0 is off. A device may report any number of digits. */
function shortestInterval(lines: readonly string[]): Millis | undefined {
  let shortest: Millis | undefined;
  for (const line of lines) {
    const seconds = Number(INTERVAL.exec(line)?.[1] ?? 0);
    if (seconds > 0) shortest = Math.min(shortest ?? LONGEST_INTERVAL, seconds * 1000);
  }
  return shortest;
}
