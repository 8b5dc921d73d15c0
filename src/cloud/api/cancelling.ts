/** Two ways to cancel something: `POST …/cancel` answers with what has become of it, `DELETE` with nothing. */
import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { NoContent, type Operation, operation } from '../http/operation.js';
import type { Routes } from '../http/routes.js';
import { ItemParams } from '../http/schemas.js';
import type { Id } from '../store/store.js';

interface Cancellable<View extends TSchema> {
  readonly tag: Operation['tag'];
  /** `a pending downlink` */
  readonly what: string;
  readonly view: View;
  /** When it cannot be cancelled, in a sentence. */
  readonly tooLate: string;
  /** @throws ApiFault 404 or 409 */
  readonly cancel: (request: FastifyRequest, id: Id) => Promise<void>;
  readonly read: (request: FastifyRequest, id: Id) => Promise<Static<View>>;
}

/** @param item the path of one of them, which ends in `:id` */
export function addCancelling<View extends TSchema>(
  routes: Routes,
  item: string,
  { tag, what, view, tooLate, cancel, read }: Cancellable<View>,
): void {
  const common = { tag, params: ItemParams, errors: { 409: tooLate } };

  routes.post(
    `${item}/cancel`,
    operation({ ...common, summary: `Cancel ${what}`, response: { 200: view } }),
    async (request) => {
      await cancel(request, request.params.id);
      return read(request, request.params.id);
    },
  );

  routes.delete(
    item,
    operation({ ...common, summary: `Cancel ${what}, without an answer`, response: { 204: NoContent } }),
    async (request, reply) => {
      await cancel(request, request.params.id);
      return reply.code(204).send();
    },
  );
}
