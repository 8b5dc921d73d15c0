/** Tokens that open the console once. They are kept as hashes in memory and are valid for a few minutes of real time. */
import type { Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import { type Instant, minutes } from '../../kernel/time.js';
import { hashKey, newSecret } from '../accounts/keys.js';
import type { Id } from '../store/store.js';

/** How long a token is valid. */
export const TOKEN_LIFETIME = minutes(10);

/** Maximum number of valid tokens; the oldest one becomes invalid when another one is issued. */
const MOST = 16;

export class OneTimeTokens {
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #issued = new Map<string, { readonly expiry: Instant; readonly spaceId: Id }>();

  /** @param random must be secure if other machines can reach the service @param clock real time, also in a simulation */
  constructor(random: Random, clock: Clock) {
    this.#random = random;
    this.#clock = clock;
  }

  /** A new token that opens a space. */
  issue(spaceId: Id): string {
    const token = newSecret(this.#random);
    this.#issued.set(hashKey(token), { expiry: this.#clock.now + TOKEN_LIFETIME, spaceId });
    for (const oldest of this.#issued.keys()) {
      if (this.#issued.size <= MOST) break;
      this.#issued.delete(oldest);
    }
    return token;
  }

  /** The space that the token opens; undefined if it is not valid. The token is invalid afterwards. */
  redeem(token: string): Id | undefined {
    const hash = hashKey(token);
    const issued = this.#issued.get(hash);
    this.#issued.delete(hash);
    return issued && this.#clock.now < issued.expiry ? issued.spaceId : undefined;
  }
}
