/**
 * Reads a YAML file as a tree in which every value has its line and column, for messages.
 *
 * Reads YAML 1.2 with the core schema, and merge keys (`<<: *defaults`) as in YAML 1.1: the own keys of a map win, then the
 * earlier map of a list. Accepts only the data model of JSON: aliases are resolved; unknown tags, duplicate keys, entries
 * without a key, and lists or maps as keys are problems. Deep nesting, and aliases that expand to more than 100,000 values, are
 * problems too, because they could exhaust the stack or the memory.
 */
import {
  Composer,
  CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Node as YamlNode,
} from 'yaml';
import { NOT_UNICODE } from '../kernel/json-text.js';
import { hideSecrets } from '../kernel/known-secrets.js';
import { formatProblem, InputError, type Problem, quote } from './problems.js';
import type { NamedText } from './text-file.js';
import { findSyntaxProblems, isBreaking, sentenceOf } from './yaml-errors.js';

/** Where a value is in a file; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ScalarNode extends Place {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** The text as the user wrote it, without quotes. */
  readonly source: string;
  /** Column of the first character of the text, after an opening quotation mark; for messages about a part of the text. */
  readonly textColumn: number;
  /** The variables of the scenario whose values are in the text; missing for none. */
  readonly variables?: readonly string[];
  /** Set if a text of the file, which is not empty, is the value of one of them. */
  readonly isWritten?: true;
}
interface ListNode extends Place {
  readonly kind: 'list';
  readonly items: readonly LocatedNode[];
}
export interface MapNode extends Place {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, { readonly key: Place; readonly value: LocatedNode }>;
}
/** A value of a file, with its place. */
export type LocatedNode = ScalarNode | ListNode | MapNode;

/** Limit of characters of the files of a scenario, where a file counts for each way in which it is read. */
const MOST_READ = 256 * 1024 * 1024;
const TOO_MUCH =
  'the scenario uses its files in too many ways: the limit is 256 MiB, and a file counts for each column, speed and length';

/** Collects problems while a file is read; `finish` throws all of them. */
export class Problems {
  readonly list: Problem[] = [];
  /** Places with a problem that explains all later problems at the same place. */
  readonly #explained = new Set<string>();
  /** What was read from files, by file and way. */
  readonly #read = new Map<string, unknown>();
  /** Characters of the files, counted for each way. */
  #length = 0;
  /** Values that no message may show, each with what stands for it. */
  readonly #hidden: (readonly [value: string, shown: string])[] = [];

