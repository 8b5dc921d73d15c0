/**
 * The grammar of expectations:
 *
 *     expectation = sum comparison sum            downlink.answered within 1h >= 95%
 *                 | "always" invariant            always uplinks-stored-once
 *     comparison  = "==" | "!=" | "<" | "<=" | ">" | ">="
 *     sum         = product { ("+" | "-") product }   uplink.acked + uplink.dropped
 *     product     = factor { ("*" | "/") factor }     downlink.answered / downlink.queued
 *     factor      = number ["%"] | duration | metric [aggregate] ["of" scope | "by" dimension] | "(" sum ")"
 *     aggregate   = "count" | "min" | "max" | "mean" | "p(" number ")" | "within" duration
 *
 * A metric without an aggregate means its count. Both sides are counts, shares or durations (kinds.ts). A minus needs a space
 * before it, because names have hyphens; after a scope "*" and "/" need spaces around them, because selectors use both. A scope
 * is a selector without comparisons, as in `to`: `uplink.stored of region/north`; for metrics of API calls it is a client of
 * the setup or a load: `call.latency p(99) of client/dashboard`, `call.failed of load/morning`, and for a request of its chain `of
 * load/morning/list`. "of" restricts one metric. With "by", which each metric without "of" then has, the expectation holds if it
 * holds for each part of the run: `uplink.stored by region / uplink.made by region >= 99%`. `ghostfleet list metrics` and `ghostfleet list invariants` print the
 * names.
 */
import type { Form } from '../../input/checks.js';
import { LineError } from '../../input/line-error.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import { DURATION_FORM, parseDuration } from '../../kernel/time.js';
import { INVARIANTS } from '../../trace/invariants/index.js';
import { METRICS } from '../../trace/metrics/index.js';
import type { MetricInfo } from '../../trace/metrics/metric.js';
import { findKnownTag } from '../selector/grammar.js';
import type { Selector } from '../selector/selector.js';
import { operate } from './bounds.js';
import {
  type Aggregate,
  CLIENT,
  COMPARISON_OPERATORS,
  type ComparisonOperator,
  DIMENSIONS,
  type Dimension,
  type Expectation,
  type Expression,
  LOAD,
  listTerms,
  type MetricTerm,
  nameScope,
  type Operator,
  type Scope,
} from './expectation.js';
import { combine, describeMismatch, findCommon, getUnit, type Kind, NOUN } from './kinds.js';

/** JSON Schema of expectations. It accepts every expectation, and others whose kinds, scopes or parentheses do not match. */
export function makeExpectationForm(): Form {
  const names = METRICS.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const duration = String.raw`(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+`;
  const metric = `(?:${names.join('|').replaceAll('.', String.raw`\.`)})(?![\\w.-])`;
  const aggregate = String.raw`count|min|max|mean|p\s*\(\s*\d+(?:\.\d+)?\s*\)|within\s+${duration}`;
  const factor = String.raw`(?:${duration}|\d+(?:\.\d+)?\s*%?|${metric}(?:\s*\b(?:${aggregate}))?(?:\s+by\s+(?:${DIMENSIONS.join('|')})|\s+of\s+[^<>=]*[^<>=!\s])?)`;
  const sum = String.raw`[(\s]*${factor}[)\s]*(?:[-+*/][(\s]*${factor}[)\s]*)*`;
  const always = String.raw`\s*always\s+(?:${Object.keys(INVARIANTS).join('|')})\s*`;
  return {
    type: 'string',
    pattern: `^(?:${always}|${sum}(?:${COMPARISON_OPERATORS.join('|')})${sum})$`,
    defaultSnippets: METRICS.map((metric) => ({
      label: metric.name,
      description: metric.about,
      body: writeExample(metric),
    })),
    patternErrorMessage:
      'This is not an expectation, such as "uplink.stored == uplink.sent", "downlink.answered p(95) of region/north < 45m" or "always uplinks-stored-once". `ghostfleet list metrics` prints the metrics.',
  };
}

