/** Parses JSON bodies and rejects dangerous ones: nested too deep, or with keys that change prototypes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-depth.js';
import { ApiFault } from './errors.js';

/** Largest body, in bytes (cloud API gaps, 2.3). */
export const BODY_LIMIT = 1_048_576;

/** Accepts JSON bodies only. */
export function acceptJsonOnly(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  // A route that expects no body ignores the body and its type, because some clients send Content-Type without a body.
  const isUnwanted = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.body === undefined;
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (isUnwanted(request)) done(null, undefined);
    else if (isEncoded(request)) done(encoded());
    else if (isTooDeep(text)) done(tooDeep());
    else {
      const body = POISON.test(text) ? undefined : parsed(text);
      if (body !== undefined) done(null, body);
      else void parse(request, text, (error, checked) => done(error && isJson(text) ? poisoned() : error, checked));
    }
  });
  api.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, _, done) => {
    done(isUnwanted(request) ? null : isEncoded(request) ? encoded() : notJson(), undefined);
  });
}

/**
 * Matches every spelling of a key that changes prototypes. Only a body with a match needs the slower parser, which checks each
 * key.
 */
const POISON = /__proto__|constructor|\\u/;

/** Returns undefined if the text is not valid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function poisoned(): ApiFault {
  return new ApiFault(400, 'the JSON has a forbidden key: "__proto__", or "constructor" with a "prototype"');
}

/** Encoded bodies are rejected, because a compressed body could expand a thousandfold. */
function isEncoded({ headers }: FastifyRequest): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.trim() !== '' && coding.trim().toLowerCase() !== 'identity';
}

function encoded(): ApiFault {
  return new ApiFault(415, 'the body must be sent without Content-Encoding', 'content-encoding');
}

function notJson(): ApiFault {
  return new ApiFault(
    415,
    'the body must be JSON: send it with Content-Type: application/json',
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  );
}

export function tooDeep(): ApiFault {
  return new ApiFault(400, TOO_DEEP);
}
