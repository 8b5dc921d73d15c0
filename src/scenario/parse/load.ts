/**
 * The `load` of a scenario: API requests of users of the cloud.
 *
 *     load:
 *       - { latest-value:, rate: 50/s, spacing: poisson }          # steady; default spacing: even
 *       - { list-devices:, rate: 1/s..20/s, from: 10m, until: 20m } # a ramp
 *       - { commands: [info show], to: clime, rate: { 0s: 1/s, 5m: 30/s, 5m30s: 1/s } }   # times count from `from`
 *       - { count-devices:, rate: { replay: arrivals.csv, speed: 2 } }  # at the times of a file, at twice the speed
 *       - { list-messages:, users: 10, think: 2s }                 # closed-loop; `patient: true` observes Retry-After
 *       - { list-messages:, rate: 50/s, as: neighbour }            # with the API key of a client of `setup`
 */

import {
  boolean,
  type Check,
  complain,
  describeKey,
  duration,
  eitherForm,
  type Form,
  formed,
  formOf,
  integer,
  oneOf,
  optional,
  positiveNumber,
  readVariant,
  record,
  text,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { messageOf } from '../../kernel/errors.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { parseDuration } from '../../kernel/time.js';
import { readArrivals } from '../load/arrival-trace.js';
import { CALL_NAMES, type CallSpec, callForms, checkCall, DOWNLINK_CALLS, isOfDevice } from '../load/calls.js';
import type { Pace, RatePiece } from '../load/load.js';
import type { ScenarioLoad } from '../model/scenario.js';
import { TO } from '../selector/check.js';
import type { Selector } from '../selector/selector.js';
import type { Recipient } from '../values/sending.js';
import { checkUnknown, UNKNOWN } from './recipients.js';

/** The context in which a load is checked. */
interface LoadShape {
  /** The devices of a selector, with the commands and keys that their firmware accepts. */
  readonly recipients: (to: Selector) => readonly Recipient[];
  /** Duration of the scenario. */
  readonly end: Millis;
  readonly selector: (to: string, node: LocatedNode) => Selector | undefined;
  /** Reads a file; `path` is relative to the folder of the scenario. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
  /** Clients of `setup` with their spaces, null for the space of the fleet; undefined if `setup` could not be read. */
  readonly clients: ReadonlyMap<string, string | null> | undefined;
}

const RATES = /^\s*\d+(\.\d+)?\/[smh](\s*\.\.\s*\d+(\.\d+)?\/[smh])?\s*$/;
const MOST_USERS = 10_000;
/** Highest accepted rate, in requests a second. */
const FASTEST = 1_000_000;

const COMMON = {
  from: optional(describeKey('When it begins. Default: 0s.', '10m', duration), 0),
  until: optional(describeKey('When it ends. Default: at the end of the scenario.', '20m', duration)),
  ...TO,
  rate: optional(
    describeKey(
      'Requests at this rate, whatever the answers: `50/s`, a ramp, steps, or a replay.',
      '1/s..20/s',
      formed(rateForm, (node) => node),
    ),
  ),
  spacing: optional(
    describeKey('Pauses between requests at a rate. Default: even.', 'poisson', oneOf(['even', 'poisson'])),
  ),
  users: optional(
    describeKey(
      'Number of users, each of whom waits for the answer before the next request.',
      10,
      integer(1, MOST_USERS),
    ),
  ),
  think: optional(describeKey('Pause of a user after an answer. Default: none.', '2s', duration)),
  patient: optional(describeKey('Whether users observe Retry-After. Default: false.', true, boolean), false),
  as: optional(describeKey('Client of `setup` whose API key the requests have.', 'neighbour', text())),
  ...UNKNOWN,
};

/** JSON Schema of `load`, for editors. */
export function loadForm(): Form {
  return { type: 'array', items: variantForm(COMMON, callForms()) };
}

function rateForm(): Form {
  const rate: Form = { type: 'string', pattern: RATES.source };
  return eitherForm(rate, formOf(replay), { type: 'object', minProperties: 1, additionalProperties: rate });
}

export function load(node: LocatedNode, problems: Problems, shape: LoadShape): readonly ScenarioLoad[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of requests, each with "rate" or "users"');
  const before = problems.list.length;
  const names = new Map<string, number>();
  const loads = node.items.flatMap((item) => {
    const read = oneLoad(item, problems, shape);
    if (read === undefined) return [];
    const count = (names.get(read.name) ?? 0) + 1;
    names.set(read.name, count);
    return [count === 1 ? read : { ...read, name: `${read.name} (${count})` }];
  });
  return problems.list.length === before ? loads : undefined;
}

function oneLoad(
  node: LocatedNode,
  problems: Problems,
  { end, selector, readFile, clients, recipients }: LoadShape,
): ScenarioLoad | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a request: a map with a call, and "rate" or "users"');
  const { common, kind, options } = readVariant('a load', COMMON, CALL_NAMES, node, problems);
  const to = common && selector(common.to, valueAt(node, 'to'));
  if (common?.unknown && kind) checkUnknown(node, kind, DOWNLINK_CALLS, problems);
  const sending = { recipients: to && !common?.unknown ? recipients(to) : [] };
  const call = kind && checkCall(kind, options, problems, sending);
  if (common === undefined || call === undefined) return undefined;
  const { from, until = end } = common;
  if (until <= from) problems.add(valueAt(node, 'until'), 'the load would end before it begins');
  else if (until > end) problems.add(valueAt(node, 'until'), 'the load would end after the scenario');
  const pace = paceOf(node, common, { from, until, readFile }, problems);
  const { as } = common;
  if (as !== undefined && clients !== undefined) checkClient(as, call, node, clients, problems);
  const name = `${call.kind}${common.to === 'all' ? '' : ` to ${common.to}`}${as === undefined ? '' : ` as ${as}`}`;
  return to && pace && { name, call, as, from, until, pace, to };
}

