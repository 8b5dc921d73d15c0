/**
 * Codecs: the meaning of the integer keys of a data message.
 *
 * A profile declares a codec document, and a device uploads it. Firmware and cloud use the compiled codec, a flat table of
 * keys: a device may send a key inside any map, regardless of its place in the document (wire W-63).
 */
import { isError } from '../kernel/errors.js';
import { type CborValue, decodeCbor, encodeCbor } from './cbor.js';
import { codecHash, type Hash } from './hashes.js';
import { MOST_DECIMALS, type Modifier } from './modifiers.js';

/** A codec document, written in YAML and sent in CBOR (wire W-61). */
export interface CodecDocument {
  readonly version: 2;
  /** A decoder reads uplinks; an encoder writes downlinks. */
  readonly type: 'decoder' | 'encoder';
  readonly name: string;
  readonly schema: readonly CodecEntry[];
}

/** A field, or a modifier if the name begins with `$`. */
export interface CodecEntry {
  readonly name: string;
  readonly value: CodecValue;
}

/** Of a field: null, or a list of modifiers and child fields. Of a modifier: its argument. */
export type CodecValue = null | number | string | readonly string[] | readonly CodecEntry[];

/** Name and modifiers of a value. A decoder applies the modifiers from the wire to JSON, an encoder from JSON to the wire. */
export interface CodecColumn {
  readonly name: string;
  /** Name in JSON: the value of `$key`, or `name` if there is none. */
  readonly outputName: string;
  /** In the order in which they apply. */
  readonly modifiers: readonly Modifier[];
  /** `$type`, in encoders. */
  readonly type: 'int' | 'float' | 'bool' | 'string' | undefined;
}

/** A field with its key on the wire. */
export interface CodecField extends CodecColumn {
  /** The key on the wire. */
  readonly number: number;
  /** The names from the root: `hygrometer.temperature.events`. */
  readonly path: string;
  /** Layout of an array of this field; undefined for a plain list. */
  readonly series: CodecSeries | undefined;
}

/** `period`: start, period, rows (`$tsp`); `offsets`: start, then offset and row (`$tso`); `frames`: `$wmbus`. */
export type CodecSeries =
  | { readonly kind: 'period' | 'offsets'; readonly columns: readonly CodecColumn[] }
  | { readonly kind: 'frames' };

export interface Codec {
  readonly document: CodecDocument;
  readonly hash: Hash;
  /** The document in CBOR, as uploaded. */
  readonly bytes: Uint8Array;
  readonly keys: readonly CodecField[];
  /** The keys by path, such as `hygrometer.temperature.events`. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** A codec document is invalid, or a value does not fit the encoder. The message lists the problems. */
export class CodecError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'CodecError';
    this.problems = problems;
  }
}

/** Encodes a document to the same bytes as the vendor's generator, so that the hash is the same. */
function encodeCodecDocument(document: CodecDocument): Uint8Array {
  return encodeCbor(
    new Map<string, CborValue>([
      ['version', document.version],
      ['type', document.type],
      ['name', document.name],
      ['schema', valueToCbor(document.schema)],
    ]),
  );
}

/**
 * Reads and compiles a codec document as a device uploads it, with keys in any order.
 * @param as the type under which the document is uploaded. Default: the type in the document
 * @throws CodecError with all problems
 */
export function readCodec(bytes: Uint8Array, as?: CodecDocument['type']): Codec {
  const problems: string[] = [];
  const document = readDocument(bytes, problems);
  if (as !== undefined && isType(document.type) && document.type !== as) {
    problems.push(`the type of the codec is "${document.type}", but it is uploaded as "${as}"`);
  }
  return compile(document, bytes, problems);
}

/** Numbers the fields and checks the modifiers. @throws CodecError with all problems */
export function compileCodec(document: CodecDocument): Codec {
  return compile(document, encodeCodecDocument(document), []);
}

