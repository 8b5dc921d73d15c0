/**
 * The share of a request in the time and memory of its tenant. What may be large is read and made in turns, and counts until the
 * client has received it. Nothing is made for a client that has gone.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../http/addresses.js';
import { clientGone } from '../http/errors.js';
import { whenOver } from '../http/sockets.js';
import { Unsent, type UnsentLimits } from '../http/unsent.js';
import type { Id } from '../store/store.js';
import { tenantOf } from '../store/tenants.js';
import { type Caller, credentialOf } from './access.js';
import type { ApiContext } from './family.js';

const MB = 1024 * 1024;
/** Most bytes of answers and events that clients with a credential have not received. */
export const UNSENT: UnsentLimits = { all: 256 * MB, each: 64 * MB };
/** The same for clients without a credential, by network. */
const UNSENT_TO_STRANGERS: UnsentLimits = { all: 16 * MB, each: 4 * MB };
/** A smaller answer does not count. */
const SMALL = 16_384;

export type Sharing = Pick<ApiContext, 'store' | 'turns' | 'unsent'>;

export class Share {
  readonly #context: Sharing;
  readonly #caller: Caller;
  readonly #raw: FastifyReply['raw'];
  #tenant: Promise<Id> | undefined;
  #over: Promise<void> | undefined;
  #held: (() => void)[] = [];

  constructor(context: Sharing, caller: Caller, { raw }: FastifyReply) {
    this.#context = context;
    this.#caller = caller;
    this.#raw = raw;
  }

  /** Waits for a turn of the tenant. @throws ApiFault if the client has gone */
  async turn(): Promise<void> {
    this.#over ??= new Promise((resolve) => whenOver(this.#raw, resolve));
    // What a request keeps while it waits is free as soon as its client has gone.
    await Promise.race([this.#context.turns.next(await this.tenant()), this.#over]);
    if (this.#raw.destroyed) throw clientGone();
  }

  /** Counts a part of the answer until {@link release}, or until the answer is over. */
  async hold(length: number): Promise<void> {
    const tenant = await this.tenant();
    if (this.#held.length === 0) whenOver(this.#raw, () => this.release());
    this.#held.push(this.#context.unsent.hold(tenant, { length }, () => this.#raw.destroy()));
    if (this.#raw.closed) this.release();
  }

  /** What was counted is received, or no longer kept. @param but how many of the latest parts still wait */
  release(but = 0): void {
    for (const release of this.#held.splice(0, this.#held.length - but)) release();
  }

  tenant(): Promise<Id> {
    this.#tenant ??= tenantOfCaller(this.#context, this.#caller);
    return this.#tenant;
  }
}

/** The owner of the space, or the account. */
async function tenantOfCaller({ store }: Pick<Sharing, 'store'>, { spaceId, access }: Caller): Promise<Id> {
  return spaceId === '' ? credentialOf(access) : tenantOf(store, spaceId);
}

/** Resolves when a large body of the request may be read. Those without a credential take the turns of their network. */
export async function turnOfBody(context: Sharing, request: FastifyRequest): Promise<void> {
  const { access }: Partial<FastifyRequest> = request;
  await context.turns.next(access ? await tenantOfCaller(context, request) : networkOf(request.ip));
}

/** Counts large answers, with the bodies of their requests, until the clients have received them. */
export function countAnswers(api: FastifyInstance, context: Sharing): void {
  const strangers = new Unsent(UNSENT_TO_STRANGERS);
  api.addHook('onSend', (request, reply, payload, done) => {
    done();
    // The bytes of a buffer, such as a file of the console, are shared by all answers.
    if (typeof payload !== 'string') return;
    const length = Buffer.byteLength(payload) + (request.usage?.bytes ?? 0);
    if (length < SMALL) return;
    const { access, spaceId }: Partial<FastifyRequest> = request;
    if (access) {
      // If the store cannot be read, the answer does not count.
      new Share(context, { access, spaceId: spaceId ?? '' }, reply).hold(length).catch(() => {});
    } else {
      const cut = () => reply.raw.destroy();
      whenOver(reply.raw, strangers.hold(networkOf(request.ip), { length }, cut));
    }
  });
}
