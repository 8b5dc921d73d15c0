/** The OpenAPI document, generated from the routes, and its page. Neither needs a credential, nor the internet. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { complete } from './documentation.js';
import { addPage } from './documentation-page.js';
import { TAGS } from './operation.js';
import type { PublicUrl } from './public-url.js';

const NAME = 'ghostfleet device cloud';

/**
 * Adds `/v2/documentation` and `/v2/documentation/json`. Call it before adding the routes that the document describes.
 * @param publicUrl becomes the first server of the document
 */
export function documentApi(api: FastifyInstance, publicUrl: PublicUrl | null): void {
  api.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: NAME,
        version: '2',
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      // This address is relative to that of the document, so that clients behind a proxy use the address of the proxy.
      servers: [
        ...(publicUrl ? [{ url: publicUrl.origin + publicUrl.prefix, description: 'The public address.' }] : []),
        { url: '/', description: 'The service that returned this document.' },
      ],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    // The type of `made` also allows an OpenAPI 2 document, which is never generated here.
    transformObject: (made) => ('openapiObject' in made ? completed(made.openapiObject) : made.swaggerObject),
  });
  addPage(api, NAME);
}

const ABOUT = `Devices, their messages, and the downlinks queued for them.

Authenticate with the header \`X-API-KEY\`. Bodies are JSON. Lists are arrays; the \`id\` of the last item, passed as
\`offset\`, returns the next page. Times are ISO 8601 in UTC. An error is \`{statusCode, error, message, code?}\`; an
address that is too long returns 414, a body that is too long 413, and a method that a path does not have 405 with
\`Allow\`, on every route.
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

function completed<Document extends object>(generated: Document): Document {
  const { document, examples } = withComponents(generated);
  complete(document, examples);
  return document;
}

/** Moves schemas with a title to the document's components, with their examples, and refers to them. */
function withComponents<Document extends { components?: { schemas?: object } }>(generated: Document) {
  const schemas: Record<string, object> = {};
  const examples = new Map<string, unknown>();
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Record<string, unknown> = {};
    const { description, meaning, example, writeOnly, documented } = node as Readonly<Record<string, unknown>>;
    if (typeof documented === 'object') return visit({ description, meaning, example, writeOnly, ...documented });
    for (const [key, value] of Object.entries(node)) if (value !== undefined) copy[key] = visit(value);
    if (typeof copy.title !== 'string' || !('type' in copy)) return copy;
    const { title, example: ofAnswer, ...schema } = copy;
    schemas[title] = schema;
    examples.set(title, ofAnswer);
    return { $ref: `#/components/schemas/${title}` };
  };
  // The cast is safe because the copy has the shape of the original, except for schemas replaced by references.
  const copy = visit(generated) as Document;
  return { document: { ...copy, components: { ...copy.components, schemas } }, examples };
}
