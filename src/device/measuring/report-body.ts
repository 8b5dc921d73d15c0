/**
 * The body of a report: the measured values of a device in CBOR, as the firmware writes them (wire W-45, W-63; behaviour B-15).
 * The profile's `body` defines the source of each key. Maps and lists have indefinite length. Measured values are multiplied by
 * a factor and truncated to an integer (behaviour B-14); a missing value is null.
 */
import type { Seconds, UnixMillis, UnixSeconds } from '../../kernel/time.js';
import type { BodyNode, Fact, IdentityFact, Label, NetworkFact, ParameterRef, Profile } from '../../profile/profile.js';
import type { CborWriter } from '../../protocol/cbor.js';
import type { Frame } from '../wmbus/meters.js';
import type { ScanReport } from '../wmbus/receiver.js';
import type { Measurements } from './measurements.js';
import type { ListPlan, SensorPlan } from './measuring-plan.js';
import type { Memory } from './memory.js';

/** Values that do not come from a sensor. */
interface BodyFacts {
  /** Number of earlier bodies since boot. */
  readonly sequence: number;
  /** Unix seconds on the device's clock. */
  readonly timestamp: UnixSeconds;
  /** Seconds since boot. */
  readonly uptime: Seconds;
  /** The last connection evaluation; undefined, and null in the body, while none is valid. */
  readonly network: NetworkFacts | undefined;
  readonly identity: () => IdentityFacts;
  /** The last scan; undefined without a receiver. */
  readonly scan: ScanReport | undefined;
  /** Live value of a bool parameter. */
  readonly flag: (parameter: ParameterRef) => boolean;
}

/** A connection evaluation of the modem; all numbers are integers. */
type NetworkFacts = { readonly [F in NetworkFact]: number };

/** Values of `info`; undefined, and null in the body, if they were never written. */
type IdentityFacts = { readonly [F in (typeof IDENTITY)[IdentityFact]]: string | undefined };

const IDENTITY = {
  vendor_name: 'vendorName',
  product_name: 'productName',
  hw_variant: 'hwVariant',
  hw_revision: 'hwRevision',
  fw_version: 'fwVersion',
  serial_number: 'serialNumber',
} as const satisfies Record<IdentityFact, string>;

/**
 * Appends the body to `writer`. Later, `measurements.clear()` removes the reported windows, logs and events. It would also
 * remove those that were added after this call, so the firmware's work queue is blocked in between, except on devices with a
 * receiver (`mayRunDuringReports` in firmware/application.ts).
 */
export function encodeBody(measurements: Measurements, writer: CborWriter, facts: BodyFacts, wall: UnixMillis): void {
  measurements.beginBody(wall);
  writer.beginMap();
  write(measurements.profile.body, undefined, { measurements, memory: measurements.memory, writer, facts });
  writer.endMap();
}

interface Job {
  readonly measurements: Measurements;
  readonly memory: Memory;
  readonly writer: CborWriter;
  readonly facts: BodyFacts;
}

/** @param each sensor of the enclosing list; undefined outside of lists */
function write(nodes: readonly BodyNode[], each: SensorPlan | undefined, job: Job): void {
  const { memory, writer } = job;
  for (const node of nodes) {
    if (isLeftOut(node, each, job)) continue;
    writer.key(node.key);
    switch (node.kind) {
      case 'map':
        writer.beginMap();
        write(node.children, each, job);
        writer.endMap();
        break;
      case 'each':
        writer.beginArray();
        for (const sensor of sensorsOf(node, memory)) {
          if (node.sparse && memory.sampleCount(sensor) === 0) continue;
          writer.beginMap();
          write(node.children, sensor, job);
          writer.endMap();
        }
        writer.endArray();
        break;
      case 'fact':
        writeFact(node.fact, job);
        break;
      case 'label':
        writeLabel(node.label, the(each), job);
        break;
      case 'last':
        writeMeasured(writer, memory.last(only(node.sensor, each, memory), node.quantity), node.divide);
        break;
      case 'total':
        writer.int(memory.total(only(node.sensor, each, memory), node.quantity));
        break;
      case 'delta':
        writer.int(memory.delta(only(node.sensor, each, memory), node.quantity));
        break;
      case 'windows':
        writeWindows(only(node.sensor, each, memory), node.quantity, node.divide, job);
        break;
      case 'log':
        writeLog(only(node.sensor, each, memory), node.divide, job);
        break;
      case 'samples':
        writeSamples(node, the(each), job);
        break;
      case 'scan':
        writer.int(the(job.facts.scan)[node.fact]);
        break;
      case 'frames':
        writeFrames(node, the(job.facts.scan).frames, writer);
        break;
      case 'calibration':
        writer.int(only(node.sensor, each, memory).calibration?.mode ?? 0);
        break;
      case 'state':
        writer.int(memory.isOn(listOf(node.list, each, job)) ? 1 : 0);
        break;
      case 'events':
        writeEvents(listOf(node.list, each, job), node.divide, job);
        break;
      default:
        node satisfies never;
    }
  }
}

