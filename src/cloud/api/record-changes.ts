/** Changes of records by requests. */
import type { FastifyReply } from 'fastify';
import { clientGone } from '../http/errors.js';
import { OneByOne } from '../store/one-by-one.js';
import { untilUndisturbed } from '../store/records.js';
import { credentialOf } from './access.js';

export class RecordChanges {
  readonly #turns = new OneByOne();

  /**
   * Runs `work`, which reads records, decides, and commits changes. Changes of the same records wait for each other, and
   * the callers take turns; if those of another service were first, `work` runs again.
   * @param records a name for the records, such as `key/` with the id of the space
   * @throws ApiFault if the request is over: its client has gone, or it was answered because it took too long
   */
  run<T>(reply: FastifyReply, records: string, work: () => Promise<T>): Promise<T> {
    const change = async () => {
      if (reply.sent || reply.raw.destroyed) throw clientGone();
      return work();
    };
    return this.#turns.run(records, () => untilUndisturbed(change), credentialOf(reply.request.access));
  }
}
