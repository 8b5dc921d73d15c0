/**
 * The parts that the schemas of the API are made of, and schemas of values that several resources have.
 *
 * A schema says three things. Its `description` is the form of a value; it completes the message "… is not …": "… is not a
 * UUID". Its `meaning` is the sentence about the field in the OpenAPI document, before the form. Its `example` is in the
 * document too; the examples of all resources are about one freezer, its space and its connector. Where a function checks a
 * value, `documented` has the keywords that the document shows instead: every value that they permit is accepted.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { hasAtMost, isName } from './limits.js';
import { parseTimestamp } from './time.js';

/** Ids and values of the examples. */
export const EXAMPLE = {
  space: '019b7600-0000-7000-8000-000000000001',
  device: '019b7600-0000-7000-8000-000000000002',
  tag: '019b7600-0000-7000-8000-000000000003',
  downlink: '019b7600-0000-7000-8000-000000000004',
  uplink: '019b7600-0000-7000-8000-000000000005',
  connector: '019b7600-0000-7000-8000-000000000006',
  delivery: '019b7600-0000-7000-8000-000000000007',
  image: '019b7600-0000-7000-8000-000000000008',
  update: '019b7600-0000-7000-8000-000000000009',
  variable: '019b7600-0000-7000-8000-00000000000a',
  account: '019b7600-0000-7000-8000-00000000000b',
  key: '019b7600-0000-7000-8000-00000000000c',
  event: '019b7600-0000-7000-8000-00000000000d',
  login: '019b7600-0000-7000-8000-00000000000e',
  created: '2026-01-01T08:00:00.000Z',
  later: '2026-01-01T08:15:00.000Z',
  serial: '2159017985',
  hash: '5fd1a3c2b7e09846',
} as const;

/** The values that match a schema, as programs read and write them. */
export type Shape<S extends TSchema> = ReadonlyDeep<Static<S>>;

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyDeep<T[Name]> }
    : T;

/** A field or a parameter. @param example for a parameter that has neither a default nor a list of values */
export function Field<S extends TSchema>(meaning: string, schema: S, example?: unknown): S {
  // The cast is safe because the added keywords do not affect which values match.
  return Type.With(schema, { meaning, ...(example !== undefined && { example }) }) as unknown as S;
}

/** A resource of an answer. Its title is its name in the OpenAPI document. */
export function Answer<P extends TProperties>(title: string, fields: P, example: Static<TObject<P>>): TObject<P> {
  return Type.Object(fields, { title, example });
}

/** The body of a request. */
export function Body<P extends TProperties>(fields: P, example: Static<TObject<P>>): TObject<P> {
  return Type.Object(fields, { description: 'a JSON object', example });
}

export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const Uuid = Type.String({ pattern: UUID_PATTERN, description: 'a UUID' });

/** A point in time; {@link parseTimestamp} reads it. */
export const Timestamp = Type.Refine(
  Type.String({
    description: 'a date or time of ISO 8601 such as "2026-01-01T00:00:00.000Z"',
    documented: { type: 'string', format: 'date-time' },
  }),
  (text) => parseTimestamp(text) !== undefined,
);

export const TIME_PATTERN = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';

/** A time as returned by the API. */
export const Time = Type.String({
  pattern: TIME_PATTERN,
  description: 'a time such as "2026-01-01T00:00:00.000Z"',
});

/** A serial number as returned by the API. */
export const Serial = Type.String({ pattern: '^\\d{10}$', description: 'ten decimal digits' });

/** A hash as returned by the API. */
export const Hash = Type.String({ pattern: '^[0-9a-f]{16}$', description: '16 hex digits' });

/** A value of a response that may be null. */
export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** Size of a page. */
export function Limit(max: number, standard: number) {
  const description = `a whole number from 1 to ${max}`;
  return Field('Size of the page.', Type.Integer({ minimum: 1, maximum: max, default: standard, description }));
}

/** Where a page begins. */
export function PageOffset<S extends TSchema>(schema: S): S {
  const meaning = 'Id of the last item of the page before. Without it, the first page is returned.';
  return Field(meaning, schema, EXAMPLE.device);
}

