/**
 * `Idempotency-Key`: a request that creates something may be repeated without creating it twice.
 *
 * The receipt, which is the answer under the key, is written in the same commit as what was created, and a key is unique
 * within its space. So there is no moment at which one is there without the other, and of two requests at once one commit
 * fails and is answered with the receipt of the other; on one node or on several, and over crashes.
 *
 * Only successes are kept: a request that was refused may be repeated with its key. Creating API keys and invitations takes
 * no key, because the receipt would hold the secret.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { hours } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';
import type { Routes } from '../http/routes.js';
import { type Change, ConflictError, type RecordRow } from '../store/store.js';
import type { ApiContext } from './family.js';

/** How long a receipt is kept. */
const RECEIPT_LIFETIME = hours(24);

const CLEARED_AT_ONCE = 10;

/** For the `headers` of an operation that writes a receipt. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description: 'a key of 1 to 255 visible ASCII characters, the same for all repetitions of a request',
    }),
  ),
});

/** For the `errors` of an operation that writes a receipt. */
export const IDEMPOTENCY_ERRORS = {
  422: 'The `Idempotency-Key` was used for another request within the last 24 hours.',
} as const;

declare module 'fastify' {
  interface FastifyRequest {
    /** The part of a creation's commit that makes the request repeatable; put it first. `answer` is sent with 201. */
    receipt(answer: unknown): readonly Change[];
    /** Null without an `Idempotency-Key`. */
    attempt: Attempt | null;
  }
}

interface Attempt {
  readonly key: string;
  /** Tells the request from others under the same key. */
  readonly print: string;
  readonly expired: readonly RecordRow[];
}

/** What a receipt is in the store. */
interface Receipt {
  readonly print: string;
  readonly status: number;
  /** JSON text: a repetition is answered byte by byte. */
  readonly answer: string;
}

/** Answers repetitions on all routes that describe the header. */
export function repeatable(routes: Routes, { store, clock, ids }: ApiContext): void {
  routes.decorateRequest('attempt', null);
  routes.decorateRequest('receipt', function receipt(this: FastifyRequest, answer: unknown): readonly Change[] {
    if (this.attempt === null) return [];
    const { key, print, expired } = this.attempt;
    const now = Math.floor(clock.wall);
    const body: Receipt = { print, status: 201, answer: JSON.stringify(answer) };
    const row: RecordRow = {
      family: 'idempotency',
      id: ids.uuid(),
      spaceId: this.spaceId,
      key,
      createdAt: now,
      dueAt: now + RECEIPT_LIFETIME,
      body,
    };
    return [
      ...expired.map(({ family, id }): Change => ({ kind: 'record.delete', family, id })),
      { kind: 'record.put', row },
    ];
  });

  routes.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    if (request.routeOptions.schema?.headers !== IdempotencyHeaders || typeof key !== 'string') return;
    const now = Math.floor(clock.wall);
    const expired = [...(await store.dueRecords('idempotency', now, CLEARED_AT_ONCE))];
    const known = await store.recordByKey('idempotency', request.spaceId, key);
    if (known && (known.dueAt ?? 0) <= now) expired.push(known);
    request.attempt = { key, print: printOf(request), expired };
    if (known && !expired.includes(known)) return repeat(known, request.attempt, reply);
  });

  // Of two requests at once, one gets here: with what the store or its family says about the conflict.
  routes.setErrorHandler(async (error, request, reply) => {
    const { attempt } = request;
    const conflict = error instanceof ConflictError || (error instanceof ApiFault && error.statusCode === 409);
    if (attempt === null || !conflict) throw error;
    const known = await store.recordByKey('idempotency', request.spaceId, attempt.key);
    if (known === undefined) throw error;
    return repeat(known, attempt, reply);
  });
}

function repeat({ body }: RecordRow, { print }: Attempt, reply: FastifyReply): FastifyReply {
  // Because only receipts are kept in this family.
  const receipt = body as Receipt;
  if (receipt.print !== print) throw new ApiFault(422, 'this Idempotency-Key was used for another request');
  reply.code(receipt.status).header('idempotent-replayed', 'true').type('application/json; charset=utf-8');
  return reply.send(receipt.answer);
}

/** A key that is limited to tags does not get the answers of others. */
function printOf({ method, url, body, access }: FastifyRequest): string {
  const limited = access.scope === null ? null : access.keyId;
  return createHash('sha256')
    .update(JSON.stringify([method, url, body, limited]))
    .digest('hex');
}
