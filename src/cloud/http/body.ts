/**
 * Parses JSON bodies. Rejects dangerous ones (nested too deep, or with keys that change prototypes), and those that could not
 * be stored as they were sent: not in UTF-8, or with the faults of kernel/json-text.ts.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonFault, parseJson, syntaxErrorIn } from '../../kernel/json-text.js';
import { ApiFault } from './errors.js';

/** Largest body, in bytes (cloud C-5). */
export const BODY_LIMIT = 1_048_576;

/** Smaller bodies are read at once. */
const SMALL = 16_384;

/**
 * Accepts JSON bodies only.
 * @param turn resolves when a large body of the request may be read: many at once would stop all other requests
 */
export function acceptJsonOnly(api: FastifyInstance, turn: (request: FastifyRequest) => Promise<void>): void {
  // A route that expects no body ignores the body and its type, because some clients send Content-Type without a body.
  const isUnwanted = ({ routeOptions }: FastifyRequest) => routeOptions.schema?.body === undefined;
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (isUnwanted(request)) return done(null, undefined);
    if (isEncoded(request)) return done(encoded());
    const charset = charsetOf(request);
    if (charset !== undefined) return done(foreign(charset));
    const read = () => {
      if (!isUtf8(bytes)) return done(new ApiFault(400, 'the body is not valid UTF-8', 'invalid-utf-8'));
      const text = bytes.toString();
      const found = readJsonBody(text, 'body');
      if ('value' in found) done(null, found.value);
      else done(found.fault ?? (bytes.length === 0 ? empty() : malformed(text)));
    };
    if (bytes.length < SMALL) read();
    else turn(request).then(read).catch(done);
  });
  api.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, _, done) => {
    done(isUnwanted(request) ? null : isEncoded(request) ? encoded() : notJson(), undefined);
  });
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

/**
 * Reads the JSON text of a body, or of a text in a body.
 * @param where names the text in messages, such as `body`
 * @returns the value, or why it is refused; `fault` is undefined if the text is not JSON
 */
export function readJsonBody(
  text: string,
  where: string,
): { readonly value: unknown } | { readonly fault: ApiFault | undefined } {
  // Clients may begin the text with a byte order mark.
  const read = parseJson(text.startsWith('\ufeff') ? text.slice(1) : text);
  if ('value' in read) return read;
  const [first] = read.faults;
  if (first === undefined) return { fault: undefined };
  if (first.code === 'too-deep') return { fault: new ApiFault(400, first.message) };
  const shown = read.faults.slice(0, MOST_SHOWN).map((fault) => sentenceOf(fault, where));
  if (read.faults.length > MOST_SHOWN) shown.push(`and ${read.faults.length - MOST_SHOWN} more`);
  return { fault: new ApiFault(400, shown.join('; '), first.code) };
}

/** Limit of faults in a message. */
const MOST_SHOWN = 20;

function sentenceOf({ code, path, message }: JsonFault, where: string): string {
  if (code === 'inexact-number') return `the body: ${message}`;
  const steps = path.map((step) => `/${String(step).slice(0, LONGEST_STEP)}`).join('');
  // A key at fault would make the answer one that strict parsers refuse.
  return `${where}${steps} ${message}`.toWellFormed();
}

/** Limit of characters of a key in a message. */
const LONGEST_STEP = 60;

function empty(): ApiFault {
  return new ApiFault(400, 'the body is empty: this request needs a body', 'FST_ERR_CTP_EMPTY_JSON_BODY');
}

/** 400 for a text that is not JSON. The message has the place of its first mistake. */
export function malformed(text: string): ApiFault {
  return new ApiFault(400, `the body is not valid JSON: ${syntaxErrorIn(text)}`, 'FST_ERR_CTP_INVALID_JSON_BODY');
}