  /** Notes a problem with the value at `place`. */
  add(place: Place, message: string): void {
    if (!this.#explained.has(keyOf(place))) this.#push(place, message);
  }

  /** Notes a problem that explains later ones at the same place. Those are not reported. */
  explain(place: Place, message: string): void {
    this.#push(place, message);
    this.#explained.add(keyOf(place));
  }

  /**
   * What `read` makes of a file, with its problems: once for each `how`, because many parts of a scenario can name one file.
   * @throws Error if what was read so far is too much for the memory
   */
  readOnce<T>({ file, text }: NamedText, how: unknown, read: () => T): T {
    const key = JSON.stringify([file, how]);
    // The cast is safe because one reader chooses each `how`.
    if (this.#read.has(key)) return this.#read.get(key) as T;
    this.#length += text.length;
    if (this.#length > MOST_READ) throw new Error(TOO_MUCH);
    const made = read();
    this.#read.set(key, made);
    return made;
  }

  /** Hides a value in all messages. @param shown what stands for it */
  hide(value: string, shown: string): void {
    this.#hidden.push([value, shown]);
  }

  #push(place: Place, message: string): void {
    this.list.push({ file: place.file, line: place.line, column: place.column, message });
  }

  /** @throws InputError with all noted problems, in the order of the file and without duplicates */
  finish(hint?: string): void {
    if (this.list.length === 0) return;
    // A problem in a value that several aliases share is noted several times, and reported once.
    const open = this.list.map((problem) => ({ ...problem, message: this.#withoutHidden(problem.message) }));
    const distinct = [...new Map(open.map((problem) => [formatProblem(problem), problem])).values()];
    distinct.sort((a, b) => a.file.localeCompare(b.file, 'en') || a.line - b.line || a.column - b.column);
    throw new InputError(distinct, hint);
  }

  #withoutHidden(message: string): string {
    return this.#hidden.reduce((text, [value, shown]) => {
      const open = hideSecrets(text, [value], shown);
      // Short values are hidden only as a whole: most messages have them in quotation marks, some at their beginning.
      const parts = open.split(/("|^\S+(?= is ))/);
      return parts.map((part) => hideSecrets(part, [value], shown)).join('');
    }, message);
  }
}

function keyOf({ file, line, column }: Place): string {
  return `${line}:${column}:${file}`;
}

/** Maximum depth of nested lists and maps. */
const DEEPEST = 100;
/** Limit of words, line ends and punctuation marks of a file. Reading this many takes about a second. */
const MOST_LEXEMES = 100_000;
/** Limit of values in a file; a value counts again for each alias of it. */
const LARGEST_EXPANSION = 100_000;

/**
 * Reads YAML text.
 * @throws InputError with line and column of every problem; of syntax errors that follow from each other, of the first
 */
export function readYaml(text: string, file: string): LocatedNode {
  const problems = new Problems();
  const lines = new LineCounter();
  const place: PlaceOf = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const { tokens, refused } = tokensOf(text, lines);
  if (refused !== undefined) {
    problems.add(place(refused.at), refused.why);
    problems.finish();
  }
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  // The check is for the compiler: in this mode, the composer always returns a document.
  if (document === undefined) throw new Error('the YAML library composed no document');
  const broken = document.errors.filter(isBreaking);
  for (const { at, message } of findSyntaxProblems(text, broken)) problems.add(place(at), message);
  for (const error of [...document.errors, ...document.warnings]) {
    if (!isBreaking(error)) problems.add(place(error.pos[0]), sentenceOf(error));
  }
  // Values that were read in spite of these errors are not those that are meant.
  if (broken.length > 0) problems.finish();
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2') {
    problems.add(place(0), `"%YAML ${version}": files are read as YAML 1.2; remove this line`);
    problems.finish();
  }
  if (second) problems.add(place(second.range[0]), 'a second document begins here; a file must have only one');
  const root = new Locator(place, problems).locate(document.contents, place(0));
  problems.finish();
  return root;
}

/** The plain JavaScript value of a node. */
export function plain(node: LocatedNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plain);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.value)]));
    default:
      return node satisfies never;
  }
}

type PlaceOf = (offset: number) => Place;

interface Tokens {
  readonly tokens: CST.Token[];
  /** Where and why splitting ended early; undefined if all of the text was split. */
  readonly refused?: { readonly at: number; readonly why: string };
}