/** Whether the firmware omits the key. */
function isLeftOut(node: BodyNode, each: SensorPlan | undefined, job: Job): boolean {
  switch (node.kind) {
    case 'events':
      return node.optional && job.memory.eventCount(listOf(node.list, each, job)) === 0;
    case 'map':
      return node.needs !== undefined && (job.memory.plan.byKind[node.needs] ?? []).length === 0;
    case 'each':
      return node.sparse && sensorsOf(node, job.memory).length === 0;
    case 'frames':
      return job.facts.flag(node.when) !== node.is;
    default:
      return false;
  }
}

/** The sensors of a list, as far as the device has them; sorted by their numbers if the list has several kinds. */
function sensorsOf({ sensors }: { readonly sensors: readonly number[] }, memory: Memory): readonly SensorPlan[] {
  const [only = -1, ...more] = sensors;
  if (more.length === 0) return memory.plan.byKind[only] ?? [];
  return sensors.flatMap((kind) => memory.plan.byKind[kind] ?? []).sort((a, b) => a.number - b.number);
}

function writeFact(fact: Fact, { measurements, writer, facts }: Job): void {
  switch (fact) {
    case 'version':
      writer.int(measurements.profile.messageVersion);
      break;
    case 'sequence':
    case 'timestamp':
    case 'uptime':
      writer.int(facts[fact]);
      break;
    case 'vendor_name':
    case 'product_name':
    case 'hw_variant':
    case 'hw_revision':
    case 'fw_version':
    case 'serial_number':
      writeText(writer, facts.identity()[IDENTITY[fact]]);
      break;
    default:
      if (facts.network) writer.int(facts.network[fact]);
      else writer.null();
  }
}

function writeText(writer: CborWriter, text: string | undefined): void {
  if (text === undefined) writer.null();
  else writer.text(text);
}

function writeLabel(label: Label, sensor: SensorPlan, { measurements, writer }: Job): void {
  switch (label) {
    case 'serial':
      writer.int(measurements.environment.serialNumber(sensor.sensor, sensor.number));
      break;
    case 'channel':
      writer.int(sensor.number + 1);
      break;
    case 'index':
      writer.int(sensor.number);
      break;
    case 'address':
      writer.text(sensor.address);
      break;
    case 'line_address':
      writer.int(Number(sensor.address));
      break;
    case 'type':
      writer.int(typeNumber(sensor, measurements.profile));
      break;
    case 'type_name':
      writer.text(sensor.spec.present?.kind === 'device' ? sensor.spec.present.is : sensor.spec.name);
      break;
    default:
      label satisfies never;
  }
}

/** Number of a device's type in the slot parameter's list of types. */
function typeNumber({ spec, number }: SensorPlan, { modules }: Profile): number {
  const { present } = spec;
  if (present?.kind !== 'device') return 0;
  const parameters = modules.find(({ name }) => name === present.ref.module)?.parameters;
  const slot = parameters?.find(({ name }) => name === `${present.ref.name}-${number}`);
  return (slot?.type === 'string' ? slot.types?.[present.is] : undefined) ?? 0;
}

/**
 * In single precision, like the firmware: 3.6 V must become 3600 mV and not 3599. The processor converts a number that is too
 * large for an `int32_t` to the nearest one that is not.
 */
function writeMeasured(writer: CborWriter, value: number, divide: number): void {
  if (Number.isNaN(value)) writer.null();
  else writer.int(Math.max(-0x8000_0000, Math.min(Math.trunc(Math.fround(value * divide)), 0x7fff_ffff)));
}

