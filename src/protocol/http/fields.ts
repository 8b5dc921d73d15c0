/** Reads fields of JSON from the peer. An error names the field, its value and the expected form. */
import { readBase64 } from '../../kernel/bytes.js';
import { isObject } from '../../kernel/json-text.js';
import { fromHex } from '../hashes.js';
import { MessageError } from '../messages/error.js';
import { uuidBytes } from '../uuid.js';

const LONGEST_QUOTE = 40;

/** The fields of a JSON object. A reader yields undefined for a field that is missing or null. */
export class JsonFields {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #where: string;

  /** @param where name of the object in messages, such as `body` @throws MessageError unless `value` is an object */
  constructor(value: unknown, where: string) {
    if (!isObject(value)) throw new MessageError('malformed', `${where} is not a JSON object`);
    this.#fields = value;
    this.#where = where;
  }

  text(name: string): string | undefined {
    return this.#read(name, 'a text', (value) => (typeof value === 'string' ? value : undefined));
  }

  int(name: string): number | undefined {
    return this.#read(name, 'a whole number', (value) => (Number.isSafeInteger(value) ? (value as number) : undefined));
  }

  uint(name: string): number | undefined {
    const wanted = 'a whole number from 0';
    return this.#read(name, wanted, (value) =>
      Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined,
    );
  }

  bool(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  /** 16 hex digits, converted to lower case. */
  hash(name: string): string | undefined {
    return this.#read(name, '16 hex digits', (value) => matching(value, /^[0-9a-f]{16}$/i)?.toLowerCase());
  }

  /** A text of up to 19 decimal digits: a whole number that fits into 64 bits. */
  digits(name: string): string | undefined {
    return this.#read(name, 'a text of up to 19 digits', (value) => matching(value, /^\d{1,19}$/));
  }

  base64(name: string): Uint8Array | undefined {
    return this.#read(name, 'base64', (value) => {
      const bytes = typeof value === 'string' ? readBase64(value) : undefined;
      return bytes && new Uint8Array(bytes);
    });
  }

  hex(name: string): Uint8Array | undefined {
    const text = this.#read(name, 'pairs of hex digits', (value) => matching(value, /^(?:[0-9a-f]{2})*$/i));
    return text === undefined ? undefined : fromHex(text);
  }

  uuid(name: string): Uint8Array | undefined {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
    const text = this.#read(name, 'a UUID', (value) => matching(value, form));
    return text === undefined ? undefined : uuidBytes(text);
  }

  texts(name: string): readonly string[] | undefined {
    return this.#read(name, 'a list of texts', (value) => (isTexts(value) ? value : undefined));
  }

  list(name: string): readonly unknown[] | undefined {
    return this.#read(name, 'a list', (value) => (Array.isArray(value) ? value : undefined));
  }

  object(name: string): JsonFields | undefined {
    const value = this.plain(name);
    return value && new JsonFields(value, this.#place(name));
  }

  /** A JSON object, without a reader for its fields. */
  plain(name: string): Readonly<Record<string, unknown>> | undefined {
    return this.#read(name, 'a JSON object', (value) => (isObject(value) ? value : undefined));
  }

  /** Requires a field: `fields.need('id', fields.uuid('id'))`. @throws MessageError when it is undefined */
  need<T>(name: string, value: T | undefined): T {
    if (value !== undefined) return value;
    throw new MessageError('malformed', `${this.#where} needs "${name}"`);
  }

  #read<T>(name: string, wanted: string, as: (value: unknown) => T | undefined): T | undefined {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    if (value === undefined || value === null) return undefined;
    const read = as(value);
    if (read !== undefined) return read;
    throw new MessageError('malformed', `${this.#place(name)}${quoted(value)} is not ${wanted}`);
  }

  #place(name: string): string {
    return `${this.#where}/${name}`;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function matching(value: unknown, form: RegExp): string | undefined {
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

function quoted(value: unknown): string {
  if (typeof value === 'object') return '';
  if (typeof value !== 'string') return ` ${value}`;
  return ` "${value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE)}…` : value}"`;
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
