/** When a modem tries to attach, and how long it pauses in between (timing T-46). */
import { cycle, type RetrySchedule, thenRepeating } from '../../kernel/retry.js';
import { hours, type Millis, minutes } from '../../kernel/time.js';

/** One attempt to attach: given up after `timeout`, followed by a pause with the modem off. */
interface AttachAttempt {
  readonly timeout: Millis;
  readonly pause: Millis;
}

const attempt = (timeout: Millis, pause: Millis = 0): AttachAttempt => ({ timeout, pause });

/** Two short attempts and a long one, then a pause. */
const round = (pause: Millis): readonly AttachAttempt[] => [
  attempt(minutes(5)),
  attempt(minutes(5)),
  attempt(minutes(50), pause),
];

/** The pause after a round, by the name of the policy. */
const PERIODIC: Readonly<Record<string, Millis>> = {
  aggressive: 0,
  'periodic-2h': hours(1),
  'periodic-6h': hours(5),
  'periodic-12h': hours(11),
  'periodic-1d': hours(23),
};

const PROGRESSIVE: readonly AttachAttempt[] = [
  ...round(hours(1)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(6)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(24)),
  attempt(minutes(5), minutes(5)),
  attempt(minutes(45), hours(168)),
];

/** The attempts under the policy that `lte config attach-policy` names; they never end. */
function attachAttempts(policy: string): RetrySchedule<AttachAttempt> {
  if (policy === 'progressive') return thenRepeating(PROGRESSIVE, 2);
  return cycle(round(PERIODIC[policy] ?? hours(1)));
}

/** A search for a network: attempts according to a policy, one after the other, until one succeeds. */
export class Attaching {
  /** Number of the present attempt, from 1. */
  number = 1;
  #current: AttachAttempt;
  readonly #attempts: Iterator<AttachAttempt>;

  /** @param policy value of `lte config attach-policy` */
  constructor(policy: string) {
    this.#attempts = attachAttempts(policy)[Symbol.iterator]();
    this.#current = this.#attempts.next().value;
  }

  get current(): AttachAttempt {
    return this.#current;
  }

  /** The present attempt and its pause are over. */
  advance(): void {
    this.number++;
    this.#current = this.#attempts.next().value;
  }
}
