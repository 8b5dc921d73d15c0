/** JSON for reading and for comparing line by line: a value is in one line if it fits, and keys keep their order. */

const WIDTH = 125;

/** `value` without its outermost braces. */
export function jsonLines(value: object): readonly string[] {
  return Object.entries(value).flatMap(([key, item]) => valueLines(`${key}: `, item, WIDTH));
}

/** `value` after `lead`, which is a key or the dash of a list. */
function valueLines(lead: string, value: unknown, width: number): readonly string[] {
  const short = lead + inline(value);
  if (short.length <= width || value === null || typeof value !== 'object') return [short];
  const inner = Array.isArray(value)
    ? value.flatMap((item) => valueLines('- ', item, width - 2))
    : Object.entries(value).flatMap(([key, item]) => valueLines(`${key}: `, item, width - 2));
  const [first = '', ...more] = inner;
  if (lead === '- ') return [lead + first, ...more.map((line) => `  ${line}`)];
  return [lead.trimEnd(), ...inner.map((line) => `  ${line}`)];
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).map(([key, item]) => `${key}: ${inline(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
