/**
 * The OpenAPI document, generated from the descriptions of the routes, and its documentation page. Both need no
 * credential: they describe requests, not stored data. The page includes its scripts and works without internet access.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { complete, type Texts } from './documentation.js';
import { TAGS } from './operation.js';

const PAGE = '/v2/documentation';
const NAME = 'ghostfleet device cloud';

const SVG = 'image/svg+xml';
/** A ghost with the antenna of a device. */
const ICON =
  '<path d="M6 30V14a10 10 0 0 1 20 0v16l-4-3-3 3-3-3-3 3-3-3z" fill="#7aa2f7"/><path d="M16 4V1" stroke="#7aa2f7"/>' +
  '<circle cx="12.5" cy="14" r="2" fill="#1b1b1b"/><circle cx="19.5" cy="14" r="2" fill="#1b1b1b"/>';
const NAME_TEXT = `<text x="40" y="23" font-family="sans-serif" font-size="22" fill="#fff">${NAME}</text>`;

/** A picture of the page. @param width in pixels; the height is 32 */
function picture(content: string, width: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 32">${content}</svg>`;
}

/**
 * Adds `/v2/documentation` and `/v2/documentation/json`. Call it before adding the routes that the document describes.
 */
export function documentApi(api: FastifyInstance, texts: Texts): void {
  api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: NAME,
        version: '2',
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // Relative to the address of the document, so that it is right behind a proxy, too.
      servers: [{ url: '/', description: 'The service that returned this document.' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    // Because the document is OpenAPI 3.1; the other member of the union is never generated.
    transformObject: (made) => ('openapiObject' in made ? completed(made.openapiObject, texts) : made.swaggerObject),
  });
  api.register(swaggerUi, {
    routePrefix: PAGE,
    staticCSP: CONTENT_POLICY,
    uiConfig: { docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true },
    theme: {
      title: NAME,
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: SVG, sizes: 'any', content: picture(ICON, 32) }],
    },
    logo: { type: SVG, content: picture(`${ICON}${NAME_TEXT}`, 330), href: PAGE, target: '_self' },
  });
  // The page loads the document by a relative address, which would be wrong under this path.
  api.get(`${PAGE}/index.html`, { schema: { hide: true } }, (_, reply) => reply.redirect(`${PAGE}/`));
}

const ABOUT = `Devices, their messages, and the downlinks queued for them.

Authenticate with the header \`X-API-KEY\`. Bodies are JSON. Lists are arrays; the \`id\` of the last item, passed as
\`offset\`, returns the next page. Times are ISO 8601 in UTC. An error is \`{statusCode, error, message, code?}\`; an
address that is too long returns 414, a body that is too long 413, on every route.
Resources of other spaces return 404, like resources that do not exist.`;

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', name: 'X-API-KEY', in: 'header', description: 'An API key. It gives access to one space.' },
  authorization: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token from the login, or an API key; `Authorization: ApiKey …` is accepted too.',
  },
  claimToken: {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    description: '`Claim` and the claim token of the device.',
  },
} as const;

/** Allows only scripts of the page. Its bundle contains inline styles and images. */
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

function completed<Document extends object>(generated: Document, texts: Texts): Document {
  const document = withComponents(generated);
  complete(document, texts);
  return document;
}

/** Moves every schema with a title to the components of the document and replaces it with a reference. */
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
  // Because the copy has the shape of the original, except for schemas replaced by references.
  const copy = visit(document) as Document;
  return { ...copy, components: { ...copy.components, schemas } };
}
