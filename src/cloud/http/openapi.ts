/**
 * The OpenAPI document, made from the descriptions of the routes, and the page that shows it. Both are open to everyone:
 * they say how to ask, not what is stored. The page comes with its scripts, so that it works without the internet.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { TAGS } from './operation.js';

const PAGE = '/v2/documentation';

/** Adds `/v2/documentation` and `/v2/documentation/json`. Call it before the routes that are to be in the document. */
export function documentApi(api: FastifyInstance): void {
  api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'ghostfleet device cloud', version: '2', description: ABOUT },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    // Because the document is OpenAPI 3.1: the other kind of document is not asked for.
    transformObject: (made) => ('openapiObject' in made ? withComponents(made.openapiObject) : made.swaggerObject),
  });
  api.register(swaggerUi, {
    routePrefix: PAGE,
    staticCSP: CONTENT_POLICY,
    uiConfig: { docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true },
    theme: { title: 'ghostfleet device cloud' },
  });
  // The page finds the document beside itself, so that under this address it would look in the wrong place.
  api.get(`${PAGE}/index.html`, { schema: { hide: true } }, (_, reply) => reply.redirect(`${PAGE}/`));
}

const ABOUT = `Devices, what they have sent, and what is to be sent to them.

Authenticate with the header \`X-API-KEY\`. Bodies are JSON. Lists are arrays; the \`id\` of the last item, given as
\`offset\`, leads to the next page. Times are ISO 8601 in UTC. A failure is \`{statusCode, error, message, code?}\`; an
address that is too long is answered with 414, a body that is too long with 413, wherever it is sent.
What belongs to somebody else is answered like what does not exist: with 404.`;

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', name: 'X-API-KEY', in: 'header', description: 'An API key. It opens one space.' },
  authorization: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token from the login, or an API key; `Authorization: ApiKey …` does as well.',
  },
  claimToken: {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    description: '`Claim` and the claim token of the device.',
  },
} as const;

/** Own scripts only. Styles are inline in the page's own bundle, and so are its pictures. */
const CONTENT_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/** Moves every schema that has a title to the components of the document, and leaves a reference in its place. */
function withComponents<Document extends { components?: { schemas?: object } }>(document: Document): Document {
  const schemas: Record<string, unknown> = {};
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) copy[key] = visit(value);
    if (typeof copy.title !== 'string' || !('type' in copy)) return copy;
    const { title, ...schema } = copy;
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  // Because the copy has the shape of the original, but for schemas that have become references.
  const copy = visit(document) as Document;
  return { ...copy, components: { ...copy.components, schemas } };
}