function checkClient(
  as: string,
  call: CallSpec,
  node: MapNode,
  clients: NonNullable<LoadShape['clients']>,
  problems: Problems,
): void {
  const space = clients.get(as);
  if (space === undefined) {
    const meant = didYouMean(as, [...clients.keys()]);
    problems.add(valueAt(node, 'as'), `${quote(as)} is not a client${meant}: "setup" needs "- client: { name: … }"`);
  } else if (space !== null && (isOfDevice(call.kind) || node.entries.has('to'))) {
    const calls = CALL_NAMES.filter((kind) => !isOfDevice(kind));
    problems.add(
      node,
      `the space ${quote(space)} of ${quote(as)} has no devices: its loads have no "to", and are ${orList(calls)}`,
    );
  }
}

interface Window extends Pick<LoadShape, 'readFile'> {
  readonly from: Instant;
  readonly until: Instant;
}

interface PaceKeys {
  readonly rate: LocatedNode | undefined;
  readonly spacing: 'even' | 'poisson' | undefined;
  readonly users: number | undefined;
  readonly think: Millis | undefined;
  readonly patient: boolean;
}

function paceOf(node: MapNode, keys: PaceKeys, window: Window, problems: Problems): Pace | undefined {
  const { rate, spacing, users, think, patient } = keys;
  if ((rate === undefined) === (users === undefined)) {
    problems.add(node, 'a load needs either "rate" (requests on a schedule) or "users" (each waits for its answer)');
    return undefined;
  }
  if (users !== undefined) {
    if (spacing !== undefined) problems.add(valueAt(node, 'spacing'), 'a load with "users" has no "spacing"');
    return { kind: 'closed', users, think: think ?? 0, ...(patient && { patient }) };
  }
  if (think !== undefined)
    problems.add(valueAt(node, 'think'), '"think" needs "users": at a rate, requests do not depend on answers');
  if (patient)
    problems.add(valueAt(node, 'patient'), '"patient" needs "users": at a rate, requests do not depend on answers');
  if (rate?.kind === 'map' && rate.entries.has('replay')) {
    if (spacing !== undefined)
      problems.add(valueAt(node, 'spacing'), 'a replay has no "spacing": the times are in its file');
    return replayed(rate, window, problems);
  }
  const pieces = rate && ratePieces(rate, window, problems);
  return pieces && { kind: 'open', spacing: spacing ?? 'even', pieces };
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
    const trace = readArrivals(readFile(file), speed, problems)?.within(until - from);
    if (trace === undefined) return undefined;
    if (trace.times.length > 0) return { kind: 'replay', file, trace };
    problems.add(place, `all times in ${quote(file)} are after the end of the load`);
  } catch (error) {
    problems.add(place, messageOf(error));
  }
  return undefined;
}

function ratePieces(node: LocatedNode, { from, until }: Window, problems: Problems): readonly RatePiece[] | undefined {
  if (node.kind !== 'map') {
    const read = rates(node, problems);
    return read && [{ from, until, ...read }];
  }
  const before = problems.list.length;
  const starts: { readonly at: Instant; readonly first: number; readonly last: number }[] = [];
  for (const [key, entry] of node.entries) {
    const after = parseDuration(key);
    const read = rates(entry.value, problems);
    const at = from + (after ?? 0);
    if (after === undefined)
      problems.add(entry.key, `${quote(key)} is not a time after the start of the load, such as "5m"`);
    else if (at >= until) problems.add(entry.key, 'the rate would change after the end of the load');
    else if (at <= (starts.at(-1)?.at ?? -1)) problems.add(entry.key, 'the times must be in ascending order');
    if (read) starts.push({ at, ...read });
  }
  if (node.entries.size === 0) return complain(node, problems, 'a map of times to rates such as { 0s: 1/s, 5m: 30/s }');
  if (problems.list.length > before) return undefined;
  return starts.map(({ at, first, last }, i) => ({ from: at, until: starts[i + 1]?.at ?? until, first, last }));
}

/** `50/s`, `600/h`, or `1/s..50/s` for a rate that changes linearly. */
const rates: Check<{ readonly first: number; readonly last: number }> = (node, problems) => {
  const [one = '', other = one, ...more] = node.kind === 'scalar' ? node.source.trim().split('..') : [];
  const first = perSecond(one);
  const last = perSecond(other);
  if (more.length > 0 || first === undefined || last === undefined) {
    return complain(node, problems, `a rate such as "50/s", "600/h" or "1/s..50/s", up to ${FASTEST}/s`);
  }
  return { first, last };
};

const SECONDS = { s: 1, m: 60, h: 3600 } as const;

/** Reads a constant rate such as `600/h` as requests per second; undefined if the text is not a rate, or above the limit. */
export function perSecond(source: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(source.trim()) ?? [];
  const rate = Number(count) / SECONDS[unit as keyof typeof SECONDS];
  return count !== '' && rate <= FASTEST ? rate : undefined;
}