/** An expectation about a metric, for completions. */
function writeExample({ name, shape, within }: MetricInfo): string {
  if (within) return `${name} within 1h >= 95%`;
  return shape === 'durations' ? `${name} p(95) < 45m` : `${name} >= 1`;
}

/** What the scope after "of" may name, and how its selector is read. */
interface Scopes {
  /** Names of the clients of `setup`; undefined if `setup` could not be read. */
  readonly clients: readonly string[] | undefined;
  /** Names of the loads, and labels of the requests of their chains; undefined if `load` could not be read. */
  readonly loads: readonly string[] | undefined;
  /** Names of the tags of the fleet. */
  readonly tags: readonly string[];
  /** Reads the selector at a column; undefined if a problem was noted. */
  readonly devices: (to: string, column: number) => Selector | undefined;
}

/** @throws LineError */
export function parseExpectation(line: string, scopes: Scopes): Expectation {
  const reader = new Reader(line, scopes);
  if (reader.token === 'always') return readInvariant(reader, line);
  const left = readSum(reader);
  const onLeft = reader.terms.length;
  const comparison = readComparison(reader);
  const right = readSum(reader);
  reader.end();
  rejectShareOfCount(left, comparison, right, 'left');
  rejectShareOfCount(right, MIRRORED[comparison], left, 'right');
  rejectMoreThanAll(left, comparison, right);
  if (reader.terms.length === 0) throw new LineError(1, 'it has no metric, so its result is the same in every run');
  const kind = findCommon(left.kind, right.kind);
  if (kind === undefined) {
    const hint = suggestKind(left, right) ?? suggestKind(right, left) ?? '';
    const sides = `the left side is ${NOUN[left.kind]}, the right side ${NOUN[right.kind]}`;
    throw new LineError(right.column, sides + hint);
  }
  rejectLateScope(reader.terms.slice(0, onLeft), reader.terms.slice(onLeft));
  rejectPartlyDivided(reader.terms);
  return { line, left: left.expression, comparison, right: right.expression, unit: getUnit(kind) };
}

/** The metric of the whole, by a metric's first part: `downlink.queued` for `downlink.answered`. For hints. */
const WHOLE: Readonly<Record<string, string>> = {
  downlink: 'downlink.queued',
  uplink: 'uplink.made',
  message: 'message.made',
  update: 'update.scheduled',
  call: 'call.planned',
  iteration: 'iteration.planned',
  device: 'fleet.devices',
};

/** The same comparison with exchanged sides. */
const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};

/**
 * Rejects comparisons of a count with a share, such as `downlink.answered >= 0.95`, `downlink.answered >= 95%` and `19/20 <=
 * downlink.answered`. The message suggests what the user may have meant.
 * @param side the side of the count
 */
function rejectShareOfCount(count: Read, comparison: ComparisonOperator, other: Read, side: 'left' | 'right'): void {
  if (count.kind !== 'count' || other.kind === 'ms') return;
  const { expression } = other;
  const value = findConstant(expression);
  const isPart = other.kind === 'ratio' || (value !== undefined && value > 0 && value < 1);
  if (!(value === undefined ? isShare(expression) : isPart)) return;
  const wanted = `${comparison} ${value === undefined ? '95%' : `${Number((value * 100).toFixed(6))}%`}`;
  const [term] = listTerms(count.expression);
  const name = count.expression.kind === 'metric' ? (term?.metric ?? '') : '';
  const whole = WHOLE[name.slice(0, name.indexOf('.'))];
  const meant = [
    ...(METRICS.some((metric) => metric.name === name && metric.within) ? [`"${name} within 1h ${wanted}"`] : []),
    ...(whole === undefined || whole === name ? [] : [`"${name} / ${whole} ${wanted}"`]),
  ];
  const write = meant.length === 0 ? 'divide it by another count' : `write ${meant.join(' or ')}`;
  throw new LineError(other.column, `the ${side} side is a count, not a share; ${write}`);
}

