/**
 * How a route is described: once, in the schemas that check its requests. The OpenAPI document (openapi.ts) is made from
 * these descriptions, the tests hold the answers against them, and nothing else documents the API.
 *
 *     routes.get(
 *       '/spaces/:space_id/tags/:id',
 *       operation({ tag: 'Tags', summary: 'Read a tag', params: ItemParams, response: { 200: Tag } }),
 *       async ({ spaceId, params }) => tagView(await find(spaceId, params.id)),
 *     );
 *
 * What a family sends is a schema too, with a `title` (it becomes a component of the document), and the function that makes
 * it returns `Static<typeof Tag>`, so that the compiler compares them. Schemas never shape an answer: what a handler
 * returns is sent as it is.
 */
import Type, { type TSchema } from 'typebox';

/** The chapters of the document. */
export const TAGS = {
  Accounts: 'Login.',
  Spaces: 'Containers of everything else. A key sees one space.',
  Devices: 'What is registered. Claim tokens and secrets are write-only.',
  Downlinks: 'What is to be sent to a device; delivered when the device next starts, reports or polls.',
  Messages: 'What devices have sent and what was sent to them, newest first.',
  Tags: 'Groups of devices; connectors and keys refer to them.',
  Connectors: 'Forward messages of the devices with which they share a tag.',
  Variables: 'Named values of a space or of a device.',
  Firmware: 'Updates over the air.',
  Users: 'People with access to a space.',
  Keys: 'API keys. A secret is shown once.',
  'Device ingress': 'For devices without UDP; outside the user API, authenticated with the claim token.',
  Operations: 'For those who run the service. Outside the API key.',
} as const;

export interface Operation {
  readonly tag: keyof typeof TAGS;
  /** A few words in the imperative: `List devices`. */
  readonly summary: string;
  /** What the summary and the schemas do not say. */
  readonly description?: string;
  /** Who may call it. Left out: who has an API key or a login. */
  readonly access?: 'claim-token' | 'anyone';
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  /** Successful answers by status; see {@link PageOf} and {@link NoContent}. */
  readonly response: Readonly<Record<number, TSchema>>;
  /** Failures of its own, in a sentence each; those that any request can meet are added. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly deprecated?: boolean;
}

/** The body of every failure (cloud API gaps, 2.7). */
export const Fault = Type.Object(
  {
    statusCode: Type.Integer(),
    error: Type.String({ description: 'the name of the status' }),
    message: Type.String({ description: 'what is wrong' }),
    code: Type.Optional(Type.String({ description: 'stable, for programs' })),
  },
  { title: 'Error' },
);

/** The answer of a deletion. */
export const NoContent = Type.Null({ description: 'Done; there is no body.' });

/** A page of a list, with the number of all that match in `x-total` where that is known. */
export function PageOf<Item extends TSchema>(item: Item) {
  return Type.Array(item, {
    description: 'A page. The next one is asked for with the id of the last item as `offset`; the last one is empty.',
    headers: { 'x-total': { type: 'integer', description: 'How many there are over all pages.' } },
  });
}

/** Options of a route, made from its description. */
export function operation<const O extends Operation>(description: O): { readonly schema: Pick<O, keyof O & Checked> } {
  const { tag, errors: _, access, response, ...rest } = description;
  const schema = {
    ...rest,
    tags: [tag],
    security: SECURITY[access ?? 'key'],
    response: { ...withDescriptions(response), ...failures(description) },
  };
  // Because only the parts that are checked concern the types of the handler.
  return { schema: schema as unknown as Pick<O, keyof O & Checked> };
}

/** Names of the security schemes, which openapi.ts explains. */
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

function failures({ params, querystring, body, access, errors }: Operation): Record<string, TSchema> {
  const sentences: Record<number, string> = {
    ...((params || querystring || body) && { 400: 'A part of the request is not what is described here.' }),
    ...(access !== 'anyone' && { 401: 'No credential, or one that is not valid.' }),
    ...(access === undefined && { 403: 'The key or the role does not allow this.' }),
    ...(params && { 404: 'There is no such thing, or it is not yours: the answers do not differ.' }),
    ...(body && { 413: 'The body is longer than 1 MiB.', 415: 'The body is not JSON, or is compressed.' }),
    429: 'Too many requests: try again after the seconds in `Retry-After`.',
    503: 'Too much to do, or shutting down: try again after the seconds in `Retry-After`.',
    ...errors,
  };
  return Object.fromEntries(
    Object.entries(sentences).map(([status, sentence]) => [status, { ...Fault, 'x-response-description': sentence }]),
  );
}
