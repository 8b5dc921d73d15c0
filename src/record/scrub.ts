/** Converts messages of the public API to a recording, without data that identifies a device or a person. */
import type { Message } from '../client/client.js';
import { containsConfig, isLines, type ReportedConfig, readReported } from '../kernel/config-lines.js';
import type { Millis, Seconds, UnixMillis } from '../kernel/time.js';
import { groupByDevice } from './group.js';
import {
  DOWNLINK_STATES,
  DOWNLINK_TYPES,
  mayAnswer,
  type RecordedDevice,
  type RecordedDownlink,
  type RecordedUplink,
  type Recording,
  UPLINK_TYPES,
} from './recording.js';
import { Shape } from './shape.js';

export interface ScrubOptions {
  readonly from: UnixMillis;
  readonly until: UnixMillis;
  /** Speed of the time of the devices relative to real time; 1 for real devices. */
  readonly speed: number;
  readonly cut: string | null;
  /** Whether to keep ranges of reported values. */
  readonly bodies: boolean;
  /** Device type of the firmware with this `fw_bundle`; undefined for unknown firmware. */
  readonly typeOf: (fwBundle: string) => RecordedType | undefined;
  /** Called with the pseudonym of each device, and its first message. */
  readonly named?: (device: string, message: Message) => void;
}

/** A device type that a recording can name. */
interface RecordedType {
  /** Name of its packaged profile. */
  readonly name: string;
  /** Firmware versions that the profile describes: `3.5.5`. The file contains no other versions. */
  readonly versions: readonly string[];
}

type Build = Pick<RecordedDevice, 'type' | 'firmware'>;
const UNKNOWN: Build = { type: null, firmware: null };

/** Makes a recording from messages. @param unordered in any order; messages of one millisecond must be oldest first */
export function scrub(unordered: readonly Message[], options: ScrubOptions): Recording {
  // The API orders messages by id, which can differ from the order of their times by milliseconds.
  const messages = [...unordered].sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const pseudonyms = new Map<string, string>();
  const builds = new Map<string, Build>();
  const shapes = new Map<string, Shape>();
  const uplinks: RecordedUplink[] = [];
  const downlinks: RecordedDownlink[] = [];
  const numbers = new Map<string, number>();
  const wanted = new Map<number, unknown>();
  const shown = new ShownConfigs();
  for (const message of messages) {
    const known = pseudonyms.get(message.device_id);
    const device = known ?? `d${pseudonyms.size + 1}`;
    if (known === undefined) options.named?.(device, message);
    pseudonyms.set(message.device_id, device);
    const at = Math.max(0, Date.parse(message.created_at) - options.from);
    if (message.direction === 'down') {
      downlinks.push(scrubDownlink(message, downlinks.length + 1, at, device, options.from));
      numbers.set(message.id, downlinks.length);
      wanted.set(downlinks.length, message.body);
      continue;
    }
    const build = message.type === 'session' ? buildIn(message.body, options) : undefined;
    if (build !== undefined) builds.set(device, build);
    uplinks.push(scrubUplink(message, uplinks.length + 1, at, device, build?.firmware ?? null));
    shown.note(uplinks.length, message);
    if (message.type === 'data' && options.bodies) getShape(shapes, device).add(message.body);
  }
  return {
    from: options.from,
    until: options.until,
    speed: options.speed,
    cut: options.cut,
    devices: [...pseudonyms.values()].map((device): RecordedDevice => ({ device, ...(builds.get(device) ?? UNKNOWN) })),
    uplinks,
    downlinks: addAnswers(downlinks, uplinks, matchAnswers(messages, numbers), (uplink, downlink) =>
      shown.proves(uplink, wanted.get(downlink)),
    ),
    values: [...shapes].flatMap(([device, shape]) => shape.ranges().map((range) => ({ device, ...range }))),
  };
}

function scrubUplink(
  message: Message,
  n: number,
  at: Millis,
  device: string,
  firmware: RecordedUplink['firmware'],
): RecordedUplink {
  const type = UPLINK_TYPES.find((known) => known === message.type) ?? 'other';
  const size = typeof message.raw === 'string' ? message.raw.length >> 1 : measureSize(message.body);
  const interval = (name: string) => (type === 'config' ? findInterval(message.body, name) : null);
  const intervals = { reportEvery: interval('interval-report'), pollEvery: interval('interval-poll') };
  return { n, at, device, type, size, ...intervals, firmware };
}

function scrubDownlink(message: Message, n: number, at: Millis, device: string, from: UnixMillis): RecordedDownlink {
  const since = (time: string | null | undefined) =>
    typeof time !== 'string' ? null : Math.max(0, Date.parse(time) - from);
  const state = DOWNLINK_STATES.find((known) => known === message.down_state) ?? 'pending';
  return {
    n,
    at,
    device,
    type: DOWNLINK_TYPES.find((known) => known === message.type) ?? 'other',
    size: measureSize(message.body),
    scheduled: since(message.down_scheduled_at),
    state,
    ended: state === 'pending' ? null : since(message.down_state_at),
    attempts: message.down_attempt ?? 0,
    answer: null,
  };
}