/** What to write if a side is a duration and the other one is not; undefined if that is unclear. */
function suggestKind({ expression, kind }: Read, other: Read): string | undefined {
  if (other.kind !== 'ms') return undefined;
  if (expression.kind === 'number' && kind === 'number')
    return `; write a unit, such as "${expression.value}ms" or "${expression.value}m"`;
  if (expression.kind !== 'metric' || expression.aggregate.kind !== 'count') return undefined;
  const { metric } = expression;
  const isTimed = METRICS.some(({ name, shape }) => name === metric && shape === 'durations');
  return isTimed ? `; for its times, write "${metric} p(95)", or min, max or mean` : undefined;
}

/** The value of an expression without metrics; undefined for an expression with a metric. */
function findConstant(expression: Expression): number | undefined {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'metric') return undefined;
  const [left, right] = [findConstant(expression.left), findConstant(expression.right)];
  return left === undefined || right === undefined ? undefined : operate(expression.operator, left, right);
}

/** Beginnings of metric names, each with the metric that counts the whole: a quotient of the two is a share. */
const PARTS = [
  ['downlink.', 'downlink.queued'],
  ['call.', 'call.planned'],
  ['iteration.', 'iteration.planned'],
] as const;

/** Rejects `downlink.answered within 1h >= 95`: no share is above 100 %, so the result would be the same in every run. */
function rejectMoreThanAll(left: Read, comparison: ComparisonOperator, right: Read): void {
  const { expression } = right;
  if (expression.kind !== 'number' || right.kind === 'ms' || expression.value <= 1 || !isShare(left.expression)) return;
  const wanted = right.kind === 'ratio' ? 'at most 100%' : `"${comparison} ${expression.value}%"`;
  throw new LineError(right.column, `the left side is a share, which is at most 100%; write ${wanted}`);
}

/** Whether the value is a share: `downlink.answered within 1h`, or `downlink.answered / downlink.queued`. */
function isShare(expression: Expression): boolean {
  if (expression.kind === 'metric') return expression.aggregate.kind === 'within';
  if (expression.kind !== 'operation' || expression.operator !== '/') return false;
  const { left, right } = expression;
  if (left.kind !== 'metric' || right.kind !== 'metric' || left.metric === right.metric) return false;
  return PARTS.some(([prefix, whole]) => left.metric.startsWith(prefix) && right.metric === whole);
}

function readInvariant(reader: Reader, line: string): Expectation {
  reader.take();
  const invariant = reader.token;
  const names = Object.keys(INVARIANTS);
  if (invariant === undefined || !names.includes(invariant)) {
    const meant = invariant === undefined ? '' : didYouMean(invariant, names);
    reader.fail(`${showToken(invariant)} is not an invariant${meant}; "ghostfleet list invariants" prints them`);
  }
  reader.take();
  reader.end();
  return { line, invariant };
}

/** An expression with its kind, and the column where it begins. */
interface Read {
  readonly expression: Expression;
  readonly kind: Kind;
  readonly column: number;
}

function readSum(reader: Reader): Read {
  return readChain(reader, ['+', '-'], readProduct);
}

function readProduct(reader: Reader): Read {
  return readChain(reader, ['*', '/'], readFactor);
}

/** Operands with operators of the same precedence, from left to right. */
function readChain(reader: Reader, operators: readonly Operator[], readOperand: (reader: Reader) => Read): Read {
  let left = readOperand(reader);
  for (;;) {
    const operator = operators.find((one) => one === reader.token);
    if (operator === undefined) return left;
    reader.take();
    const right = readOperand(reader);
    const kind = combine(operator, left.kind, right.kind);
    if (kind === undefined) throw new LineError(right.column, describeMismatch(operator, left.kind, right.kind));
    const expression = { kind: 'operation', operator, left: left.expression, right: right.expression } as const;
    left = { expression, kind, column: left.column };
  }
}

