/**
 * Loads of one's own: chains of requests that a user makes one after the other. `request` is a chain of one, `chain` a list, and
 * `choose` has several chains of which each iteration carries out one. The chain ends at the first request that fails.
 */
import {
  complain,
  describeKey,
  formed,
  list,
  optional,
  positiveNumber,
  readVariant,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, Problems, ScalarNode } from '../../input/document.js';
import { didYouMean, quote } from '../../input/problems.js';
import { kindForms } from '../values/kind-forms.js';
import { findGap, type LoadData } from './data-rows.js';
import { DEVICE_PLACES, PLACES, placesOf, type RequestSpec, readRequest, requestForm } from './request.js';
import { PLACE_NAME } from './template.js';

interface ChainSpec {
  /** How often it is chosen, relative to the other chains. */
  readonly weight: number;
  readonly requests: readonly RequestSpec[];
}

/** The chains of a load as plain data, for a plan. */
export interface ChainsSpec {
  readonly kind: 'chains';
  readonly chains: readonly ChainSpec[];
}

type Requests = readonly RequestSpec[];

const MOST_REQUESTS = 100;
const MOST_CHAINS = 50;

const one = formed(requestForm, (node, problems): Requests | undefined => {
  const read = readRequest(node, problems);
  rejectThink(node, problems);
  return read && [read];
});

const several = formed(
  () => ({ type: 'array', items: requestForm(), minItems: 1, maxItems: MOST_REQUESTS }),
  (node, problems): Requests | undefined => {
    if (node.kind !== 'list' || node.items.length === 0 || node.items.length > MOST_REQUESTS)
      return complain(node, problems, `a list of 1 to ${MOST_REQUESTS} requests`);
    const read = node.items.map((item, index) => readRequest(item, problems, index));
    rejectThink(node.items.at(-1) ?? node, problems);
    return read.every((request) => request !== undefined) ? withNames(read as Requests) : undefined;
  },
);

/** @param last the last request of a chain */
function rejectThink(last: LocatedNode, problems: Problems): void {
  const think = last.kind === 'map' ? last.entries.get('think') : undefined;
  if (think === undefined) return;
  const instead = 'with "users", a "think" of the load is a pause between iterations';
  problems.add(think.key, `it is the last request of its chain, so "think" has no effect; ${instead}`);
}

/** The kinds of loads with one chain. */
const SINGLE = {
  request: {
    about: 'sends any request to the cloud',
    example: 'request: { get: "/v2/spaces/{space}/devices", check: status == 200 }',
    check: one,
  },
  chain: {
    about: 'sends requests one after the other; later ones can use what earlier ones capture',
    example:
      'chain: [{ get: "/v2/spaces/{space}/devices", capture: { id: "$[0].id" } }, { get: "/v2/spaces/{space}/devices/{id}" }]',
    check: several,
  },
} as const;

const WEIGHT = {
  weight: optional(describeKey('How often it is chosen, relative to the others. Default: 1.', 3, positiveNumber), 1),
};

const choice = formed(
  () => variantForm(WEIGHT, kindForms(SINGLE)),
  (node, problems): ChainSpec | undefined => {
    if (node.kind !== 'map') return complain(node, problems, 'a chain with a weight: { weight: 3, chain: [ … ] }');
    const { common, kind, options } = readVariant('a choice', WEIGHT, ['request', 'chain'], node, problems);
    const requests = kind && SINGLE[kind].check(options, problems);
    return common && requests && { weight: common.weight, requests };
  },
);

const choices = list(choice, 2, MOST_CHAINS);

/** The kinds of loads of one's own, as {@link CALLS} has the prepared ones. */
export const OWN_CALLS = {
  ...SINGLE,
  choose: {
    about: 'carries out one of several chains, by weight',
    example:
      'choose: [{ weight: 3, request: { get: "/v2/spaces/{space}/devices" } }, { request: { get: "/v2/spaces/{space}/tags" } }]',
    check: choices,
  },
} as const;

/** Requests of one name get numbers. */
function withNames(requests: Requests): Requests {
  const seen = new Map<string, number>();
  return requests.map((request) => {
    const count = (seen.get(request.name) ?? 0) + 1;
    seen.set(request.name, count);
    return count === 1 ? request : { ...request, name: `${request.name} (${count})` };
  });
}

export type OwnCallName = keyof typeof OWN_CALLS;

