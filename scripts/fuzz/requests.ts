/** Requests made from the OpenAPI document: some are valid, the others are invalid in one way. */
import { chance, type Draws } from '../../src/kernel/random.js';
import type { Document, DocumentedOperation, Parameter } from '../../test/support/openapi.js';
import { oneIn, pick, pickWeighted } from './draw.js';
import type { Pool, Values } from './values.js';

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The operation of the request: method and path template. */
  readonly operation: string;
  /** The resource family of the answer, for example `devices`. */
  readonly family: string;
}

export interface Credentials {
  /** An API key of the service's first space. */
  readonly apiKey: string;
  /** `Bearer …` of an admin. */
  readonly login: string;
  /** `Claim …` of the device with this serial number. */
  readonly claim: string;
  readonly serial: number;
  readonly spaceId: string;
  /** Ids of resources that must neither be deleted nor changed. */
  readonly keep: readonly string[];
}

export class Requests {
  readonly #operations: readonly { method: string; template: string; operation: DocumentedOperation }[];
  readonly #random: Draws;
  readonly #values: Values;
  readonly #pool: Pool;
  readonly #credentials: Credentials;

  constructor(document: Document, random: Draws, values: Values, pool: Pool, credentials: Credentials) {
    this.#operations = Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
    );
    this.#random = random;
    this.#values = values;
    this.#pool = pool;
    this.#credentials = credentials;
  }

  get count(): number {
    return this.#operations.length;
  }

  next(): FuzzRequest {
    const random = this.#random;
    const { method, template, operation } = pick(random, this.#operations);
    const wrong = pickWeighted(random, [
      [8, 'nothing'],
      [6, 'body'],
      [2, 'path'],
      [3, 'query'],
      [1, 'credential'],
      [1, 'form'],
      [0.5, 'method'],
    ] as const);
    const parameters = operation.parameters ?? [];
    const used = wrong === 'method' ? pick(random, ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) : method;
    const destroys = used === 'DELETE' || method === 'DELETE' || /rotate|\/keys\/|\/users\//.test(template);
    const isSpace = template === '/v2/spaces/{space_id}';
    const argument = (family: string, name: string): string => {
      if (wrong === 'path' && oneIn(random, 2)) return escaped(this.#values.nasty());
      if (name === 'serial_number') return String(this.#credentials.serial);
      if (name === 'space_id' && !(isSpace && destroys)) return this.#credentials.spaceId;
      const id = this.#pool.draw(random, family) ?? UNKNOWN_ID;
      // The id can be any text, because the pool also learns values named `id` from the bodies of messages.
      return destroys && this.#credentials.keep.includes(id) ? UNKNOWN_ID : escaped(id);
    };
    let path = template.replaceAll(/(\w+)\/\{(\w+)\}/g, (_, family: string, name: string) => {
      return `${family}/${argument(family, name)}`;
    });
    if (wrong === 'path' && oneIn(random, 2)) path = this.#bentPath(path);
    path += this.#query(parameters, wrong === 'query');

    const headers: Record<string, string> = { ...this.#credential(operation, wrong === 'credential') };
    for (const { name, in: place } of parameters) {
      if (place === 'header' && chance(random, 0.3)) headers[name] = header(this.#valueOf(parameters, name));
    }
    const body = this.#body(operation, wrong);
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (wrong === 'form' && oneIn(random, 2)) headers['content-type'] = pick(random, FORMS);
    const queues = /\/(configs|commands|downlinks)$/.test(template);
    const family = queues ? 'messages' : (template.split('/').findLast((segment) => FAMILY.test(segment)) ?? '');
    const isBodiless = used === 'GET' || used === 'HEAD';
    return {
      method: used,
      path,
      headers,
      body: isBodiless ? undefined : body,
      operation: `${method} ${template}`,
      family,
    };
  }

  #valueOf(parameters: readonly Parameter[], name: string): unknown {
    const schema = parameters.find((parameter) => parameter.name === name)?.schema;
    return schema ? this.#values.fitting(schema, name) : 'x';
  }

  #query(parameters: readonly Parameter[], spoil: boolean): string {
    const random = this.#random;
    const pairs: string[] = [];
    for (const { name, in: place, schema } of parameters) {
      if (place !== 'query' || !chance(random, 0.3)) continue;
      const value = this.#values.fitting(schema, name);
      const spelling = Array.isArray(value) ? pick(random, [name, `${name}[]`, `${name}%5B%5D`]) : name;
      for (const each of [value].flat()) pairs.push(`${spelling}=${escaped(each)}`);
    }
    if (spoil) {
      const name = pick(random, [...parameters.map((parameter) => parameter.name), 'other', '__proto__', 'limit']);
      pairs.push(
        pick(random, [`${name}=${escaped(this.#values.nasty())}`, name, `${name}[]=A[]=B`, `${name}=%E0%A4%A`]),
      );
    }
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #body({ requestBody }: DocumentedOperation, wrong: string): string | undefined {
    const random = this.#random;
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) return wrong === 'form' ? pick(random, ['{}', '', 'null']) : undefined;
    const value = this.#values.fitting(schema);
    const text = JSON.stringify(wrong === 'body' ? this.#values.spoilt(value) : value) ?? 'null';
    if (wrong !== 'form') return text;
    return pick(random, [
      '',
      text.slice(0, text.length / 2),
      `${text},`,
      '['.repeat(100_000),
      `{"a":"${'x'.repeat(1_100_000)}"}`,
      'NaN',
      `\ufeff${text}`,
    ]);
  }

  #credential({ security = [] }: DocumentedOperation, spoil: boolean): Readonly<Record<string, string>> {
    const random = this.#random;
    const { apiKey, login, claim } = this.#credentials;
    if (spoil) {
      return pick(random, [
        {},
        { 'x-api-key': 'wrong' },
        { authorization: 'Bearer' },
        { authorization: `Bearer ${'y'.repeat(3000)}` },
        { authorization: claim },
        { 'x-api-key': apiKey, authorization: 'Basic eDp5' },
      ]);
    }
    if (security.some((scheme) => 'claimToken' in scheme)) return { authorization: claim };
    return pick(random, [{ 'x-api-key': apiKey }, { authorization: login }, { authorization: `ApiKey ${apiKey}` }]);
  }

  #bentPath(path: string): string {
    return pick(this.#random, [
      `${path}/`,
      `${path}//`,
      path.replace('/v2/', '/v2//'),
      `${path}/..`,
      `${path}%00`,
      `${path}%ff`,
      path.toUpperCase(),
      `${path}/${'a'.repeat(300)}`,
    ]);
  }
}

/** A path segment that names a resource family. */
const FAMILY = /^\w+s$|^firmware$/;
/** An id that no resource has. */
const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

const FORMS = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-8',
  'x',
  'application/xml',
];

function escaped(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // An address cannot contain a lone surrogate.
  return encodeURIComponent(Buffer.from(text.slice(0, 3000)).toString());
}

/** Visible ASCII: the HTTP client rejects all other characters. */
function header(value: unknown): string {
  return (
    String(value)
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .slice(0, 200)
      .trim() || 'x'
  );
}

/** The request as a command for a shell. */
export function asCurl(api: string, { method, path, headers, body }: FuzzRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const data =
    body === undefined ? [] : [`--data-binary ${quoted(body.length > 4000 ? `${body.slice(0, 4000)}…` : body)}`];
  return ['curl -i -X', method, ...parts, ...data, quoted(api + path)].join(' ');
}
