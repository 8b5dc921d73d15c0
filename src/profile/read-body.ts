/**
 * The section `body`: the value that the firmware writes for each key of the decoder.
 *
 * The map has the names of the decoder. A leaf names its source in two words, `last thermometer.temperature`, with `* 1000` if
 * the unit of the decoder differs, and with `if any` if the firmware omits the key of an event list without events. A list of
 * one map is written once for each sensor of the kinds in `$each`; with `$sparse`, only for sensors with samples. A name with
 * dots is a path from the top of the decoder, because some firmware writes keys of one section inside another (wire protocol,
 * 12.2).
 */
import { boolean, type Check, complain, formed, list } from '../input/checks.js';
import type { LocatedNode, MapNode, Problems, ScalarNode } from '../input/document.js';
import { didYouMean, orList, quote } from '../input/problems.js';
import type { Codec, CodecColumn, CodecField } from '../protocol/codec.js';
import { FRAMES, SOURCE } from './body-form.js';
import { indexOf, parameter } from './checks.js';
import type { ModuleSpec } from './parameters.js';
import {
  type BodyNode,
  type EventListSpec,
  FACTS,
  LABELS,
  type SampleColumn,
  SCAN_FACTS,
  type SensorSpec,
  type WindowSpec,
} from './profile.js';
import { quantityRef } from './read-sensors.js';

/** The sections to which a body refers. A section with errors is undefined, and references to it are accepted unchecked. */
export interface BodyParts {
  readonly decoder: Codec | undefined;
  readonly modules: readonly ModuleSpec[] | undefined;
  readonly sensors: readonly SensorSpec[] | undefined;
  readonly eventLists: readonly EventListSpec[] | undefined;
  /** Whether the device type has a receiver. */
  readonly receives: boolean;
}

/** Reads the section `body`. */
export function readBody(parts: BodyParts): Check<readonly BodyNode[]> {
  return formed(
    () => ({ type: 'object', additionalProperties: { $ref: '#/definitions/bodyEntry' } }),
    (node, problems) => {
      if (node.kind !== 'map') return complain(node, problems, 'a map of what is written for which key');
      if (parts.decoder === undefined) return undefined;
      return new BodyReader(parts, parts.decoder, problems).children(node, '', undefined);
    },
  );
}

/** The sensors of the enclosing list, as indices. */
type Each = readonly number[] | undefined;

class BodyReader {
  readonly #parts: BodyParts;
  readonly #decoder: Codec;
  readonly #problems: Problems;

  constructor(parts: BodyParts, decoder: Codec, problems: Problems) {
    this.#parts = parts;
    this.#decoder = decoder;
    this.#problems = problems;
  }

