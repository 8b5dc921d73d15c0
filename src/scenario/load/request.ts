/**
 * A request of one's own: `{ get: "/v2/spaces/{space}/devices", check: status == 200, capture: { id: "$[0].id" } }`. It goes to
 * the cloud of the run and nowhere else: it has a path, but no host.
 */
import {
  type Check,
  complain,
  describeKey,
  dictionary,
  durationRange,
  eitherForm,
  type Form,
  formed,
  formOf,
  list,
  optional,
  readVariant,
  refine,
  text,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import { type LocatedNode, type Problems, plain, type ScalarNode } from '../../input/document.js';
import { noteLineError } from '../../input/line-error.js';
import { quote } from '../../input/problems.js';
import type { Millis } from '../../kernel/time.js';
import { isCredential } from '../source/variables.js';
import { changedNumbersIn, KEPT } from '../values/sending.js';
import { type CheckSpec, readCheck, readSource } from './answer.js';
import { type BodyMaker, inPath, makeJson, makeText, PLACE_NAME, readTemplate } from './template.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = Uppercase<(typeof METHODS)[number]>;

export function isMethod(text: string): text is Method {
  return METHODS.some((method) => method.toUpperCase() === text);
}

/** A request as plain data, for a plan. Texts may have placeholders. */
export interface RequestSpec {
  /** Unique within its chain; for reports. */
  readonly name: string;
  readonly method: Method;
  /** Path and query after the base address: `/v2/…`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value. */
  readonly body?: unknown;
  readonly check?: readonly CheckSpec[];
  /** What is captured, by name: `{ id: '$[0].id' }`. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Shortest and longest pause between the answer and the next request of the chain. */
  readonly think?: readonly [Millis, Millis];
}

/** Placeholders that every load has. */
const OWN_PLACES = ['space', 'iteration'] as const;
/** Placeholders about the device of an iteration; `device` is its id in the cloud. */
export const DEVICE_PLACES = ['device', 'serial', 'name'] as const;
export const PLACES: readonly string[] = [...OWN_PLACES, ...DEVICE_PLACES];

/** Latin-1 without control characters. */
export const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to the connection, or that the run sets. */
const RESERVED = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade', 'x-api-key'];
export const THINK_TIME = 'a think time such as "2s" or "1s..5s"';

/** No second slash, which would begin a host; no fragment; no step upwards. */
export const PLAIN_PATH = /^\/(?!\/)(?!.*\/\.{1,2}(?:[/?]|$))[^\s#\\]*$/;

/** A path that begins with a value, such as a captured one: `{location}`, `{next}?limit=5`. */
const CAPTURED_PATH = /^\{([^\s{}\d.-][^\s{}]*)\}(?:[/?][^\s#\\]*)?$/;
const PATH_FORM =
  'a path of the cloud without blanks, "#" and "..", such as "/v2/spaces/{space}/devices", or a captured one such as "{location}"';

const path: Check<string> = refine(
  text(new RegExp(`${PLAIN_PATH.source}|${CAPTURED_PATH.source}`), PATH_FORM),
  (value, node, problems) => {
    if (PLACES.includes(CAPTURED_PATH.exec(value)?.[1] ?? '')) return complain(node, problems, PATH_FORM);
    const open = /\{[\p{L}_][\p{L}\p{M}\p{N}_.-]*(?![\p{L}\p{M}\p{N}_.-]*\})/u.exec(value)?.[0];
    if (open !== undefined) problems.add(node, `${quote(open)} has no "}" at its end`);
    const [, doubled] = /\{\{([^{}]*)\}\}/.exec(value) ?? [];
    if (doubled !== undefined)
      problems.add(node, `a path has no braces: write "{${doubled}}" for a value, or "%7B${doubled}%7D"`);
    return open === undefined && doubled === undefined ? value : undefined;
  },
);

const body: Check<unknown> = formed(
  () => ({}),
  (node, problems) => {
    for (const number of changedNumbersIn(node)) complain(number, problems, KEPT);
    return plain(node);
  },
);

const headers: Check<Readonly<Record<string, string>>> = formed(
  () => ({ type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }),
  (node, problems) => {
    if (node.kind !== 'map') return complain(node, problems, 'a map of header names to values');
    const before = problems.list.length;
    const seen = new Set<string>();
    const found = [...node.entries].map(([name, { key, value }]) => {
      const low = name.toLowerCase();
      if (seen.has(low)) problems.add(key, `the header ${quote(name)} is there twice: names of headers have no case`);
      seen.add(low);
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) problems.add(key, `${quote(name)} is not a name of a header`);
      else if (RESERVED.includes(low)) {
        const hint = low === 'x-api-key' ? '; "as" names a client of the setup, whose key is then used' : '';
        problems.add(key, `the header ${quote(name)} is set by the run${hint}`);
      } else if (value.kind !== 'scalar' || value.value === null || !HEADER_VALUE.test(value.source)) {
        complain(value, problems, 'a text of one line, with no characters beyond Latin-1');
      } else if (isCredential(low) && (value.variables === undefined || value.isWritten) && !isFilled(value.source)) {
        problems.add(
          value,
          'a secret does not belong in a file: use a variable, such as "token", that is "" in "vars", and set GHOSTFLEET_VAR_token in the environment',
        );
      }
      return [low, value.kind === 'scalar' ? value.source : ''] as const;
    });
    return problems.list.length === before ? Object.fromEntries(found) : undefined;
  },
);

/** Whether all but a scheme or the names of cookies are placeholders, such as `Bearer {token}`: captured values, or rows. */
function isFilled(value: string): boolean {
  const { texts, names } = readTemplate(value);
  const form = names.map((_, i) => `${texts[i]}{}`).join('') + (texts[names.length] ?? '');
  return /^(?:[a-z]+ )?\{\}$|^(?:[\w.-]+=\{\}(?:; *(?!$)|$))+$/i.test(form);
}

const ANY_TEXT = text(/^/);

/** Runs a reader of one line; a problem has the column of its error. */
function line<T>(form: () => Form, read: (text: string, node: ScalarNode) => T): Check<T> {
  return formed(form, (node, problems) => {
    const value = ANY_TEXT(node, problems);
    if (value === undefined || node.kind !== 'scalar') return undefined;
    const first = node.textColumn + value.length - value.trimStart().length;
    const at = (column: number) => ({ ...node, column: first + column - 1 });
    return noteLineError(problems, at, () => read(value, node));
  });
}

const SOURCE_FORM = String.raw`^\s*(status|body|header\s|cookie\s|\$)`;

const oneCheck: Check<CheckSpec> = line(
  () => ({ type: 'string', pattern: SOURCE_FORM }),
  (source, { variables }) => readCheck(source, variables === undefined),
);

const check: Check<readonly CheckSpec[]> = formed(
  () => eitherForm(formOf(oneCheck), formOf(list(oneCheck))),
  (node, problems) => {
    if (node.kind === 'list') return list(oneCheck)(node, problems);
    const read = oneCheck(node, problems);
    return read && [read];
  },
);

const source: Check<string> = line(() => ({ type: 'string', pattern: SOURCE_FORM }), readSource);

const capture: Check<Readonly<Record<string, string>>> = refine(dictionary(source), (found, node, problems) => {
  const before = problems.list.length;
  for (const name of found.keys()) {
    const place = (node.kind === 'map' && node.entries.get(name)?.key) || node;
    if (!PLACE_NAME.test(name))
      problems.add(place, `${quote(name)} is not a name of letters, digits, "-", "_" and "."`);
    else if (PLACES.includes(name)) problems.add(place, `{${name}} has a value already; capture under another name`);
  }
  return problems.list.length === before ? Object.fromEntries(found) : undefined;
});

/** The name of a request, a load or another thing that expectations can name. */
export const LABEL = text(/^[a-z0-9][a-z0-9-]{0,63}$/, 'a name of small letters, digits and hyphens');

const COMMON = {
  name: optional(describeKey('Name in reports and expectations. Default: method and path.', 'list', LABEL)),
  headers: optional(describeKey('Headers of the request.', { 'x-trace': '{iteration}' }, headers)),
  body: optional(
    describeKey(
      'JSON body, or the text of one with another content-type; may have placeholders.',
      { name: 'depot-{serial}' },
      body,
    ),
  ),
  check: optional(describeKey('What the answer must be. Default: a status from 200 to 299.', 'status == 200', check)),
  capture: optional(describeKey('Values for later requests, by name.', { id: '$[0].id' }, capture)),
  think: optional(
    describeKey('Pause before the next request of the chain. Default: none.', '1s..5s', durationRange(THINK_TIME)),
  ),
};

const ABOUT: Readonly<Record<(typeof METHODS)[number], string>> = {
  get: 'reads',
  post: 'creates',
  put: 'replaces',
  patch: 'changes',
  delete: 'deletes',
};

/** JSON Schema of a request. */
export function requestForm(): Form {
  const kinds = METHODS.map((method) => [
    method,
    { ...formOf(path), description: `${ABOUT[method]} what is at this path`, examples: ['/v2/spaces/{space}/devices'] },
  ]);
  return { type: 'object', ...variantForm(COMMON, Object.fromEntries(kinds)) };
}

/** Reads a request. @param index its place in its chain, for its name */
export function readRequest(node: LocatedNode, problems: Problems, index = 0): RequestSpec | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a request such as { get: "/v2/spaces/{space}/devices" }');
  const { common, kind, options } = readVariant('a request', COMMON, METHODS, node, problems);
  const where = kind && path(options, problems);
  if (common === undefined || kind === undefined || where === undefined) return undefined;
  const { name, headers: sent, body: content, check: checks, capture: captured, think } = common;
  if (content !== undefined && kind === 'get') problems.add(valueAt(node, 'body'), 'a GET has no body');
  if (content !== undefined && typeof content !== 'string' && !isJson(sent)) {
    problems.add(
      valueAt(node, 'body'),
      `a body with the content-type ${quote(sent?.['content-type'] ?? '')} is a text, such as "a=1&b={id}"`,
    );
  }
  const type = sent?.['content-type'] ?? '';
  if (MULTIPART.test(type) && !/;\s*boundary=/i.test(type))
    problems.add(valueAt(node, 'headers'), `${quote(type)} needs the boundary of its parts: "; boundary=…"`);
  return {
    name: name ?? labelOf(kind, where, options, index),
    method: kind.toUpperCase() as Method,
    path: where,
    ...(sent && Object.keys(sent).length > 0 && { headers: sent }),
    ...(content !== undefined && { body: content }),
    ...(checks && { check: checks }),
    ...(captured && { capture: captured }),
    ...(think && think[1] > 0 && { think }),
  };
}

const MULTIPART = /^multipart\//i;
const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Whether a request with these headers has a body in JSON. */
function isJson(headers: RequestSpec['headers'] = {}): boolean {
  return /^[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i.test(headers['content-type'] ?? 'application/json');
}

/** How the body is made. With a `content-type` other than JSON, it is a text that is sent as it is. */
export function makeBody({ headers, body: content }: RequestSpec): BodyMaker {
  if (isJson(headers) || typeof content !== 'string') return makeJson(content);
  const type = headers?.['content-type'] ?? '';
  // YAML has line feeds alone, which few servers accept between parts (RFC 2046, 4.1.1).
  if (MULTIPART.test(type)) return makeText(content.replace(/\r?\n/g, '\r\n'));
  return FORM.test(type) ? makeText(content, inPath) : makeText(content);
}

/** `get /devices/{id}`. Neither a query nor a scenario variable is in a label, because both may be secret. */
function labelOf(method: string, where: string, node: LocatedNode, index: number): string {
  if (node.kind === 'scalar' && node.variables !== undefined) return `${method} ${index + 1}`;
  return `${method} ${where.replace(/\?.*$/s, '').replace(/^\/v2\/spaces\/\{space\}(?=\/)/, '')}`;
}

/** The placeholders of a request, each once. */
export function placesOf({
  path: where,
  headers: sent = {},
  body: content,
  check: checks = [],
}: RequestSpec): ReadonlySet<string> {
  const texts = [where, ...Object.values(sent), ...checks.flatMap(({ value }) => value ?? [])];
  const names = texts.flatMap((each) => readTemplate(each).names);
  return new Set([...names, ...(content === undefined ? [] : makeJson(content).names)]);
}
