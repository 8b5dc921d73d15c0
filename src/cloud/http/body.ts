/** Reads JSON bodies, and refuses those that would hurt: too deep, or with keys that poison prototypes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiFault } from './errors.js';

/** Largest body, in bytes (cloud API gaps, 2.3). */
export const BODY_LIMIT = 1_048_576;
/** Deepest nesting of arrays and objects. Everything that handles a body further on is recursive. */
export const DEPTH_LIMIT = 64;

/** Makes JSON the only kind of body. */
export function acceptJsonOnly(api: FastifyInstance): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  // Clients that send Content-Type with everything also do so where no body is wanted: there it is not looked at.
  const isUnwanted = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.body === undefined;
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (isUnwanted(request)) done(null, undefined);
    else if (isEncoded(request)) done(encoded());
    else if (isTooDeep(text)) done(tooDeep());
    else {
      const body = POISON.test(text) ? undefined : parsed(text);
      if (body !== undefined) done(null, body);
      else parse(request, text, (error, checked) => done(error && isJson(text) ? poisoned() : error, checked));
    }
  });
  api.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, _, done) => {
    done(isUnwanted(request) ? null : isEncoded(request) ? encoded() : notJson(), undefined);
  });
}

/** What a key that poisons prototypes cannot be written without. Most bodies have none of it, and are spared a closer look. */
const POISON = /__proto__|constructor|\\u/;

/** Undefined when the text is no JSON. */
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
  return new ApiFault(400, 'the JSON has a key that is not taken: "__proto__", or "constructor" with a "prototype"');
}

/** A body that is compressed could become a thousand times as long: what is sent is what is read. */
function isEncoded({ headers }: FastifyRequest): boolean {
  const coding = headers['content-encoding'];
  return coding !== undefined && coding.trim() !== '' && coding.trim().toLowerCase() !== 'identity';
}

function encoded(): ApiFault {
  return new ApiFault(415, 'the body must be sent as it is, without Content-Encoding', 'content-encoding');
}

function notJson(): ApiFault {
  return new ApiFault(
    415,
    'the body must be JSON: send it with Content-Type: application/json',
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  );
}

export function tooDeep(): ApiFault {
  return new ApiFault(400, `the JSON is nested too deep: the limit is ${DEPTH_LIMIT} levels`);
}

/** True when the JSON text has more than {@link DEPTH_LIMIT} levels. It need not be valid. */
export function isTooDeep(text: string): boolean {
  if (text.length <= DEPTH_LIMIT) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) inString = !inString;
    else if (inString) {
      if (unit === BACKSLASH) at++;
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > DEPTH_LIMIT) return true;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
