/**
 * Says of the syntax errors of a YAML text what its author has to change. Behind an error, the library reads on as well as it
 * can, and reports what follows from this as errors of other lines: they are left out.
 */
import { Lexer, type YAMLError } from 'yaml';
import { oneLine, quote } from './problems.js';

interface SyntaxProblem {
  /** Offset in the text. */
  readonly at: number;
  readonly message: string;
}

/** Limit of characters in a message of the library, which may quote large parts of the file. */
const LONGEST_COMPLAINT = 160;

/** Errors behind which the library reads the rest of the text as it is meant. */
const HARMLESS: ReadonlySet<string> = new Set<YAMLError['code']>([
  ...(['ALIAS_PROPS', 'BAD_ALIAS', 'BAD_DIRECTIVE', 'BAD_DQ_ESCAPE'] as const),
  ...(['MULTIPLE_ANCHORS', 'MULTIPLE_TAGS', 'TAG_RESOLVE_FAILED'] as const),
]);

/** Whether the structure of the text is unknown behind the error. */
export function isBreaking({ code }: YAMLError): boolean {
  return !HARMLESS.has(code);
}

export function sentenceOf({ message }: YAMLError): string {
  return oneLine(message, LONGEST_COMPLAINT);
}

/** What the errors, which are all breaking, are about: tabs, missing blanks, and otherwise the first of them. */
export function findSyntaxProblems(text: string, errors: readonly YAMLError[]): readonly SyntaxProblem[] {
  const tabs = errors.filter(({ code }) => code === 'TAB_AS_INDENT');
  if (tabs.length > 0) {
    return tabs.map(({ pos: [at] }) => ({ at, message: 'a tab cannot indent a line; indent it with blanks' }));
  }
  const sorted = [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
  const [first] = sorted;
  if (first === undefined) return [];
  const blanks: SyntaxProblem[] = [];
  let end = -1;
  for (const error of sorted) {
    // Once for each line: there may be thousands of errors in one.
    if (end >= error.pos[0]) continue;
    const found = findMissingBlank(text, error);
    if (found !== undefined) blanks.push(found);
    end = text.indexOf('\n', error.pos[0]);
    if (end < 0) break;
  }
  return findMissingBlank(text, first) === undefined ? [describe(text, first), ...blanks] : blanks;
}

function describe(text: string, error: YAMLError): SyntaxProblem {
  const [at] = error.pos;
  return (
    findOpen(text, error) ??
    findColonInValue(text, error) ??
    findBrackets(text, error) ??
    findOddColumn(text, error) ??
    findMissingColon(text, error) ?? { at, message: sentenceOf(error) }
  );
}

interface Line {
  /** Offset of its first character. */
  readonly start: number;
  /** Columns of its dashes, and of its key, from 1. */
  readonly dashes: readonly number[];
  readonly key: number | undefined;
  /** Column of the first character that is not a blank. */
  readonly column: number;
  /** The text from the key on, or from what stands in its place. */
  readonly rest: string;
}

const KEY = /^([^\s"'#&*!|>{[\]},-][^:#]*):(?=\s|$)/;

/** The line around an offset; undefined if it is empty or a comment. */
function readLine(text: string, offset: number): Line | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? undefined : end).trimEnd();
  const [lead = ''] = /^ *(?:- +)*/.exec(line) ?? [];
  const rest = line.slice(lead.length);
  const column = line.search(/\S/) + 1;
  if (column === 0 || line[column - 1] === '#') return undefined;
  const dashes = [...lead.matchAll(/-/g)].map(({ index }) => index + 1);
  return { start, dashes, key: KEY.test(rest) ? lead.length + 1 : undefined, column, rest };
}

function* linesBelow(text: string, offset: number): Generator<Line> {
  for (let at = text.indexOf('\n', offset); at >= 0; at = text.indexOf('\n', at + 1)) {
    const line = readLine(text, at + 1);
    if (line !== undefined) yield line;
  }
}

/** The lines above the one around an offset, the nearest first. */
function* linesAbove(text: string, offset: number): Generator<Line> {
  for (let at = text.lastIndexOf('\n', offset - 1); at >= 0; at = text.lastIndexOf('\n', at - 1)) {
    const line = readLine(text, at);
    if (line !== undefined) yield line;
    if (at === 0) return;
  }
}

/** `duration:1h`, `-name: cellar` */
function findMissingBlank(text: string, { pos: [offset] }: YAMLError): SyntaxProblem | undefined {
  const line = readLine(text, offset);
  if (line === undefined) return undefined;
  const at = line.start + text.slice(line.start).indexOf(line.rest);
  const [, mark, value] =
    /^([A-Za-z][\w.-]*:)([^\s:/].*)$/.exec(line.rest) ?? /^(-)([A-Za-z].*)$/.exec(line.rest) ?? [];
  if (mark === undefined || value === undefined) return undefined;
  const what = mark === '-' ? 'dash' : 'colon';
  return { at, message: `${quote(line.rest)} has no blank after the ${what}; write ${quote(`${mark} ${value}`)}` };
}

/** A quotation mark or bracket that is not closed. */
function findOpen(text: string, { message, pos: [end] }: YAMLError): SyntaxProblem | undefined {
  const [, quoted, bracket] = /^Missing closing (["'])|end with a ([\]}])/.exec(message) ?? [];
  const wanted = quoted ?? (bracket === '}' ? '{' : bracket && '[');
  if (wanted === undefined) return undefined;
  const open: { readonly at: number; readonly mark: string }[] = [];
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (at >= end) break;
    if (NOT_IN_TEXT.has(lexeme)) continue;
    if (lexeme === '}' || lexeme === ']') open.pop();
    else if (/^(?:[{[]|(["'])(?!.*\1$).*|["'])$/s.test(lexeme)) open.push({ at, mark: lexeme[0] ?? '' });
    at += lexeme.length;
  }
  const found = open.findLast(({ mark }) => mark === wanted);
  if (found === undefined) return undefined;
  const [rest = ''] = text.slice(found.at).split('\n', 1);
  const what = quoted === undefined ? `has no closing "${bracket}"` : `has no closing quotation mark (${quoted})`;
  return { at: found.at, message: `${quote(quoted === undefined ? rest : rest.slice(1))} ${what}` };
}

/** Lexemes of the library that stand for no character. */
const NOT_IN_TEXT: ReadonlySet<string> = new Set(['\x02', '\x18', '\x1f']);

/** `about: fleet: the first` */
function findColonInValue(text: string, { code, pos: [at] }: YAMLError): SyntaxProblem | undefined {
  const line = readLine(text, at);
  const [value = ''] = text.slice(at).split('\n', 1);
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' || line?.key === undefined || at < line.start + line.key) return undefined;
  if (!/:(\s|$)/.test(value)) return undefined;
  return { at, message: `${quote(value.trim())} contains ": ", so it needs quotation marks around it` };
}

/** `get: /spaces/{space}` in braces, `{location}/parts`, `"$.id" == 5`: brackets or quotation marks in a text without marks. */
function findBrackets(text: string, { message, pos: [at] }: YAMLError): SyntaxProblem | undefined {
  const isInside =
    /[{[]/.test(text[at] ?? '') && /^(?:Unexpected flow-.*-start at node end|Missing , or :)/.test(message);
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const isBehind = message === 'Unexpected scalar at node end' && /[}\]"']\s*$/.test(text.slice(start, at));
  if (!isInside && !isBehind) return undefined;
  const [lead = ''] = /^(?:.*[:,]\s+|\s*(?:- +)*)(?:[{[]\s*)*/.exec(text.slice(start, at)) ?? [];
  const before = isInside ? lead : lead.replace(/(?<![{[\s])[{[\s]+$/, (open) => open.replace(/\S.*$/s, ''));
  const [rest = ''] = /^(?:[{[][^{}[\]\n]*[}\]]|[^,{}[\]\n])+/.exec(text.slice(at)) ?? [];
  const value = text.slice(start + before.length, at) + rest.trimEnd();
  // Otherwise, it is a part of several values.
  if (/[{}[\]]/.test(value.replace(/\{[^{}[\]]*\}|\[[^{}[\]]*\]/g, ''))) return undefined;
  return { at: start + before.length, message: `${quote(value)} needs quotation marks around all of it` };
}

/** A line that does not begin in the column of its neighbours. */
function findOddColumn(text: string, { code, pos: [at] }: YAMLError): SyntaxProblem | undefined {
  const line = readLine(text, at);
  if (line === undefined) return undefined;
  if (at > line.start + line.column - 1) {
    // The value in this line goes on in the next one, which has a key.
    const [below] = linesBelow(text, at);
    const { key } = line;
    return code === 'BLOCK_AS_IMPLICIT_KEY' && below?.key !== undefined && key !== undefined
      ? sayColumn(below, { column: key, line }, 'above')
      : undefined;
  }
  if (line.key === undefined && line.dashes.length === 0) return undefined;
  const above = [...linesAbove(text, line.start)];
  const top = above.at(-1);
  if (top !== undefined && line.column < top.column) return sayColumn(top, { column: line.column, line }, 'below');
  const nearest = findNearest(line, above);
  return nearest && sayColumn(line, nearest, 'above');
}

interface Neighbour {
  readonly column: number;
  readonly line: Line;
}

/** The place above in which the line may begin, and which is nearest to its own. @param above the nearest line first */
function findNearest(line: Line, above: readonly Line[]): Neighbour | undefined {
  const places: Neighbour[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const other of above) {
    const columns = line.dashes.length > 0 ? other.dashes : other.key === undefined ? [] : [other.key];
    places.push(...columns.filter((column) => column < least).map((column) => ({ column, line: other })));
    least = Math.min(least, other.column);
  }
  const far = ({ column }: Neighbour) => Math.abs(column - line.column);
  return places.reduce<Neighbour | undefined>(
    (best, place) => (best === undefined || far(place) < far(best) ? place : best),
    undefined,
  );
}

function sayColumn(line: Line, neighbour: Neighbour, where: 'above' | 'below'): SyntaxProblem | undefined {
  if (line.column === neighbour.column) return undefined;
  const what = `that of ${nameLine(neighbour.line)} ${where} it`;
  return {
    at: line.start + line.column - 1,
    message: `${nameLine(line)} begins in column ${line.column}: begin it in column ${neighbour.column}, ${what}`,
  };
}

/** Its key, or all of it. */
function nameLine({ rest, key }: Line): string {
  return quote(key === undefined ? rest : (KEY.exec(rest)?.[1] ?? rest));
}

/** A line in the place of a key. */
function findMissingColon(text: string, { code, pos: [at] }: YAMLError): SyntaxProblem | undefined {
  const line = code === 'MULTILINE_IMPLICIT_KEY' || code === 'MISSING_CHAR' ? readLine(text, at) : undefined;
  if (line === undefined || line.key !== undefined || at > line.start + line.column - 1) return undefined;
  return { at, message: `${quote(line.rest)} is not a key and a value, such as "name: cellar"` };
}
