/** The kinds of requests that a load can send. To add one, describe it here. */
import { complain, type Form, formed } from '../../input/checks.js';
import { type LocatedNode, type Problems, plain } from '../../input/document.js';
import type { DownlinkType } from '../../trace/events.js';
import { configLines } from '../values/config-lines.js';
import { kindForms } from '../values/kind-forms.js';
import { noOptions } from '../values/no-options.js';
import { type Sending, type SendingCheck, sentData, sentLines } from '../values/sending.js';
import { shellLines } from '../values/shell-lines.js';
import { notJsonBecause } from './answer.js';
import { OWN_CALLS } from './chains.js';
import { REPLAY } from './recorded.js';
import type { Method } from './request.js';

/** An HTTP request to the API. */
export interface CallRequest {
  readonly method: Method;
  /** Path and query without the base address: `/v2/spaces/…`. */
  readonly path: string;
  /** JSON, unless a header says something else; undefined for none. */
  readonly body: string | undefined;
  /** Headers of the scenario, in small letters; they replace those of the run. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether only the status and the headers of the answer matter: its body takes no memory. Default: false */
  readonly bodiless?: boolean;
}

/** The space and the device of a request. */
interface CallContext {
  readonly space: string;
  /** Id of a device in the cloud; empty for calls about the space. */
  readonly device: string;
}

interface CallKind {
  /** One line for `ghostfleet list calls`. */
  readonly about: string;
  readonly example: string;
  readonly method: 'GET' | 'POST';
  /** The path below `/v2/spaces/{space_id}`. @param device id of the device */
  readonly path: (device: string) => string;
  /** Whether the request is about a device; otherwise it is about the space. */
  readonly ofDevice: boolean;
  /** What a 2xx answer has to contain. */
  readonly answer: Answer;
  /** Type of the downlink that the call queues; left out if the call queues no downlink. */
  readonly queues?: DownlinkType;
  /** Reads the value after the name of the call; it becomes the body of the request. Left out: the call has no value. */
  readonly check?: SendingCheck<object>;
}

interface Answer {
  /** Noun for messages: `a list of devices`. */
  readonly what: string;
  /** @param device id of the device of the request */
  readonly fits: (value: unknown, device: string) => boolean;
}

const MESSAGE: Answer = { what: 'a message', fits: hasId };

export const CALLS = {
  'latest-value': {
    about: 'reads the newest data message of a device',
    example: 'latest-value:',
    method: 'GET',
    path: (device) => `/messages?device_id=${device}&type[]=data&limit=1`,
    answer: {
      what: 'a list of data messages of the device',
      fits: (value, device) =>
        isListOfResources(value) && value.every(({ device_id, type }) => device_id === device && type === 'data'),
    },
    ofDevice: true,
  },
  'list-messages': {
    about: 'reads a full page of the newest messages of the space',
    example: 'list-messages:',
    method: 'GET',
    path: () => '/messages?limit=100',
    answer: { what: 'a list of messages', fits: isListOfResources },
    ofDevice: false,
  },
  'list-devices': {
    about: 'reads a page of devices',
    example: 'list-devices:',
    method: 'GET',
    path: () => '/devices?limit=100',
    answer: { what: 'a list of devices', fits: isListOfResources },
    ofDevice: false,
  },
  'read-device': {
    about: 'reads one device',
    example: 'read-device:',
    method: 'GET',
    path: (device) => `/devices/${device}`,
    answer: { what: 'the device', fits: (value, device) => hasId(value) && value.id === device },
    ofDevice: true,
  },
  'count-devices': {
    about: 'counts the devices of the space',
    example: 'count-devices:',
    method: 'GET',
    path: () => '/devices/count',
    answer: { what: 'a count', fits: (value) => isObject(value) && Number.isInteger(value.count) },
    ofDevice: false,
  },
  config: {
    about: 'queues configuration lines for a device',
    example: 'config: { interval-report: 900 }',
    method: 'POST',
    path: (device) => `/devices/${device}/configs`,
    answer: MESSAGE,
    queues: 'config',
    ofDevice: true,
    check: sentLines(configLines, 'configRefusal'),
  },
  commands: {
    about: 'queues shell commands for a device',
    example: 'commands: [info show]',
    method: 'POST',
    path: (device) => `/devices/${device}/commands`,
    answer: MESSAGE,
    queues: 'shell',
    ofDevice: true,
    check: sentLines(shellLines),
  },
  downlink: {
    about: 'queues data for the application of a device',
    example: 'downlink: { output_1_state: 1 }',
    method: 'POST',
    path: (device) => `/devices/${device}/downlinks`,
    answer: MESSAGE,
    queues: 'data',
    ofDevice: true,
    check: sentData(
      formed(
        () => ({ type: 'object' }),
        (node, problems) =>
          node.kind === 'map'
            ? // The cast is safe because `plain` returns an object for a map.
              (plain(node) as Readonly<Record<string, unknown>>)
            : complain(node, problems, 'a map with the keys of the encoder'),
      ),
    ),
  },
} as const satisfies Readonly<Record<string, CallKind>>;

export type CallName = keyof typeof CALLS;
// The cast is needed because `Object.keys` returns `string[]`.
export const CALL_NAMES = Object.keys(CALLS) as readonly CallName[];

/** A call as plain data, for a plan. */
export interface CallSpec {
  readonly kind: CallName;
  /** JSON text of the body; null: the request has none. */
  readonly body: string | null;
}

/** JSON Schema of the value after the name of each kind of load, for editors. */
export function callForms(): Readonly<Record<string, Form>> {
  return kindForms({ ...CALLS, ...OWN_CALLS, replay: REPLAY });
}

/** Reads the options of the call `kind`. */
export function checkCall(
  kind: CallName,
  node: LocatedNode,
  problems: Problems,
  sending: Sending,
): CallSpec | undefined {
  const { check }: CallKind = CALLS[kind];
  if (check === undefined) return noOptions(node, problems) === null ? { kind, body: null } : undefined;
  const body = check(node, problems, sending);
  return body && { kind, body: JSON.stringify(body) };
}

/** Whether the call is about a device; otherwise it is about the space. */
export function isOfDevice(kind: CallName): boolean {
  return CALLS[kind].ofDevice;
}

/** The calls that queue a downlink for a device. */
export const DOWNLINK_CALLS: readonly CallName[] = CALL_NAMES.filter((kind) => getDownlinkType({ kind }) !== undefined);

/** Type of the downlink that the call queues for a device; undefined: it queues none. */
export function getDownlinkType({ kind }: Pick<CallSpec, 'kind'>): DownlinkType | undefined {
  const { queues }: CallKind = CALLS[kind];
  return queues;
}

/**
 * Why the body of a 2xx answer is not what the call promises, as a short fixed text; empty if it is.
 * @param device id of the device of the request
 * @param unreadable why the body cannot be read; left out if it can
 */
export function findUselessReason(
  { kind }: Pick<CallSpec, 'kind'>,
  body: string,
  device: string,
  unreadable?: string,
): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return unreadable ?? notJsonBecause(body);
  }
  const { answer }: CallKind = CALLS[kind];
  return answer.fits(value, device) ? '' : `the answer is not ${answer.what}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function hasId(value: unknown): value is Fields & { readonly id: string } {
  return isObject(value) && typeof value.id === 'string';
}

function isListOfResources(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(hasId);
}

export function makeRequest({ kind, body }: CallSpec, { space, device }: CallContext): CallRequest {
  const { method, path }: CallKind = CALLS[kind];
  return { method, path: `/v2/spaces/${space}${path(device)}`, body: body ?? undefined };
}
