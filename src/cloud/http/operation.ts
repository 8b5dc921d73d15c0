/**
 * Descriptions of routes. Each route is described once, by the schemas that check its requests. The OpenAPI document
 * (openapi.ts) is generated from these descriptions, and the tests check the responses against them.
 *
 *     routes.get(
 *       '/spaces/:space_id/tags/:id',
 *       operation({
 *         tag: 'Tags',
 *         id: 'getTag',
 *         summary: 'Read a tag',
 *         description: 'Its name, colour and access type.',
 *         params: TagParams,
 *         response: { 200: Tag },
 *       }),
 *       async ({ spaceId, params }) => tagView(await find(spaceId, params.id)),
 *     );
 *
 * The schemas are in src/contract. A response is described by one, too: `Tag` above. Its `title` is its name in the components
 * of the document. The function that creates the response returns `Static<typeof Tag>`, so that the compiler compares the
 * result with the schema. Schemas never change a response: the result of a handler is sent as it is.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { TypeBoxProvider } from './validation.js';

/** Fastify with handlers typed by the TypeBox schemas of their routes. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxProvider
>;

export const TAGS = {
  Accounts: 'Login, logout and passwords.',
  Spaces: 'Containers of all other resources. A key has access to one space.',
  Devices: 'Registered devices. Claim tokens and secrets are write-only.',
  Downlinks: 'Messages queued for a device; delivered when the device next starts, reports or polls.',
  Messages: 'Messages from and to devices, newest first.',
  Events: 'What happens to devices and messages, as it happens.',
  Tags: 'Groups of devices; connectors and keys refer to them.',
  Connectors: 'Forward messages of the devices with which they share a tag.',
  Variables: 'Named values of a space or of a device.',
  Firmware: 'Updates over the air.',
  Users: 'People with access to a space.',
  Keys: 'API keys. A secret is shown once.',
  Audit: 'Who did what, when and from where.',
  'Device ingress': 'For devices without UDP; outside the user API, authenticated with the claim token.',
  Operations: 'For operators of the service. Needs no API key.',
} as const;

export interface Operation {
  readonly tag: keyof typeof TAGS;
  /** Name of the operation in generated clients: a verb and a noun, unique, and never changed. */
  readonly id: string;
  /** A few words in the imperative: `List devices`. */
  readonly summary: string;
  /** Details that the summary and the schemas do not show. */
  readonly description: string;
  /** Required credential. Default: an API key or a login token. */
  readonly access?: 'claim-token' | 'anyone';
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  /** Successful responses by status; see {@link PageOf} and {@link NoContent}. */
  readonly response: Readonly<Record<number, TSchema>>;
  /** Errors of this route, by status; errors that any route can return are added. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly deprecated?: boolean;
}

/** The body of a failure (cloud C-12). */
const Fault = Type.Object(
  {
    statusCode: Type.Integer({ description: 'the status' }),
    error: Type.String({ description: 'the name of the status' }),
    message: Type.String({ description: 'the reason' }),
    code: Type.Optional(Type.String({ description: 'stable, for programs' })),
  },
  { title: 'Error' },
);

/** The response of a deletion. */
export const NoContent = Type.Null({ description: 'Done; without a body.' });

const TOTALS = {
  'x-total': { type: 'integer', description: 'Number of items over all pages.' },
  'x-total-at-least': {
    type: 'integer',
    description: 'Instead of `x-total`, if the items are not counted: there are at least this many.',
  },
};

/** A page of a list, with its headers; see api/totals.ts. */
export function PageOf<Item extends TSchema>(item: Item, headers: Readonly<Record<string, object>> = {}) {
  return Type.Array(item, {
    description:
      'A page. Pass the id of the last item as `offset` to get the next page; the page after the last item is empty.',
    headers: { ...TOTALS, ...headers },
  });
}

interface RouteOptions {
  readonly schema: object;
}

/** Options by operation, shared by all services: building them takes a third of a start's memory, and each compiles once. */
const known = new Map<string, RouteOptions>();

/** Converts a description to the options of a Fastify route. Call it with constant descriptions: `id` stands for all of it. */
export function operation<const O extends Operation>(description: O): { readonly schema: Pick<O, keyof O & Checked> } {
  const options = known.get(description.id) ?? optionsOf(description);
  known.set(description.id, options);
  // The cast is safe because only the checked parts affect the types of the handler.
  return options as { readonly schema: Pick<O, keyof O & Checked> };
}

