/** Adds the routes that cancel a downlink or an update: `POST …/cancel` returns it, `DELETE` returns no content. */

import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { ItemParams } from '../../contract/values.js';
import { NoContent, type Operation, operation, type Routes } from '../http/operation.js';
import type { Id } from '../store/store.js';

interface Cancellable<View extends TSchema> {
  readonly tag: Operation['tag'];
  /** Name of the resource with its article, such as `a pending downlink`. */
  readonly what: string;
  /** The resource in the names of the operations, such as `Downlink`. */
  readonly noun: string;
  /** Effect of a successful request on the device, for the descriptions of the operations. */
  readonly description: string;
  readonly params: ReturnType<typeof ItemParams>;
  readonly view: View;
  /** Description of the 409: a sentence that says when the resource can no longer be cancelled. */
  readonly tooLate: string;
  /** @throws ApiFault 404 or 409 */
  readonly cancel: (request: FastifyRequest, id: Id) => Promise<void>;
  readonly read: (request: FastifyRequest, id: Id) => Promise<Static<View>>;
}

/** Adds both routes. @param item path of one resource, which ends in `:id` */
export function addCancelling<View extends TSchema>(
  routes: Routes,
  item: string,
  { tag, what, noun, description, params, view, tooLate, cancel, read }: Cancellable<View>,
): void {
  const common = { tag, description, params, errors: { 409: tooLate } };

  routes.post(
    `${item}/cancel`,
    operation({ ...common, id: `cancel${noun}`, summary: `Cancel ${what}`, response: { 200: view } }),
    async (request) => {
      await cancel(request, request.params.id);
      return read(request, request.params.id);
    },
  );

  routes.delete(
    item,
    operation({
      ...common,
      id: `delete${noun}`,
      summary: `Cancel ${what}; no content is returned`,
      response: { 204: NoContent },
    }),
    async (request, reply) => {
      await cancel(request, request.params.id);
      return reply.code(204).send();
    },
  );
}
