/**
 * When a load begins its iterations: at a rate, at recorded times, by users, or once for each device.
 *
 *     rate: 50/s                                  # steady
 *     rate: 1/s..20/s                             # a ramp
 *     rate: { 0s: 1/s, 5m: 30/s, 5m30s: 1/s }     # times count from `from`
 *     rate: { replay: arrivals.csv, speed: 2 }    # the times of a file, at twice the speed
 *     users: 10, think: 2s                        # closed-loop, or 1s..5s; `patient: true` observes Retry-After
 *     users: { 0s: 0..10, 5m: 10 }                # users that come and go
 *     users: 10, iterations: 1000                 # ends after 1000 iterations
 *     per: device, over: 10m                      # one iteration for each device
 */
import {
  boolean,
  type Check,
  complain,
  describeKey,
  duration,
  durationRange,
  eitherForm,
  type Form,
  formed,
  formOf,
  integer,
  oneOf,
  optional,
  positiveNumber,
  type RecordOf,
  record,
  text,
  valueAt,
} from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { messageOf } from '../../kernel/errors.js';
import { type Instant, parseDuration } from '../../kernel/time.js';
import { readArrivals } from '../load/arrival-trace.js';
import type { Pace, RatePiece } from '../load/load.js';
import { THINK_TIME } from '../load/request.js';

const RATES = /^\s*\d+(\.\d+)?\/[smh](\s*\.\.\s*\d+(\.\d+)?\/[smh])?\s*$/;
const USERS = /^\s*\d+(\s*\.\.\s*\d+)?\s*$/;
const MOST_USERS = 10_000;
const MOST_ITERATIONS = 1_000_000_000;
/** Highest accepted rate, in iterations a second. */
const FASTEST = 1_000_000;

/** The value of a key, which is read when the time of the load is known. */
interface Unread {
  readonly node: LocatedNode;
}

function later(form: () => Form): Check<Unread> {
  return formed(form, (node) => ({ node }));
}

/** The keys of a load about its pace. */
export const PACE_KEYS = {
  rate: optional(
    describeKey(
      'Requests or chains at this rate, whatever the answers: `50/s`, a ramp, steps, or a replay.',
      '1/s..20/s',
      later(rateForm),
    ),
  ),
  spacing: optional(
    describeKey('Pauses between requests at a rate. Default: even.', 'poisson', oneOf(['even', 'poisson'])),
  ),
  users: optional(
    describeKey(
      'Number of users, each of whom waits for the answer before the next request: `10`, a ramp, or steps.',
      10,
      later(usersForm),
    ),
  ),
  think: optional(describeKey('Pause of a user after an answer. Default: none.', '1s..5s', durationRange(THINK_TIME))),
  patient: optional(describeKey('Whether users observe Retry-After. Default: false.', true, boolean), false),
  iterations: optional(
    describeKey('The load ends after this number, which the users share.', 1000, integer(1, MOST_ITERATIONS)),
  ),
  per: optional(describeKey('One iteration for each device of `to`.', 'device', oneOf(['device']))),
  over: optional(describeKey('`per: device` is spread over this time. Default: all at once.', '10m', duration)),
};

type PaceKeys = RecordOf<typeof PACE_KEYS>;

function rateForm(): Form {
  const rate: Form = { type: 'string', pattern: RATES.source };
  return eitherForm(rate, formOf(replay), { type: 'object', minProperties: 1, additionalProperties: rate });
}

function usersForm(): Form {
  const users: Form = { type: ['integer', 'string'], minimum: 0, maximum: MOST_USERS, pattern: USERS.source };
  return eitherForm(users, { type: 'object', minProperties: 1, additionalProperties: users });
}

/** The time in which a load runs, and its files. */
export interface Window {
  readonly from: Instant;
  readonly until: Instant;
  /** Reads a file; `path` is relative to the folder of the scenario. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
}

/** Which key needs which other one, and why. */
const NEEDS = [
  ['spacing', 'rate', 'only a rate has pauses to distribute'],
  ['think', 'users', 'at a rate, requests do not depend on answers'],
  ['patient', 'users', 'at a rate, requests do not depend on answers'],
  ['iterations', 'users', 'users share the iterations'],
  ['over', 'per', 'a rate or users have "from" and "until"'],
] as const;

export function paceOf(node: MapNode, keys: PaceKeys, window: Window, problems: Problems): Pace | undefined {
  const { rate, spacing, users, per } = keys;
  const ways = [rate, users, per].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    problems.add(
      node,
      'a load needs either "rate" (requests on a schedule), "users" (each waits for its answer) or "per" (once for each device)',
    );
    return undefined;
  }
  for (const [key, other, why] of NEEDS) {
    const isGiven = keys[key] !== undefined && keys[key] !== false;
    if (isGiven && keys[other] === undefined)
      problems.add(valueAt(node, key), `${quote(key)} needs ${quote(other)}: ${why}`);
  }
  if (users !== undefined) return byUsers(users.node, keys, window, problems);
  if (per !== undefined) return perDevice(node, keys, window, problems);
  const written = rate?.node;
  if (written?.kind === 'map' && written.entries.has('replay')) {
    if (spacing !== undefined)
      problems.add(valueAt(node, 'spacing'), 'a replay has no "spacing": the times are in its file');
    return replayed(written, window, problems);
  }
  const pieces = written && readPieces(written, window, RATE, problems);
  return pieces && { kind: 'open', spacing: spacing ?? 'even', pieces };
}

