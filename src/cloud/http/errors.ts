/**
 * Failures of the API. All of them look the same: `{statusCode, error, message, code?}` (cloud API gaps, 2.7). What went
 * wrong inside the service is logged and never told.
 */
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/log.js';
import { DownlinkRefused, LONGEST_QUEUE } from '../ports/downlinks.js';
import { StoreBusy } from '../store/bounded-commits.js';
import { ConflictError, type ConflictField, StoreUnavailable } from '../store/store.js';

/** A request that cannot be served, and why. */
export class ApiFault extends Error {
  readonly statusCode: number;
  /** Stable, for programs; absent where the status says it all. */
  readonly code: string | undefined;

  constructor(statusCode: number, message: string, code?: string) {
    super(message);
    this.name = 'ApiFault';
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** 404. The message must not depend on whether the thing is missing or somebody else's. */
export function notFound(what: string): ApiFault {
  return new ApiFault(404, `${what} not found`);
}

export interface ErrorForm {
  /** Answers a missing resource with the bare text `not found`, which hio-dotnet looks for. */
  readonly plainNotFound: boolean;
}

/** Turns whatever was thrown into an answer. */
export function errorHandler(log: Log, form: ErrorForm) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const fault = toFault(error);
    if (fault.statusCode === 500) {
      log.error({ err: error, method: request.method, route: request.routeOptions.url }, 'a request failed');
    }
    if (form.plainNotFound && fault.statusCode === 404) {
      reply.code(404).type('text/plain').send('not found');
      return;
    }
    if (fault.statusCode === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
    if (fault.code === 'content-encoding') reply.header('accept-encoding', 'identity');
    if (fault.statusCode === 503) reply.header('retry-after', 1);
    reply.code(fault.statusCode).send(errorBody(fault));
  };
}

/** Answers a request for which there is no route. */
export function unknownRoute(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split('?', 1)[0];
  reply.code(404).send(errorBody(new ApiFault(404, `Route ${request.method}:${path} not found`)));
}

/** Clearer words for what the framework finds wrong with a body. */
const SENTENCES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be JSON: send it with Content-Type: application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is too large: the limit is 1 MiB, and 16 KiB without a credential',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty: this request needs one',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
};

function toFault(error: FastifyError | Error): ApiFault {
  if (error instanceof ApiFault) return error;
  if (error instanceof DownlinkRefused) return new ApiFault(400, error.message, 'downlink-refused');
  if (error instanceof StoreBusy) return new ApiFault(503, 'too much waits to be written', 'busy');
  const conflict = error instanceof ConflictError ? faultOf(error.field) : undefined;
  if (conflict) return conflict;
  if (error instanceof StoreUnavailable) return new ApiFault(503, error.message, 'store-unavailable');
  // Because those of the framework and its parts have these fields, all or some.
  const { statusCode = 500, code } = error as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) {
    return new ApiFault(statusCode, SENTENCES[code ?? ''] ?? error.message, code);
  }
  return new ApiFault(500, 'the service failed to handle this request; its log says why');
}

/** All other conflicts are told by those who know what they mean. */
function faultOf(field: ConflictField): ApiFault | undefined {
  switch (field) {
    case 'record-body':
      return new ApiFault(503, 'too many change this at once', 'busy');
    case 'space':
      return notFound('space');
    case 'queue':
      return new ApiFault(
        409,
        `${LONGEST_QUEUE} downlinks wait for this device: cancel some, or let it fetch them`,
        'queue-full',
      );
    default:
      return undefined;
  }
}

function errorBody({ statusCode, message, code }: ApiFault): object {
  const body = { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
  return code === undefined ? body : { ...body, code };
}
