/**
 * Schemas of common values. Each `description` completes the message "… is not …": "… is not a UUID". Where a function checks a
 * value, `documented` has the keywords that the OpenAPI document shows instead: every value that they permit is accepted.
 */
import Type, { type TSchema } from 'typebox';
import { parseTimestamp } from './time.js';

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

/** A time as returned by the API. */
export const Time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
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
  return Type.Integer({ minimum: 1, maximum: max, default: standard, description });
}

/** Cursor and size of a page (cloud API gaps, 2.5). Lists of messages and of device summaries have sizes of their own. */
export const PageQuery = { limit: Type.Optional(Limit(500, 100)), offset: Type.Optional(Uuid) };

/** What the document says about a printable text of at most `max` characters that is not blank. */
export function printableText(max: number): object {
  const pattern = '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';
  return { type: 'string', minLength: 1, maxLength: max, pattern };
}

/** What the document says about bytes in base64, at least one. */
export const BASE64 = {
  ...{ type: 'string', contentEncoding: 'base64', minLength: 4 },
  pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$',
};

/** Any printable text; names.ts defines which names are recommended (cloud API gaps, 2.9). */
export const Name = Type.Refine(
  Type.String({ description: 'a name of 1 to 64 printable characters', documented: printableText(64) }),
  (text) => isPrintable(text.trim()) && [...text.trim()].length <= 64,
);

/** Any text, as a filter. */
export const Text = Type.String({ description: 'one text', documented: { type: 'string', minLength: 1 } });

/** ASCII only: letters of other scripts look alike, and the same letter can be written in several ways. */
const EMAIL = '^[!-?A-~]{1,64}@[!-?A-~]{1,189}$';

export function isEmail(text: string): boolean {
  return new RegExp(EMAIL).test(text);
}

export const Email = Type.String({
  pattern: EMAIL,
  description: 'an email address in ASCII',
});

/** A text of at most `max` characters, or null. */
export function NullableText(max: number) {
  return Type.Refine(
    Type.Union([Type.String(), Type.Null()], {
      description: `a text of at most ${max} characters, or null`,
      documented: { anyOf: [{ type: 'string', maxLength: max }, { type: 'null' }] },
    }),
    (text) => text === null || [...text].length <= max,
  );
}

export const SpaceParams = Type.Object({ space_id: Uuid });
export const ItemParams = Type.Object({ space_id: Uuid, id: Uuid });

function isPrintable(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}
