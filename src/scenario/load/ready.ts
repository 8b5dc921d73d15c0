/** Loads as the runner carries them out: every load is a choice of chains, and a prepared call is a chain of one request. */
import { foreignJson, isObject } from '../../kernel/json-text.js';
import type { Random } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { DownlinkType } from '../../trace/events.js';
import { AnswerReader, type CheckSpec, isOfBody, prepareCheck, prepareSource, type SeenAnswer } from './answer.js';
import {
  type CallRequest,
  type CallSpec,
  findUselessReason,
  getDownlinkType,
  isOfDevice,
  makeRequest,
} from './calls.js';
import { type ChainsSpec, namesDevice } from './chains.js';
import type { LoadData } from './data-rows.js';
import { describeFound, secretsOf } from './found-value.js';
import type { Load, LoadCall } from './load.js';
import type { RecordedRequest } from './recorded-request.js';
import { HEADER_VALUE, type Method, makeBody, placesOf, type RequestSpec } from './request.js';
import { asText, fill, findUntextual, inPath, type LookUp, readTemplate } from './template.js';

/** What a request knows when it is made. */
export interface RequestPlace {
  readonly space: string;
  /** Id of the device in the cloud; empty if the request does not need it. */
  readonly device: string;
  /** Values of placeholders. */
  readonly lookUp: LookUp;
  /** Address of the cloud. */
  readonly base: { readonly origin: string; readonly prefix: string };
  /** Of the run; an answer may repeat them, but no report shows them. */
  readonly secrets: readonly string[];
}

/** A downlink that a request queues, for the device with this id in the cloud. */
interface Queued {
  readonly type: DownlinkType;
  readonly device: string;
  /** What the device gets, as JSON. */
  readonly content: string;
}

interface Judgement {
  /** Why the answer does not fit, as a short fixed text; empty if it fits. */
  readonly why: string;
  /** What a failed check has found instead. */
  readonly found?: string;
}

/** Receives a captured value. Returns why it cannot be kept, as a short fixed text; undefined if it is kept. */
export type Keep = (name: string, value: unknown) => string | undefined;

export interface ReadyRequest {
  /** The name in the trace: of the load, or `dashboard/list` for a request of a chain. */
  readonly label: string;
  /** Whether it needs the id of a device in the cloud. */
  readonly needsDevice: boolean;
  /** Whether its checks decide about statuses that are not 2xx. */
  readonly anyStatus: boolean;
  /** Shortest and longest pause after the answer; left out for none. */
  readonly think?: readonly [Millis, Millis] | undefined;
  /** The request, or why a value does not fit into it. */
  readonly make: (place: RequestPlace) => CallRequest | string;
  readonly judge: (answer: SeenAnswer, place: RequestPlace, keep: Keep) => Judgement;
  readonly queues: (request: CallRequest, device: string) => Queued | undefined;
}

export interface ReadyLoad {
  /** Whether its iterations are counted by events of their own: they may have several requests. */
  readonly chained: boolean;
  /** All labels, in the order of the scenario. */
  readonly labels: readonly string[];
  /** The requests of iteration `k`, counted from 0 over the whole load. */
  readonly chainOf: (k: number) => readonly ReadyRequest[];
}

/** @param random the generator of the run */
export function prepare({ name, call, data }: Pick<Load, 'name' | 'call' | 'data'>, random: Random): ReadyLoad {
  if (call.kind === 'recorded') {
    const { list } = call.requests;
    return {
      chained: false,
      labels: [name],
      chainOf: (k) => list.slice(k, k + 1).map((one) => prepareRecorded(one, name)),
    };
  }
  if (call.kind !== 'chains') {
    const chain = [prepareCall(call, name)];
    return { chained: false, labels: [name], chainOf: () => chain };
  }
  const { chains } = call;
  const chained = isChained(call);
  const ready = chains.map(({ requests }) =>
    requests.map((request) => prepareRequest(request, chained ? `${name}/${request.name}` : name, data)),
  );
  const labels = [...new Set(ready.flatMap((requests) => requests.map(({ label }) => label)))];
  return { chained, labels, chainOf: choose(ready, chains, (k) => random.fork(`load/${name}/choice/${k}`).next()) };
}

/** The name of a load and, if it has chains, the labels of their requests: what its events are called in the trace. */
export function listLabels({ name, call }: Pick<Load, 'name' | 'call'>): readonly string[] {
  if (call.kind !== 'chains' || !isChained(call)) return [name];
  return [
    name,
    ...new Set(call.chains.flatMap(({ requests }) => requests.map((request) => `${name}/${request.name}`))),
  ];
}

