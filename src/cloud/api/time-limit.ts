/**
 * The longest time that a caller waits for an answer, whatever the request waits for: locks, other services, a database that
 * hangs. Each wait has its own limit as well; this one bounds their sum.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../kernel/clock.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { ApiFault } from '../http/errors.js';

/** From the head of a request to its answer. Less than the 30 s after which clients give up. */
const REQUEST_LIMIT: Millis = seconds(20);

/** @param patience real time, also in a simulation: its clock waits for the request */
export function limitTime(api: FastifyInstance, patience: Clock): void {
  // Callbacks instead of promises: this hook runs for every request.
  api.addHook('onRequest', (_, reply, done) => {
    const alarm = patience.after(REQUEST_LIMIT, 'the answer to a request', () => {
      if (!reply.sent) reply.send(tooLate());
    });
    reply.raw.once('close', () => alarm.cancel());
    done();
  });
}

function tooLate(): ApiFault {
  const what = `the request took longer than ${REQUEST_LIMIT / 1000} s; a change may still be carried out`;
  return new ApiFault(503, what, 'time-limit');
}
