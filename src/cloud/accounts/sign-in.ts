/**
 * Checks passwords, with limits for failures (login-throttle.ts), and remembers from where an account was opened.
 *
 * A source is a network: an IPv4 address, or the first half of an IPv6 address. Only the hash of account and source is stored.
 */
import type { Clock } from '../../kernel/clock.js';
import { days, type Millis } from '../../kernel/time.js';
import type { Ids } from '../store/ids.js';
import { type Change, ConflictError, type Id, type Store } from '../store/store.js';
import { hashKey } from './keys.js';
import { LoginThrottle } from './login-throttle.js';
import type { Proof } from './logins.js';
import { deletion, keyOf } from './member-records.js';
import type { Members } from './members.js';

/** How long a source is remembered after the latest login from it; up to {@link PRECISION} less. */
const MEMORY = days(90);
/** The record of a source is renewed at most once in this time, because one write per login would be too expensive. */
const PRECISION = days(1);
/** Maximum number of expired sources that are deleted in a commit that stores a source. */
const CLEARED_AT_ONCE = 10;

const FAMILY = 'login-source';

type SignedIn<P extends Proof> =
  | { readonly kind: 'right'; readonly proof: P }
  /** `userId` is null if no account has this address. */
  | { readonly kind: 'wrong'; readonly userId: Id | null }
  | { readonly kind: 'wait'; readonly wait: Millis };

interface SignInOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly members: Members;
}

export class SignIn {
  readonly #options: SignInOptions;
  readonly #throttle: LoginThrottle;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#throttle = new LoginThrottle(options.clock);
  }

  /**
   * Makes an attempt that needs the password of the account with an address. Every check of a password of a caller comes here.
   * @param source network of the caller
   * @param attempt returns undefined if the address or the password is wrong
   */
  async check<P extends Proof>(
    email: string,
    source: string,
    attempt: () => Promise<P | undefined>,
  ): Promise<SignedIn<P>> {
    const account = keyOf(email);
    const place = hashKey(`${account} ${source}`);
    const wait = this.#throttle.wait(account, source, await this.#isKnown(place));
    if (wait > 0) return { kind: 'wait', wait };
    const proof = await attempt();
    if (proof === undefined) {
      this.#throttle.failed(account, source);
      return { kind: 'wrong', userId: await this.#options.members.accountOf(email) };
    }
    this.#throttle.succeeded(account, source);
    await this.#remember(place);
    return { kind: 'right', proof };
  }

  async #isKnown(place: string): Promise<boolean> {
    const row = await this.#options.store.recordByKey(FAMILY, null, place);
    return (row?.dueAt ?? 0) > this.#options.clock.wall;
  }

  async #remember(place: string): Promise<void> {
    const { store, clock, ids } = this.#options;
    const now = Math.floor(clock.wall);
    const known = await store.recordByKey(FAMILY, null, place);
    if (known && (known.dueAt ?? 0) > now + MEMORY - PRECISION) return;
    const forgotten = await store.dueRecords(FAMILY, now, CLEARED_AT_ONCE);
    const id = known?.id ?? ids.uuid();
    const row = { family: FAMILY, id, spaceId: null, key: place, createdAt: now, dueAt: now + MEMORY, body: null };
    const others = forgotten.filter((each) => each.id !== id).map(deletion);
    const changes: readonly Change[] = [...others, { kind: 'record.put', row }];
    try {
      await store.commit(changes);
    } catch (error) {
      // A concurrent login from the same source has stored the source.
      if (!(error instanceof ConflictError && error.field === 'record-key')) throw error;
    }
  }
}
