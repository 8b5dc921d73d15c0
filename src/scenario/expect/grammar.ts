/**
 * The grammar of expectations:
 *
 *     expectation = sum comparison sum            downlink.delivered p(95) < 40m
 *                 | "always" invariant            always uplinks-stored-once
 *     comparison  = "==" | "!=" | "<" | "<=" | ">" | ">="
 *     sum         = term { ("+" | "-") term }     uplink.acked + uplink.dropped
 *     term        = number | duration | metric [aggregate] ["of" scope]
 *     aggregate   = "count" | "min" | "max" | "mean" | "p(" number ")"
 *
 * A metric without an aggregate means its count. Both sides are counts, or both are durations. A minus needs a space before
 * it, because names have hyphens. A scope is a selector without comparisons, as in `to`: `uplink.stored of region/north`; for
 * metrics of API calls it is a client of the setup: `call.latency p(99) of client/dashboard`. `ghostfleet list metrics` and
 * `ghostfleet list invariants` print the names.
 */
import { didYouMean, orList, quote } from '../../input/problems.js';
import { DURATION_FORM, parseDuration } from '../../kernel/time.js';
import { INVARIANTS } from '../../trace/invariants/index.js';
import { METRICS } from '../../trace/metrics/index.js';
import type { MetricInfo } from '../../trace/metrics/metric.js';
import type { Selector } from '../selector/selector.js';
import {
  type Aggregate,
  CLIENT,
  COMPARISONS,
  type Comparison,
  type Expectation,
  type Scope,
  type Sum,
  type Term,
  type Unit,
} from './expectation.js';

/** A syntax error in an expectation; `column` counts from 1 within the line. */
export class ExpectationError extends Error {
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.name = 'ExpectationError';
    this.column = column;
  }
}

/** Reads the scope after "of". */
interface Scopes {
  /** Names of the clients of `setup`; undefined if it could not be read. */
  readonly clients: readonly string[] | undefined;
  /** Reads the selector at a column; undefined if a problem was noted. */
  readonly devices: (to: string, column: number) => Selector | undefined;
}

/** @throws ExpectationError */
export function parseExpectation(line: string, scopes: Scopes): Expectation {
  const reader = new Reader(line, scopes);
  if (reader.token === 'always') return readInvariant(reader, line);
  const left = readSum(reader);
  const comparison = readComparison(reader);
  const right = readSum(reader);
  reader.end();
  if (left.unit !== right.unit) {
    throw new ExpectationError(right.column, `the left side is ${NOUN[left.unit]}, the right side ${NOUN[right.unit]}`);
  }
  return { line, left: left.terms, comparison, right: right.terms, unit: left.unit };
}

function readInvariant(reader: Reader, line: string): Expectation {
  reader.take();
  const invariant = reader.token;
  const names = Object.keys(INVARIANTS);
  if (invariant === undefined || !names.includes(invariant)) {
    const meant = invariant === undefined ? '' : didYouMean(invariant, names);
    reader.fail(`${shown(invariant)} is not an invariant${meant}; "ghostfleet list invariants" prints them`);
  }
  reader.take();
  reader.end();
  return { line, invariant };
}

interface ReadSum {
  readonly terms: Sum;
  readonly unit: Unit;
  readonly column: number;
}

const NOUN: Readonly<Record<Unit, string>> = { count: 'a number', ms: 'a duration' };

function readSum(reader: Reader): ReadSum {
  const { column } = reader;
  const first = readTerm(reader);
  const terms: { sign: 1 | -1; term: Term }[] = [{ sign: 1, term: first.term }];
  while (reader.token === '+' || reader.token === '-') {
    const sign = reader.take() === '+' ? 1 : -1;
    const termColumn = reader.column;
    const { term, unit } = readTerm(reader);
    if (unit !== first.unit) {
      throw new ExpectationError(termColumn, `${NOUN[unit]} cannot be added to ${NOUN[first.unit]}`);
    }
    terms.push({ sign, term });
  }
  return { terms, unit: first.unit, column };
}

function readTerm(reader: Reader): { readonly term: Term; readonly unit: Unit } {
  const word = reader.token;
  if (word === undefined || !/^[a-z\d]/i.test(word))
    reader.fail(`${shown(word)} is not a metric, a number or a duration`);
  if (/^\d/.test(word)) return readLiteral(reader, word);
  const info = METRICS.find((metric) => metric.name === word);
  if (info === undefined) {
    const names = METRICS.map((metric) => metric.name);
    if (Object.hasOwn(INVARIANTS, word)) reader.fail(`${quote(word)} is an invariant: write "always ${word}"`);
    reader.fail(`${quote(word)} is not a metric${didYouMean(word, names)}; "ghostfleet list metrics" prints them`);
  }
  reader.take();
  const { column } = reader;
  const aggregate = readAggregate(reader);
  const unit = aggregate.kind === 'count' ? 'count' : 'ms';
  if (unit === 'ms' && info.shape === 'count') {
    throw new ExpectationError(column, `${quote(word)} is a count: it has no min, max, mean or percentile`);
  }
  const of = readScope(reader, info);
  return { term: { kind: 'metric', metric: word, aggregate, ...(of && { of }) }, unit };
}