  children(map: MapNode, parent: string, each: Each): readonly BodyNode[] {
    const nodes: BodyNode[] = [];
    for (const [name, { key, value }] of map.entries) {
      if ((name === EACH || name === SPARSE) && each !== undefined) continue;
      const path = name.includes('.') || parent === '' ? name : `${parent}.${name}`;
      const field = this.#decoder.keys[this.#decoder.numberOf(path) ?? -1];
      if (field === undefined) {
        const paths = this.#decoder.keys.map((known) => known.path);
        this.#problems.add(key, `${quote(path)} is not a key of the decoder${didYouMean(path, paths)}`);
        continue;
      }
      const node = this.#node(field, value, each);
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  #node(field: CodecField, value: LocatedNode, each: Each): BodyNode | undefined {
    if (value.kind === 'scalar') return this.#source(field, value, each);
    if (value.kind === 'map') {
      return { kind: 'map', key: field.number, children: this.children(value, field.path, each) };
    }
    const [item, ...more] = value.items;
    if (item?.kind !== 'map' || more.length > 0 || each !== undefined) {
      return complain(value, this.#problems, `a list of one map with "${EACH}", outside of other lists`);
    }
    const named = item.entries.get(EACH);
    if (named === undefined) {
      this.#problems.add(item, `a list in a body needs "${EACH}" with the kind of sensor that its entries are about`);
      return undefined;
    }
    const names = this.#parts.sensors?.map(({ name }) => name);
    const sensor = indexOf(names, 'a sensor');
    const sensors =
      named.value.kind === 'list'
        ? list(sensor, 1)(named.value, this.#problems)
        : list(sensor)({ ...named.value, kind: 'list', items: [named.value] }, this.#problems);
    const sparse = item.entries.get(SPARSE);
    const isSparse = sparse ? boolean(sparse.value, this.#problems) : false;
    if (sensors === undefined || isSparse === undefined) return undefined;
    const children = this.children(item, field.path, sensors);
    return { kind: 'each', key: field.number, sensors, children, sparse: isSparse };
  }

  #source(field: CodecField, node: ScalarNode, each: Each): BodyNode | undefined {
    const condition = FRAMES.exec(node.source);
    if (condition) return this.#frames(field, node, condition[1] === 'if', condition[2] ?? '');
    const words = SOURCE.exec(node.source);
    const [, what = '', name = '', times = '1', optional] = words ?? [];
    const rest: ScalarNode = { ...node, value: name, source: name, column: node.column + what.length + 1 };
    const key = field.number;
    if (words === null || (words[3] && what !== 'last') || (optional && what !== 'events')) {
      return this.#refuse(node, SOURCES);
    }
    switch (what) {
      case 'fact': {
        const fact = FACTS.find((known) => known === name);
        return fact ? { kind: 'fact', key, fact } : this.#refuse(rest, `a fact: ${orList(FACTS)}`);
      }
      case 'label': {
        const label = LABELS.find((known) => known === name);
        if (each === undefined) return this.#refuse(node, `possible outside of a list with "${EACH}"`);
        return label ? { kind: 'label', key, label } : this.#refuse(rest, `a label: ${orList(LABELS)}`);
      }
      case 'last': {
        const at = this.#quantity(rest, each);
        return at && { kind: what, key, ...at, divide: Number(times) * this.#divide(field, field.path, node) };
      }
      case 'log': {
        const sensor = this.#sensor(rest, each);
        const spec = this.#parts.sensors?.[sensor ?? -1];
        if (sensor === undefined || spec === undefined) return undefined;
        if (spec.windows?.kind !== 'log') return this.#refuse(rest, 'a sensor with a log');
        const names = spec.quantities.map((quantity) => quantity.name);
        const columns = this.#columns(field, 'offsets', names, node);
        return columns && { kind: what, key, sensor, divide: this.#sameDivide(field, columns, node) };
      }
      case 'samples':
        return this.#samples(field, rest, each);
      case 'scan': {
        const fact = SCAN_FACTS.find((known) => known === name);
        if (!this.#parts.receives) return this.#refuse(node, 'possible without a "receiver"');
        return fact ? { kind: what, key, fact } : this.#refuse(rest, `about a scan: ${orList(SCAN_FACTS)}`);
      }
      case 'calibration': {
        const sensor = this.#sensor(rest, each);
        if (sensor === undefined) return undefined;
        const calibrated = this.#parts.sensors?.[sensor]?.quantities.some(({ model }) => model.kind === 'calibrated');
        return calibrated === false
          ? this.#refuse(rest, 'a sensor with a calibrated quantity')
          : { kind: what, key, sensor };
      }
      case 'total':
      case 'delta': {
        const at = this.#quantity(rest, each);
        if (at && this.#parts.sensors?.[at.sensor]?.counter === false) return this.#refuse(rest, 'a counter');
        return at && { kind: what, key, ...at };
      }
      case 'windows': {
        const at = this.#quantity(rest, each);
        if (at === undefined) return undefined;
        const kind = this.#windowKind(at.sensor);
        if (kind === undefined || kind === 'log') return this.#refuse(rest, 'a sensor with windows');
        const columns = this.#columns(field, 'period', WINDOW_COLUMNS[kind], node);
        return columns && { kind: what, key, ...at, divide: this.#sameDivide(field, columns, node) };
      }
      case 'state':
      case 'events': {
        const lists = this.#parts.eventLists;
        const list = indexOf(
          lists?.map((known) => known.name),
          'an event list',
        )(rest, this.#problems);
        if (list === undefined) return undefined;
        const spec = lists?.[list];
        if (spec && !this.#belongs(spec.sensor, each)) return this.#refuse(rest, this.#wantedSensor(each));
        if (what === 'state') {
          if (spec && spec.kind !== 'edge') return this.#refuse(rest, 'an edge event list');
          return { kind: what, key, list };
        }
        return this.#events(field, list, spec, optional !== undefined, node);
      }
      default:
        return this.#refuse(node, SOURCES);
    }
  }

  /** Events are written for a `$tso` array, or for an array without modifiers in the decoder. */
  #events(
    field: CodecField,
    list: number,
    spec: EventListSpec | undefined,
    optional: boolean,
    node: ScalarNode,
  ): BodyNode | undefined {
    const common = { kind: 'events', key: field.number, list, optional } as const;
    if (spec?.kind !== 'alarm' && field.series === undefined) return { ...common, divide: 1 };
    // Some decoders have no column for the value of an alarm; the firmware writes it anyway.
    const { series } = field;
    const valued = spec?.kind === 'alarm' && !(series?.kind === 'offsets' && series.columns.length === 1);
    const wanted = valued ? ['type', 'value'] : ['type'];
    const columns = this.#columns(field, 'offsets', wanted, node);
    const value = columns?.[1];
    const undeclared = spec?.kind === 'alarm' ? UNDECLARED_DIVIDE : 1;
    return columns && { ...common, divide: value ? this.#divide(value, field.path, node) : undeclared };
  }

  /** `samples each`: samples of each sensor of the list; otherwise of the named sensor. Keys are the names of the quantities. */
  #samples(field: CodecField, node: ScalarNode, each: Each): BodyNode | undefined {
    const named = node.source === 'each' ? each : this.#sensor(node, each);
    const sensors = typeof named === 'number' ? [named] : named;
    if (sensors === undefined) return node.source === 'each' ? this.#refuse(node, 'inside of a list') : undefined;
    const under = (name: string) => this.#decoder.keys[this.#decoder.numberOf(`${field.path}.${name}`) ?? -1];
    const time = under('timestamp');
    if (time === undefined) {
      this.#problems.add(node, `${quote(field.path)} has no "timestamp" in the decoder, which samples need`);
      return undefined;
    }
    const columns = new Map<number, readonly SampleColumn[]>();
    for (const sensor of sensors) {
      const spec = this.#parts.sensors?.[sensor];
      if (spec === undefined) continue;
      if (spec.windows?.kind !== 'log') return this.#refuse({ ...node, source: spec.name, value: spec.name }, LOGGED);
      const keys = spec.quantities.flatMap((quantity): readonly SampleColumn[] => {
        const known = under(quantity.name);
        if (known) return [{ key: known.number, divide: this.#divide(known, known.path, node), float: quantity.float }];
        const path = `${field.path}.${quantity.name}`;
        this.#problems.add(node, `${quote(path)} is not a key of the decoder, but ${quote(spec.name)} reads it`);
        return [];
      });
      columns.set(sensor, keys);
    }
    return { kind: 'samples', key: field.number, time: time.number, columns };
  }

  /** Frames are written unchanged for a `$wmbus`, otherwise as a list of maps with `rssi` and `data`. */
  #frames(field: CodecField, node: ScalarNode, is: boolean, name: string): BodyNode | undefined {
    if (!this.#parts.receives) return this.#refuse(node, 'possible without a "receiver"');
    const place = { ...node, value: name, source: name };
    const when = parameter(this.#parts.modules, ['bool'])(place, this.#problems);
    if (when === undefined) return undefined;
    const common = { kind: 'frames', key: field.number, when, is } as const;
    if (field.series?.kind === 'frames') return common;
    const rssi = this.#decoder.numberOf(`${field.path}.rssi`);
    const data = this.#decoder.numberOf(`${field.path}.data`);
    if (rssi !== undefined && data !== undefined) return { ...common, keys: { rssi, data } };
    this.#problems.add(node, `${quote(field.path)} must be a $wmbus in the decoder, or have "rssi" and "data"`);
    return undefined;
  }

  #sensor(node: ScalarNode, each: Each): number | undefined {
    const names = this.#parts.sensors?.map((spec) => spec.name);
    const sensor = indexOf(names, 'a sensor')(node, this.#problems);
    if (sensor === undefined || this.#belongs(sensor, each)) return sensor;
    return this.#refuse(node, this.#wantedSensor(each));
  }

  #quantity(node: ScalarNode, each: Each): { readonly sensor: number; readonly quantity: number } | undefined {
    const at = quantityRef(this.#parts.sensors)(node, this.#problems);
    return at && (this.#belongs(at.sensor, each) ? at : this.#refuse(node, this.#wantedSensor(each)));
  }

  /** Whether a value may refer to a sensor: inside a list only to the list's sensor, outside only to one that every device has once. */
  #belongs(sensor: number, each: Each): boolean {
    const spec = this.#parts.sensors?.[sensor];
    if (spec === undefined) return true;
    if (each === undefined) return spec.count === 1 && spec.present === undefined;
    return each.length === 1 && each[0] === sensor;
  }

  #wantedSensor(each: Each): string {
    if (each === undefined)
      return `about a sensor that every device has exactly once; use a list with "${EACH}" for others`;
    const names = each.map((sensor) => quote(this.#parts.sensors?.[sensor]?.name));
    return `about the sensor of this list, ${names.join(' or ')}; the list must have only one kind of sensor for this`;
  }

  #windowKind(sensor: number): WindowSpec['kind'] | undefined {
    return this.#parts.sensors === undefined ? 'statistics' : this.#parts.sensors[sensor]?.windows?.kind;
  }

  #columns(
    field: CodecField,
    kind: 'period' | 'offsets',
    wanted: readonly string[],
    node: ScalarNode,
  ): readonly CodecColumn[] | undefined {
    if (this.#parts.sensors === undefined || this.#parts.eventLists === undefined) return undefined;
    const { series } = field;
    const columns = series?.kind === kind ? series.columns : [];
    if (columns.map(({ name }) => name).join() === wanted.join()) return columns;
    const modifier = kind === 'period' ? '$tsp' : '$tso';
    this.#problems.add(
      node,
      `${quote(field.path)} must be a ${modifier} of ${wanted.join(', ')} in the decoder for this source`,
    );
    return undefined;
  }

  #sameDivide(field: CodecField, columns: readonly CodecColumn[], node: ScalarNode): number {
    const [first = 1, ...others] = columns.map((column) => this.#divide(column, field.path, node));
    if (others.some((divide) => divide !== first)) {
      this.#problems.add(node, `the columns of ${quote(field.path)} must all be divided by the same number`);
    }
    return first;
  }

  /** Factor by which the firmware multiplies; the decoder divides by it. */
  #divide(column: CodecColumn, path: string, node: ScalarNode): number {
    let divide = 1;
    for (const modifier of column.modifiers) {
      if (modifier.kind === 'div') divide *= modifier.by;
      else if (modifier.kind !== 'fpp') {
        this.#problems.add(
          node,
          `${quote(path)} has $${modifier.kind} in the decoder; a measured value can have $div only`,
        );
      }
    }
    return divide;
  }

  #refuse(node: ScalarNode, wanted: string): undefined {
    return complain(node, this.#problems, wanted);
  }
}

const EACH = '$each';
const SPARSE = '$sparse';
const LOGGED = 'a sensor with a log';
const SOURCES =
  'a source: "fact …", "label …", "last …", "windows …", "log …", "samples …", "total …", "delta …", "calibration …", "state …", "events …", "scan …" or "frames if …" with a name';
const WINDOW_COLUMNS = {
  statistics: ['min', 'max', 'avg', 'mdn'],
  direction: ['value'],
  count: ['value', 'delta'],
  amount: ['value'],
} as const;
/** Factor of a value that the decoder has no column for: hundredths, as for other temperatures. */
const UNDECLARED_DIVIDE = 100;
