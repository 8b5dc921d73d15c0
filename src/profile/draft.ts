/**
 * A first profile of a new device type: from nothing, or from messages of an existing device. It is valid and runs at once; its
 * author then corrects what the messages do not show.
 *
 * Messages give the identity (session), the parameters of the application (config) and the values of the reports (data). The
 * range of the reported values becomes the range of the sensor. Messages do not show units, models, the true range of a
 * parameter, or the behaviour of the firmware without a network.
 */

import { stringify } from 'yaml';
import { isObject } from '../kernel/json-text.js';
import { type CodecEntry, compileCodec } from '../protocol/codec.js';
import { MOST_DECIMALS } from '../protocol/modifiers.js';
import { type FamilyName, NETWORK_FACTS } from './profile.js';

/** A message as the API returns it; other fields are ignored. */
export interface ObservedMessage {
  readonly type: string;
  readonly direction?: string;
  readonly body: unknown;
}

interface DraftOptions {
  /** Name of the file without `.yaml`: `coldroom`. */
  readonly name: string;
  readonly family: FamilyName;
  /** Messages of one device, the oldest first; empty for a template. */
  readonly history: readonly ObservedMessage[];
}

type Plain = Readonly<Record<string, unknown>>;

/** Reports of a device with a thermometer, for a draft from a history without reports. */
const TEMPLATE: readonly ObservedMessage[] = [
  { type: 'data', body: { thermometer: { temperature: 21.5 } } },
  { type: 'data', body: { thermometer: { temperature: 23.25 } } },
];

/** Parameters that every draft has: the intervals of samples, reports and polls. */
export const INTERVALS: Plain = {
  'interval-sample': { type: 'int', range: [1, 86_400], default: 60, help: 'Time from sample to sample, in seconds.' },
  'interval-report': {
    type: 'int',
    range: [30, 86_400],
    default: 900,
    help: 'Time from report to report, in seconds.',
  },
  'interval-poll': {
    type: 'int',
    range: [0, 86_400],
    default: 0,
    help: 'Time from poll to poll, in seconds; 0 is off.',
  },
};
const MODE = { type: 'enum', values: ['none', 'lte'], default: 'none', help: 'Radio that carries the reports.' };

/** Sensors of `common/chester.yaml`. A draft removes these, because they would otherwise be merged into it. */
const REMOVED = ['thermometer', 'battery', 'accelerometer', 'backup', 'w1_thermometer', 'soil_sensor', 'ble_tag'];

/** The text of a profile. @throws CodecError for values that no codec can carry */
export function draftProfile({ name, family, history }: DraftOptions): string {
  const session = findLast(history, 'session');
  const messages = history.some(({ type }) => type === 'data') ? history : [...history, ...TEMPLATE];
  const values = new Values();
  for (const { type, body, direction } of messages) if (type === 'data' && direction !== 'down') values.add(body);
  const bundle = formatObserved(session.fw_bundle) ?? `com.example.${name}`;
  const document = { version: 2, type: 'decoder', name: bundle, schema: values.schema() } as const;
  const chester = family === 'chester';
  const parameters = { ...INTERVALS, ...(chester && { mode: MODE }), ...listParameters(findLast(history, 'config')) };
  const profile = {
    extends: chester ? 'common/chester.yaml' : 'common/hio.yaml',
    title: formatObserved(session.fw_name) ?? name,
    identity: findIdentity(session, bundle, name),
    message_version: 1,
    ...(chester && { transfer_buffer: 16_384, supply_module: null }),
    commands: { own: ['sample', ...(chester ? [] : ['send'])] },
    timing: {
      ...(chester
        ? { downlink_watchdog: null, event_delay: null, event_rate: null }
        : { first_report: '10s', jitter: '0%', report: 'interval-report', poll: 'interval-poll' }),
      after_failed_send: 'drop',
    },
    ...(chester && { setup: ['app config mode lte'] }),
    config: {
      order: chester ? ['app', 'ble', 'lte'] : ['app', 'cloud', 'lte'],
      modules: { app: { prefix: chester ? `app-${name}` : 'app', parameters } },
    },
    sensors: { ...(chester && Object.fromEntries(REMOVED.map((sensor) => [sensor, null]))), ...values.sensors() },
    events: chester ? { backup: null } : {},
    tasks: [{ sample: values.names(), every: 'interval-sample', first: '0s' }],
    body: values.body(),
    decoder: {
      hash: compileCodec(document).hash,
      document: { ...document, schema: document.schema.map(makeEntryMap) },
    },
  };
  const head = [
    '# yaml-language-server: $schema=https://unpkg.com/ghostfleet/schemas/profile.schema.json',
    `# ${profile.title}: a draft. Check units, ranges, models and parameters against the sources of the device.`,
  ];
  return [...head, stringify(profile, { lineWidth: 120, nullStr: '~' })].join('\n');
}

