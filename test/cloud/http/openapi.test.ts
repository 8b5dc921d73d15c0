import fs from 'node:fs';
import { runInNewContext } from 'node:vm';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createApi } from '../../../src/cloud/api/index.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { HttpGateway } from '../../../src/cloud/gateway/http.js';
import { TAGS } from '../../../src/cloud/http/operation.js';
import { Metrics } from '../../../src/cloud/operator/metrics.js';
import { addOperatorRoutes } from '../../../src/cloud/operator/routes.js';
import {
  type Content,
  type Document,
  type DocumentedOperation,
  inlined,
  judge,
  type Schema,
} from '../../support/openapi.js';
import { service } from '../api/service.js';

const ANYONE = { 'x-api-key': '' };

let document: Document;
/** The document without references. */
let whole: Document;

beforeAll(async () => {
  const { call } = await service();
  document = (await call('GET', '/v2/documentation/json', undefined, ANYONE)).json;
  whole = inlined(document);
});

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
}

/** Whether a path can match two templates of which neither is the more concrete one in every segment (OpenAPI 3.1, 4.8.8.2). */
function areAmbiguous(one: string, other: string): boolean {
  const [a, b] = [one.split('/'), other.split('/')];
  const isOpen = (segment = '') => segment.startsWith('{');
  const overlap = a.length === b.length && a.every((segment, n) => segment === b[n] || isOpen(segment) || isOpen(b[n]));
  const opener = (left: readonly string[], right: readonly string[]) =>
    left.some((segment, n) => isOpen(segment) && !isOpen(right[n]));
  return overlap && opener(a, b) && opener(b, a);
}

/** The bodies of an operation by their place in it: `request` or the status. */
function contentsOf({ requestBody, responses }: DocumentedOperation): [string, Content[string]][] {
  const answers = Object.entries(responses).map(([status, { content }]) => [status, content] as const);
  return [['request', requestBody?.content] as const, ...answers].flatMap(([part, content = {}]) =>
    Object.values(content).map((media): [string, Content[string]] => [part, media]),
  );
}

/** The fields of a schema that have no description. */
function fieldsWithoutMeaning(schema: Schema, place: string): string[] {
  // The cast is safe because a schema of the document may have any of these parts.
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly anyOf?: readonly Schema[];
  };
  const inner = [...anyOf, ...(items ? [items] : [])].flatMap((each) => fieldsWithoutMeaning(each, place));
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    // An object needs no description, because its fields have descriptions.
    const known = field.type === 'object' || field.description;
    return [...(known ? [] : [`${place}: ${name}`]), ...fieldsWithoutMeaning(field, `${place}: ${name}`)];
  });
  return [...inner, ...fields];
}

