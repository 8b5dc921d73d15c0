/**
 * Slows down the guessing of passwords without locking out the rightful user.
 *
 * A source is the network of the caller. Each failed login counts three times: for the account, for the source, and for the
 * pair of this account and this source. The limits of the account and of the source do not apply to a pair that has logged in
 * before: an attack from other places does not affect a user at the usual place. The limit of a pair lasts only a minute,
 * because an attacker may share the address of the user. Each service keeps its own counts in memory: if n services share a
 * PostgreSQL database, an attacker has n times as many attempts (docs/SECURITY.md, "Accounts").
 */
import type { Clock } from '../../kernel/clock.js';
import { Counts } from '../../kernel/counts.js';
import { type Millis, minutes } from '../../kernel/time.js';

/** Maximum number of failed logins in a period, and the length of the period (`window`). */
const LIMITS = {
  pair: { most: 5, window: minutes(1) },
  account: { most: 50, window: minutes(15) },
  source: { most: 50, window: minutes(15) },
};

export class LoginThrottle {
  readonly #pairs: Failures;
  readonly #accounts: Failures;
  readonly #sources: Failures;

  constructor(clock: Clock) {
    this.#pairs = new Failures(clock, LIMITS.pair);
    this.#accounts = new Failures(clock, LIMITS.account);
    this.#sources = new Failures(clock, LIMITS.source);
  }

  /**
   * How long an attempt has to wait; 0: it may be made now.
   * @param isKnown whether a login of this account from this source has succeeded before
   */
  wait(account: string, source: string, isKnown: boolean): Millis {
    const own = this.#pairs.wait(pairOf(account, source));
    return isKnown ? own : Math.max(own, this.#accounts.wait(account), this.#sources.wait(source));
  }

  failed(account: string, source: string): void {
    this.#pairs.add(pairOf(account, source));
    this.#accounts.add(account);
    this.#sources.add(source);
  }

  succeeded(account: string, source: string): void {
    this.#pairs.forget(pairOf(account, source));
  }
}

/** Counts failed logins by name, in periods of a fixed length. At the end of a period, the counts of all names are deleted. */
class Failures {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #window: Millis;
  readonly #counts = new Counts<string>();
  #ends = 0;

  constructor(clock: Clock, { most, window }: { readonly most: number; readonly window: Millis }) {
    this.#clock = clock;
    this.#most = most;
    this.#window = window;
  }

  wait(name: string): Millis {
    this.#turn();
    return this.#counts.of(name) >= this.#most ? this.#ends - this.#clock.now : 0;
  }

  add(name: string): void {
    this.#turn();
    this.#counts.increment(name);
  }

  forget(name: string): void {
    this.#counts.forget(name);
  }

  #turn(): void {
    if (this.#clock.now < this.#ends) return;
    this.#counts.clear();
    this.#ends = this.#clock.now + this.#window;
  }
}

function pairOf(account: string, source: string): string {
  return `${account} ${source}`;
}