function readFactor(reader: Reader): Read {
  const { column, token: word } = reader;
  if (word === '(') {
    reader.take();
    const inner = readSum(reader);
    reader.expect(')');
    return { ...inner, column };
  }
  if (word === undefined || !/^[a-z\d]/i.test(word))
    reader.fail(`${showToken(word)} is not a metric, a number or a duration`);
  return /^\d/.test(word) ? readLiteral(reader, word) : readMetric(reader, word);
}

function readMetric(reader: Reader, word: string): Read {
  const { column } = reader;
  const info = METRICS.find((metric) => metric.name === word);
  if (info === undefined) {
    const names = METRICS.map((metric) => metric.name);
    if (Object.hasOwn(INVARIANTS, word)) reader.fail(`${quote(word)} is an invariant: write "always ${word}"`);
    if (isAggregate(word) || word === 'of')
      reader.fail(`${quote(word)} is not a metric; the metric comes first: "downlink.answered p(95) of cellar"`);
    reader.fail(`${quote(word)} is not a metric${didYouMean(word, names)}; "ghostfleet list metrics" prints them`);
  }
  reader.take();
  const place = reader.column;
  const aggregate = readAggregate(reader);
  const kind = aggregate.kind === 'count' ? 'count' : aggregate.kind === 'within' ? 'ratio' : 'ms';
  if (kind === 'ms' && info.shape === 'count') {
    throw new LineError(place, `${quote(word)} is a count: it has no min, max, mean or percentile`);
  }
  if (kind === 'ratio' && !info.within) {
    const known = METRICS.flatMap((metric) => (metric.within ? metric.name : []));
    throw new LineError(place, `${quote(word)} has no "within"; ${orList(known)} have it`);
  }
  const of = readScope(reader, info);
  const by = of === undefined ? readDimension(reader, info) : undefined;
  const expression = { kind: 'metric', metric: word, aggregate, of, ...(by && { by }) } as const;
  reader.terms.push({ term: expression, info, column });
  return { expression, kind, column };
}

/** What divides a metric; empty for a metric of the whole run. */
function listDimensions({ of }: MetricInfo): readonly Dimension[] {
  return DIMENSIONS.filter((one) => (one === 'client' ? 'clients' : 'devices') === of);
}

function readDimension(reader: Reader, info: MetricInfo): Dimension | undefined {
  const first = reader.token;
  if (first !== 'by') return undefined;
  const { name } = info;
  const known = listDimensions(info);
  if (known.length === 0) reader.fail(`${quote(name)} is counted for the whole run only: it has no "by"`);
  reader.take();
  const { token } = reader;
  const found = known.find((one) => one === token);
  if (found === undefined) {
    const meant = token === undefined ? '' : didYouMean(token, known);
    reader.fail(`${showToken(token)} does not divide ${quote(name)}${meant}; expected ${orList(known)}`);
  }
  reader.take();
  return found;
}

/** A metric of an expectation, and where it is. */
interface Place {
  readonly term: MetricTerm;
  readonly info: MetricInfo;
  readonly column: number;
}

/**
 * Rejects `downlink.answered / downlink.queued of region/south`: only one of the two would be restricted. A metric is compared
 * with that of the whole run as in `uplink.dropped == uplink.dropped of cellar`, or with the restricted one first. The right
 * side may be the size of a group: `downlink.queued == fleet.devices of canary`.
 */
function rejectLateScope(left: readonly Place[], right: readonly Place[]): void {
  const places = [...left, ...right];
  for (const [i, { term, info, column }] of places.entries()) {
    if (term.of !== undefined || term.by !== undefined) continue;
    const later = places.slice(i + 1).find((one) => one.term.of !== undefined && one.info.of === info.of);
    if (later?.term.of === undefined || isAlike(term, later.term)) continue;
    if (later.info.name === 'fleet.devices' && i < left.length && right.includes(later)) continue;
    const [name, other] = [quote(info.name), quote(later.info.name)];
    const meant = `write it after ${name}, too; to compare with all of ${name}, write ${name} last`;
    throw new LineError(column, `${quote(`of ${nameScope(later.term.of)}`)} restricts only ${other}: ${meant}`);
  }
}