/** Size of a body as JSON, in bytes. */
function measureSize(body: unknown): number {
  return body === null || body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body));
}

/** The value of `app config <name> <seconds>` among the lines of a configuration. */
function findInterval(lines: unknown, name: string): Seconds | null {
  if (!Array.isArray(lines)) return null;
  for (const line of lines) {
    const [, parameter, seconds] = /^app config ([a-z-]+) (\d{1,7})$/.exec(textIn(line)) ?? [];
    if (parameter === name && seconds !== undefined) return Number(seconds);
  }
  return null;
}

/** A field of a body as a text; empty if it is another value. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Device type and version in the body of a session; undefined for unknown firmware. */
function buildIn(body: unknown, { typeOf }: ScrubOptions): Build | undefined {
  if (typeof body !== 'object' || body === null || !('fw_bundle' in body)) return undefined;
  const type = typeOf(textIn(body.fw_bundle));
  if (type === undefined) return undefined;
  const reported = 'fw_version' in body ? textIn(body.fw_version) : '';
  const firmware = type.versions.find((version) => reported === version || reported === `v${version}`) ?? null;
  return { type: type.name, firmware };
}

function getShape(shapes: Map<string, Shape>, device: string): Shape {
  const shape = shapes.get(device) ?? new Shape();
  shapes.set(device, shape);
  return shape;
}

/**
 * Numbers of shell answers, by the numbers of their downlinks. An answer contains the message id of its downlink (wire W-55).
 */
function matchAnswers(messages: readonly Message[], numbers: ReadonlyMap<string, number>): ReadonlyMap<number, number> {
  const answers = new Map<number, number>();
  let n = 0;
  for (const { direction, type, body } of messages) {
    if (direction === 'down') continue;
    n++;
    if (type !== 'shell' || typeof body !== 'object' || body === null || !('message_id' in body)) continue;
    const asked = numbers.get(textIn(body.message_id));
    if (asked !== undefined && !answers.has(asked)) answers.set(asked, n);
  }
  return answers;
}

/** The configurations that uplinks show, by the numbers of the uplinks. */
class ShownConfigs {
  readonly #shown = new Map<number, ReportedConfig | 'another form'>();
  /** By the device. */
  readonly #last = new Map<string, ReportedConfig | 'another form'>();
  readonly #starting = new Set<string>();

  /** A configuration shows itself; the first report after a start shows that the last configuration is unchanged. */
  note(n: number, { device_id: device, type, body }: Message): void {
    if (type === 'session') this.#starting.add(device);
    if (type !== 'config' && type !== 'data') return;
    if (type === 'config') {
      // Some clouds show a configuration in another form.
      const shown = isLines(body) ? readReported(body) : 'another form';
      this.#last.set(device, shown);
      this.#shown.set(n, shown);
    } else if (this.#starting.has(device)) {
      const last = this.#last.get(device);
      if (last !== undefined && last !== 'another form') this.#shown.set(n, last);
    }
    this.#starting.delete(device);
  }

  /** Whether the uplink shows that the device has set all lines of a configuration downlink (wire W-54). */
  proves(n: number, wanted: unknown): boolean {
    const shown = this.#shown.get(n);
    if (shown === undefined) return false;
    return shown === 'another form' || !isLines(wanted) || containsConfig(shown, wanted);
  }
}

/**
 * Adds the answers of downlinks. A shell answer may lack the id of the downlink: the next one then counts. A configuration is
 * answered by the next uplink that proves it.
 */
function addAnswers(
  downlinks: readonly RecordedDownlink[],
  uplinks: readonly RecordedUplink[],
  answers: ReadonlyMap<number, number>,
  proves: (uplink: number, downlink: number) => boolean,
): readonly RecordedDownlink[] {
  const taken = new Set(answers.values());
  const ofDevice = groupByDevice(uplinks);
  return downlinks.map((downlink) => {
    const { n, type, device } = downlink;
    if (type !== 'shell' && type !== 'config') return downlink;
    const known = downlink.state === 'sent' ? answers.get(n) : undefined;
    if (known !== undefined) return { ...downlink, answer: known };
    const answer = ofDevice.get(device)?.find((uplink) => {
      if (!mayAnswer(uplink.at, downlink)) return false;
      return type === 'config' ? proves(uplink.n, n) : uplink.type === 'shell' && !taken.has(uplink.n);
    });
    if (answer === undefined) return downlink;
    taken.add(answer.n);
    return { ...downlink, answer: answer.n };
  });
}
