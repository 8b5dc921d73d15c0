import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/cloud/api/index.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { HttpGateway } from '../../../src/cloud/gateway/http.js';
import { TAGS } from '../../../src/cloud/http/operation.js';
import { Metrics } from '../../../src/cloud/operator/metrics.js';
import { addOperatorRoutes } from '../../../src/cloud/operator/routes.js';
import { type Document, inlined, judge } from '../../support/openapi.js';
import { service } from '../api/service.js';

const ANYONE = { 'x-api-key': '' };

async function documentOf(): Promise<Document> {
  const { call } = await service();
  return (await call('GET', '/v2/documentation/json', undefined, ANYONE)).json;
}

function operationsOf({ paths }: Document) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
}

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and open to everyone', async () => {
    expect(await documentOf()).toMatchObject({ openapi: '3.1.0', info: { title: expect.any(String) } });
  });

  it('has every route of a service with all its parts, and no other', async () => {
    const { context, store, clock, ids } = await service();
    const [trace, log] = [{ emit: () => {} }, context.log];
    const core = new CloudCore({ store, clock, ids, trace, log });
    const app = createApi(context, { legacyPaths: true }, [new HttpGateway({ core, clock, trace }).routes]);
    const routes: string[] = [];
    app.addHook('onRoute', ({ method, url, schema }) => {
      if (schema !== undefined && 'hide' in schema && schema.hide) return;
      // Answers to preflights, HEAD, and the files of the page belong to no family.
      for (const each of [method].flat()) {
        if (each !== 'HEAD' && each !== 'OPTIONS' && !url.startsWith('/v2/documentation'))
          routes.push(`${each} ${url}`);
      }
    });
    addOperatorRoutes(app, { store, clock, log, metrics: new Metrics(clock) });
    await app.ready();
    // Because fastify-swagger's type covers every version of OpenAPI.
    const documented = operationsOf(app.swagger() as unknown as Document).map(({ name }) => name);
    core.close();
    expect(documented).toEqual(expect.arrayContaining(['POST /v2/auth/space', 'GET /readyz']));
    expect(documented).toContain('POST /v2/device/{serial_number}/uplink');
    expect(documented.sort()).toEqual(routes.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')).sort());
  });

  it('has the version in every path', async () => {
    expect(Object.keys((await documentOf()).paths).filter((path) => !path.startsWith('/v2/'))).toEqual([]);
  });

  it('describes every route: chapter, summary, parameters, answers and failures', async () => {
    const names = Object.keys(TAGS);
    const problems = operationsOf(inlined(await documentOf())).flatMap(({ name, operation }) => {
      const { tags = [], summary = '', parameters = [], responses, security = [], requestBody } = operation;
      const path = new Set(
        parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name),
      );
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const claims: readonly [boolean, string][] = [
        [tags.length === 1 && names.includes(tags[0] ?? ''), 'has no chapter'],
        [/^[A-Z].*[^.]$/.test(summary), 'has no summary'],
        [[...name.matchAll(/\{(\w+)\}/g)].every(([, parameter]) => path.has(parameter ?? '')), 'misses a parameter'],
        [successes.length > 0, 'has no successful answer'],
        [Object.values(responses).every(({ description }) => description !== 'Default Response'), 'has a bare answer'],
        [successes.every(([status, { content }]) => (status === '204') === (content === undefined)), 'has no schema'],
        [security.length === 0 || '401' in responses, 'does not say 401'],
        [requestBody === undefined || ['400', '413', '415'].every((status) => status in responses), 'misses failures'],
        [path.size === 0 || '404' in responses, 'does not say 404'],
      ];
      return claims.flatMap(([holds, sentence]) => (holds ? [] : [`${name} ${sentence}`]));
    });
    expect(problems).toEqual([]);
  });

  it('marks secrets as write-only', async () => {
    const body = inlined(await documentOf()).paths['/v2/spaces/{space_id}/devices']?.post?.requestBody;
    expect(body?.content['application/json']?.schema).toMatchObject({ properties: { token: { writeOnly: true } } });
  });

  it('rejects a response with a status, a field or a type that it does not describe', async () => {
    const fits = judge(inlined(await documentOf()));
    const json = 'application/json; charset=utf-8';
    const path = '/v2/spaces/x/devices/count?name=a';
    expect(fits('GET', path, 200, json, '{"count":1}')).toBeUndefined();
    expect(fits('GET', path, 200, json, '{"count":-1}')).toContain('count');
    expect(fits('GET', path, 200, json, '{"count":1,"more":2}')).toContain('more');
    expect(fits('GET', path, 200, 'text/plain', '{"count":1}')).toContain('text/plain');
    expect(fits('GET', path, 500, json, '{}')).toContain('500 is not in the document');
    expect(fits('GET', '/v2/nowhere', 200, json, '{}')).toContain('not in the document');
  });
});

describe('the page of the API', () => {
  it.each(['/v2/documentation', '/v2/documentation/'])('is at %s, with scripts of its own only', async (path) => {
    const { call } = await service();
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
  });

  it('is found under index.html', async () => {
    const { call } = await service();
    const page = await call('GET', '/v2/documentation/index.html', undefined, ANYONE);
    expect([page.status, page.headers.location]).toEqual([302, '/v2/documentation/']);
  });
});