/** The parts of a document that are valid. */
function readDocument(bytes: Uint8Array, problems: string[]): CodecDocument {
  const root = decodeDocument(bytes);
  const [version, type, name] = ['version', 'type', 'name'].map((key) => root.get(key));
  if (version !== 2) problems.push(`the version of a codec must be 2, not ${show(version)}`);
  if (!isType(type)) {
    problems.push(`the type of a codec must be "decoder" or "encoder", not ${show(type)}`);
  }
  if (typeof name !== 'string') problems.push(`the name of a codec must be a text, not ${show(name)}`);
  const schema = root.get('schema');
  if (!Array.isArray(schema)) problems.push(`the schema of a codec must be a list, not ${show(schema)}`);
  return {
    version: 2,
    type: type === 'encoder' ? 'encoder' : 'decoder',
    name: String(name),
    schema: Array.isArray(schema) ? entriesFromCbor(schema, 'the schema', problems) : [],
  };
}

function isType(value: unknown): value is CodecDocument['type'] {
  return value === 'decoder' || value === 'encoder';
}

/**
 * @param bytes the document as uploaded; its hash is the hash of the codec
 * @param problems problems that were found before
 */
function compile(document: CodecDocument, bytes: Uint8Array, problems: string[]): Codec {
  const keys: CodecField[] = [];
  const numbers = new Map<string, number>();

  const walk = (entries: readonly CodecEntry[], parent: string): void => {
    for (const entry of fieldsOf(entries)) {
      const path = parent === '' ? entry.name : `${parent}.${entry.name}`;
      if (numbers.has(path)) problems.push(`"${path}" occurs twice`);
      const children = listOf(entry, path, problems);
      numbers.set(path, keys.length);
      keys.push({
        number: keys.length,
        path,
        series: seriesOf(children, path, problems),
        ...columnOf(entry, children, path, problems),
      });
      walk(children, path);
    }
  };
  walk(document.schema, '');
  for (const { name } of document.schema) {
    if (name.startsWith('$')) problems.push(`modifier "${name}" is outside of a field`);
  }
  if (problems.length > 0) throw new CodecError(problems);
  return { document, hash: codecHash(bytes), bytes, keys, numbers };
}

function columnOf(entry: CodecEntry, children: readonly CodecEntry[], path: string, problems: string[]): CodecColumn {
  const { name } = entry;
  const column: ColumnDraft = { name, outputName: name, modifiers: [], type: undefined };
  for (const modifier of children) {
    const read = MODIFIERS.get(modifier.name);
    const wanted = read?.(modifier.value, column);
    if (wanted) problems.push(`${modifier.name} of "${path}" must be ${wanted}, not ${show(modifier.value)}`);
    if (!read && modifier.name.startsWith('$') && !LAYOUTS.has(modifier.name)) {
      problems.push(`"${modifier.name}" of "${path}" is not a modifier`);
    }
  }
  return column;
}

type ColumnDraft = { -readonly [K in keyof CodecColumn]: CodecColumn[K] } & { modifiers: Modifier[] };

/** Adds a modifier with this argument to a column. Returns the wanted form if the argument is not valid. */
type ReadModifier = (value: CodecValue, column: ColumnDraft) => string | undefined;

const TYPES = ['int', 'float', 'bool', 'string'] as const;

const MODIFIERS: ReadonlyMap<string, ReadModifier> = new Map<string, ReadModifier>([
  ['$add', arithmetic('add')],
  ['$sub', arithmetic('sub')],
  ['$mul', arithmetic('mul')],
  ['$div', (value, column) => (value === 0 ? 'a number other than 0' : arithmetic('div')(value, column))],
  [
    '$fpp',
    (value, { modifiers }) => {
      if (!isWhole(value, MOST_DECIMALS)) return `a whole number from 0 to ${MOST_DECIMALS}`;
      modifiers.push({ kind: 'fpp', decimals: value });
      return undefined;
    },
  ],
  [
    '$enum',
    (value, { modifiers }) => {
      if (!isTexts(value)) return 'a list of texts';
      modifiers.push({ kind: 'enum', labels: value });
      return undefined;
    },
  ],
  [
    '$key',
    (value, column) => {
      if (typeof value !== 'string') return 'a text';
      column.outputName = value;
      return undefined;
    },
  ],
  [
    '$type',
    (value, column) => {
      column.type = TYPES.find((word) => word === value);
      return column.type ? undefined : `one of ${TYPES.join(', ')}`;
    },
  ],
]);

