/**
 * The numeric values of bodies: name, least and greatest value, and count.
 *
 * A range with one value reveals this value, so values that could identify a device, a person or a place are left out: by their
 * name, by the form of their name (an address as a key), and by their size (serial numbers and times are large).
 */
export class Shape {
  readonly #ranges = new Map<string, { min: number; max: number; count: number }>();

  add(body: unknown): void {
    this.#walk(body, '', 0);
  }

  /** Ranges sorted by name. */
  ranges(): readonly { readonly key: string; readonly min: number; readonly max: number; readonly count: number }[] {
    return [...this.#ranges].map(([key, range]) => ({ key, ...range })).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #walk(value: unknown, key: string, depth: number): void {
    if (typeof value === 'number') return this.#note(key, value);
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    if (Array.isArray(value)) {
      for (const item of value) this.#walk(item, key, depth + 1);
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (isPlainName(name)) this.#walk(inner, key === '' ? name : `${key}.${name}`, depth + 1);
    }
  }

  #note(key: string, value: number): void {
    if (key === '' || !Number.isFinite(value) || Math.abs(value) > LARGEST) return;
    const range = this.#ranges.get(key);
    if (range === undefined) {
      if (this.#ranges.size < MOST_NAMES) this.#ranges.set(key, { min: value, max: value, count: 1 });
      return;
    }
    range.min = Math.min(range.min, value);
    range.max = Math.max(range.max, value);
    range.count++;
  }
}

const DEEPEST = 10;
const MOST_NAMES = 200;
/** Larger values are left out: serial numbers and Unix times have ten digits. */
const LARGEST = 10_000_000;

/** Names of values that can identify a device, a person or a place. */
const IDENTIFYING =
  /serial|token|key|secret|passw|imei|imsi|iccid|addr|(^|_)(id|uuid|mac|rom|cid|plmn|ip|user|name|phone|mail|lat|lon|pin)(_|$)|earfcn|network|latitude|longitude|altitude|position|location|gnss|gps/;

/** Whether a name looks like that of a codec field and identifies nothing. Addresses and numbers as keys do not pass. */
function isPlainName(name: string): boolean {
  return (
    /^[a-z][a-z_]*(_?\d{1,3}[a-z_]*){0,3}$/.test(name) &&
    name.length <= 40 &&
    !isCodeLike(name) &&
    !IDENTIFYING.test(name)
  );
}

/** Whether a word consists of at least six hex digits with a decimal digit among them, as in `a4c138f00d`. */
function isCodeLike(name: string): boolean {
  return name.split('_').some((word) => word.length >= 6 && /^[0-9a-f]+$/.test(word) && /\d/.test(word));
}