/** Rejects an expectation by several dimensions, and metrics of the whole run in one by a dimension: its parts would not fit. */
function rejectPartlyDivided(places: readonly Place[]): void {
  const divided = places.filter(({ term }) => term.by !== undefined);
  const [by, ...others] = new Set(divided.flatMap(({ term }) => term.by ?? []));
  if (by === undefined) return;
  if (others.length > 0)
    throw new LineError(
      divided.at(-1)?.column ?? 1,
      `an expectation has one "by", not ${[by, ...others].join(' and ')}`,
    );
  const whole = places.find(({ term }) => term.of === undefined && term.by === undefined);
  if (whole === undefined) return;
  const name = quote(whole.info.name);
  const reason = listDimensions(whole.info).includes(by)
    ? `write it after ${name}, too`
    : `${name} cannot be divided so`;
  throw new LineError(whole.column, `"by ${by}" divides the whole expectation: ${reason}`);
}

function isAlike(one: MetricTerm, other: MetricTerm): boolean {
  return one.metric === other.metric && JSON.stringify(one.aggregate) === JSON.stringify(other.aggregate);
}

function readScope(reader: Reader, { name, of }: MetricInfo): Scope | undefined {
  if (reader.token !== 'of') return undefined;
  if (of === null) reader.fail(`${quote(name)} is not counted by device: it has no "of"`);
  reader.take();
  const { column } = reader;
  const to = reader.takeScope();
  if (reader.token !== undefined && isAggregate(reader.token)) {
    const place = reader.column;
    readAggregate(reader);
    throw new LineError(place, `"of" comes last: write "${name} ${reader.textFrom(place)} of ${to}"`);
  }
  const wanted = of === 'clients' ? 'client/… or load/…' : 'a group, region/…, tag/… or a sample';
  if (to === '') reader.fail(`expected ${wanted} after "of", found ${showToken(reader.token)}`);
  return of === 'clients' ? findCallScope(to, column, reader.scopes) : reader.scopes.devices(to, column);
}

function findCallScope(to: string, column: number, { clients, loads }: Scopes): Scope {
  const load = to.slice(LOAD.length);
  if (to.startsWith(LOAD) && loads?.includes(load) !== false) return { kind: 'load', load };
  if (to.startsWith(LOAD)) {
    const known = (loads ?? []).map((name) => LOAD + name);
    const there = known.length === 0 ? 'the scenario has no loads' : `the scenario has ${orList(known)}`;
    throw new LineError(column, `${quote(to)} is not a load${didYouMean(to, known)}; ${there}`);
  }
  const client = to.slice(CLIENT.length);
  if (!to.startsWith(CLIENT) || clients?.includes(client) === false) {
    const known = (clients ?? []).map((name) => CLIENT + name);
    const there = known.length === 0 ? 'the setup has no clients' : `the setup has ${orList(known)}`;
    throw new LineError(column, `${quote(to)} is not a client${didYouMean(to, known)}; ${there}`);
  }
  return { kind: 'client', client };
}

function readLiteral(reader: Reader, word: string): Read {
  const { column } = reader;
  const plain = /^\d+(\.\d+)?$/.test(word);
  const value = plain ? Number(word) : parseDuration(word);
  if (value === undefined) reader.fail(`${quote(word)} is not a number, nor ${DURATION_FORM}`);
  reader.take();
  if (plain && reader.token === '%') {
    reader.take();
    return { expression: { kind: 'number', value: value / 100, unit: 'ratio' }, kind: 'ratio', column };
  }
  const kind = plain ? 'number' : 'ms';
  return { expression: { kind: 'number', value, unit: getUnit(kind) }, kind, column };
}

