/**
 * The callers of loads: the run itself and the API clients that its setup creates. In real time, each caller has its own
 * connections, so that its requests do not wait for those of another caller.
 */

import { Semaphore } from '../../kernel/semaphore.js';
import { apiBase } from '../../kernel/web-address.js';
import type { ClientAccess } from '../../scenario/setup/kind.js';
import type { Failed } from '../../transport/transport.js';
import { OpenAnswers } from './connection.js';
import { type CallSender, makeHttpCalls } from './http-calls.js';

export interface Caller {
  /** Id of the caller's space. */
  readonly space: string;
  readonly apiKey: string;
  /** Address of the cloud. */
  readonly base: { readonly origin: string; readonly prefix: string };
  readonly sender: CallSender;
  /** Limits the concurrent requests of the caller. */
  readonly connections: Semaphore;
}

interface CallersOptions {
  readonly baseUrl: string;
  /** Whether time is virtual: callers then send one request at a time, so equal runs have equal orders. */
  readonly virtual: boolean;
  /** Called for each request that this machine could not send. */
  readonly failed?: Failed | undefined;
}

/** Most connections of a caller in real time: more than the users of most loads, each of whom needs one. */
export const CONNECTIONS = 10_000;

export class Callers {
  readonly #baseUrl: string;
  readonly #base: Caller['base'];
  readonly #virtual: boolean;
  readonly #failed: Failed | undefined;
  readonly #answers = new OpenAnswers();
  readonly #oneAtATime = new Semaphore(1);
  readonly #known = new Map<string, Caller>();

  constructor({ baseUrl, virtual, failed }: CallersOptions) {
    this.#baseUrl = baseUrl;
    this.#base = apiBase(baseUrl) ?? { origin: '', prefix: '' };
    this.#virtual = virtual;
    this.#failed = failed;
  }

  /** The caller with this API key; each call with the same key returns the same object. */
  getCaller({ spaceId: space, apiKey }: ClientAccess): Caller {
    const known = this.#known.get(apiKey);
    if (known !== undefined) return known;
    const caller = {
      space,
      apiKey,
      base: this.#base,
      sender: makeHttpCalls({
        baseUrl: this.#baseUrl,
        apiKey,
        connections: CONNECTIONS,
        answers: this.#answers,
        failed: this.#failed,
      }),
      connections: this.#virtual ? this.#oneAtATime : new Semaphore(CONNECTIONS),
    };
    this.#known.set(apiKey, caller);
    return caller;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#known.values()].map(({ sender }) => sender.close()));
  }
}
