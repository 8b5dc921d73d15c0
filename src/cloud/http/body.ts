/**
 * Parses JSON bodies. Rejects dangerous ones (nested too deep, or with keys that change prototypes), and those that could not
 * be stored as they were sent: not in UTF-8, or with numbers that JavaScript would change.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-depth.js';
import { changedNumbersIn } from '../../kernel/json-numbers.js';
import { ApiFault } from './errors.js';

/** Largest body, in bytes (cloud API gaps, 2.3). */
export const BODY_LIMIT = 1_048_576;

/** Accepts JSON bodies only. */
export function acceptJsonOnly(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  // A route that expects no body ignores the body and its type, because some clients send Content-Type without a body.
  const isUnwanted = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.body === undefined;
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (isUnwanted(request)) return done(null, undefined);
    if (isEncoded(request)) return done(encoded());
    const charset = charsetOf(request);
    if (charset !== undefined) return done(foreign(charset));
    if (!isUtf8(bytes)) return done(new ApiFault(400, 'the body is not valid UTF-8', 'invalid-utf-8'));
    const text = bytes.toString();
    const fault = faultOfJson(text);
    if (fault !== undefined) return done(fault);
    const body = POISON.test(text) ? undefined : parsed(text);
    if (body !== undefined) done(null, body);
    else void parse(request, text, (error, checked) => done(error && isJson(text) ? poisoned() : error, checked));
  });
  api.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, _, done) => {
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

/** The encoding of the body in Content-Type, unless it is UTF-8. */
function charsetOf({ headers }: FastifyRequest): string | undefined {
  const named = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return named === undefined || /^utf-?8$/i.test(named) ? undefined : named;
}

function foreign(charset: string): ApiFault {
  return new ApiFault(415, `the body must be in UTF-8, not in "${charset.slice(0, 40)}"`, 'charset');
}

/** Why a JSON text is rejected before it is parsed. */
export function faultOfJson(text: string): ApiFault | undefined {
  if (isTooDeep(text)) return new ApiFault(400, TOO_DEEP);
  const changed = changedNumbersIn(text);
  return changed === undefined ? undefined : new ApiFault(400, `the body: ${changed}`, 'inexact-number');
}
