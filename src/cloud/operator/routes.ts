/**
 * Routes for operators: liveness, readiness and metrics. Load balancers and monitors call them without an API key, so the
 * answers disclose no customer data. Expose a public service through a proxy that does not forward `/metrics`.
 */

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { Answer, Field } from '../../contract/values.js';
import type { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { isProgramReplaced, PROGRAM_REPLACED } from '../../kernel/program-files.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { operation } from '../http/operation.js';
import { type Id, type Store, StoreUnavailable, type UnavailableCode } from '../store/store.js';
import type { Metrics } from './metrics.js';

interface OperatorContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether the space, its key and its admin exist. The ports open before that. */
  readonly isPrepared: () => boolean;
  /** For the record that the readiness check writes. No other service has it, so that their checks do not wait for each other. */
  readonly id: Id;
}

/** How long the store may take to answer a readiness check. */
const PATIENCE = seconds(2);

const Health = Answer('Health', { status: Field('Always `ok`.', Type.Enum(['ok'])) }, { status: 'ok' });

export function addOperatorRoutes(api: FastifyInstance, context: OperatorContext): void {
  const { log, metrics, isPrepared } = context;
  api.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    const { method } = request;
    const { statusCode: status, elapsedTime: took } = reply;
    // A stream of events is not measured: it lasts as long as its reader wants.
    if (!String(reply.raw.getHeader('content-type')).startsWith('text/event-stream'))
      metrics.request({ method, route, status, took });
    log.info({ method, route, status, took: Math.round(took) }, 'request');
    done();
  });

  api.register(async (routes) => {
    routes.get(
      '/healthz',
      operation({
        tag: 'Operations',
        id: 'checkHealth',
        summary: 'Check whether the process is alive',
        description: 'Checks nothing else: restart the process if it does not respond.',
        access: 'anyone',
        response: { 200: Health },
      }),
      async () => ({ status: 'ok' }),
    );

    routes.get(
      '/readyz',
      operation({
        tag: 'Operations',
        id: 'checkReadiness',
        summary: 'Check whether requests can be served',
        description: 'Reads from and writes to the store. Send requests to another node while the status is not 200.',
        access: 'anyone',
        response: { 200: Health },
        errors: {
          503: 'The store does not respond, only permits reading, is damaged, or its disk is full; the service is starting or shutting down; or its program was replaced on disk.',
        },
      }),
      async (_, reply) => {
        const complaint = isProgramReplaced() ? REPLACED : isPrepared() ? await complaintOf(context) : STARTING;
        if (complaint === undefined) return { status: 'ok' };
        log.warn({ why: complaint.why }, 'not ready');
        const { message, code } = complaint;
        const fault = { statusCode: 503, error: 'Service Unavailable', message, code };
        return reply.code(503).header('retry-after', 5).send(fault);
      },
    );

    routes.get(
      '/metrics',
      operation({
        tag: 'Operations',
        id: 'readMetrics',
        summary: 'Read metrics in the format of Prometheus',
        description: 'Counters of requests, messages and commits, and the memory of the service.',
        access: 'anyone',
        response: { 200: { description: 'Prometheus text.', content: { 'text/plain': { schema: Type.String() } } } },
      }),
      async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()),
    );
  });
}

interface Complaint {
  /** For the log. */
  readonly why: string;
  /** Text for the response. It names no files, because the route needs no API key. */
  readonly message: string;
  readonly code: UnavailableCode | 'program-replaced';
}

/** Connectors and pages that need further files of the program fail; devices are served until the restart. */
const REPLACED: Complaint = { why: PROGRAM_REPLACED, message: PROGRAM_REPLACED, code: 'program-replaced' };

const STARTING: Complaint = {
  why: 'the space is not prepared',
  message: 'the service is starting',
  code: 'store-unavailable',
};

/** Reason why the store cannot be used; undefined if it can. */
async function complaintOf({ store, clock, id }: OperatorContext): Promise<Complaint | undefined> {
  const family = 'readiness';
  const row = { family, id, spaceId: null, key: null, createdAt: Math.floor(clock.wall), dueAt: null, body: null };
  try {
    // Reads and writes may fail independently. The commit has a row, because an empty one does not reach every database.
    const written = store.commit([
      { kind: 'record.put', row },
      { kind: 'record.delete', family, id },
    ]);
    await within(clock, PATIENCE, Promise.all([store.spaces({ limit: 1 }), written]));
    return undefined;
  } catch (error) {
    const why = error instanceof StoreUnavailable ? error.explained : messageOf(error);
    if (!(error instanceof StoreUnavailable) || error.code === 'store-unavailable') {
      return { why, message: 'the store does not respond', code: 'store-unavailable' };
    }
    return { why, message: error.message, code: error.code };
  }
}

function within<T>(clock: Clock, limit: Millis, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const alarm = clock.after(limit, 'readiness check of the store', () => {
      reject(new StoreUnavailable(new Error('timed out'), 'store-slow'));
    });
    work.then(resolve, reject).finally(() => alarm.cancel());
  });
}
