/**
 * When a modem tries to attach, and how long it rests in between (firmware behaviour, 4.2; wire protocol, 5.3).
 */
import { hours, type Millis, minutes } from '../../kernel/time.js';

/** One attempt to attach: given up after `timeout`, followed by a pause with the modem off. */
export interface AttachAttempt {
  readonly timeout: Millis;
  readonly pause: Millis;
}

const attempt = (timeout: Millis, pause: Millis = 0): AttachAttempt => ({ timeout, pause });

/** Two short attempts and a long one, then a rest; again and again. */
const periodic = (rest: Millis): readonly AttachAttempt[] => [
  attempt(minutes(5)),
  attempt(minutes(5)),
  attempt(minutes(50), rest),
];

const PERIODIC: Readonly<Record<string, readonly AttachAttempt[]>> = {
  aggressive: periodic(0),
  'periodic-2h': periodic(hours(1)),
  'periodic-6h': periodic(hours(5)),
  'periodic-12h': periodic(hours(11)),
  'periodic-1d': periodic(hours(23)),
};

const PROGRESSIVE: readonly AttachAttempt[] = [
  ...periodic(hours(1)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(6)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(24)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(168)),
];

/** The `index`-th attempt (from 0) under the policy `lte config attach-policy` names. Unknown names act like periodic-2h. */
export function attachAttempt(policy: string, index: number): AttachAttempt {
  if (policy === 'progressive') {
    // After the table has been walked once, its last two attempts alternate.
    const last = PROGRESSIVE.length - 1;
    const at = index <= last ? index : last - 1 + ((index - last + 1) % 2);
    return PROGRESSIVE[at] as AttachAttempt;
  }
  const cycle = PERIODIC[policy] ?? (PERIODIC['periodic-2h'] as readonly AttachAttempt[]);
  return cycle[index % cycle.length] as AttachAttempt;
}
