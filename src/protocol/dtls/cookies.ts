/**
 * Cookies, by which a client proves that it receives what is sent to its address (RFC 6347, section 4.2.1). The server keeps no
 * state for them: a cookie is a keyed hash of the address, the hello and the minute.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.js';
import { type Draws, randomBytes } from '../../kernel/random.js';
import { minutes } from '../../kernel/time.js';
import { uint } from './bytes.js';
import type { ClientHello } from './hello.js';

/** Short, so that the request with the cookie is smaller than any hello. */
const COOKIE_SIZE = 16;
/** A cookie is valid in the period in which it was made and in the next one. */
const PERIOD = minutes(1);

export class Cookies {
  readonly #clock: Clock;
  readonly #key: Uint8Array;

  constructor(clock: Clock, random: Draws) {
    this.#clock = clock;
    this.#key = randomBytes(random, 32);
  }

  make(hello: ClientHello, address: string): Uint8Array {
    return this.#of(hello, address, this.#period);
  }

  isValid(hello: ClientHello, address: string): boolean {
    const { cookie } = hello;
    if (cookie.length !== COOKIE_SIZE) return false;
    return [this.#period, this.#period - 1].some((period) => timingSafeEqual(cookie, this.#of(hello, address, period)));
  }

  get #period(): number {
    return Math.floor(this.#clock.now / PERIOD) + 1;
  }

  #of({ random, suites }: ClientHello, address: string, period: number): Uint8Array {
    const mac = createHmac('sha256', this.#key).update(uint(period, 6)).update(random).update(String(suites));
    return mac.update(`/${address}`).digest().subarray(0, COOKIE_SIZE);
  }
}