function arithmetic(kind: 'add' | 'sub' | 'mul' | 'div'): ReadModifier {
  return (value, { modifiers }) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number';
    modifiers.push({ kind, by: value });
    return undefined;
  };
}

/** Modifiers of a whole array. The meaning of `$mbus`, `$loc` and `$rel` is not public: their arrays stay unchanged. */
const LAYOUTS: ReadonlySet<string> = new Set(['$tsp', '$tso', '$wmbus', '$mbus', '$loc', '$rel']);

function seriesOf(children: readonly CodecEntry[], path: string, problems: string[]): CodecSeries | undefined {
  const found = children.find(({ name }) => name === '$tsp' || name === '$tso' || name === '$wmbus');
  if (found === undefined) return undefined;
  if (found.name === '$wmbus') return { kind: 'frames' };
  const inside = `${path}.${found.name}`;
  const entries = fieldsOf(listOf(found, inside, problems));
  if (entries.length === 0) problems.push(`"${inside}" needs at least one field`);
  const columns = entries.map((entry) => {
    const columnPath = `${inside}.${entry.name}`;
    return columnOf(entry, listOf(entry, columnPath, problems), columnPath, problems);
  });
  return { kind: found.name === '$tsp' ? 'period' : 'offsets', columns };
}

function fieldsOf(entries: readonly CodecEntry[]): readonly CodecEntry[] {
  return entries.filter(({ name }) => !name.startsWith('$'));
}

/** The modifiers and children of a field. */
function listOf(entry: CodecEntry, path: string, problems: string[]): readonly CodecEntry[] {
  const { value } = entry;
  if (value === null) return [];
  if (isEntries(value)) return value;
  problems.push(`"${path}" must be empty or a list of modifiers and fields, not ${show(value)}`);
  return [];
}

function decodeDocument(bytes: Uint8Array): ReadonlyMap<unknown, CborValue> {
  let root: CborValue;
  try {
    root = decodeCbor(bytes);
  } catch (error) {
    throw new CodecError([`the codec is not CBOR: ${isError(error) ? error.message : error}`]);
  }
  if (root instanceof Map) return root;
  throw new CodecError(['the codec is not a map']);
}

/** @param parent the list of the entries, for messages */
function entriesFromCbor(list: readonly CborValue[], parent: string, problems: string[]): readonly CodecEntry[] {
  return list.flatMap((value) => {
    const [pair, ...others] = value instanceof Map ? value : [];
    if (pair === undefined || others.length > 0 || typeof pair[0] !== 'string') {
      problems.push(`an entry of ${parent} must be a map of one name, not ${show(value)}`);
      return [];
    }
    return { name: pair[0], value: valueFromCbor(pair[1], pair[0], problems) };
  });
}

function valueFromCbor(value: CborValue, name: string, problems: string[]): CodecValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === 'string') ? value : entriesFromCbor(value, `"${name}"`, problems);
  }
  problems.push(`"${name}" cannot have the value ${show(value)}`);
  return null;
}

function valueToCbor(value: CodecValue): CborValue {
  if (value === null || typeof value !== 'object') return value;
  return value.map((item: string | CodecEntry) =>
    typeof item === 'string' ? item : new Map([[item.name, valueToCbor(item.value)]]),
  );
}

function isEntries(value: CodecValue): value is readonly CodecEntry[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object');
}

function isTexts(value: CodecValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isWhole(value: CodecValue, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (typeof value === 'object') return value instanceof Map ? 'a map' : 'a list';
  return `"${String(value).slice(0, 60)}"`;
}
