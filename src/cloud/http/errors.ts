/** API errors: `{statusCode, error, message, code?}` (cloud C-12). Internal errors are logged, not disclosed. */
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/log.js';
import { isProgramReplaced, PROGRAM_REPLACED } from '../../kernel/program-files.js';
import { DownlinkRefused, LONGEST_QUEUE } from '../interfaces/downlinks.js';
import { StoreBusy } from '../store/bounded-commits.js';
import { ConflictError, type ConflictField, StoreUnavailable } from '../store/store.js';
import { methodsFor } from './allowed-methods.js';

/** An error response: status, message, and a stable code. */
export class ApiFault extends Error {
  readonly statusCode: number;
  /** Stable code for programs; absent if the status is sufficient. */
  readonly code: string | undefined;

  constructor(statusCode: number, message: string, code?: string) {
    super(message);
    this.name = 'ApiFault';
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** 404. The message is the same for a missing resource and for one of another space. */
export function notFound(what: string): ApiFault {
  return new ApiFault(404, `${what} not found`);
}

/** Nothing is sent. The status is for logs and metrics, as of nginx. */
export function clientGone(): ApiFault {
  return new ApiFault(499, 'the client has closed the connection');
}

/**
 * 400 for an id in a body. In a path, an unknown id is the resource that is asked for (404); in a body, it is a field with a
 * wrong value.
 * @param what the resource with its article, such as `a device`
 */
export function unknownId(place: string, id: string, what: string): ApiFault {
  return new ApiFault(400, `${place} "${id}" is not ${what} of this space`, 'unknown-id');
}

interface ErrorForm {
  /** Responds to a missing resource with the plain text `not found`, which hio-dotnet expects. */
  readonly plainNotFound: boolean;
}

/** Returns a Fastify error handler that converts any error into an error response. */
export function errorHandler(log: Log, form: ErrorForm) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const fault = toFault(error);
    if (fault.statusCode === 500 || fault.code === 'program-replaced') {
      log.error({ err: error, method: request.method, route: request.routeOptions.url }, 'request failed');
    }
    if (error instanceof StoreUnavailable && error.code === 'store-slow') {
      log.warn({ reason: error.explained, route: request.routeOptions.url }, 'the database is too slow or locked');
    }
    if (form.plainNotFound && fault.statusCode === 404) {
      reply.code(404).type('text/plain').send('not found');
      return;
    }
    if (fault.statusCode === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
    if (fault.code === 'content-encoding') reply.header('accept-encoding', 'identity');
    const isTemporary = fault.statusCode === 503 || fault.statusCode === 429;
    if (isTemporary && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER[fault.code ?? ''] ?? 1);
    reply.code(fault.statusCode).send(errorBody(fault));
  };
}

/** Seconds until a retry after 429 or 503, by code; 1 for others. A full or damaged store needs an operator first. */
const RETRY_AFTER: Readonly<Record<string, number>> = { 'store-full': 10, 'store-damaged': 60, 'time-limit': 5 };

/** Responds to a request that matches no route. */
export function unknownRoute(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ''] = request.url.split('?', 1);
  const { server, method } = request;
  const methods = methodsFor(request);
  if (path.endsWith('/') && server.methodsOf?.(`${path}-`).includes(method)) {
    reply.code(404).send(errorBody(new ApiFault(404, 'the id at the end of the path is empty')));
    return;
  }
  if (methods.length > 0) {
    const allow = methods.join(', ');
    const fault = new ApiFault(405, `${method} is not possible for ${path}; it has ${allow}`, 'method-not-allowed');
    reply.code(405).header('allow', allow).send(errorBody(fault));
    return;
  }
  const nearest = server.nearestTo?.(path, method);
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  reply.code(404).send(errorBody(new ApiFault(404, `Route ${method}:${path} not found${hint}`)));
}

/** Clearer messages for the framework's errors about bodies. */
const SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be JSON: send it with Content-Type: application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is too large: the limit is 1 MiB, or 16 KiB without a credential',
};

function toFault(error: FastifyError | Error): ApiFault {
  if (error instanceof ApiFault) return error;
  if (error instanceof DownlinkRefused) return refusal(error);
  if (error instanceof StoreBusy) return new ApiFault(503, error.message, 'busy');
  const conflict = error instanceof ConflictError ? faultOf(error.field) : undefined;
  if (conflict) return conflict;
  if (error instanceof StoreUnavailable) return new ApiFault(503, error.message, error.code);
  const { statusCode = 500, code } = error as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) {
    return new ApiFault(statusCode, SENTENCES[code ?? ''] ?? error.message, code);
  }
  if (isProgramReplaced()) return new ApiFault(503, PROGRAM_REPLACED, 'program-replaced');
  return new ApiFault(500, 'the service failed to handle this request; its log says why');
}

function refusal({ message, why }: DownlinkRefused): ApiFault {
  return why === 'no-encoder' ? new ApiFault(409, message, why) : new ApiFault(400, message, 'downlink-refused');
}

/** Conflicts that mean the same for every route; routes convert the others themselves. */
function faultOf(field: ConflictField): ApiFault | undefined {
  switch (field) {
    case 'record-body':
      return new ApiFault(503, 'too many concurrent changes; retry later', 'busy');
    case 'space':
    case 'device':
      return notFound(field);
    case 'queue':
      return new ApiFault(
        409,
        `${LONGEST_QUEUE} downlinks are pending for this device; cancel some or wait until it has fetched them`,
        'queue-full',
      );
    default:
      return undefined;
  }
}

/** The body of an answer with an error. */
export function errorBody({ statusCode, message, code }: ApiFault): object {
  const body = { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
  return code === undefined ? body : { ...body, code };
}
