/**
 * One attempt to deliver: the job is made from what is stored now, the script turns it into a request, the request is sent.
 * What follows from its outcome is the dispatcher's business.
 */
import type { Clock } from '../../kernel/clock.js';
import { integerBetween, type Random } from '../../kernel/random.js';
import { seconds } from '../../kernel/time.js';
import type { ListedMessage, Store } from '../store/store.js';
import type { Connector } from './connector.js';
import type { AttemptEntry, Attempted, Delivery } from './delivery.js';
import { jobFor } from './job.js';
import { BadRequest, requestOf, type WebhookRequest } from './request.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { isSuccess, type Reply, type Sender } from './sender.js';

/** What a script makes of a message. */
export type Computed =
  | { readonly kind: 'request'; readonly request: WebhookRequest }
  /** `main` returned null: there is nothing to send. */
  | { readonly kind: 'unwanted' }
  /** The script is at fault, and would be again. */
  | { readonly kind: 'failed'; readonly why: string };

/** For connectors that do not say how long a request may take. */
export const STANDARD_TIMEOUT = 30;

export interface AttemptsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly sandbox: Sandbox;
  readonly sender: Sender;
}

export class Attempts {
  readonly #options: AttemptsOptions;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /**
   * Runs the script, and sends nothing. The message's device is there.
   * @param owner with whose scripts it takes turns
   */
  async compute(
    connector: Connector,
    message: ListedMessage,
    attempt: number,
    owner: string = connector.id,
  ): Promise<Computed> {
    const { store, clock, random, sandbox } = this.#options;
    const device = await store.device(message.spaceId, message.deviceId);
    if (!device) return { kind: 'failed', why: GONE };
    const result = await sandbox.run({
      owner,
      source: connector.transformation,
      job: await jobFor(store, connector, device, message, attempt),
      now: Math.floor(clock.wall),
      seed: integerBetween(random.fork(`${connector.id}/${message.id}/${attempt}`), 1, 2_147_483_647),
    });
    if (result.kind === 'failed') return result;
    try {
      const request = requestOf(result.value);
      return request ? { kind: 'request', request } : { kind: 'unwanted' };
    } catch (error) {
      if (error instanceof BadRequest) return { kind: 'failed', why: error.message };
      throw error;
    }
  }

  async attempt(connector: Connector, delivery: Delivery): Promise<Attempted> {
    const { store, clock, sender } = this.#options;
    const { attempt } = delivery;
    const began = clock.now;
    const entry = (more: Partial<AttemptEntry>): AttemptEntry => {
      const took = Math.round(clock.now - began);
      return { ...NOTHING, attempt, at: Math.floor(clock.wall) - took, took, ...more };
    };
    const message = await store.message(delivery.spaceId, delivery.messageId);
    if (!message) return { outcome: 'cancelled', entry: entry({ error: GONE }) };
    const computed = await this.compute(connector, message, attempt);
    switch (computed.kind) {
      case 'unwanted':
        return { outcome: 'cancelled', entry: entry({ error: 'main returned null' }) };
      case 'failed':
        return { outcome: 'failed', entry: entry({ error: computed.why }) };
      case 'request': {
        const reply = await sender.send(computed.request, seconds(connector.timeout || STANDARD_TIMEOUT));
        const target = new URL(computed.request.url).origin;
        return { outcome: outcomeOf(reply), entry: entry({ target, ...replyEntry(reply) }) };
      }
      default:
        return computed satisfies never;
    }
  }
}

const GONE = 'the message or its device is gone';
const NOTHING = { status: null, target: null, error: null, response: null };

function outcomeOf(reply: Reply): Attempted['outcome'] {
  if (reply.kind === 'refused') return 'failed';
  return reply.kind === 'answer' && isSuccess(reply.status) ? 'delivered' : 'unanswered';
}

function replyEntry(reply: Reply): Partial<AttemptEntry> {
  if (reply.kind !== 'answer') return { error: reply.why };
  const { status, text } = reply;
  if (isSuccess(status)) return { status };
  const isRedirect = status >= 300 && status <= 399;
  const error = isRedirect ? 'redirects are not followed' : `the answer was ${status}`;
  return { status, error, response: text };
}