function byUsers(node: LocatedNode, keys: PaceKeys, window: Window, problems: Problems): Pace | undefined {
  const pieces = readPieces(node, window, COUNT, problems);
  if (pieces === undefined) return undefined;
  const { think: [think, longest] = [0, 0], patient, iterations } = keys;
  const most = Math.max(...pieces.map(({ first, last }) => Math.max(first, last)));
  if (most === 0) return complain(node, problems, `a number of users from 1 to ${MOST_USERS}`);
  const isSteady = pieces.every(({ first, last }) => first === most && last === most);
  return {
    kind: 'closed',
    users: most,
    think,
    ...(longest > think && { longestThink: longest }),
    ...(patient && { patient }),
    ...(!isSteady && { pieces }),
    ...(iterations !== undefined && { iterations }),
  };
}

function perDevice(node: MapNode, { over = 0 }: PaceKeys, { from, until }: Window, problems: Problems): Pace {
  if (from + over > until) problems.add(valueAt(node, 'over'), 'the last device would come after the end of the load');
  return { kind: 'each', over, count: 0 };
}

const replay = record('a replay', {
  replay: describeKey('CSV file with the times of requests, relative to the scenario.', 'arrivals.csv', text()),
  speed: optional(describeKey('How many times as fast as in the file. Default: 1.', 2, positiveNumber), 1),
});

function replayed(node: MapNode, { from, until, readFile }: Window, problems: Problems): Pace | undefined {
  const read = replay(node, problems);
  if (read === undefined) return undefined;
  const { replay: file, speed } = read;
  const place = valueAt(node, 'replay');
  try {
    const [named, length] = [readFile(file), until - from];
    const readTimes = () => readArrivals(named, speed, problems)?.within(length);
    const trace = problems.readOnce(named, ['arrivals', speed, length], readTimes);
    if (trace === undefined) return undefined;
    if (trace.times.length > 0) return { kind: 'replay', file, trace };
    problems.add(place, `all times in ${quote(file)} are after the end of the load`);
  } catch (error) {
    problems.add(place, messageOf(error));
  }
  return undefined;
}

interface Span {
  readonly first: number;
  readonly last: number;
}

/** What changes from piece to piece. */
interface Quantity {
  readonly what: string;
  readonly example: string;
  readonly read: Check<Span>;
}

function readPieces(
  node: LocatedNode,
  { from, until }: Window,
  { what, example, read }: Quantity,
  problems: Problems,
): readonly RatePiece[] | undefined {
  if (node.kind !== 'map') {
    const span = read(node, problems);
    return span && [{ from, until, ...span }];
  }
  const before = problems.list.length;
  const starts: (Span & { readonly at: Instant })[] = [];
  for (const [key, entry] of node.entries) {
    const after = parseDuration(key);
    const span = read(entry.value, problems);
    const at = from + (after ?? 0);
    if (after === undefined)
      problems.add(entry.key, `${quote(key)} is not a time after the start of the load, such as "5m"`);
    else if (at >= until) problems.add(entry.key, `the ${what} would change after the end of the load`);
    else if (at <= (starts.at(-1)?.at ?? -1)) problems.add(entry.key, 'the times must be in ascending order');
    if (span) starts.push({ at, ...span });
  }
  if (node.entries.size === 0) return complain(node, problems, `a map of times to ${what}s such as ${example}`);
  if (problems.list.length > before) return undefined;
  return starts.map(({ at, first, last }, i) => ({ from: at, until: starts[i + 1]?.at ?? until, first, last }));
}

function rangeOf(node: LocatedNode, numberIn: (text: string) => number | undefined): Span | undefined {
  const [one = '', other = one, ...more] = node.kind === 'scalar' ? node.source.trim().split('..') : [];
  const first = numberIn(one);
  const last = numberIn(other);
  return more.length > 0 || first === undefined || last === undefined ? undefined : { first, last };
}

const RATE: Quantity = {
  what: 'rate',
  example: '{ 0s: 1/s, 5m: 30/s }',
  read: (node, problems) =>
    rangeOf(node, perSecond) ??
    complain(node, problems, `a rate such as "50/s", "600/h" or "1/s..50/s", up to ${FASTEST}/s`),
};

const COUNT: Quantity = {
  what: 'user count',
  example: '{ 0s: 1, 5m: 50 }',
  read: (node, problems) =>
    rangeOf(node, userCount) ??
    complain(node, problems, `a whole number from 1 to ${MOST_USERS}, or a ramp such as "0..50"`),
};

function userCount(text: string): number | undefined {
  const count = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
  return count <= MOST_USERS ? count : undefined;
}

const SECONDS = { s: 1, m: 60, h: 3600 } as const;

/** Reads a constant rate such as `600/h` as requests per second; undefined if the text is not a rate, or above the limit. */
export function perSecond(source: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(source.trim()) ?? [];
  const rate = Number(count) / SECONDS[unit as keyof typeof SECONDS];
  return count !== '' && rate <= FASTEST ? rate : undefined;
}
