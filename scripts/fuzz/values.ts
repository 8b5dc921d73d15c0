/** Values for the schemas of the OpenAPI document: valid and invalid ones. */
import { chance, type Draws, integerBetween } from '../../src/kernel/random.js';
import type { Schema } from '../../test/support/openapi.js';
import { oneIn, pick, textMatching } from './draw.js';

/** Ids that the service returned, by resource family, so that requests refer to existing resources. */
export class Pool {
  readonly #families = new Map<string, string[]>();

  /**
   * Remembers all ids that an answer about `family` contains, at any depth. The ids inside a field belong to the family with
   * the name of the field.
   */
  learn(family: string, answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return;
    for (const [name, value] of Object.entries(answer)) {
      if (name === 'id' && typeof value === 'string') this.#add(family, value);
      else this.learn(/^\d+$/.test(name) ? family : name, value);
    }
  }

  /** An id of the family; sometimes of another family. */
  draw(random: Draws, family: string): string | undefined {
    const own = this.#families.get(family);
    if (own && !oneIn(random, 10)) return pick(random, own);
    const all = [...this.#families.values()];
    return all.length === 0 ? undefined : pick(random, pick(random, all));
  }

  #add(family: string, id: string): void {
    const ids = this.#families.get(family) ?? [];
    ids.push(id);
    if (ids.length > 60) ids.splice(1, 30);
    this.#families.set(family, ids);
  }
}

/** Values with rules that the schemas do not express. Without them, requests would fail at the first check. */
const BY_NAME: Readonly<Record<string, (random: Draws) => unknown>> = {
  serial_number: (random) => String(integerBetween(random, 2_159_018_000, 2_159_018_400)),
  email: (random) => `user${integerBetween(random, 1, 40)}@example.com`,
  firmware_id: (random) => textMatching(random, '^[0-9a-f]{32}$'),
  transformation: (random) =>
    pick(random, [
      'function main(job) { return { url: "http://127.0.0.1:9/", data: job.message.body }; }',
      'function main() { return null; }',
      'function main() { while (true) {} }',
      'syntax error',
    ]),
  after: (random) => pick(random, ['2016-01-01T08:00:00.000Z', '2030-01-01', '2026-01-01T00:00:00 02:00']),
};

export class Values {
  readonly #random: Draws;
  readonly #pool: Pool;

  constructor(random: Draws, pool: Pool) {
    this.#random = random;
    this.#pool = pool;
  }

  /** A value for the schema, usually a valid one. @param name name of the field or parameter */
  fitting(schema: Schema, name = ''): unknown {
    const random = this.#random;
    const known = BY_NAME[name];
    if (known && !oneIn(random, 5)) return known(random);
    const options = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
    if (options) return this.fitting(pick(random, options), name);
    if (Array.isArray(schema.enum)) return pick(random, schema.enum);
    if ('const' in schema) return schema.const;
    switch (schema.type) {
      case 'string':
        return this.#text(schema, name);
      case 'integer':
      case 'number':
        return integerBetween(random, Number(schema.minimum ?? 0), Math.min(Number(schema.maximum ?? 1000), 1e6));
      case 'boolean':
        return chance(random, 0.5);
      case 'null':
        return null;
      case 'array': {
        const length = integerBetween(random, Number(schema.minItems ?? 0), Math.min(Number(schema.maxItems ?? 4), 4));
        // The cast is safe because `items`, if present, is a schema.
        return Array.from({ length }, () => this.fitting((schema.items ?? {}) as Schema, name));
      }
      case 'object':
        return this.#object(schema, name);
      default:
        return this.#anything(3);
    }
  }

  /** The value with one error. */
  spoilt(value: unknown): unknown {
    const random = this.#random;
    if (typeof value !== 'object' || value === null || oneIn(random, 4)) return this.nasty();
    const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
    const keys = Object.keys(copy);
    if (keys.length === 0 || oneIn(random, 6)) {
      const key = pick(random, ['extra', '__proto__', 'constructor', 'id', '', '9', 'ключ']);
      Object.defineProperty(copy, key, { value: this.nasty(), enumerable: true, configurable: true, writable: true });
      return copy;
    }
    const key = pick(random, keys);
    // The cast is safe because an array can also be changed by its index as text.
    const fields = copy as Record<string, unknown>;
    if (oneIn(random, 4)) delete fields[key];
    else fields[key] = this.spoilt(fields[key]);
    return copy;
  }

  /** A value that often breaks programs. */
  nasty(): unknown {
    const random = this.#random;
    return pick<() => unknown>(random, [
      () => null,
      () => '',
      () => ' ',
      () => '\u0000',
      () => '\ud800',
      () => "'; DROP TABLE device; --",
      () => '%s%n{{7*7}}',
      () => 'x'.repeat(pick(random, [65, 256, 5000, 70_000])),
      () => '😀'.repeat(40),
      () => -1,
      () => 0,
      () => 1.5,
      () => 1e308,
      () => Number.MAX_SAFE_INTEGER + 1,
      () => true,
      () => [],
      () => ({}),
      () => Array(200).fill('a'),
      () => nested(pick(random, [10, 63, 64, 65, 2000])),
      () => ({ toString: 1, __proto__: { a: 1 } }),
      () => '2026-13-45T99:00:00Z',
      () => '00000000-0000-0000-0000-000000000000',
      () => this.#anything(3),
    ])();
  }

  #text(schema: Schema, name: string): string {
    const random = this.#random;
    const { pattern } = schema;
    if (typeof pattern === 'string') {
      const isId = pattern.includes('{8}-') && !oneIn(random, 4);
      return (isId ? this.#pool.draw(random, familyOf(name)) : undefined) ?? textMatching(random, pattern);
    }
    const least = Number(schema.minLength ?? 0);
    const length = integerBetween(random, least, Math.min(Number(schema.maxLength ?? 24), least + 24));
    return textMatching(random, `^[a-zA-Z0-9 _-]{${length}}$`);
  }

  #object(schema: Schema, of: string): unknown {
    const random = this.#random;
    // The cast is safe because these keywords of JSON schema have these shapes.
    const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
    const required = (schema.required ?? []) as readonly string[];
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(properties)) {
      if (required.includes(name) || chance(random, 0.4))
        made[name] = this.fitting(property, name === 'id' ? of : name);
    }
    if (typeof schema.additionalProperties === 'object' && schema.additionalProperties !== null) {
      for (let n = integerBetween(random, 0, 3); n > 0; n--) {
        made[textMatching(random, '^[a-z_]{1,12}$')] = this.fitting(schema.additionalProperties as Schema);
      }
    }
    return made;
  }

  #anything(depth: number): unknown {
    const random = this.#random;
    const simple = [null, true, 0, -7, 3.25, 'text', '{"a":1}', 'app config interval-report 60'];
    if (depth === 0 || chance(random, 0.5)) return pick(random, simple);
    const members = Array.from({ length: integerBetween(random, 0, 3) }, () => this.#anything(depth - 1));
    return chance(random, 0.5) ? members : Object.fromEntries(members.map((value, index) => [`k${index}`, value]));
  }
}

/** The resource family of a name: `devices` for `device_id` and `devices`. */
function familyOf(name: string): string {
  return name.endsWith('_id') ? `${name.slice(0, -3)}s` : name.replace(/_ids$/, 's');
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}
