/** Two ways to cancel something: `POST …/cancel` answers with what has become of it, `DELETE` with nothing. */
import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Id } from '../store/store.js';
import type { Routes } from './family.js';
import { NoContent, type Operation, operation } from './operation.js';
import { ItemParams } from './schemas.js';

export interface Cancellable<View extends TSchema> {
  readonly tag: Operation['tag'];
  /** `a pending downlink` */
  readonly what: string;
  readonly view: View;
  /** When it can not be cancelled, in a sentence. */
  readonly tooLate: string;
  /** @throws ApiFault 404 or 409 */
  readonly cancel: (request: FastifyRequest, id: Id) => Promise<void>;
  readonly read: (request: FastifyRequest, id: Id) => Promise<Static<View>>;
}

/** @param item the path of one of them, which ends in `:id` */
export function addCancelling<View extends TSchema>(routes: Routes, item: string, what: Cancellable<View>): void {
  const common = { tag: what.tag, params: ItemParams, errors: { 409: what.tooLate } };

  routes.post(
    `${item}/cancel`,
    operation({ ...common, summary: `Cancel ${what.what}`, response: { 200: what.view } }),
    async (request) => {
      await what.cancel(request, request.params.id);
      return what.read(request, request.params.id);
    },
  );

  routes.delete(
    item,
    operation({ ...common, summary: `Cancel ${what.what}, without an answer`, response: { 204: NoContent } }),
    async (request, reply) => {
      await what.cancel(request, request.params.id);
      return reply.code(204).send();
    },
  );
}