const AGGREGATES = ['count', 'min', 'max', 'mean', 'p(95)', 'within'];
const AS_PERCENTILE = '; a percentile is written "p(95)"';

/** Words that users write, in lower case, with the word that they mean. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['average', 'mean'],
  ['avg', 'mean'],
  ['for', 'of'],
  ['in', 'of'],
  ['maximum', 'max'],
  ['median', 'p(50)'],
  ['minimum', 'min'],
  ['p', 'p(95)'],
  ['percentile', 'p(95)'],
]);

/** Whether an aggregate begins with the word, or the user probably meant one: `p95`. */
function isAggregate(word: string): boolean {
  return word === 'p' || AGGREGATES.includes(word) || suggestPercentile(word) !== undefined;
}

/** `p(95)` for `p95`. */
function suggestPercentile(word: string): string | undefined {
  const percent = /^p_?(\d+(?:\.\d+)?)$/i.exec(word)?.[1];
  return percent && `p(${percent})`;
}

function suggestAggregate(word: string): string {
  const meant = suggestPercentile(word) ?? MEANT.get(word.toLowerCase());
  return meant !== undefined ? ` (did you mean "${meant}"?)` : didYouMean(word, AGGREGATES);
}

function readAggregate(reader: Reader): Aggregate {
  const word = reader.token;
  switch (word) {
    case 'count':
    case 'min':
    case 'max':
    case 'mean':
      reader.take();
      return { kind: word };
    case 'p': {
      reader.take();
      reader.expect('(', AS_PERCENTILE);
      const percent = reader.token;
      const percentile = percent !== undefined && /^\d+(\.\d+)?$/.test(percent) ? Number(percent) : Number.NaN;
      if (!(percentile >= 0.01 && percentile <= 100))
        reader.fail(`${showToken(percent)} is not a percentage from 1 to 100${AS_PERCENTILE}`);
      if (percentile < 1)
        reader.fail(`${quote(String(percentile))} is a share; write "p(${Number((percentile * 100).toFixed(6))})"`);
      reader.take();
      reader.expect(')', AS_PERCENTILE);
      return { kind: 'percentile', percentile };
    }
    case 'within': {
      reader.take();
      const limit = reader.token === undefined ? undefined : parseDuration(reader.token);
      if (limit === undefined) reader.fail(`${showToken(reader.token)} is not ${DURATION_FORM}`);
      reader.take();
      return { kind: 'within', limit };
    }
    case 'of':
    case 'by':
      return { kind: 'count' };
    default:
      if (word !== undefined && /^[a-z]/i.test(word))
        reader.fail(`${quote(word)} is not an aggregate${suggestAggregate(word)}; expected ${orList(AGGREGATES)}`);
      return { kind: 'count' };
  }
}

const MISSPELT: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['=', '=='],
  ['=<', '<='],
  ['=>', '>='],
  ['<>', '!='],
]);

