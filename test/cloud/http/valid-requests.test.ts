/** Requests that are generated from the OpenAPI document: the service accepts whatever the document permits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createApi } from '../../../src/cloud/api/index.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { HttpGateway } from '../../../src/cloud/gateway/http.js';
import { valuesOf } from '../../support/json-schema.js';
import { type Document, type DocumentedOperation, inlined, type Parameter } from '../../support/openapi.js';
import { KEY, service } from '../api/service.js';

const SERIAL = '2159017985';
const TOKEN = '00112233445566778899aabbccddeeff';
const SCRIPT = 'const main = () => ({ url: "https://example.com/" });';

/** A service with the device ingress, one device and one tag. */
async function world() {
  const { context, store, clock, ids, spaceId, call } = await service();
  const trace = { emit: () => {} };
  const core = new CloudCore({ store, clock, ids, trace, log: context.log });
  const app = createApi({ ...context, downlinks: core }, {}, [new HttpGateway({ core, clock, trace }).routes]);
  await app.ready();
  const tag = (await call('POST', 'tags', { name: 'cold', color: '#00ffaa' })).json;
  const device = (await call('POST', 'devices', { name: 'a', serial_number: SERIAL, token: TOKEN })).json;
  // The cast is needed because the type of fastify-swagger covers every version of OpenAPI.
  const document = inlined(app.swagger() as unknown as Document);
  return { app, document, spaceId, tag, device };
}

type World = Awaited<ReturnType<typeof world>>;

/** Reasons that a schema cannot express: the request names what does not exist, or is about what a device or a script permits. */
const REASONS =
  /is not (?:a|an) .* of this (?:space|list)|is not that of the (?:decoder|encoder)|would be|encoder|script|in the past|is too long|bytes|main|the message was rejected|cannot be kept/;

describe('the service', () => {
  it('accepts every request that the document permits', async () => {
    const there = await world();
    const problems: string[] = [];
    const operations = Object.entries(there.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
    // The device must exist for all other requests.
    operations.sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
    for (const { path, method, operation } of operations) {
      // The stream of events has no end.
      if (path.endsWith('/events')) continue;
      const requests = fc.sample(requestsOf(there, path, operation), { numRuns: RUNS, seed: 7 });
      for (const request of requests) {
        const { statusCode, body } = await there.app.inject({ method: method as 'GET', ...request });
        if (statusCode !== 400 || REASONS.test(body)) continue;
        problems.push(`${method} ${path}: ${request.payload ?? request.url} ${body}`.slice(0, 600));
        break;
      }
    }
    expect(problems).toEqual([]);
  });
});

const RUNS = 6;

interface Request {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

function requestsOf(
  { spaceId, tag, device }: World,
  path: string,
  operation: DocumentedOperation,
): fc.Arbitrary<Request> {
  const { parameters = [], requestBody } = operation;
  const known: Readonly<Record<string, unknown>> = {
    device_id: device.id,
    tags: [{ id: tag.id }],
    transformation: SCRIPT,
  };
  const body = requestBody?.content['application/json']?.schema;
  const ofDevice = path.startsWith('/v2/device/');
  const credential = ofDevice ? { authorization: `Claim ${TOKEN}` } : { 'x-api-key': KEY };
  const ids = { space_id: spaceId, serial_number: SERIAL, id: device.id };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name] ?? device.id);
  const given = (place: string) => parameters.filter((each) => each.in === place && each.name !== 'offset');
  return fc
    .record({
      query: fc.record(partsOf(given('query')), { requiredKeys: [] }),
      headers: fc.record(partsOf(given('header')), { requiredKeys: [] }),
      body: body === undefined ? fc.constant(undefined) : valuesOf(body, known),
    })
    .map(({ query, headers, body: value }) => ({
      url: `${address}?${queryOf(query)}`,
      headers: {
        ...credential,
        ...(value !== undefined && { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      ...(value !== undefined && { payload: JSON.stringify(value) }),
    }));
}

function partsOf(parameters: readonly Parameter[]): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)]));
}

function queryOf(query: Readonly<Record<string, unknown>>): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) parts.append(name, String(each));
  return parts.toString();
}
