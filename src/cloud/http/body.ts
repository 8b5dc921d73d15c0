/** Reads JSON bodies, and refuses those that would hurt: too deep, or with keys that poison prototypes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTooDeep, TOO_DEEP } from '../../kernel/json-depth.js';
import { ApiFault } from './errors.js';

/** Largest body, in bytes (cloud API gaps, 2.3). */
export const BODY_LIMIT = 1_048_576;

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
  return new ApiFault(400, TOO_DEEP);
}