/** `$tsp` (behaviour B-13): time of the first window, seconds between windows, rows. The head is written even without rows. */
function writeWindows(sensor: SensorPlan, quantity: number, divide: number, { memory, writer }: Job): void {
  const columns = sensor.spec.quantities[quantity]?.atWindow ? 1 : COLUMNS[sensor.spec.windows?.kind ?? 'log'];
  const count = memory.windowCount(sensor);
  writer.beginArray();
  writer.int(memory.windowTime(sensor));
  writer.int(sensor.period);
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < columns; column++) {
      writeMeasured(writer, memory.window(sensor, quantity, row, column), divide);
    }
  }
  writer.endArray();
}

const COLUMNS = { statistics: 4, direction: 1, count: 2, total: 1, amount: 1, log: 0 } as const;

/** `$tso` of a log: its base time (`Memory.windowTime`), then offset and values of each sample. Empty without samples. */
function writeLog(sensor: SensorPlan, divide: number, { memory, writer }: Job): void {
  const count = memory.sampleCount(sensor);
  writer.beginArray();
  if (count > 0) {
    const base = memory.windowTime(sensor);
    writer.int(base);
    for (let row = 0; row < count; row++) {
      writer.int(memory.logTime(sensor, row) - base);
      for (let quantity = 0; quantity < sensor.spec.quantities.length; quantity++) {
        writeMeasured(writer, memory.logValue(sensor, row, quantity), divide);
      }
    }
  }
  writer.endArray();
}

/** A list with a map for each sample: its time, and its quantities under their keys. */
function writeSamples(
  { time, columns }: Extract<BodyNode, { readonly kind: 'samples' }>,
  sensor: SensorPlan,
  { memory, writer }: Job,
): void {
  const own = columns.get(sensor.sensor) ?? [];
  writer.beginArray();
  for (let row = 0; row < memory.sampleCount(sensor); row++) {
    writer.beginMap();
    writer.key(time);
    writer.int(memory.logTime(sensor, row));
    own.forEach(({ key, divide, float }, quantity) => {
      writer.key(key);
      const value = memory.logValue(sensor, row, quantity);
      if (float && !Number.isNaN(value)) writer.single(value);
      else writeMeasured(writer, value, divide);
    });
    writer.endMap();
  }
  writer.endArray();
}

function writeFrames(
  { keys }: Extract<BodyNode, { readonly kind: 'frames' }>,
  frames: readonly Frame[],
  writer: CborWriter,
): void {
  writer.beginArray();
  for (const { rssi, bytes } of frames) {
    if (keys) {
      writer.beginMap();
      writer.key(keys.data);
      writer.bytes(bytes);
      writer.key(keys.rssi);
      writer.int(rssi);
      writer.endMap();
    } else {
      writer.int(rssi);
      writer.bytes(bytes);
    }
  }
  writer.endArray();
}

/** `$tso`: time of the first event, then offset and type of each event, and the value of an alarm. Empty without events. */
function writeEvents(list: ListPlan, divide: number, { memory, writer }: Job): void {
  const count = memory.eventCount(list);
  writer.beginArray();
  if (count > 0) {
    const first = memory.eventTime(list, 0);
    writer.int(first);
    for (let event = 0; event < count; event++) {
      writer.int(memory.eventTime(list, event) - first);
      writer.int(memory.eventType(list, event));
      if (list.spec.kind === 'alarm') writeMeasured(writer, memory.eventValue(list, event), divide);
    }
  }
  writer.endArray();
}

/** The sensor of the enclosing list; outside of lists, the only sensor of its kind. */
function only(sensor: number, each: SensorPlan | undefined, memory: Memory): SensorPlan {
  return each ?? the(memory.plan.byKind[sensor]?.[0]);
}

function listOf(list: number, each: SensorPlan | undefined, { measurements, memory }: Job): ListPlan {
  const spec = measurements.profile.eventLists[list];
  const sensor = only(spec?.sensor ?? -1, each, memory);
  return the(sensor.lists.find((known) => known.spec === spec));
}

/** Throws if a part is missing; the profile reader has checked that it exists. */
function the<T>(part: T | undefined): T {
  if (part === undefined)
    throw new Error('the body of this profile names a sensor or list that the device does not have');
  return part;
}