function isChained({ chains }: ChainsSpec): boolean {
  return chains.length > 1 || (chains[0]?.requests.length ?? 0) > 1;
}

function choose(
  ready: readonly (readonly ReadyRequest[])[],
  chains: ChainsSpec['chains'],
  draw: (k: number) => number,
): ReadyLoad['chainOf'] {
  const [only = []] = ready;
  if (ready.length === 1) return () => only;
  const total = chains.reduce((sum, { weight }) => sum + weight, 0);
  return (k) => {
    let left = draw(k) * total;
    for (const [index, { weight }] of chains.entries()) {
      left -= weight;
      if (left < 0) return ready[index] ?? only;
    }
    return ready.at(-1) ?? only;
  };
}

function prepareCall(call: CallSpec, label: string): ReadyRequest {
  const queues = getDownlinkType(call);
  return {
    label,
    needsDevice: isOfDevice(call.kind),
    anyStatus: false,
    make: (place) => makeRequest(call, place),
    judge: ({ body, unreadable }, { device }) => ({ why: findUselessReason(call, body, device, unreadable) }),
    queues: ({ body = 'null' }, device) => (queues === undefined ? undefined : { type: queues, device, content: body }),
  };
}

function prepareRequest(spec: RequestSpec, label: string, data: LoadData | undefined): ReadyRequest {
  const { method, check = [] } = spec;
  const path = readTemplate(spec.path);
  const startsWithPlace = path.names.length > 0 && path.texts[0] === '';
  const rest = startsWithPlace ? { texts: path.texts.slice(1), names: path.names.slice(1) } : path;
  const { names: inPlace } = readTemplate(spec.path.replace(/\?.*$/s, ''));
  const body = spec.body === undefined ? undefined : makeBody(spec);
  const headers = Object.entries(spec.headers ?? {}).map(([name, value]) => [name, readTemplate(value)] as const);
  const inTexts = [...path.names, ...headers.flatMap(([, { names }]) => names), ...(body?.inTexts ?? [])];
  const checks = check.map((each) => ({ ...each, holds: prepareCheck(each), find: prepareSource(each.of) }));
  const captured = Object.entries(spec.capture ?? {}).map(([name, of]) => ({ name, of, find: prepareSource(of) }));
  const readsBody = [...checks, ...captured].some(({ of }) => isOfBody(of));
  const queues = method === 'POST' ? findQueued : () => undefined;
  const make: ReadyRequest['make'] = ({ lookUp, base }) => {
    const untextual = findUntextual(inTexts, lookUp);
    if (untextual !== undefined) return `${untextual}, which does not fit into a text`;
    const empty = inPlace.find((name) => lookUp(name) === '');
    if (empty !== undefined) return `{${empty}} is empty, so its path would be another one`;
    const given = startsWithPlace ? findPath(asText(lookUp(path.names[0] ?? '')), base) : '';
    if (given === undefined) return `{${path.names[0]}} is neither a path nor an address of the cloud`;
    const filled = given + fill(rest, lookUp, inPath);
    if (STEP.test(filled)) return 'a value is a step upwards in its path';
    const sent = headers.map(([name, value]) => [name, fill(value, lookUp)] as const);
    const wrong = sent.find(([, value]) => !HEADER_VALUE.test(value));
    if (wrong !== undefined) return `its header ${wrong[0]} would have a character that HTTP does not allow`;
    const request = {
      method,
      path: filled,
      body: body?.fill(lookUp),
      headers: headers.length === 0 ? undefined : Object.fromEntries(sent),
    };
    return { ...request, bodiless: !readsBody && queues(request) === undefined };
  };
  return {
    label,
    needsDevice: placesOf(spec).has('device') && !data?.rows.columns.includes('device'),
    anyStatus: check.some(({ of }) => of.toLowerCase() === 'status'),
    think: spec.think,
    make,
    judge: (heard, place, keep) => {
      if (checks.length === 0 && captured.length === 0) return FITS;
      const answer = new AnswerReader(heard);
      const broken = checks.find(({ of, holds }) => answer.obstacleTo(of) !== '' || !holds(answer, place.lookUp));
      if (broken !== undefined) {
        const obstacle = answer.obstacleTo(broken.of);
        if (obstacle !== '') return { why: obstacle };
        const why = `${broken.shown} does not hold`;
        if (!showsFound(broken)) return { why };
        // Made again, because few requests fail, and those that are open would need the memory.
        const secrets = [...place.secrets, ...secretsOf(make(place))];
        return { why, found: describeFound(broken.of, [...broken.find(answer)], secrets) };
      }
      return capture(answer, captured, keep);
    },
    queues,
  };
}

