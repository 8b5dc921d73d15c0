/** One attempt: makes the job from the present store, runs the script, sends its request. The dispatcher decides on retries. */
import { MOST_VARIABLES } from '../../contract/limits.js';
import type { Clock } from '../../kernel/clock.js';
import { integerBetween, type Random } from '../../kernel/random.js';
import { seconds } from '../../kernel/time.js';
import type { Owner } from '../store/fair-queue.js';
import { LoopTurns } from '../store/loop-turns.js';
import type { Id, ListedMessage, Store } from '../store/store.js';
import { tenantOf } from '../store/tenants.js';
import type { Connector } from './connector.js';
import type { Attempted, AttemptLog, Delivery } from './delivery.js';
import { jobFor } from './job.js';
import { BadRequest, requestOf, type WebhookRequest } from './request.js';
import type { Sandbox } from './sandbox/sandbox.js';
import { isSuccess, type Reply, type Sender } from './sender.js';
import { variablesFor } from './variables.js';

/** Result of running a script on a message. */
export type Computed =
  | { readonly kind: 'request'; readonly request: WebhookRequest }
  /** `main` returned null or undefined: the script does not want to send anything for this message. */
  | { readonly kind: 'unwanted' }
  /** The script, its result or its target is not valid, or the device was deleted; a retry would fail as well. */
  | { readonly kind: 'failed'; readonly why: string };

/** Timeout of a request in seconds, for connectors without their own. */
export const STANDARD_TIMEOUT = 30;

interface AttemptsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly sandbox: Sandbox;
  readonly sender: Sender;
}

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #turns = new LoopTurns();

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /**
   * Runs the script on a message without sending anything. A user sees the result, so secure variables are hidden from the
   * script: it could print them in any form. A request whose target the guard would refuse has failed.
   * @param part queue within the space (see store/fair-queue.ts): scripts of the same part run one after another
   */
  async preview(connector: Connector, message: ListedMessage, part: string): Promise<Computed> {
    const { store, sender } = this.#options;
    const tenant = await tenantOf(store, connector.spaceId);
    const computed = await this.#compute(connector, message, {
      attempt: 0,
      owner: { tenant, part },
      secrets: 'hidden',
    });
    const why = computed.kind === 'request' ? await sender.refusal(computed.request, tenant) : undefined;
    return why === undefined ? computed : { kind: 'failed', why };
  }

  async #compute(
    connector: Connector,
    message: ListedMessage,
    { attempt, owner, secrets }: { attempt: number; owner: Owner; secrets: 'shown' | 'hidden' },
  ): Promise<Computed> {
    const { store, clock, random, sandbox } = this.#options;
    const { spaceId } = connector;
    const device = await store.device(message.spaceId, message.deviceId);
    if (!device) return { kind: 'failed', why: GONE };
    const reader = { store, turn: () => this.#turns.next(owner.tenant) };
    const variables = await variablesFor(reader, spaceId, device.id, secrets);
    if (variables === undefined) return { kind: 'failed', why: TOO_MANY_VARIABLES };
    const result = await sandbox.run({
      ...{ spaceId, owner },
      source: connector.transformation,
      job: await jobFor(store, connector, device, message, attempt, variables),
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

  /** Runs the top level of a script. Returns why it is not valid, with line and column if known; undefined if it is valid. */
  async check(spaceId: Id, source: string, part: string): Promise<string | undefined> {
    const { store, clock, sandbox } = this.#options;
    const owner = { tenant: await tenantOf(store, spaceId), part };
    const result = await sandbox.run({ spaceId, owner, source, now: Math.floor(clock.wall), seed: 1 });
    return result.kind === 'failed' ? result.why : undefined;
  }

  async attempt(connector: Connector, delivery: Delivery): Promise<Attempted> {
    const { store, clock, sender } = this.#options;
    const { attempt } = delivery;
    const began = clock.now;
    const entry = (more: Partial<AttemptLog>): AttemptLog => {
      const took = Math.round(clock.now - began);
      return { ...NOTHING, attempt, at: Math.floor(clock.wall) - took, took, ...more };
    };
    const [message, tenant] = await Promise.all([
      store.message(delivery.spaceId, delivery.messageId),
      tenantOf(store, connector.spaceId),
    ]);
    if (!message) return { result: 'cancelled', entry: entry({ attempt: null, error: GONE }) };
    const owner = { tenant, part: connector.id };
    const computed = await this.#compute(connector, message, { attempt, owner, secrets: 'shown' });
    switch (computed.kind) {
      case 'unwanted':
        return { result: 'cancelled', entry: entry({ error: 'main returned null' }) };
      case 'failed':
        return { result: 'failed', entry: entry({ error: computed.why }) };
      case 'request': {
        const reply = await sender.send(computed.request, seconds(connector.timeout || STANDARD_TIMEOUT), tenant);
        const target = new URL(computed.request.url).origin;
        const { retryAfter } = reply.kind === 'answer' ? reply : {};
        return { result: resultOf(reply), retryAfter, entry: entry({ target, ...replyEntry(reply) }) };
      }
      default:
        return computed satisfies never;
    }
  }
}

const TOO_MANY_VARIABLES =
  `the device, or the space itself, has more than ${MOST_VARIABLES.count} variables, ` +
  `or ${MOST_VARIABLES.bytes / 1024} KiB of their names and values: delete some`;
const GONE = 'the message or its device was deleted';
const NOTHING = { status: null, target: null, error: null, response: null };

function resultOf(reply: Reply): Attempted['result'] {
  if (reply.kind === 'refused') return 'failed';
  if (reply.kind === 'silence') return 'unanswered';
  if (isSuccess(reply.status)) return 'delivered';
  return reply.status in FINAL ? 'failed' : 'unanswered';
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 302, 303, 307]);

/** Statuses after which further attempts would fail as well. */
const FINAL: Readonly<Record<number, string>> = {
  301: 'the target has moved permanently, and redirects are not followed; correct the URL in the script',
  308: 'the target has moved permanently, and redirects are not followed; correct the URL in the script',
  410: 'the target is gone for good (status 410)',
};

function replyEntry(reply: Reply): Partial<AttemptLog> {
  if (reply.kind !== 'answer') return { error: reply.why };
  const { status, text } = reply;
  if (isSuccess(status)) return { status };
  const error =
    FINAL[status] ??
    (REDIRECTS.has(status) ? 'redirects are not followed' : `the target answered with status ${status}`);
  return { status, error, response: text };
}
