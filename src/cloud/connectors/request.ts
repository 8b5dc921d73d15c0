/** Turns what `main` returned into an HTTP request (cloud C-34), from this value alone, as a preview shows it. */
import { isObject } from '../../kernel/json-text.js';
import { USER_AGENT } from '../../kernel/request-headers.js';

export interface WebhookRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly header: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** The value that `main` returned is not a valid request. The API shows the message to users. */
export class BadRequest extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'BadRequest';
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Headers of the connection, or that follow from body and URL: ignored if a script returns them. */
const IGNORED_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_BYTES = 16_384;
const URL_LENGTH = 8192;

/**
 * Validates the value that `main` returned and fills in defaults. Null stays null: nothing is to be sent.
 * @param returned a JSON value
 * @throws BadRequest if it is not a valid request
 */
export function requestOf(returned: unknown): WebhookRequest | null {
  if (returned === null) return null;
  if (!isObject(returned)) throw new BadRequest(`main returned ${kindOf(returned)}; expected an object or null`);
  const { method = 'POST', url, header = returned.headers, data = returned.body } = returned;
  const { target, authorization } = readUrl(url);
  const { body, type } = bodyOf(data);
  return {
    method: readMethod(method),
    url: target,
    header: {
      ...USER_AGENT,
      ...(type && { 'content-type': type }),
      ...(authorization && { authorization }),
      ...readHeader(header ?? {}),
    },
    body,
  };
}

function readMethod(method: unknown): string {
  const name = typeof method === 'string' ? method.toUpperCase() : '';
  if (METHODS.includes(name)) return name;
  throw new BadRequest(`method ${quote(method)} is not one of ${METHODS.join(', ')}`);
}

function readUrl(given: unknown): { readonly target: string; readonly authorization: string | undefined } {
  if (given === undefined) throw new BadRequest('main returned no url');
  const url =
    typeof given === 'string' && given.length <= URL_LENGTH && URL.canParse(given) ? new URL(given) : undefined;
  // The message does not repeat the value, because URLs may contain tokens.
  if (!url || !/^https?:$/.test(url.protocol)) throw new BadRequest('url is not an http or https address');
  const { username, password } = url;
  const authorization = username === '' && password === '' ? undefined : basic(username, password);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { target: url.href, authorization };
}

/** The header for a user name and password in the URL, as browsers send it. */
function basic(username: string, password: string): string {
  const text = `${decode(username)}:${decode(password)}`;
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function readHeader(given: unknown): Record<string, string> {
  if (!isObject(given)) throw new BadRequest(`header is ${kindOf(given)}; expected an object`);
  const header: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (IGNORED_HEADERS.has(lower) || value === null) continue;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower))
      throw new BadRequest(`header ${quote(name)} is not a valid header name`);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    // The messages do not repeat the value, because headers may contain tokens.
    if (values.some((each) => typeof each === 'object'))
      throw new BadRequest(`header ${quote(name)} is an object; expected a string, a number or a list of them`);
    const text = values.map(String).join(', ').trim();
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
      throw new BadRequest(`header ${quote(name)} has a forbidden character`);
    header[lower] = text;
    bytes += lower.length + text.length;
  }
  if (bytes > HEADER_BYTES) throw new BadRequest(`header is longer than ${HEADER_BYTES} bytes`);
  return header;
}

function bodyOf(data: unknown): { readonly body: string | null; readonly type?: string } {
  if (data === undefined || data === null) return { body: null };
  if (typeof data === 'string') return { body: data };
  return { body: JSON.stringify(data), type: 'application/json' };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return `"${text.length > 40 ? `${text.slice(0, 37)}…` : text}"`;
}