describe('the OpenAPI document', () => {
  it('is made once, because requests for it need no credential', async () => {
    const { app, call } = await service();
    await app.ready();
    const made = vi.spyOn(app, 'swagger');
    for (const _ of [1, 2, 3]) await call('GET', '/v2/documentation/json', undefined, ANYONE);
    expect(made).toHaveBeenCalledOnce();
  });

  it('has no path that two of its templates match equally well', () => {
    const paths = Object.keys(document.paths);
    expect(areAmbiguous('/a/{id}/b', '/a/c/{id}')).toBe(true);
    expect(paths.flatMap((one) => paths.filter((other) => one < other && areAmbiguous(one, other)))).toEqual([]);
  });

  it('is OpenAPI 3.1 and open to everyone', async () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String) } });
  });

  it('has every route of a service with all its parts, and no other', async () => {
    const { context, store, clock, ids } = await service();
    const [trace, log] = [{ emit: () => {} }, context.log];
    const core = new CloudCore({ store, clock, ids, trace, log });
    const app = createApi(context, { legacyPaths: true }, [new HttpGateway({ core, clock, trace }).routes]);
    const routes: string[] = [];
    app.addHook('onRoute', ({ method, url, schema }) => {
      if (schema !== undefined && 'hide' in schema && schema.hide) return;
      // The document leaves out preflight requests, HEAD, and the files of its own page.
      for (const each of [method].flat()) {
        if (each !== 'HEAD' && each !== 'OPTIONS' && !url.startsWith('/v2/documentation'))
          routes.push(`${each} ${url}`);
      }
    });
    addOperatorRoutes(app, { store, clock, log, metrics: new Metrics(clock), isPrepared: () => true, id: 'probe' });
    await app.ready();
    // The cast is needed because the type of fastify-swagger covers every version of OpenAPI.
    const documented = operationsOf(app.swagger() as unknown as Document).map(({ name }) => name);
    await core.close();
    expect(documented).toEqual(expect.arrayContaining(['POST /v2/auth/space', 'GET /readyz']));
    expect(documented).toContain('POST /v2/device/{serial_number}/uplink');
    expect(documented.sort()).toEqual(routes.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')).sort());
  });

  it('has the version in every path', async () => {
    expect(Object.keys(document.paths).filter((path) => !path.startsWith('/v2/'))).toEqual([]);
  });

  it('describes every route: chapter, summary, parameters, answers and failures', async () => {
    const names = Object.keys(TAGS);
    const problems = operationsOf(whole).flatMap(({ name, operation }) => {
      const { tags = [], summary = '', parameters = [], responses, security = [], requestBody } = operation;
      const path = new Set(
        parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      );
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const claims: readonly [boolean, string][] = [
        [tags.length === 1 && names.includes(tags[0] ?? ''), 'has no chapter'],
        [/^[A-Z].*[^.]$/.test(summary), 'has no summary'],
        [/^[A-Z`].*\.$/s.test(operation.description ?? ''), 'has no description'],
        [
          parameters.every(({ description = '' }) => /^[A-Z].+\. [A-Z"].+\.$/.test(description)),
          'has a parameter without a meaning',
        ],
        [['429', '500', '503'].every((status) => status in responses), 'misses failures'],
        [[...name.matchAll(/\{(\w+)\}/g)].every(([, parameter]) => path.has(parameter ?? '')), 'misses a parameter'],
        [successes.length > 0, 'has no successful answer'],
        [Object.values(responses).every(({ description }) => description !== 'Default Response'), 'has a bare answer'],
        [successes.every(([status, { content }]) => (status === '204') === (content === undefined)), 'has no schema'],
        [security.length === 0 || '401' in responses, 'does not say 401'],
        [!security.some((one) => 'apiKey' in one) || '400' in responses, 'does not say 400'],
        [requestBody === undefined || ['400', '413', '415'].every((status) => status in responses), 'misses failures'],
        [path.size === 0 || '404' in responses, 'does not say 404'],
      ];
      return claims.flatMap(([holds, sentence]) => (holds ? [] : [`${name} ${sentence}`]));
    });
    expect(problems).toEqual([]);
  });

  it('names every operation once, for generated clients', async () => {
    const ids = operationsOf(document).map(({ operation }) => operation.operationId ?? 'none');
    expect(ids.filter((id, i) => !/^[a-z]+[A-Z][A-Za-z]+$|^log(in|out)$/.test(id) || ids.indexOf(id) !== i)).toEqual(
      [],
    );
  });

  it('describes every field of every body', async () => {
    const described = operationsOf(whole).flatMap(({ name, operation }) =>
      contentsOf(operation).flatMap(([part, { schema }]) => fieldsWithoutMeaning(schema, `${name} ${part}`)),
    );
    expect(described).toEqual([]);
  });

  it('has an example of every body, which is valid', async () => {
    const problems = operationsOf(whole).flatMap(({ name, operation }) =>
      contentsOf(operation).flatMap(([part, { schema, example }]) => {
        // An undefined example would match a schema for any value.
        const errors = example === undefined ? ['has no example'] : Compile(schema as TSchema).Errors(example);
        return errors.length === 0 ? [] : [`${name} ${part}: ${JSON.stringify(errors)}`];
      }),
    );
    expect(problems).toEqual([]);
  });

  it('has an example of every parameter, which is valid', async () => {
    const problems = operationsOf(whole).flatMap(({ name, operation: { parameters = [] } }) =>
      parameters.flatMap((parameter) =>
        parameter.example !== undefined && Compile(parameter.schema as TSchema).Check(parameter.example)
          ? []
          : [`${name}: ${parameter.name}`],
      ),
    );
    expect(problems).toEqual([]);
  });

  it('has a license, and an address of the service', async () => {
    expect(document).toMatchObject({ info: { license: { identifier: 'MIT' } }, servers: [{ url: '/' }] });
  });

  it('marks secrets as write-only', async () => {
    const body = whole.paths['/v2/spaces/{space_id}/devices']?.post?.requestBody;
    expect(body?.content['application/json']?.schema).toMatchObject({ properties: { token: { writeOnly: true } } });
  });

  it('rejects a response with a status, a field or a type that it does not describe', async () => {
    const fits = judge(whole);
    const json = 'application/json; charset=utf-8';
    const path = '/v2/spaces/x/devices/count?name=a';
    expect(fits('GET', path, 200, json, '{"count":1}')).toBeUndefined();
    expect(fits('GET', path, 200, json, '{"count":-1}')).toContain('count');
    expect(fits('GET', path, 200, json, '{"count":1,"more":2}')).toContain('more');
    expect(fits('GET', path, 200, 'text/plain', '{"count":1}')).toContain('text/plain');
    expect(fits('GET', path, 501, json, '{}')).toContain('501 is not in the document');
    expect(fits('GET', '/v2/nowhere', 200, json, '{}')).toContain('not in the document');
  });
});

describe('the page of the API', () => {
  it('is at /v2/documentation/, with scripts of its own only', async () => {
    const { call } = await service();
    const path = '/v2/documentation/';
    const page = await call('GET', path, undefined, ANYONE);
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    const scripts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(scripts.length).toBeGreaterThan(4);
    for (const file of scripts) {
      const { status } = await call('GET', new URL(file, `http://x${path}`).pathname, undefined, ANYONE);
      expect(`${file} ${status}`).toBe(`${file} 200`);
    }
    // An inline script would not run.
    expect(page.text).not.toMatch(/<script>/);
    expect(page.text).toContain('<title>ghostfleet device cloud</title>');
    expect(page.text).not.toContain('Swagger');
  });

  it('fills in the examples of required parameters only', async () => {
    const { call } = await service();
    const script = await call('GET', '/v2/documentation/static/swagger-initializer.js', undefined, ANYONE);
    const [, source = ''] = /(function describeOptional[\s\S]*\})\s*\}\s*const resConfig/.exec(script.text) ?? [];
    const { text } = await call('GET', '/v2/documentation/json', undefined, ANYONE);
    const shown = runInNewContext(`(${source})(response).text`, {
      response: { url: 'http://a/v2/documentation/json', text },
    });
    const { parameters } = JSON.parse(shown).paths['/v2/spaces/{space_id}/messages'].get;
    const filledIn = parameters.filter((each: object) => /"examples?"/.test(JSON.stringify(each)));
    expect(filledIn.map(({ name }: { name: string }) => name)).toEqual(['space_id']);
    expect(parameters.find(({ name }: { name: string }) => name === 'after').description).toMatch(/Example: `20/);
  });

  it('does not send a file again that the browser has', async () => {
    const { call } = await service();
    const file = '/v2/documentation/static/swagger-ui.css';
    const first = await call('GET', file, undefined, ANYONE);
    const again = await call('GET', file, undefined, { ...ANYONE, 'if-none-match': String(first.headers.etag) });
    expect([first.status, again.status, again.text]).toEqual([200, 304, '']);
  });

  it('reads each of its files once, however its address is written', async () => {
    const { call } = await service();
    const read = vi.spyOn(fs, 'createReadStream');
    const names = ['swagger-ui.css', 'swagger-ui.css?a', '%73wagger-ui.css', './swagger-ui.css', '/swagger-ui.css'];
    for (const name of [...names, ...names]) await call('GET', `/v2/documentation/static/${name}`, undefined, ANYONE);
    expect(read).toHaveBeenCalledOnce();
    read.mockRestore();
  });

  it.each([
    ['/v2/documentation', 'documentation/'],
    ['/v2/documentation/index.html', './'],
  ])('is also found at %s, which redirects to it by a relative address', async (path, location) => {
    const { call } = await service();
    const page = await call('GET', path, undefined, ANYONE);
    expect([page.status, page.headers.location]).toEqual([302, location]);
  });
});