/** Cursor and size of a page (cloud C-9). Lists of messages and of device summaries have sizes of their own. */
export const PageFields = {
  limit: Type.Optional(Limit(500, 100)),
  offset: Type.Optional(PageOffset(Uuid)),
};
/** The query of a list without filters. */
export const PageQuery = Type.Object(PageFields);

/** What the document says about a printable text of at most `max` characters that is not blank. */
function printableText(max: number, harmful = CONTROLS): object {
  const pattern = `^[^${harmful}]*[^\\s${harmful}][^${harmful}]*$`;
  return { type: 'string', minLength: 1, maxLength: max, pattern };
}

const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f';
/** Line separators, and characters that change the direction of the text behind them. */
const MISLEADING = '\\u2028-\\u202e\\u2066-\\u2069';

/** What the document says about bytes in base64, at least one; the padding may be left out. */
export const BASE64 = {
  type: 'string',
  contentEncoding: 'base64',
  minLength: 2,
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw](?:==)?|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=?)?$',
};

/** Any printable text; cloud/api/names.ts defines which names are recommended (cloud C-14). */
export const Name = Type.Refine(
  Type.String({ description: 'a name of 1 to 64 printable characters', documented: printableText(64) }),
  isName,
);

const LONGEST_LABEL = 127;
export const LABEL_FORM = `a text of 1 to ${LONGEST_LABEL} printable characters`;
const HARMFUL = new RegExp(`[${CONTROLS}${MISLEADING}]`, 'u');

/** A text that names a firmware image, in a request or in the image itself. */
export const Label = Type.Refine(
  Type.String({
    description: LABEL_FORM,
    documented: printableText(LONGEST_LABEL, CONTROLS + MISLEADING),
  }),
  isLabel,
);

export function isLabel(text: string): boolean {
  return hasAtMost(LONGEST_LABEL, text) && !HARMFUL.test(text) && text.trim() !== '';
}

/** Any text, as a filter. */
export const Text = Type.String({ description: 'one text', documented: { type: 'string', minLength: 1 } });

const LONGEST_EMAIL = 254;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/**
 * The form that browsers accept (`<input type="email">`). ASCII only: letters of other scripts look alike, and the same letter
 * can be written in several ways.
 */
const EMAIL = `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]{1,64}@${LABEL}(?:\\.${LABEL})*$`;

export function isEmail(text: string): boolean {
  return text.length <= LONGEST_EMAIL && new RegExp(EMAIL).test(text);
}

/** Of a new user. */
export const Email = Type.String({
  pattern: EMAIL,
  maxLength: LONGEST_EMAIL,
  description: 'an email address in ASCII',
});

/** Of a user who may be known since an earlier version, which accepted other addresses, too. */
export const KnownEmail = Type.String({
  pattern: '^[!-?A-~]{1,64}@[!-?A-~]{1,189}$',
  description: 'an email address in ASCII',
});

/** A text of at most `max` characters, or null. */
export function NullableText(max: number) {
  return Type.Refine(
    Type.Union([Type.String(), Type.Null()], {
      description: `a text of at most ${max} characters, or null`,
      documented: { anyOf: [{ type: 'string', maxLength: max }, { type: 'null' }] },
    }),
    (text) => text === null || hasAtMost(max, text),
  );
}

/** A field that all resources have. */
export const OwnId = Field('Id of the resource.', Uuid);
/** A field that most resources have. */
export const OwnName = Field('Name of the resource.', Type.String());
/** A field of bodies. */
export const NewName = Field('Name of the resource.', Name);
export const CreatedAt = Field('Time of its creation.', Time);
export const SpaceId = Field('Id of the space.', Uuid, EXAMPLE.space);
/** The device to which a resource belongs. */
export const OfDevice = Field('Device to which it belongs.', Uuid);
/** A text for people. */
export const Comment = Field('Text for people; the service does not use it. Default: null.', Nullable(Type.String()));
export const NewComment = Field('Text for people; the service does not use it. Default: null.', NullableText(500));

export const SpaceParams = Type.Object({ space_id: SpaceId });

/** The parameters of the path of one resource. @param example its id in the examples */
export function ItemParams(meaning: string, example: string) {
  return Type.Object({ space_id: SpaceId, id: Field(meaning, Uuid, example) });
}
