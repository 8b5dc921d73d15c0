/**
 * What a request looks at in its answer: checks such as `status == 200`, `$.count >= 1`, `header content-type contains json`,
 * `$[*].id exists`, and captured values. A path with `[*]` has several values: a check holds if one of them fits, and the first
 * one is captured.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { LineError } from '../../input/line-error.js';
import { didYouMean, quote } from '../../input/problems.js';
import { quoteChangedNumbers } from '../../kernel/json-numbers.js';
import { foreignJson } from '../../kernel/json-text.js';
import { findAll, PATH_FORM, readPath } from './json-path.js';
import { asText, fill, type LookUp, readTemplate } from './template.js';

/** A response as far as checks look at it. */
export interface SeenAnswer {
  readonly status: number;
  readonly headers?: IncomingHttpHeaders | undefined;
  readonly body: string;
  /** Why the body cannot be read, such as its charset. Left out if it can. */
  readonly unreadable?: string | undefined;
}

/** A check as plain data, for a plan. */
export interface CheckSpec {
  /** `status`, `body`, `header content-type` or a JSON path. */
  readonly of: string;
  readonly is: Operator;
  /** Left out for `exists`; may have placeholders. */
  readonly value?: string;
  /** How reports name the check, without the value of a scenario variable, which may be secret. */
  readonly shown: string;
}

/** Longer ones before their beginnings. */
const OPERATORS = ['==', '!=', '<=', '>=', '<', '>', 'contains', 'exists'] as const;
type Operator = (typeof OPERATORS)[number];

/** What a check looks like, for messages. */
const CHECK_FORM = 'a check such as "status == 200", "$.count >= 1", "header etag exists" or "body contains ok"';
const SOURCES = ['status', 'body', 'header', 'cookie', '$'];

/** The length of `status`, `body`, `header NAME`, `cookie NAME` or a path at the beginning of a text. @throws LineError */
function sourceLength(text: string): number {
  if (text.startsWith('$')) {
    const read = readPath(text);
    if (read === undefined) throw new LineError(1, `${quote(text)} does not begin with ${PATH_FORM}`);
    return read.length;
  }
  const found = /^(?:status|body|header\s+[\w-]+|cookie\s+[\w.-]+)(?![\w-])/i.exec(text)?.[0];
  if (found !== undefined) return found.length;
  const [word = ''] = text.split(/\s/, 1);
  throw new LineError(
    1,
    `${quote(word)} is not "status", "header NAME", "cookie NAME", "body" or a JSON path${didYouMean(word, SOURCES)}`,
  );
}

/** Reads what is captured: `$[0].id`, `header location`. @throws LineError */
export function readSource(text: string): string {
  const source = text.trim();
  const length = sourceLength(source);
  if (length < source.length)
    throw new LineError(length + 1, `${quote(source.slice(length))} is not a part of ${PATH_FORM}`);
  return source;
}

/** Reads a check. @param isOpen whether reports may show its value @throws LineError */
export function readCheck(line: string, isOpen: boolean): CheckSpec {
  const text = line.trim();
  const length = sourceLength(text);
  const rest = text.slice(length);
  const operator = rest.trimStart();
  const column = text.length - operator.length + 1;
  const is = OPERATORS.find((each) => operator.startsWith(each));
  if (is === undefined) {
    const [word = ''] = operator.split(/\s/, 1);
    const meant = word === '=' ? ' (did you mean "=="?)' : word === '' ? '' : didYouMean(word, OPERATORS);
    throw new LineError(column, `${word === '' ? quote(text) : quote(word)} is not ${CHECK_FORM}${meant}`);
  }
  const of = text.slice(0, length).replace(/\s+/g, ' ');
  const value = operator.slice(is.length).trim();
  if (is === 'exists') {
    if (value !== '') throw new LineError(column + is.length + 1, `"exists" has no value: ${quote(value)}`);
    return { of, is, shown: `${of} exists` };
  }
  if (value === '') throw new LineError(column, `${quote(text)} needs a value after ${quote(is)}`);
  if (of.toLowerCase() === 'status' && !/^([1-9]\d\d|\{.*\})$/.test(value))
    throw new LineError(text.length - value.length + 1, `${quote(value)} is not an HTTP status from 100 to 999`);
  if (/[<>]/.test(is) && readTemplate(value).names.length === 0 && Number.isNaN(asNumber(literal(value))))
    throw new LineError(text.length - value.length + 1, `${quote(value)} is not a number; only numbers have an order`);
  return { of, is, value, shown: `${of} ${is} ${isOpen ? value : '…'}` };
}

