/** The HTTP gateway for devices (the ingress) alone, on a test cloud and without sockets. */
import fastify, { type FastifyInstance } from 'fastify';
import { limitRequests } from '../../src/cloud/api/limits.js';
import { HttpGateway } from '../../src/cloud/gateway/http.js';
import { acceptJsonOnly } from '../../src/cloud/http/body.js';
import { errorHandler } from '../../src/cloud/http/errors.js';
import { type TypeBoxProvider, validatorCompiler } from '../../src/cloud/http/validation.js';
import type { httpTransport } from '../../src/transport/http.js';
import { QUIET, SERIAL, type TestCloud, TOKEN } from './cloud.js';

/** @param rateLimit requests per minute and caller; default: unlimited */
export function ingressOf(cloud: TestCloud, rateLimit?: number): FastifyInstance {
  const app = fastify();
  if (rateLimit !== undefined) limitRequests(app, { clock: cloud.clock, rateLimit });
  acceptJsonOnly(app, async () => {});
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler(QUIET, { plainNotFound: false }));
  const gateway = new HttpGateway({ core: cloud.core, clock: cloud.clock, trace: { emit: () => {} } });
  app.register(async (routes) => gateway.routes(routes.withTypeProvider<TypeBoxProvider>()), { prefix: '/v2' });
  return app;
}

/** Passes requests to the application without a socket. */
export function injected(app: FastifyInstance): Parameters<typeof httpTransport>[0] {
  return async ({ path, headers, body }) => {
    const answer = await app.inject({ method: 'POST', url: path, headers: { ...headers }, payload: body });
    return { status: answer.statusCode, body: answer.body };
  };
}

export interface IngressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  readonly json: any;
}

/** A request with a JSON body. The answer has no date, so that equal answers are equal in any second. */
export async function post(
  app: FastifyInstance,
  kind: string,
  body: unknown = {},
  { serial = String(SERIAL), token = TOKEN, key }: { serial?: string; token?: string; key?: string } = {},
): Promise<IngressAnswer> {
  const answer = await app.inject({
    method: 'POST',
    url: `/v2/device/${serial}/${kind}`,
    headers: {
      'content-type': 'application/json',
      authorization: `Claim ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { date: _, ...headers } = answer.headers;
  return { status: answer.statusCode, headers, json: answer.body === '' ? undefined : answer.json() };
}