function optionsOf(description: Operation): RouteOptions {
  const { tag, id, errors: _, access, response, ...rest } = description;
  return {
    schema: {
      ...(rejectsUnknownParameters(description) && { querystring: NO_PARAMETERS }),
      ...rest,
      operationId: id,
      tags: [tag],
      security: SECURITY[access ?? 'key'],
      response: { ...withDescriptions(response), ...failures(description) },
    },
  };
}

const NO_PARAMETERS = Type.Object({});

/** Whether query parameters that the operation does not define are rejected. From devices and monitors, they are accepted. */
function rejectsUnknownParameters({ access, tag }: Operation): boolean {
  return access !== 'claim-token' && tag !== 'Operations';
}

/** Names of the security schemes, which openapi.ts defines. */
const SECURITY = {
  key: [{ apiKey: [] }, { authorization: [] }],
  'claim-token': [{ claimToken: [] }],
  anyone: [],
};

/** The parts of a request that are checked. */
type Checked = 'params' | 'querystring' | 'headers' | 'body';

function withDescriptions(response: Operation['response']): Record<string, object> {
  const described = Object.entries(response).map(([status, schema]) => {
    const sentence = 'description' in schema ? schema.description : status === '201' ? 'Created.' : 'Done.';
    return [status, { ...schema, 'x-response-description': sentence }];
  });
  return Object.fromEntries(described);
}

interface CommonFailure {
  readonly status: number;
  readonly sentence: string;
  /** Whether requests of the route can fail in this way. */
  readonly concerns: (route: Operation) => boolean;
}

const RETRY_LATER = 'retry after the seconds in `Retry-After`.';

/** The failures that many routes share. */
export const COMMON_FAILURES: readonly CommonFailure[] = [
  {
    status: 400,
    sentence: 'A part of the request does not match its schema.',
    concerns: (route) => Boolean(route.params || route.querystring || route.body) || rejectsUnknownParameters(route),
  },
  {
    status: 401,
    sentence: 'The credential is missing or invalid.',
    concerns: ({ access }) => access !== 'anyone',
  },
  {
    status: 403,
    sentence: 'The key or the role does not allow this.',
    concerns: ({ access }) => access === undefined,
  },
  {
    status: 404,
    sentence: 'The resource does not exist or belongs to another space.',
    concerns: ({ params }) => params !== undefined,
  },
  { status: 413, sentence: 'The body is longer than 1 MiB.', concerns: ({ body }) => body !== undefined },
  {
    status: 414,
    sentence: 'A part of the address is longer than 100 characters.',
    concerns: ({ params }) => params !== undefined,
  },
  {
    status: 415,
    sentence: 'The body is not JSON in UTF-8, or is compressed.',
    concerns: ({ body }) => body !== undefined,
  },
  { status: 429, sentence: `Too many requests; ${RETRY_LATER}`, concerns: () => true },
  { status: 500, sentence: 'An error in the service; its log has the cause.', concerns: () => true },
  { status: 503, sentence: `Overloaded or shutting down; ${RETRY_LATER}`, concerns: () => true },
];

function failures(route: Operation): Record<string, TSchema> {
  const common = COMMON_FAILURES.filter(({ concerns }) => concerns(route));
  const sentences: Record<string, string> = {
    ...Object.fromEntries(common.map(({ status, sentence }) => [status, sentence])),
    ...route.errors,
  };
  return Object.fromEntries(
    Object.entries(sentences).map(([status, sentence]) => [status, faultWith(sentence, Number(status))]),
  );
}

/** Schemas of failures by their description. Routes with the same failure share its schema. */
const faults = new Map<string, TSchema>();

function faultWith(sentence: string, status: number): TSchema {
  const headers = status === 429 || status === 503 ? { headers: RETRY } : {};
  const schema = faults.get(sentence) ?? { ...Fault, ...headers, 'x-response-description': sentence };
  faults.set(sentence, schema);
  return schema;
}

const RETRY = { 'retry-after': { type: 'integer', description: 'Seconds to wait before the next attempt.' } };