function findIdentity(session: Plain, bundle: string, name: string): Plain {
  const { product_name, vendor_name, hw_variant, hw_revision, fw_name, fw_version } = session;
  const known = { vendor: vendor_name, product: product_name, hw_variant, hw_revision };
  const given = Object.entries(known).flatMap(([name, value]) => {
    const line = formatObserved(value);
    return line === undefined ? [] : [[name, line] as const];
  });
  return {
    ...Object.fromEntries(given),
    fw_bundle: bundle,
    fw_name: formatObserved(fw_name) ?? name,
    fw_version: formatObserved(fw_version) ?? 'v1.0.0',
  };
}

/** Body of the newest uplink of a type; `{}` without one. A list is returned under the key `lines`. */
function findLast(history: readonly ObservedMessage[], type: string): Plain {
  const body = history.filter((message) => message.type === type && message.direction !== 'down').at(-1)?.body;
  return Array.isArray(body) ? { lines: body } : isObject(body) ? body : {};
}

/** A line of `config show` with a parameter of the application. */
export const PARAMETER_LINE = /^app config (\S+) (.+)$/;

/** Parameters of the application from the lines of `config show`; their ranges are unknown. */
function listParameters(config: Plain): Plain {
  const lines = Object.values(config)
    .flatMap((value) => (Array.isArray(value) ? value : []))
    .map(String);
  const found = lines.flatMap((line): readonly (readonly [string, Plain])[] => {
    const [, name, value] = PARAMETER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined || name === 'mode' || name.startsWith('channel-')) return [];
    return [[name, { ...makeSpec(value), help: `Observed as ${value.replaceAll('"', '')}.` }]];
  });
  return Object.fromEntries(found);
}

function makeSpec(value: string): Plain {
  if (value === 'true' || value === 'false') return { type: 'bool', default: value === 'true' };
  if (/^-?\d{1,9}$/.test(value)) {
    return {
      type: 'int',
      range: [Math.min(0, Number(value)), Math.max(1_209_600, Number(value))],
      default: Number(value),
    };
  }
  if (/^-?\d+\.\d+$/.test(value)) {
    const most = Math.max(1_000_000, Math.abs(Number(value)));
    return { type: 'float', range: [-most, most], default: Number(value) };
  }
  const text = value.replace(/^"(.*)"$/, '$1');
  return { type: 'string', max_length: Math.max(64, text.length), default: text };
}

interface Seen {
  min: number;
  max: number;
  /** Digits after the point; {@link decimalsOf} says how many of them a draft keeps. */
  digits: number;
}

/** The ranges of the values in all reports, by section and name. Lists and texts are not part of a draft. */
class Values {
  readonly #sections = new Map<string, Map<string, Seen>>();

  add(body: unknown): void {
    if (!isObject(body)) return;
    for (const [section, fields] of Object.entries(body)) {
      if (isCommonSection(section) || !isObject(fields)) continue;
      for (const [name, value] of Object.entries(fields))
        if (typeof value === 'number') this.#see(section, name, value);
    }
  }

  names(): readonly string[] {
    return [...this.#sections.keys()].map(nameSensor);
  }

  sensors(): Plain {
    const all = [...this.#sections].map(([section, fields]) => [
      nameSensor(section),
      { reads: mapFields(fields, draftQuantity) },
    ]);
    return Object.fromEntries(all);
  }