/** The path, with its query, in a captured path or address of the cloud, such as a `Location`; undefined for anything else. */
function findPath(text: string, { origin, prefix }: RequestPlace['base']): string | undefined {
  const isPath = /^\/(?!\/)/.test(text);
  const url = /^(?:https?:)?\/\//i.test(text) && URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  if (!isPath && url?.origin !== origin) return undefined;
  const path = (url === undefined ? text : url.pathname + url.search).replace(/#.*$/s, '');
  // Behind a proxy, the cloud may name its own prefix, which every request gets.
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
}

const FITS: Judgement = { why: '' };

interface Captured {
  readonly name: string;
  readonly of: string;
  readonly find: ReturnType<typeof prepareSource>;
}

function capture(answer: AnswerReader, captured: readonly Captured[], keep: Keep): Judgement {
  for (const { name, of, find } of captured) {
    const [value] = answer.obstacleTo(of) === '' ? find(answer) : [];
    if (value === undefined) return { why: answer.obstacleTo(of) || `no ${of} to capture` };
    const why = keep(name, value);
    if (why !== undefined) return { why };
  }
  return FITS;
}

/** Not for a status, which reports show anyway, nor for a check whose wanted value is hidden: the found one may tell it. */
function showsFound({ of, value = '', shown }: CheckSpec): boolean {
  return of.toLowerCase() !== 'status' && shown.endsWith(value);
}

/** A path with a part `.` or `..`, which proxies resolve: the request would be another one. */
const STEP = /^[^?]*\/\.{1,2}(?:[/?]|$)/;

function prepareRecorded(
  { method, path, body, headers, status: recorded }: RecordedRequest,
  label: string,
): ReadyRequest {
  const queues = method === 'POST' ? findQueued : () => undefined;
  return {
    label,
    needsDevice: false,
    anyStatus: true,
    make: ({ space }) => {
      const request = { method, path: path.replace('/v2/spaces/{space}', `/v2/spaces/${space}`), body, headers };
      return { ...request, bodiless: queues(request) === undefined };
    },
    judge: ({ status }) => {
      const isFine = status === recorded || (status >= 200 && status < 300);
      return isFine ? FITS : { why: `it was ${recorded} in the recording` };
    },
    queues,
  };
}

const QUEUES: Readonly<Record<string, DownlinkType>> = { configs: 'config', commands: 'shell', downlinks: 'data' };
const OF_DEVICE = /^\/v2\/spaces\/[^/]+\/devices\/([^/?]+)\/(configs|commands|downlinks)\/?(?:\?|$)/;
const MESSAGES = /^\/v2\/spaces\/[^/]+\/messages\/?(?:\?|$)/;

/** Requests of one's own can queue downlinks as prepared ones do, and as messages: `{ device_id, type, body }`. */
function findQueued({ path, body = 'null' }: CallRequest): Queued | undefined {
  const [, device = '', what = ''] = OF_DEVICE.exec(path) ?? [];
  const type = QUEUES[what];
  if (type !== undefined) return { type, device, content: body };
  const message = MESSAGES.test(path) ? foreignJson(body) : undefined;
  if (!isObject(message) || typeof message.device_id !== 'string') return undefined;
  const named = Object.values(QUEUES).find((each) => each === message.type);
  return named && { type: named, device: message.device_id, content: JSON.stringify(message.body ?? null) };
}

/** Whether each iteration has a device. */
export function usesDevices({ call, data }: Pick<Load, 'call' | 'data'>): boolean {
  if (call.kind === 'recorded') return false;
  return call.kind === 'chains' ? namesDevice(call, data) : isOfDevice(call.kind);
}

/** The requests of one's own; none of a prepared call. */
function listRequests(call: LoadCall): readonly Pick<RequestSpec, 'method' | 'path'>[] {
  if (call.kind === 'recorded') return call.requests.list;
  return call.kind === 'chains' ? call.chains.flatMap(({ requests }) => requests) : [];
}

/** Whether requests of the load can queue downlinks. */
export function queuesDownlinks(call: LoadCall): boolean {
  if (call.kind !== 'recorded' && call.kind !== 'chains') return getDownlinkType(call) !== undefined;
  return listRequests(call).some(
    ({ method, path }) => method === 'POST' && (OF_DEVICE.test(path) || MESSAGES.test(path) || path.startsWith('{')),
  );
}

/** The methods of the requests of one's own that change something in the cloud, each once. */
export function listChanges(call: LoadCall): readonly Method[] {
  return [...new Set(listRequests(call).map(({ method }) => method))].filter((method) => method !== 'GET');
}