/** Reads the options of the kind `name`. */
export function readChains(name: OwnCallName, node: LocatedNode, problems: Problems): ChainsSpec | undefined {
  if (name === 'choose') {
    const chains = choices(node, problems);
    return chains && { kind: 'chains', chains };
  }
  const requests = SINGLE[name].check(node, problems);
  return requests && { kind: 'chains', chains: [{ weight: 1, requests }] };
}

/** Notes each placeholder that has no value. @param data undefined for none */
export function checkPlaces(
  { chains }: ChainsSpec,
  data: LoadData | undefined,
  node: LocatedNode,
  problems: Problems,
): void {
  for (const [index, { requests }] of chains.entries()) {
    const captured = new Set<string>();
    for (const [turn, request] of requests.entries()) {
      const faults = [...listMissing(request, captured, data), ...listUnusable(request, data)];
      for (const { name, why } of faults) problems.add(findText(placeOf(node, index, turn), `{${name}}`), why);
      for (const name of Object.keys(request.capture ?? {})) captured.add(name);
    }
  }
}

interface Fault {
  /** What is in the braces. */
  readonly name: string;
  readonly why: string;
}

function listMissing(
  request: RequestSpec,
  captured: ReadonlySet<string>,
  data: LoadData | undefined,
): readonly Fault[] {
  return [...placesOf(request)].flatMap((name) => {
    const why = captured.has(name) ? undefined : explainMissing(name, request.name, captured, data);
    return why === undefined ? [] : [{ name, why }];
  });
}

/** Columns in braces whose name no placeholder can have, such as one with a blank: the braces would be sent as they are. */
function listUnusable(request: RequestSpec, data: LoadData | undefined): readonly Fault[] {
  const columns = (data?.rows.columns ?? []).filter((name) => name !== '' && !PLACE_NAME.test(name));
  const sent = columns.length === 0 ? '' : JSON.stringify(request);
  return columns
    .filter((name) => sent.includes(JSON.stringify(`{${name}}`).slice(1, -1)))
    .map((name) => {
      const reason = `{${name}} cannot have the value of the column ${quote(name)}: rename it`;
      return { name, why: `${reason}, to letters, digits, "-", "_" and ".", with a letter or "_" first` };
    });
}

/** Why a placeholder has no value; undefined if it has one. @param captured names of earlier requests */
function explainMissing(
  name: string,
  request: string,
  captured: ReadonlySet<string>,
  data: LoadData | undefined,
): string | undefined {
  const columns = data?.rows.columns ?? [];
  if (data !== undefined && columns.includes(name)) {
    const gap = findGap(data.rows, name);
    return gap === undefined ? undefined : `{${name}} has no value in row ${gap} of ${quote(data.file)}`;
  }
  if (PLACES.includes(name)) return undefined;
  const known = [...PLACES, ...columns, ...captured];
  const meant = didYouMean(name, known);
  return `{${name}} has no value in ${quote(request)}${meant}; it has ${known.join(', ')}; {{${name}}} is the text itself`;
}

/** Where a text is in the values below a node; the node itself if it is not there. */
function findText(node: LocatedNode, text: string): LocatedNode {
  for (const scalar of listScalars(node)) {
    const at = typeof scalar.value === 'string' && scalar.variables === undefined ? scalar.value.indexOf(text) : -1;
    if (at >= 0) return { ...scalar, column: scalar.textColumn + at };
  }
  return node;
}

function listScalars(node: LocatedNode): readonly ScalarNode[] {
  if (node.kind === 'scalar') return [node];
  if (node.kind === 'list') return node.items.flatMap(listScalars);
  return [...node.entries.values()].flatMap(({ value }) => listScalars(value));
}

/** The place of a request in the value of `request`, `chain` or `choose`. */
function placeOf(node: LocatedNode, index: number, turn: number): LocatedNode {
  if (node.kind !== 'list') return node;
  const first = node.items[index] ?? node;
  const own = valueAt(first, 'chain');
  if (own !== first && own.kind === 'list') return own.items[turn] ?? own;
  const only = valueAt(first, 'request');
  return only === first ? (node.items[turn] ?? node) : only;
}

/** Whether a chain is about a device, so that each iteration has one. A column of the data hides a placeholder of its name. */
export function namesDevice({ chains }: ChainsSpec, data: LoadData | undefined): boolean {
  const names = new Set<string>(DEVICE_PLACES.filter((name) => !data?.rows.columns.includes(name)));
  return chains.some(({ requests }) =>
    requests.some((request) => [...placesOf(request)].some((name) => names.has(name))),
  );
}