/** Splits a text into tokens while it is not too long or deep: composing nodes is recursive, and could abort the process. */
function tokensOf(text: string, lines: LineCounter): Tokens {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  const refused = (why: string): Tokens => ({ tokens, refused: { at: parser.offset, why } });
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > MOST_LEXEMES)
      return refused(`the file is too long: it has more than ${MOST_LEXEMES} words and marks`);
    for (const token of parser.next(lexeme)) tokens.push(token);
    const { stack } = parser;
    if (stack.length > DEEPEST && stack.filter(CST.isCollection).length > DEEPEST) {
      return refused(`lists and maps are nested deeper than ${DEEPEST} levels`);
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

interface Anchored {
  readonly node: LocatedNode;
  /** Number of values in the node. */
  readonly size: number;
}

/** Converts the nodes of the library to {@link LocatedNode}s, in the order of the file. */
class Locator {
  readonly #place: PlaceOf;
  readonly #problems: Problems;
  /** The values of the anchors so far; 'open' while the value of an anchor is being read. */
  readonly #anchors = new Map<string, Anchored | 'open'>();
  #size = 0;

  constructor(place: PlaceOf, problems: Problems) {
    this.#place = place;
    this.#problems = problems;
  }

  /** @param missing place for messages if `node` is null */
  locate(node: YamlNode | null, missing: Place): LocatedNode {
    if (node === null) return emptyAt(missing);
    const at = this.#place(node.range?.[0] ?? 0);
    if (isAlias(node)) return this.#follow(node.source, at);

    const { anchor } = node;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const before = this.#size++;
    const located = this.#locateContent(node, at);
    if (anchor !== undefined) this.#anchors.set(anchor, { node: located, size: this.#size - before });
    return located;
  }

  #locateContent(node: YamlNode, at: Place): LocatedNode {
    if (isSeq<YamlNode | null>(node))
      return { kind: 'list', ...at, items: node.items.map((item) => this.locate(item, at)) };
    if (isMap<YamlNode | null, YamlNode | null>(node))
      return { kind: 'map', ...at, entries: this.#locateEntries(node.items, at) };
    if (!isScalar(node)) return emptyAt(at);
    if (typeof node.value === 'string' && !node.value.isWellFormed()) {
      this.#problems.add(at, `${quote(node.value.toWellFormed())} ${NOT_UNICODE}`);
    }
    const quoted = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE';
    return {
      kind: 'scalar',
      ...at,
      // The cast is safe because the core schema has no scalars of other types; in the library, the type is unknown.
      value: node.value as ScalarNode['value'],
      source: node.source ?? String(node.value),
      textColumn: at.column + (quoted ? 1 : 0),
    };
  }

  #locateEntries(items: readonly { key: YamlNode | null; value: YamlNode | null }[], at: Place): MapNode['entries'] {
    const entries = new Map<string, { key: Place; value: LocatedNode }>();
    const merged = new Set<string>();
    for (const item of items) {
      const key = this.locate(item.key, at);
      const value = this.locate(item.value, key);
      if (key.kind !== 'scalar' || key.value === null) {
        this.#problems.add(key, 'a key must be plain text');
        continue;
      }
      if (isMergeKey(item.key)) {
        for (const [name, entry] of this.#mergedEntries(value)) {
          if (entries.has(name)) continue;
          entries.set(name, entry);
          merged.add(name);
        }
        continue;
      }
      const name = String(key.value);
      const first = merged.delete(name) ? undefined : entries.get(name);
      if (first) this.#problems.add(key, `duplicate key ${quote(name)}, first used in line ${first.key.line}`);
      else entries.set(name, { key, value });
    }
    return entries;
  }

  /** The entries of the maps of a merge key; those of an earlier map come first. */
  #mergedEntries(value: LocatedNode): readonly (readonly [string, { key: Place; value: LocatedNode }])[] {
    return (value.kind === 'list' ? value.items : [value]).flatMap((map) => {
      if (map.kind === 'map') return [...map.entries];
      this.#problems.add(map, 'the merge key "<<" needs a map or a list of maps, such as "<<: *defaults"');
      return [];
    });
  }

  #follow(anchor: string, at: Place): LocatedNode {
    const target = this.#anchors.get(anchor);
    const alias = quote(`*${anchor}`);
    if (target === undefined)
      this.#problems.add(at, `the alias ${alias} has no anchor ${quote(`&${anchor}`)} above it`);
    else if (target === 'open') this.#problems.add(at, `the alias ${alias} is inside its own anchor`);
    else if (this.#size + target.size > LARGEST_EXPANSION) {
      this.#problems.add(at, `with the alias ${alias} the file expands to more than ${LARGEST_EXPANSION} values`);
    } else {
      this.#size += target.size;
      return target.node;
    }
    return emptyAt(at);
  }
}

/** The key `<<` without quotation marks. */
function isMergeKey(key: YamlNode | null): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.source === '<<';
}

function emptyAt({ file, line, column }: Place): ScalarNode {
  return { kind: 'scalar', file, line, column, value: null, source: '', textColumn: column };
}
