/**
 * From what `main` returns to the request that is sent (cloud API gaps, section 6). Pure: a preview shows exactly what a
 * delivery sends.
 */

/** A request, ready to be sent. */
export interface WebhookRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly header: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What `main` returned is not a request. Its message says why; it is told to users. */
export class BadRequest extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'BadRequest';
  }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** These belong to the connection, or follow from the body and the URL: what a script says about them is left out. */
const OURS = new Set([
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

/** @param returned a JSON value; null: nothing is to be sent. @throws BadRequest */
export function requestOf(returned: unknown): WebhookRequest | null {
  if (returned === null) return null;
  if (!isObject(returned)) throw new BadRequest(`main returned ${kindOf(returned)}; an object or null was wanted`);
  const { method = 'POST', url, header = returned.headers, data = returned.body } = returned;
  const { target, authorization } = readUrl(url);
  const { body, type } = bodyOf(data);
  return {
    method: readMethod(method),
    url: target,
    header: {
      'user-agent': 'ghostfleet',
      ...(type && { 'content-type': type }),
      ...(authorization && { authorization }),
      ...readHeader(header ?? {}),
    },
    body,
  };
}

function readMethod(method: unknown): string {
  const name = String(method).toUpperCase();
  if (METHODS.includes(name)) return name;
  throw new BadRequest(`method ${quote(method)} is not one of ${METHODS.join(', ')}`);
}

function readUrl(given: unknown): { readonly target: string; readonly authorization: string | undefined } {
  if (given === undefined) throw new BadRequest('main returned no url');
  const url =
    typeof given === 'string' && given.length <= URL_LENGTH && URL.canParse(given) ? new URL(given) : undefined;
  // The value is not repeated: URLs carry tokens.
  if (!url || !/^https?:$/.test(url.protocol)) throw new BadRequest('url is not an http or https address');
  const { username, password } = url;
  const authorization = username === '' && password === '' ? undefined : basic(username, password);
  url.username = '';
  url.password = '';
  url.hash = '';
  return { target: url.href, authorization };
}

/** A name and password in the URL are sent the way browsers do. */
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
  if (!isObject(given)) throw new BadRequest(`header is ${kindOf(given)}; an object was wanted`);
  const header: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (OURS.has(lower) || value === null) continue;
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower)) throw new BadRequest(`header ${quote(name)} is not a name`);
    const text = (Array.isArray(value) ? value : [value]).map(String).join(', ').trim();
    // The value is not repeated: headers carry tokens.
    if (typeof value === 'object' && !Array.isArray(value)) throw new BadRequest(`header ${quote(name)} is an object`);
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return `"${text.length > 40 ? `${text.slice(0, 37)}…` : text}"`;
}
