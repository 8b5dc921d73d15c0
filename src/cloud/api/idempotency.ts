/**
 * `Idempotency-Key`: a client may repeat a request that creates a resource, and the resource is created once.
 *
 * The receipt (the answer, stored under the key) is written in the same commit as the resource. So a crash cannot leave a
 * resource without its receipt. A key is unique within its space: of two concurrent requests with the same key, one commit
 * fails, and that request is answered with the receipt of the other. This holds for one service, for several services on the
 * same store, and across crashes.
 *
 * Receipts are stored for successes only: a rejected request may be repeated with the same key. The creation of API keys and
 * invitations does not accept an `Idempotency-Key`, because the receipt would contain the secret.
 */

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { Field } from '../../contract/values.js';
import { hours } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';
import type { Routes } from '../http/operation.js';
import { type Change, ConflictError, type RecordRow } from '../store/store.js';
import type { ApiContext } from './family.js';

/** Time after which a receipt expires. */
const RECEIPT_LIFETIME = hours(24);

/** Maximum number of expired receipts that are deleted in the commit of a new receipt. */
const CLEARED_AT_ONCE = 10;

/** For the `headers` of an operation that writes a receipt. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Field(
      'Makes a repetition of the request safe: it gets the first answer. Default: every request is executed.',
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,255}$',
        description: 'a key of 1 to 255 visible ASCII characters, the same for all repetitions of a request',
      }),
      'onboarding-1',
    ),
  ),
});

/** For the `errors` of an operation that writes a receipt. */
export const IDEMPOTENCY_ERRORS = {
  422: 'The `Idempotency-Key` was used for another request within the last 24 hours.',
} as const;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Changes that store the receipt; none without an `Idempotency-Key`. They come first in the commit of the resource.
     * @param answer the body that is sent with 201
     */
    receipt(answer: unknown): readonly Change[];
    /** Null if the request has no `Idempotency-Key`, or if its route writes no receipt. */
    attempt: Attempt | null;
  }
}

interface Attempt {
  readonly key: string;
  /** Distinguishes the request from other requests with the same key. */
  readonly fingerprint: string;
  readonly expired: readonly RecordRow[];
}

/** Body of the record that stores a receipt. */
interface Receipt {
  /** Fingerprint of the request. */
  readonly print: string;
  readonly status: number;
  /** JSON text, so that a repetition gets the same bytes. */
  readonly answer: string;
}

/** Answers repeated requests, on all routes whose `headers` are {@link IdempotencyHeaders}. */
export function repeatable(routes: Routes, { store, clock, ids }: ApiContext): void {
  routes.decorateRequest('attempt', null);
  routes.decorateRequest('receipt', function receipt(this: FastifyRequest, answer: unknown): readonly Change[] {
    if (this.attempt === null) return [];
    const { key, fingerprint, expired } = this.attempt;
    const now = Math.floor(clock.wall);
    const body: Receipt = { print: fingerprint, status: 201, answer: JSON.stringify(answer) };
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
    const expired = [...(await store.dueRecords('idempotency', now, CLEARED_AT_ONCE, request.spaceId))];
    const known = await store.recordByKey('idempotency', request.spaceId, key);
    if (known && (known.dueAt ?? 0) <= now) expired.push(known);
    request.attempt = { key, fingerprint: fingerprintOf(request), expired };
    if (known && !expired.includes(known)) return repeat(known, request.attempt, reply);
  });

  // Of two concurrent requests with the same key, one fails with a conflict. It is answered with the receipt of the other.
  routes.setErrorHandler(async (error, request, reply) => {
    const { attempt } = request;
    const conflict = error instanceof ConflictError || (error instanceof ApiFault && error.statusCode === 409);
    if (attempt === null || !conflict) throw error;
    const known = await store.recordByKey('idempotency', request.spaceId, attempt.key);
    if (known === undefined) throw error;
    return repeat(known, attempt, reply);
  });
}

function repeat({ body }: RecordRow, { fingerprint }: Attempt, reply: FastifyReply): FastifyReply {
  const receipt = body as Receipt;
  if (receipt.print !== fingerprint) throw new ApiFault(422, 'this Idempotency-Key was used for another request');
  reply.code(receipt.status).header('idempotent-replayed', 'true').type('application/json; charset=utf-8');
  return reply.send(receipt.answer);
}

/**
 * Hash of a request. It includes the id of a key that is limited to tags, so that such a key does not get the answers of other
 * keys.
 */
function fingerprintOf({ method, url, body, access }: FastifyRequest): string {
  const limited = access.scope === null ? null : access.keyId;
  return createHash('sha256')
    .update(JSON.stringify([method, url, body, limited]))
    .digest('hex');
}
