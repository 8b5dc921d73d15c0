/** What a failed check has found, as a short text without secrets, for the trace and reports. */
import { foreignJson, isObject } from '../../kernel/json-text.js';
import { hideSecrets } from '../../kernel/known-secrets.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { secretsInBasic, shownText } from '../../kernel/web-address.js';
import { isCredential } from '../source/variables.js';

/** Maximum number of characters that are shown of a value. */
const LONGEST = 80;
/** Maximum number of characters of a text that are read for it. */
const READ = 4096;
/** Maximum number of values that are shown of a path with `[*]`. */
const MOST = 3;
const HIDDEN = '(hidden)';
const BEARER = /\b(?:bearer|basic)\s+\S+|\beyJ[\w-]{8,}[\w.-]*/gi;

/**
 * `"x"`, `missing`, `1, 2, 3 and 4 more`.
 * @param of what the check looks at: `body`, `header etag` or a path
 * @param secrets of the run and of the request, which an answer may repeat
 */
export function describeFound(of: string, values: readonly unknown[], secrets: readonly string[]): string {
  if (values.length === 0) return 'missing';
  if (isHidden(of)) return HIDDEN;
  const shown = values.slice(0, MOST).map((value) => shorten(writeParts(readJson(value), secrets)));
  const more = values.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Whether a key or a header with this name may have a secret. */
export function isSecretName(name: string): boolean {
  return isCredential(name) || /credential|set-cookie|passkey|private[-_ ]?key/i.test(name);
}

/** Names of values that are also common words of texts. */
const SHORT_NAMES = /(?:^|[^a-z])(?:auth|cookie|otp|pin|psk|pwd|session)(?:[^a-z]|$)/i;

function isHidden(name: string): boolean {
  return isSecretName(name) || SHORT_NAMES.test(name);
}

interface SentRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/** The secrets in the headers, the query and the body of a request, by their names. @param request or why it is not sent */
export function secretsOf(request: SentRequest | string): readonly string[] {
  if (typeof request === 'string') return [];
  const { path, headers = {}, body = '' } = request;
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    // Of cookies, also the values alone.
    isHidden(name) ? [...secretsInBasic(value), ...value.split(/[\s;,]+/), ...value.split(/[\s;,=]+/)] : [],
  );
  const content = foreignJson(body);
  const inForm = content === undefined ? secretsInForm(body) : secretsInJson(content, false);
  return [...sent, ...secretsInQuery(path), ...inForm];
}

/** Addresses in addresses, such as the one to which a login returns: those that are deeper are not read. */
const DEEPEST = 3;

function secretsInQuery(address: string, depth = 1): readonly string[] {
  const query = address.indexOf('?');
  return query === -1 || depth > DEEPEST ? [] : secretsInForm(address.slice(query + 1), depth);
}

function secretsInForm(text: string, depth = 1): readonly string[] {
  return [...new URLSearchParams(text)].flatMap(([name, value]) => [
    ...(isHidden(name) ? [value] : []),
    ...secretsInQuery(value, depth + 1),
  ]);
}

/** @param isSecret whether the value is that of a secret name */
function secretsInJson(value: unknown, isSecret: boolean): readonly string[] {
  if (typeof value !== 'object' || value === null) return isSecret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsInJson(item, isSecret));
  return Object.entries(value).flatMap(([name, item]) => secretsInJson(item, isSecret || isHidden(name)));
}

/** A JSON text as its value, so that its keys are known. */
function readJson(value: unknown): unknown {
  const isJson = typeof value === 'string' && value.length <= READ && /^\s*[[{]/.test(value);
  return (isJson ? foreignJson(value) : undefined) ?? value;
}

/** The first characters: an answer may be large. */
function shorten(parts: Iterable<string>): string {
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length > LONGEST) return `${text.slice(0, LONGEST).toWellFormed()}…`;
  }
  return text;
}

/** The parts of a JSON text. */
function* writeParts(value: unknown, secrets: readonly string[]): Generator<string> {
  if (typeof value === 'string') {
    yield JSON.stringify(withoutKnown(value.slice(0, READ), secrets));
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ',';
      yield* writeParts(item, secrets);
    }
    yield ']';
  } else if (isObject(value)) {
    let before = '{';
    for (const key in value) {
      yield `${before}${JSON.stringify(withoutParts(key.slice(0, READ), secrets))}:`;
      before = ',';
      if (isHidden(key)) yield HIDDEN;
      else yield* writeParts(value[key], secrets);
    }
    yield before === '{' ? '{}' : '}';
  } else yield hideSecrets(String(value), secrets, HIDDEN);
}

function withoutKnown(text: string, secrets: readonly string[]): string {
  // JSON that was not read, because it is long or cut off: names and secrets in it may be written with escapes.
  if (/^\s*[[{]/.test(text) && (isHidden(text) || text.includes('\\u'))) return HIDDEN;
  return isSecretName(text) ? HIDDEN : withoutParts(text, secrets);
}

function withoutParts(text: string, secrets: readonly string[]): string {
  const known = hideSecrets(text, secrets, HIDDEN);
  return shownText(withoutSecrets(known.replace(BEARER, HIDDEN)));
}