  body(): Plain {
    const own = [...this.#sections].map(([section, fields]) => [
      section,
      mapFields(fields, (_, name) => `last ${nameSensor(section)}.${name}`),
    ]);
    return { ...COMMON_BODY, ...Object.fromEntries(own) };
  }

  schema(): readonly CodecEntry[] {
    const own = [...this.#sections].map(([section, fields]) => ({
      name: section,
      value: [...fields].map(([name, seen]) => ({ name, value: makeModifiers(sentDigits(seen)) })),
    }));
    return [...COMMON_SCHEMA, ...own];
  }

  #see(section: string, name: string, value: number): void {
    const fields = this.#sections.get(section) ?? new Map<string, Seen>();
    this.#sections.set(section, fields);
    const [, fraction = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? [];
    const digits = Math.max(0, fraction.length - Number(exponent));
    const seen = fields.get(name) ?? { min: value, max: value, digits };
    seen.min = Math.min(seen.min, value);
    seen.max = Math.max(seen.max, value);
    seen.digits = Math.max(seen.digits, digits);
    fields.set(name, seen);
  }
}

/** Whether all reports have this section. Such a section does not belong to a sensor. */
export function isCommonSection(section: string): boolean {
  return ['message', 'system', 'network', 'attribute'].includes(section);
}

function nameSensor(section: string): string {
  return REMOVED.includes(section) ? `own_${section}` : section;
}

/** A codec entry as profiles write it: a map of one name. */
function makeEntryMap({ name, value }: CodecEntry): Plain {
  return { [name]: Array.isArray(value) ? value.map(makeEntryMap) : value };
}

function mapFields(fields: ReadonlyMap<string, Seen>, of: (seen: Seen, name: string) => unknown): Plain {
  return Object.fromEntries([...fields].map(([name, seen]) => [name, of(seen, name)]));
}

/** A quantity that stays within the observed range, also when its values are rounded in the reports. */
function draftQuantity(seen: Seen): Plain {
  const { min, max } = seen;
  const half = (max - min) / 2;
  const decimals = decimalsOf(seen);
  const step = Number(`1e-${sentDigits(seen)}`);
  const round = (value: number): number => Number(value.toFixed(decimals));
  const lowest = round(min) < min ? round(min + step) : round(min);
  const highest = round(max) > max ? round(max - step) : round(max);
  return {
    range: lowest < highest ? [lowest, highest] : [min - 1, max + 1],
    model: 'constant',
    value: round(min + half),
    spread: round(half / 2),
    noise: round(half / 5),
  };
}

/**
 * Digits after the point that a draft keeps: at least three, and enough to divide the observed range into 100 steps, if a double
 * has them.
 */
function decimalsOf({ min, max }: Seen): number {
  const largest = Math.max(Math.abs(min), Math.abs(max));
  const wanted = Math.max(3, 2 - exponentOf((max - min) / 2 || largest));
  return Math.min(wanted, MOST_DECIMALS - Math.max(0, exponentOf(largest) + 1));
}

/** The exponent of a number in scientific notation. */
function exponentOf(value: number): number {
  return Number(value.toExponential().split('e')[1]);
}

/** Digits after the point of the values in a report. */
function sentDigits(seen: Seen): number {
  return Math.min(seen.digits, decimalsOf(seen));
}

/** The device sends whole numbers; the decoder divides them. */
function makeModifiers(digits: number): CodecEntry['value'] {
  if (digits === 0) return null;
  return [
    { name: '$div', value: Number(`1e${digits}`) },
    { name: '$fpp', value: digits },
  ];
}

const NETWORK: readonly string[] = NETWORK_FACTS;
const COMMON_BODY: Plain = {
  message: { version: 'fact version', sequence: 'fact sequence', timestamp: 'fact timestamp' },
  system: { uptime: 'fact uptime' },
  network: { parameter: Object.fromEntries(NETWORK.map((name) => [name, `fact ${name}`])) },
};
const leaf = (name: string): CodecEntry => ({ name, value: null });
const COMMON_SCHEMA: readonly CodecEntry[] = [
  { name: 'message', value: ['version', 'sequence', 'timestamp'].map(leaf) },
  { name: 'system', value: [leaf('uptime')] },
  { name: 'network', value: [{ name: 'parameter', value: NETWORK.map(leaf) }] },
];

/** A text of a message on one line, without control characters: it may become a comment of the profile. Undefined if empty. */
export function formatObserved(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.replace(/[\p{Cc}\u2028\u2029 ]+/gu, ' ').trim();
  return line === '' ? undefined : line;
}