/** Finds the values of `status`, `body`, a header or a path in an answer. */
type Source = (answer: AnswerReader) => Iterable<unknown>;

export function prepareSource(of: string): Source {
  if (of.startsWith('$')) {
    const { path = [] } = readPath(of) ?? {};
    return (answer) => (answer.json === undefined ? [] : findAll(answer.json, path));
  }
  const [kind = '', name = ''] = of.toLowerCase().split(/\s+/);
  if (kind === 'cookie') return ({ headers }) => findCookies(headers['set-cookie'], of.slice(-name.length));
  if (kind === 'status') return ({ status }) => [status];
  if (kind === 'body') return ({ body }) => [body];
  return ({ headers }) => {
    const value = headers[name];
    return value === undefined ? [] : [value].flat();
  };
}

/** Whether a check or a capture looks into the body of an answer. */
export function isOfBody(of: string): boolean {
  return of.startsWith('$') || of.toLowerCase() === 'body';
}

/** The values that a server gives a cookie: of several, browsers keep the last one. */
function findCookies(set: string | readonly string[] | undefined, wanted: string): readonly string[] {
  return [set ?? []]
    .flat()
    .flatMap((line) => {
      const [pair = ''] = line.split(';', 1);
      const end = pair.indexOf('=');
      return end >= 0 && pair.slice(0, end).trim() === wanted ? [pair.slice(end + 1).trim()] : [];
    })
    .reverse();
}

/** @returns whether a check holds */
export function prepareCheck({ of, is, value = '' }: CheckSpec): (answer: AnswerReader, lookUp: LookUp) => boolean {
  const source = prepareSource(of);
  const template = readTemplate(value);
  return (answer, lookUp) => {
    const wanted = fill(template, lookUp);
    for (const found of source(answer)) if (fits(found, is, wanted)) return true;
    return false;
  };
}

/** One answer; its JSON is parsed once, and only if it is needed. */
export class AnswerReader {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly #unreadable: string | undefined;
  #json: { readonly value: unknown } | undefined;

  constructor({ status, headers = {}, body, unreadable }: SeenAnswer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.#unreadable = unreadable;
  }

  /** Why nothing can be found for a check or a capture, as a short fixed text; empty if it can be looked for. */
  obstacleTo(of: string): string {
    if (!isOfBody(of)) return '';
    if (this.#unreadable !== undefined) return this.#unreadable;
    return of.startsWith('$') && this.json === undefined ? notJsonBecause(this.body) : '';
  }

  /** The body as JSON; undefined if it is not JSON. Numbers that JavaScript would change, such as long ids, are texts. */
  get json(): unknown {
    this.#json ??= { value: foreignJson(quoteChangedNumbers(this.body)) };
    return this.#json.value;
  }
}

/** Why a body that is not JSON is not, as a short fixed text. */
export function notJsonBecause(body: string): string {
  if (body.trim() === '') return 'the answer is empty';
  return /^\s*</.test(body) ? 'the answer is HTML instead of JSON' : 'the answer is not JSON';
}

function fits(found: unknown, is: Operator, wanted: string): boolean {
  switch (is) {
    case 'exists':
      return true;
    case 'contains':
      return asText(found).includes(unquoted(wanted) ?? wanted);
    case '==':
      return isEqual(found, wanted);
    case '!=':
      return !isEqual(found, wanted);
    default:
      return isOrdered(found, is, wanted);
  }
}

function isEqual(found: unknown, wanted: string): boolean {
  const value = literal(wanted);
  if (typeof found === 'string') return found === wanted || found === value;
  if (typeof value === 'object' && value !== null) return isDeepStrictEqual(found, value);
  return typeof value === 'string' ? asText(found) === value : asText(found) === asText(value);
}

/** Numbers, also those in texts, are compared as numbers; nothing else has an order. */
function isOrdered(found: unknown, is: Operator, wanted: string): boolean {
  const [one, other] = [asNumber(found), asNumber(literal(wanted))];
  if (is === '<') return one < other;
  if (is === '<=') return one <= other;
  return is === '>' ? one > other : one >= other;
}

function asNumber(value: unknown): number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN;
}

/** `5`, `true`, `null`, `[1]` and `"a text"` as in JSON; anything else is a text, and so are long numbers. */
function literal(text: string): unknown {
  return unquoted(text) ?? foreignJson(quoteChangedNumbers(text)) ?? text;
}

/** A text in quotation marks without them; undefined for any other text. */
function unquoted(text: string): string | undefined {
  if (/^'.*'$/s.test(text)) return text.slice(1, -1);
  const value = text.startsWith('"') ? foreignJson(text) : undefined;
  return typeof value === 'string' ? value : undefined;
}