function readScope(reader: Reader, { name, of }: MetricInfo): Scope | undefined {
  if (reader.token !== 'of') return undefined;
  if (of === null) reader.fail(`${quote(name)} is not counted by device: it has no "of"`);
  reader.take();
  const { column } = reader;
  const to = reader.takeUntil((word) => word === '+' || word === '-' || /[=!<>]/.test(word));
  const wanted = of === 'clients' ? 'client/…' : 'a group, region/…, tag/… or a sample';
  if (to === '') reader.fail(`expected ${wanted} after "of", found ${shown(reader.token)}`);
  return of === 'clients' ? clientScope(to, column, reader.scopes) : reader.scopes.devices(to, column);
}

function clientScope(to: string, column: number, { clients }: Scopes): Scope {
  const client = to.slice(CLIENT.length);
  if (!to.startsWith(CLIENT) || clients?.includes(client) === false) {
    const known = (clients ?? []).map((name) => CLIENT + name);
    const there = known.length === 0 ? 'the setup has no clients' : `the setup has ${orList(known)}`;
    throw new ExpectationError(column, `${quote(to)} is not a client${didYouMean(to, known)}; ${there}`);
  }
  return { kind: 'client', client };
}

function readLiteral(reader: Reader, word: string): { readonly term: Term; readonly unit: Unit } {
  const plain = /^\d+(\.\d+)?$/.test(word);
  const value = plain ? Number(word) : parseDuration(word);
  if (value === undefined) reader.fail(`${quote(word)} is not a number, nor ${DURATION_FORM}`);
  reader.take();
  const unit = plain ? 'count' : 'ms';
  return { term: { kind: 'number', value, unit }, unit };
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
      reader.expect('(');
      const percent = reader.token;
      const percentile = percent !== undefined && /^\d+(\.\d+)?$/.test(percent) ? Number(percent) : Number.NaN;
      if (!(percentile > 0 && percentile <= 100)) reader.fail(`${shown(percent)} is not a percentage from 0 to 100`);
      reader.take();
      reader.expect(')');
      return { kind: 'percentile', percentile };
    }
    case 'of':
      return { kind: 'count' };
    default:
      if (word !== undefined && /^[a-z]/i.test(word)) {
        const known = ['count', 'min', 'max', 'mean', 'p(95)'];
        reader.fail(`${quote(word)} is not an aggregate${didYouMean(word, known)}; expected ${orList(known)}`);
      }
      return { kind: 'count' };
  }
}

function readComparison(reader: Reader): Comparison {
  const found = COMPARISONS.find((comparison) => comparison === reader.token);
  if (found === undefined) {
    const hint = reader.token === '=' ? ' (did you mean "=="?)' : '';
    reader.fail(`${shown(reader.token)} is not a comparison${hint}: ${orList(COMPARISONS)}`);
  }
  reader.take();
  return found;
}

function shown(token: string | undefined): string {
  return token === undefined ? 'the end of the line' : quote(token);
}

/** Reads the words of a line one by one, with their columns. */
class Reader {
  readonly scopes: Scopes;
  readonly #line: string;
  readonly #words: readonly { readonly text: string; readonly column: number }[];
  #next = 0;

  constructor(line: string, scopes: Scopes) {
    this.#line = line;
    this.scopes = scopes;
    const words = line.matchAll(/[a-z\d][\w.-]*|[=!<>]+|\S/gi);
    this.#words = [...words].map((match) => ({ text: match[0], column: match.index + 1 }));
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

  /** Skips to the first word for which `stops` is true, and returns the skipped text. */
  takeUntil(stops: (word: string) => boolean): string {
    const from = this.column;
    while (this.token !== undefined && !stops(this.token)) this.#next++;
    return this.#line.slice(from - 1, this.column - 1).trim();
  }

  expect(word: string): void {
    if (this.token !== word) this.fail(`${shown(this.token)} is not ${quote(word)}`);
    this.take();
  }

  /** Rejects further words. */
  end(): void {
    if (this.token !== undefined) this.fail(`expected the end of the expectation, found ${quote(this.token)}`);
  }

  fail(message: string): never {
    throw new ExpectationError(this.column, message);
  }
}
