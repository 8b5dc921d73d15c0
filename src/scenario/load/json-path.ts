/**
 * Paths into JSON, a small part of RFC 9535: `$`, keys (`.id`, `["a b"]`), indexes (`[0]`, `[-1]` from the end) and `[*]` for
 * all items of a list or all values of an object. As in JavaScript, `.length` of a list is the number of its items.
 */
import { isObject } from '../../kernel/json-text.js';

/** A key, an index, or null for `[*]`. */
type Part = string | number | null;
type JsonPath = readonly Part[];

/** What a path looks like, for messages. */
export const PATH_FORM = 'a path into JSON such as "$.id", "$[0].name" or "$[*].id"';

const PART =
  /\.([a-z_\u0080-\uffff][\w\u0080-\uffff-]*)|\[(-?\d{1,9})\]|\[(\*)\]|\[("(?:[^"\\]|\\.)*")\]|\['([^'\\]*)'\]/iy;

/** Reads the path at the beginning of `text`. @returns undefined if there is none, or one with an error */
export function readPath(text: string): { readonly path: JsonPath; readonly length: number } | undefined {
  if (!text.startsWith('$')) return undefined;
  const path: Part[] = [];
  let at = 1;
  while (at < text.length && /[.[]/.test(text[at] ?? '')) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) return undefined;
    const [whole, key, index, star, quoted, single] = found;
    at += whole.length;
    if (star !== undefined) path.push(null);
    else if (index !== undefined) path.push(Number(index));
    else path.push(key ?? single ?? keyIn(quoted ?? '""'));
  }
  return { path, length: at };
}

function keyIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    // An escape that JSON does not have stands for itself.
    return quoted.slice(1, -1);
  }
}

/** The values at a path, in the order of the text. */
export function* findAll(value: unknown, path: JsonPath, from = 0): Generator<unknown, void> {
  const part = path[from];
  if (part === undefined) {
    yield value;
    return;
  }
  if (part === null) {
    if (Array.isArray(value) || isObject(value))
      for (const item of Object.values(value)) yield* findAll(item, path, from + 1);
    return;
  }
  if (typeof part === 'number') {
    if (!Array.isArray(value)) return;
    const index = part < 0 ? value.length + part : part;
    if (index in value) yield* findAll(value[index], path, from + 1);
    return;
  }
  if (Array.isArray(value) && part === 'length') yield* findAll(value.length, path, from + 1);
  if (isObject(value) && Object.hasOwn(value, part)) yield* findAll(value[part], path, from + 1);
}