function readComparison(reader: Reader): ComparisonOperator {
  const found = COMPARISON_OPERATORS.find((comparison) => comparison === reader.token);
  if (found === undefined) {
    const { token } = reader;
    if (token === 'of')
      reader.fail('only a metric has "of"; write the metric first: "downlink.answered within 1h >= 95%"');
    if (token !== undefined && isAggregate(token))
      reader.fail(`found ${quote(token)}, but a metric has only one of ${orList(AGGREGATES)}`);
    const meant = MISSPELT.get(token ?? '');
    const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`;
    reader.fail(`${showToken(token)} is not a comparison${hint}: ${orList(COMPARISON_OPERATORS)}`);
  }
  reader.take();
  return found;
}

function showToken(token: string | undefined): string {
  return token === undefined ? 'the end of the line' : quote(token);
}

interface Word {
  readonly text: string;
  readonly column: number;
  /** Whether the word has a space before and after it. */
  readonly spaced: boolean;
}

/** Maximum number of words and signs of an expectation. Each may be a level of nesting, and deep nesting exhausts the stack. */
const MOST_WORDS = 1000;

/** Reads the words of a line one by one, with their columns. */
class Reader {
  readonly scopes: Scopes;
  /** The metrics so far. */
  readonly terms: Place[] = [];
  readonly #line: string;
  readonly #words: readonly Word[];
  #next = 0;

  constructor(line: string, scopes: Scopes) {
    this.#line = line;
    this.scopes = scopes;
    const words = line.matchAll(/"[^"]*"|'[^']*'|[a-z\d][\w.-]*|[=!<>]+|\S/gi);
    const all = [...words];
    if (all.length > MOST_WORDS)
      throw new LineError(1, `an expectation has at most ${MOST_WORDS} words and signs (got ${all.length})`);
    this.#words = all.map(({ 0: text, index }) => ({
      text,
      column: index + 1,
      spaced: /^(?:\s|$)/.test(line.slice(index + text.length)) && /(?:\s|^)$/.test(line.slice(0, index)),
    }));
  }

  /** The next word; undefined at the end. */
  get token(): string | undefined {
    return this.#words[this.#next]?.text;
  }

  get column(): number {
    return this.#words[this.#next]?.column ?? this.#line.length + 1;
  }

  take(): string | undefined {
    return this.#words[this.#next++]?.text;
  }

  /** The text from a column up to the next word. */
  textFrom(column: number): string {
    return this.#line.slice(column - 1, this.column - 1).trim();
  }

  /** The text up to the first word that cannot be part of a scope. */
  takeScope(): string {
    const from = this.column;
    let depth = 0;
    let isComplete = false;
    for (let word = this.#words[this.#next]; word !== undefined; word = this.#words[++this.#next]) {
      const { text, column, spaced } = word;
      if (this.#skipTag(column)) {
        isComplete = true;
        continue;
      }
      if (text === '(') depth++;
      if (text === ')' && --depth < 0) break;
      if (text === '+' || text === '-' || /^[=!<>]/.test(text)) break;
      if (spaced && (text === '*' || text === '/')) break;
      // A device may be called "max": an aggregate only follows a name, never "&", "|", "!", "(" or "of".
      if (isComplete && isAggregate(text)) break;
      isComplete = /[\w)*"']$/.test(text) && text !== 'of';
    }
    return this.textFrom(from);
  }

  /** Goes to the last word of the known tag at a column; false if there is none. */
  #skipTag(column: number): boolean {
    const tag = findKnownTag(this.#line.slice(column - 1), this.scopes.tags);
    if (tag === undefined) return false;
    while ((this.#words[this.#next + 1]?.column ?? Number.POSITIVE_INFINITY) < column + tag.length) this.#next++;
    return true;
  }

  /** @param hint what to write instead */
  expect(word: string, hint = ''): void {
    if (this.token !== word) this.fail(`${showToken(this.token)} is not ${quote(word)}${hint}`);
    this.take();
  }

  /** Rejects further words. */
  end(): void {
    const { token } = this;
    if (token !== undefined)
      this.fail(`expected the end of the expectation, found ${quote(token)}${this.#hintAt(token)}`);
  }

  /** What to write in place of a word after the end. */
  #hintAt(token: string): string {
    if (['and', 'or', '&', '|'].includes(token.toLowerCase()))
      return '; write each comparison as an expectation of its own';
    if (token === 'of' || token === 'by') return `; ${quote(token)} belongs to a metric, before the comparison`;
    const before = this.#words[this.#next - 1]?.text ?? '';
    const isUnit = parseDuration(before) === undefined && parseDuration(before + token) !== undefined;
    return isUnit ? `; write ${quote(before + token)}` : '';
  }

  fail(message: string): never {
    throw new LineError(this.column, message);
  }
}
