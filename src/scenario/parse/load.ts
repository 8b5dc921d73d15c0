/**
 * The `load` of a scenario: API requests of users of the cloud.
 *
 *     load:
 *       - { latest-value:, rate: 50/s, spacing: poisson }          # a prepared call (calls.ts); its pace: pace.ts
 *       - { commands: [info show], to: clime, users: 10, think: 2s }
 *       - { list-messages:, rate: 50/s, as: neighbour }            # with the API key of a client of `setup`
 *       - name: dashboard                                          # chains of one's own (chains.ts)
 *         chain:
 *           - { get: "/v2/spaces/{space}/devices", capture: { id: "$[0].id" } }
 *           - { get: "/v2/spaces/{space}/devices/{id}", check: status == 200 }
 *         rate: 5/s
 */

import {
  complain,
  describeKey,
  duration,
  type Form,
  oneOf,
  optional,
  readVariant,
  record,
  refine,
  shortOrMap,
  text,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, MapNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { messageOf } from '../../kernel/errors.js';
import type { Millis } from '../../kernel/time.js';
import { CALL_NAMES, callForms, checkCall, DOWNLINK_CALLS, isOfDevice } from '../load/calls.js';
import { checkPlaces, OWN_CALLS, type OwnCallName, readChains } from '../load/chains.js';
import { DATA_ORDERS, type LoadData, readRows } from '../load/data-rows.js';
import { EXECUTORS } from '../load/executors.js';
import type { LoadCall, Pace } from '../load/load.js';
import { usesDevices } from '../load/ready.js';
import { readRecorded, replayOptions } from '../load/recorded.js';
import { LABEL } from '../load/request.js';
import type { ScenarioLoad } from '../model/scenario.js';
import { TO } from '../selector/check.js';
import type { Selector } from '../selector/selector.js';
import type { Recipient, Sending } from '../values/sending.js';
import { PACE_KEYS, paceOf, type Window } from './pace.js';
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

/** `people.csv`, or `{ file: people.csv, order: unique }`. */
const data = shortOrMap<Pick<LoadData, 'file' | 'order'>>(
  refine(text(), (file) => ({ file, order: 'cyclic' })),
  record('data', {
    file: describeKey('CSV or NDJSON file, relative to the scenario.', 'people.csv', text()),
    order: optional(
      describeKey(
        'cyclic: again from the first row; unique: each row once, then the load ends; random. Default: cyclic.',
        'unique',
        oneOf(DATA_ORDERS),
      ),
      'cyclic' as const,
    ),
  }),
);

const COMMON = {
  from: optional(describeKey('When it begins. Default: 0s.', '10m', duration), 0),
  until: optional(describeKey('When it ends. Default: at the end of the scenario.', '20m', duration)),
  ...TO,
  name: optional(describeKey('Name in reports and expectations. Default: what it sends.', 'dashboard', LABEL)),
  ...PACE_KEYS,
  data: optional(describeKey('CSV or NDJSON file with a row for each iteration.', 'people.csv', data)),
  as: optional(describeKey('Client of `setup` whose API key the requests have.', 'neighbour', text())),
  ...UNKNOWN,
};

/** JSON Schema of `load`, for editors. */
export function loadForm(): Form {
  return { type: 'array', items: variantForm(COMMON, callForms()) };
}

// The cast is needed because `Object.keys` returns `string[]`.
const OWN_NAMES = Object.keys(OWN_CALLS) as readonly OwnCallName[];
const KINDS = [...CALL_NAMES, ...OWN_NAMES, 'replay'] as const;
type KindName = (typeof KINDS)[number];

export function load(node: LocatedNode, problems: Problems, shape: LoadShape): readonly ScenarioLoad[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of requests, each with "rate", "users" or "per"');
  const before = problems.list.length;
  const names = new Map<string, number>();
  const loads = node.items.flatMap((item) => {
    const read = oneLoad(item, problems, shape);
    if (read === undefined) return [];
    const count = (names.get(read.name) ?? 0) + 1;
    names.set(read.name, count);
    const name = valueAt(item, 'name');
    if (count > 1 && name !== item) problems.add(name, `another load has the name ${quote(read.name)}`);
    return [count === 1 ? read : { ...read, name: `${read.name} (${count})` }];
  });
  return problems.list.length === before ? loads : undefined;
}

function oneLoad(
  node: LocatedNode,
  problems: Problems,
  { end, selector, readFile, clients, recipients }: LoadShape,
): ScenarioLoad | undefined {
  if (node.kind !== 'map')
    return complain(node, problems, 'a request: a map with a call, and "rate", "users" or "per"');
  explainExecutor(node, problems);
  const { common, kind, options } = readVariant('a load', COMMON, KINDS, node, problems);
  const to = common && selector(common.to, valueAt(node, 'to'));
  if (common?.unknown && kind) checkUnknown(node, kind, DOWNLINK_CALLS, problems);
  const sending = { recipients: to && !common?.unknown ? recipients(to) : [] };
  const prepared = kind === 'replay' ? undefined : kind && readCall(kind, options, problems, sending);
  if (common === undefined) return undefined;
  const { from, until = end, as } = common;
  checkWindow(node, { from, until, end }, problems);
  const window = { from, until, readFile };
  const { call, pace } =
    kind === 'replay'
      ? readReplay(node, options, window, problems)
      : { call: prepared, pace: paceOf(node, common, window, problems) };
  const rows = common.data && readData(node, common.data, readFile, problems);
  if (call === undefined) return undefined;
  const use = { call, ...(rows && { data: rows }) };
  const ofDevices = usesDevices(use) || common.per !== undefined;
  if (as !== undefined && clients !== undefined) checkClient(as, ofDevices, node, clients, problems);
  checkData(use, ofDevices, node, options, problems);
  const name = common.name ?? nameCall(call, kind, common.to, as);
  return to && pace && { name, ...use, as, from, until, pace, to };
}

function checkWindow(
  node: MapNode,
  { from, until, end }: Pick<Window, 'from' | 'until'> & Pick<LoadShape, 'end'>,
  problems: Problems,
): void {
  if (until <= from) problems.add(valueAt(node, 'until'), 'the load would end before it begins');
  else if (until > end) problems.add(valueAt(node, 'until'), 'the load would end after the scenario');
}

/** The requests of a recording, and their times. */
function readReplay(
  node: MapNode,
  options: LocatedNode,
  { from, until, readFile }: Window,
  problems: Problems,
): { readonly call?: LoadCall; readonly pace?: Pace } {
  for (const key of [...Object.keys(PACE_KEYS), 'data', 'to']) {
    const entry = node.entries.get(key);
    if (entry) problems.add(entry.key, `a replay has no ${quote(key)}: its requests and their times are in its file`);
  }
  const read = replayOptions(options, problems);
  if (read === undefined) return {};
  const { file } = read;
  try {
    const [named, length] = [readFile(file), until - from];
    const recorded = problems.readOnce(named, [read, length], () => readRecorded(named, read, length, problems));
    return recorded ? { call: recorded.call, pace: { kind: 'replay', file, trace: recorded.trace } } : {};
  } catch (error) {
    problems.add(valueAt(options, 'file'), messageOf(error));
    return {};
  }
}

/** @param options the value of the kind */
function checkData(
  { call, data: rows }: Pick<ScenarioLoad, 'call' | 'data'>,
  ofDevices: boolean,
  node: MapNode,
  options: LocatedNode,
  problems: Problems,
): void {
  const isGiven = node.entries.has('data');
  if (call.kind === 'recorded') return;
  if (call.kind !== 'chains') {
    if (isGiven) problems.add(valueAt(node, 'data'), `"data" is for ${orList(OWN_NAMES)}, not for ${quote(call.kind)}`);
    return;
  }
  // If the data could not be read, its columns are not known.
  if (!isGiven || rows !== undefined) checkPlaces(call, rows, options, problems);
  if (!ofDevices && node.entries.has('to'))
    problems.add(valueAt(node, 'to'), 'none of its requests has {device}, {serial} or {name}: it needs no "to"');
}

function readData(
  node: MapNode,
  { file, order }: Pick<LoadData, 'file' | 'order'>,
  readFile: LoadShape['readFile'],
  problems: Problems,
): LoadData | undefined {
  try {
    const named = readFile(file);
    const rows = problems.readOnce(named, 'rows', () => readRows(named, problems));
    return rows && { file, order, rows };
  } catch (error) {
    const written = valueAt(node, 'data');
    problems.add(valueAt(written, 'file'), messageOf(error));
    return undefined;
  }
}

/** A load with k6's name of its executor: says which keys to write. */
function explainExecutor(node: MapNode, problems: Problems): void {
  const entry = node.entries.get('executor');
  if (entry === undefined) return;
  const given = entry.value.kind === 'scalar' ? entry.value.source : '';
  const known = Object.hasOwn(EXECUTORS, given) ? EXECUTORS[given] : undefined;
  const hint =
    known === undefined
      ? `"ghostfleet list executors" prints what to write${didYouMean(given, Object.keys(EXECUTORS))}`
      : `${given} is written ${quote(known.keys)}`;
  problems.explain(entry.key, `"executor" is not a key of a load; ${hint}`);
}

function readCall(kind: KindName, node: LocatedNode, problems: Problems, sending: Sending): LoadCall | undefined {
  const own = OWN_NAMES.find((name) => name === kind);
  if (own !== undefined) return readChains(own, node, problems);
  const call = CALL_NAMES.find((name) => name === kind);
  return call && checkCall(call, node, problems, sending);
}

function nameCall(call: LoadCall, kind: KindName | undefined, to: string, as: string | undefined): string {
  const [chain] = call.kind === 'chains' && kind === 'request' ? call.chains : [];
  const what = call.kind === 'recorded' ? `replay ${call.file}` : (chain?.requests[0]?.name ?? (kind || ''));
  return `${what}${to === 'all' ? '' : ` to ${to}`}${as === undefined ? '' : ` as ${as}`}`;
}

function checkClient(
  as: string,
  ofDevices: boolean,
  node: MapNode,
  clients: NonNullable<LoadShape['clients']>,
  problems: Problems,
): void {
  const space = clients.get(as);
  if (space === undefined) {
    const meant = didYouMean(as, [...clients.keys()]);
    problems.add(valueAt(node, 'as'), `${quote(as)} is not a client${meant}: "setup" needs "- client: { name: … }"`);
  } else if (space !== null && (ofDevices || node.entries.has('to'))) {
    const calls = CALL_NAMES.filter((kind) => !isOfDevice(kind));
    problems.add(
      node,
      `the space ${quote(space)} of ${quote(as)} has no devices: its loads have no "to", and are ${orList(calls)}`,
    );
  }
}
