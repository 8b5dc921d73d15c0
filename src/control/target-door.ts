/**
 * The way of the web console to a cloud that knows nothing of the console of this run: the sessions are those of the run, and
 * requests get the API key of the run, which no browser sees.
 */
import { hashKey, newSecret } from '../cloud/accounts/keys.js';
import { ApiFault } from '../cloud/http/errors.js';
import { OneTimeTokens } from '../cloud/web/one-time-tokens.js';
import { SESSION } from '../cloud/web/session.js';
import { isoTime } from '../kernel/calendar.js';
import type { EdgeClock } from '../kernel/clock.js';
import type { Random } from '../kernel/random.js';
import type { UnixMillis } from '../kernel/time.js';
import { apiBase } from '../kernel/web-address.js';
import type { Destination } from './proxy.js';

interface TargetDoorOptions {
  /** Address of the API. */
  readonly api: string;
  /** Secret. */
  readonly apiKey: string;
  readonly spaceId: string;
  /** Real time. */
  readonly clock: EdgeClock;
  /** Source of the tokens and sessions. */
  readonly random: Random;
  /** Called with the answer to a request that queued a downlink. @param asked body of the request */
  readonly queued: (answer: string, asked: string) => void;
  /**
   * Aborted when the run is over. From then on, the cloud gets no request of the console: what the clean-up deletes there would
   * vanish from the pages, which show the end of the run.
   */
  readonly over: AbortSignal;
}

export class TargetDoor {
  /** Where requests go. */
  readonly cloud: Destination;
  readonly queued: TargetDoorOptions['queued'];
  readonly over: AbortSignal;
  readonly #spaceId: string;
  readonly #clock: EdgeClock;
  readonly #random: Random;
  readonly #tokens: OneTimeTokens;
  /** Ends of the open sessions, by the hash of their secret. */
  readonly #sessions = new Map<string, UnixMillis>();

  constructor({ api, apiKey, spaceId, clock, random, queued, over }: TargetDoorOptions) {
    const { origin = api, prefix = '', headers = {} } = apiBase(api) ?? {};
    this.cloud = { url: new URL(origin), prefix, credentials: { ...headers, 'x-api-key': apiKey } };
    this.queued = queued;
    this.over = over;
    this.#spaceId = spaceId;
    this.#clock = clock;
    this.#random = random;
    this.#tokens = new OneTimeTokens(random, clock);
  }

  /** The address of the console with a new one-time token, below any origin. */
  link(): string {
    return `${this.cloud.url.origin}/#token=${this.#tokens.issue(this.#spaceId)}`;
  }

  /** Begins a session. @throws ApiFault 401 without a valid one-time token */
  begin(token: unknown): { readonly secret: string; readonly maxAge: number; readonly answer: unknown } {
    const space_id = typeof token === 'string' ? this.#tokens.redeem(token) : undefined;
    if (space_id === undefined) {
      throw new ApiFault(401, 'this one-time token is not valid, was used, or has expired', 'token-used');
    }
    const secret = newSecret(this.#random);
    const end = this.#clock.wall + SESSION;
    this.#sessions.set(hashKey(secret), end);
    return { secret, maxAge: SESSION / 1000, answer: { space_id, expires_at: isoTime(end) } };
  }

  isOpen(secret: string): boolean {
    return (this.#sessions.get(hashKey(secret)) ?? 0) > this.#clock.wall;
  }

  end(secret: string): void {
    this.#sessions.delete(hashKey(secret));
  }
}
