/** Reads JSON text as a tree in which every value has its line and column, for messages. For YAML, see `readYaml`. */
import { LineCounter } from 'yaml';
import { isTooDeep, TOO_DEEP } from '../kernel/json-size.js';
import { faultsIn } from '../kernel/json-text.js';
import type { LocatedNode, Place } from './document.js';
import { InputError, quote } from './problems.js';

const SPACE = /[ \t\r\n]*/y;
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/y;

/**
 * Reads JSON text.
 * @throws InputError with line and column of the first syntax error, or of all faults (kernel/json-text.ts)
 */
export function readJson(text: string, file: string): LocatedNode {
  if (isTooDeep(text)) throw new InputError([{ file, line: 1, column: 1, message: TOO_DEEP }]);
  const reader = new JsonReader(text, file);
  const root = reader.value();
  reader.end();
  reader.checkFaults();
  return root;
}

class JsonReader {
  readonly #text: string;
  readonly #file: string;
  readonly #lines = new LineCounter();
  /** Offset of the next token. */
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
    this.#lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lines.addNewLine(at + 1);
    // Some programs write a byte order mark before the text.
    if (text.startsWith('\ufeff')) this.#at = 1;
    this.#skipSpace();
  }

  value(): LocatedNode {
    const place = this.#place();
    const token = this.#take();
    if (token === '[') return { kind: 'list', ...place, items: this.#items() };
    if (token === '{') return { kind: 'map', ...place, entries: this.#entries() };
    const value = this.#scalar(token, place, 'a value in JSON');
    return {
      kind: 'scalar',
      ...place,
      value,
      source: typeof value === 'string' ? value : token,
      textColumn: place.column + (typeof value === 'string' ? 1 : 0),
    };
  }

  end(): void {
    const place = this.#place();
    const token = this.#take();
    if (token !== '') this.#fail(place, `${quote(token)} is not the end of the file`);
  }

  /** For valid JSON: @throws InputError if keys or texts are at fault */
  checkFaults(): void {
    const faults = faultsIn(this.#text);
    if (faults.length === 0) return;
    throw new InputError(
      faults.map(({ at, path, message }) => {
        const where = path.length === 0 ? 'the file' : quote(path.join('/').toWellFormed());
        return { ...this.#place(at), message: `${where} ${message}`.toWellFormed() };
      }),
    );
  }

  #items(): LocatedNode[] {
    const items: LocatedNode[] = [];
    if (this.#takeIf(']')) return items;
    do items.push(this.value());
    while (this.#continues(']'));
    return items;
  }

  #entries(): Map<string, { key: Place; value: LocatedNode }> {
    const entries = new Map<string, { key: Place; value: LocatedNode }>();
    if (this.#takeIf('}')) return entries;
    do {
      const key = this.#place();
      const token = this.#take();
      const name = this.#scalar(token, key, 'a key in quotation marks');
      if (typeof name !== 'string') this.#fail(key, `${quote(token)} is not a key in quotation marks`);
      const colon = this.#place();
      if (!this.#takeIf(':')) this.#fail(colon, `${shown(this.#take())} is not a colon`);
      entries.set(name, { key, value: this.value() });
    } while (this.#continues('}'));
    return entries;
  }

  /** Whether another item follows. */
  #continues(close: string): boolean {
    if (this.#takeIf(',')) return true;
    const place = this.#place();
    if (!this.#takeIf(close)) this.#fail(place, `${shown(this.#take())} is not a comma or ${quote(close)}`);
    return false;
  }

  #scalar(token: string, place: Place, wanted: string): string | number | boolean | null {
    try {
      return JSON.parse(token) as string | number | boolean | null;
    } catch {
      return this.#fail(place, `${shown(token)} is not ${wanted}`);
    }
  }

  #takeIf(token: string): boolean {
    if (this.#text[this.#at] !== token) return false;
    this.#take();
    return true;
  }

  /** The next token; at the end of the file an empty text. */
  #take(): string {
    TOKEN.lastIndex = this.#at;
    // An unfinished text is not a token: it goes up to the end of the file.
    const token = TOKEN.exec(this.#text)?.[0] ?? this.#text.slice(this.#at);
    this.#at += token.length;
    this.#skipSpace();
    return token;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #place(at = this.#at): Place {
    const { line, col } = this.#lines.linePos(at);
    return { file: this.#file, line, column: col };
  }

  #fail(place: Place, message: string): never {
    throw new InputError([{ ...place, message }]);
  }
}

function shown(token: string): string {
  return token === '' ? 'the end of the file' : quote(token);
}
