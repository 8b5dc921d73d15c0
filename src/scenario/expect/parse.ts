/**
 * Reads expectations. The whole grammar:
 *
 *     expectation = sum comparison sum            downlink.delivered p(95) < 40m
 *                 | "always" invariant            always uplinks-stored-once
 *     comparison  = "==" | "!=" | "<" | "<=" | ">" | ">="
 *     sum         = term { ("+" | "-") term }     uplink.acked + uplink.dropped
 *     term        = number | duration | metric [aggregate] ["of" scope]
 *     aggregate   = "count" | "min" | "max" | "mean" | "p(" number ")"
 *
 * A metric without an aggregate is its count. Both sides count things, or both are durations. A minus needs a space before
 * it, because names have hyphens. A scope is devices, written as in `to` (selector.ts): `uplink.stored of region/north`; or, for
 * metrics of requests, a client of the setup: `call.latency p(99) of client/dashboard`. `ghostfleet list metrics` and `ghostfleet
 * list invariants` print the names.
 */
import { type Check, complain, type Form, formed } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import { DURATION_FORM, parseDuration } from '../../kernel/time.js';
import { INVARIANTS } from '../../trace/invariants/index.js';
import { METRICS } from '../../trace/metrics/index.js';
import type { MetricInfo } from '../../trace/metrics/metric.js';
import { type FleetNames, selector } from '../selector/check.js';
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

/** Raised by {@link parseExpectation}; `column` counts from 1 within the line. */
export class ExpectationError extends Error {
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.name = 'ExpectationError';
    this.column = column;
  }
}

/** What can stand after "of". */
export interface ScopeNames extends FleetNames {
  /** Clients of the setup; undefined when it could not be read. */
  readonly clients: readonly string[] | undefined;
}

/** For forms, which know no scenario. */
export const NO_NAMES: ScopeNames = { groups: [], regions: [], tags: [], fleet: undefined, clients: undefined };

/** Reads one line of `expect`, and complains at the very column. */
export function expectation(names: ScopeNames): Check<Expectation> {
  return formed(expectationForm, (node, problems) => readLine(node, problems, names));
}

function readLine(node: LocatedNode, problems: Problems, names: ScopeNames): Expectation | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    return complain(node, problems, 'an expectation such as "uplink.stored == uplink.sent"');
  }
  const at = (column: number) => ({ ...node, column: node.textColumn + column - 1 });
  const before = problems.list.length;
  try {
    const read = parseExpectation(node.value, {
      devices: (to, column) => selector(to, at(column), problems, names),
      clients: names.clients,
    });
    return problems.list.length === before ? read : undefined;
  } catch (error) {
    if (!(error instanceof ExpectationError)) throw error;
    problems.add(at(error.column), error.message);
    return undefined;
  }
}

function expectationForm(): Form {
  return { type: 'string', pattern: /[=!<>]|^\s*always\b/.source };
}

/** What the words after "of" mean. */
interface Scopes extends Pick<ScopeNames, 'clients'> {
  /** Whom a selector at that column means; undefined when there is nobody, which is for it to report. */
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
    throw new ExpectationError(right.column, `the left side is ${NOUN[left.unit]} and this is ${NOUN[right.unit]}`);
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
    throw new ExpectationError(column, `${quote(word)} is a plain number: it has no min, max, mean or percentile`);
  }
  const of = readScope(reader, info);
  return { term: { kind: 'metric', metric: word, aggregate, ...(of && { of }) }, unit };
}

function readScope(reader: Reader, { name, of }: MetricInfo): Scope | undefined {
  if (reader.token !== 'of') return undefined;
  if (of === null) reader.fail(`${quote(name)} is not counted by device`);
  reader.take();
  const { column } = reader;
  const to = reader.takeUntil((word) => word === '+' || word === '-' || /[=!<>]/.test(word));
  const wanted = of === 'clients' ? 'client/…' : 'a group, region/…, tag/… or a sample';
  if (to === '') reader.fail(`${shown(reader.token)} is nobody: write ${wanted} after "of"`);
  return of === 'clients' ? clientScope(to, column, reader.scopes) : reader.scopes.devices(to, column);
}

function clientScope(to: string, column: number, { clients }: Scopes): Scope {
  const client = to.slice(CLIENT.length);
  if (!to.startsWith(CLIENT) || clients?.includes(client) === false) {
    const known = (clients ?? []).map((name) => CLIENT + name);
    const there = known.length === 0 ? 'the setup has none' : `there is ${orList(known)}`;
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
        reader.fail(`${quote(word)} cannot be asked of a metric${didYouMean(word, known)}; it can be ${orList(known)}`);
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

/** The words of a line, one after the other, each with its column. */
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

  /** The text of the words before the first one that `stops`, as it was written. */
  takeUntil(stops: (word: string) => boolean): string {
    const from = this.column;
    while (this.token !== undefined && !stops(this.token)) this.#next++;
    return this.#line.slice(from - 1, this.column - 1).trim();
  }

  expect(word: string): void {
    if (this.token !== word) this.fail(`${shown(this.token)} is not ${quote(word)}`);
    this.take();
  }

  /** Refuses words that are left over. */
  end(): void {
    if (this.token !== undefined) this.fail(`${quote(this.token)} is too much; an expectation ends here`);
  }

  fail(message: string): never {
    throw new ExpectationError(this.column, message);
  }
}
