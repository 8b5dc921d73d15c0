/**
 * The leaves of the section `body` of a profile: each names the source of a value in two words, such as `last
 * thermometer.temperature`.
 *
 * Each kind of source has a function that resolves the name and, where the kind requires it, checks the key of the decoder.
 */
import type { ScalarNode } from '../input/document.js';
import { orList, quote } from '../input/problems.js';
import type { CodecField } from '../protocol/codec.js';
import { checkSameDivide, findColumns, findDivide } from './body-columns.js';
import { FRAMES, SOURCE, SOURCE_WORDS, type SourceWord } from './body-form.js';
import { type BodyReferences, EACH, type Each } from './body-references.js';
import { expectParameter } from './checks.js';
import { type BodyNode, FACTS, LABELS, type SampleColumn, SCAN_FACTS, type WindowSpec } from './profile.js';

/** One leaf: `last thermometer.temperature * 1000`. */
interface Source {
  /** The key of the decoder for which the value is written. */
  readonly field: CodecField;
  /** The whole leaf, for messages. */
  readonly node: ScalarNode;
  /** The second word of the leaf. */
  readonly name: ScalarNode;
  /** The factor after `*`; 1 if there is none. */
  readonly times: number;
  /** Whether it ends in `if any`. */
  readonly ifAny: boolean;
  readonly each: Each;
}

type SourceReader = (source: Source, refs: BodyReferences) => BodyNode | undefined;

/** Reads a leaf; undefined if a problem was noted. */
export function readSource(
  refs: BodyReferences,
  field: CodecField,
  node: ScalarNode,
  each: Each,
): BodyNode | undefined {
  const frames = FRAMES.exec(node.source);
  if (frames) return readFrames(refs, field, node, frames[1] === 'if', frames[2] ?? '');
  const [, first = '', second = '', times, ifAny] = SOURCE.exec(node.source) ?? [];
  const word = SOURCE_WORDS.find((known) => known === first);
  const surplus = (times !== undefined && word !== 'last') || (ifAny !== undefined && word !== 'events');
  if (word === undefined || surplus) return refs.refuse(node, SOURCE_FORM);
  const name = { ...node, value: second, source: second, column: node.column + first.length + 1 };
  return READERS[word]({ field, node, name, times: Number(times ?? 1), ifAny: ifAny !== undefined, each }, refs);
}

const READERS: Readonly<Record<SourceWord, SourceReader>> = {
  fact: ({ field, name }, refs) => {
    const fact = FACTS.find((known) => known === name.source);
    return fact ? { kind: 'fact', key: field.number, fact } : refs.refuse(name, `a fact: ${orList(FACTS)}`);
  },
  label: ({ field, node, name, each }, refs) => {
    const label = LABELS.find((known) => known === name.source);
    if (each === undefined) return refs.refuse(node, `possible outside of a list with "${EACH}"`);
    return label ? { kind: 'label', key: field.number, label } : refs.refuse(name, `a label: ${orList(LABELS)}`);
  },
  last: ({ field, node, name, times, each }, refs) => {
    const at = refs.findQuantity(name, each);
    if (at === undefined) return undefined;
    return {
      kind: 'last',
      key: field.number,
      ...at,
      divide: times * findDivide(field, field.path, node, refs.problems),
    };
  },
  windows: readWindows,
  log: readLog,
  samples: readSamples,
  total: (source, refs) => readCounter('total', source, refs),
  delta: (source, refs) => readCounter('delta', source, refs),
  calibration: ({ field, name, each }, refs) => {
    const sensor = refs.findSensor(name, each);
    if (sensor === undefined) return undefined;
    const calibrated = refs.parts.sensors?.[sensor]?.quantities.some(({ model }) => model.kind === 'calibrated');
    if (calibrated === false) return refs.refuse(name, 'a sensor with a calibrated quantity');
    return { kind: 'calibration', key: field.number, sensor };
  },
  state: ({ field, name, each }, refs) => {
    const list = refs.findEventList(name, each);
    if (list === undefined) return undefined;
    const spec = refs.parts.eventLists?.[list];
    if (spec && spec.kind !== 'edge') return refs.refuse(name, 'an edge event list');
    return { kind: 'state', key: field.number, list };
  },
  events: readEvents,
  scan: ({ field, node, name }, refs) => {
    const fact = SCAN_FACTS.find((known) => known === name.source);
    if (!refs.parts.receives) return refs.refuse(node, NO_RECEIVER);
    return fact ? { kind: 'scan', key: field.number, fact } : refs.refuse(name, `about a scan: ${orList(SCAN_FACTS)}`);
  },
};

function readCounter(
  kind: 'total' | 'delta',
  { field, name, each }: Source,
  refs: BodyReferences,
): BodyNode | undefined {
  const at = refs.findQuantity(name, each);
  if (at === undefined) return undefined;
  if (refs.parts.sensors?.[at.sensor]?.counter === false) return refs.refuse(name, 'a counter');
  return { kind, key: field.number, ...at };
}

function readWindows({ field, node, name, each }: Source, refs: BodyReferences): BodyNode | undefined {
  const at = refs.findQuantity(name, each);
  if (at === undefined) return undefined;
  const { sensors } = refs.parts;
  const kind = sensors === undefined ? 'statistics' : sensors[at.sensor]?.windows?.kind;
  if (kind === undefined || kind === 'log') return refs.refuse(name, 'a sensor with windows');
  const single = sensors?.[at.sensor]?.quantities[at.quantity]?.atWindow;
  const columns = findColumns(field, 'period', single ? WINDOW_COLUMNS.total : WINDOW_COLUMNS[kind], node, refs);
  if (columns === undefined) return undefined;
  return {
    kind: 'windows',
    key: field.number,
    ...at,
    divide: checkSameDivide(columns, field.path, node, refs.problems),
  };
}

function readLog({ field, node, name, each }: Source, refs: BodyReferences): BodyNode | undefined {
  const sensor = refs.findSensor(name, each);
  const spec = refs.parts.sensors?.[sensor ?? -1];
  if (sensor === undefined || spec === undefined) return undefined;
  if (spec.windows?.kind !== 'log') return refs.refuse(name, LOGGED);
  const names = spec.quantities.map((quantity) => quantity.name);
  const columns = findColumns(field, 'offsets', names, node, refs);
  if (columns === undefined) return undefined;
  return { kind: 'log', key: field.number, sensor, divide: checkSameDivide(columns, field.path, node, refs.problems) };
}

/** Reads `samples each`, of each sensor of the list, or `samples <name>`, of one. Keys are the quantities' names. */
function readSamples({ field, name, each }: Source, refs: BodyReferences): BodyNode | undefined {
  const sensors = findSampled(name, each, refs);
  if (sensors === undefined) return undefined;
  const time = refs.findField(`${field.path}.timestamp`);
  if (time === undefined) {
    refs.problems.add(name, `${quote(field.path)} has no "timestamp" in the decoder, which samples need`);
    return undefined;
  }
  const columns = new Map<number, readonly SampleColumn[]>();
  for (const sensor of sensors) {
    const spec = refs.parts.sensors?.[sensor];
    if (spec === undefined) continue;
    if (spec.windows?.kind !== 'log') return refs.refuse({ ...name, source: spec.name, value: spec.name }, LOGGED);
    const keys = spec.quantities.flatMap((quantity): readonly SampleColumn[] => {
      const path = `${field.path}.${quantity.name}`;
      const known = refs.findField(path);
      if (known) {
        const divide = findDivide(known, known.path, name, refs.problems);
        return [{ key: known.number, divide, float: quantity.float }];
      }
      const reader = `the sensor ${quote(spec.name)} has the quantity ${quote(quantity.name)}`;
      refs.problems.add(name, `${quote(path)} is not a key of the decoder, but ${reader}`);
      return [];
    });
    columns.set(sensor, keys);
  }
  return { kind: 'samples', key: field.number, time: time.number, columns };
}

function findSampled(name: ScalarNode, each: Each, refs: BodyReferences): readonly number[] | undefined {
  if (name.source === 'each') return each ?? refs.refuse(name, 'inside of a list');
  const sensor = refs.findSensor(name, each);
  return sensor === undefined ? undefined : [sensor];
}

/** The key of an event list is a `$tso` array in the decoder. Except for alarms, it may also be an array without a layout. */
function readEvents({ field, node, name, ifAny, each }: Source, refs: BodyReferences): BodyNode | undefined {
  const list = refs.findEventList(name, each);
  if (list === undefined) return undefined;
  const alarms = refs.parts.eventLists?.[list]?.kind === 'alarm';
  const { series } = field;
  const common = { kind: 'events', key: field.number, list, optional: ifAny } as const;
  if (!alarms && series === undefined) return { ...common, divide: 1 };
  // Some decoders have no column for the value of an alarm; the firmware writes it anyway.
  const valued = alarms && !(series?.kind === 'offsets' && series.columns.length === 1);
  const columns = findColumns(field, 'offsets', valued ? ['type', 'value'] : ['type'], node, refs);
  if (columns === undefined) return undefined;
  const value = columns[1];
  const undeclared = alarms ? UNDECLARED_DIVIDE : 1;
  return { ...common, divide: value ? findDivide(value, field.path, node, refs.problems) : undeclared };
}

/** For a `$wmbus` key, signal strengths and frames alternate. For other keys, each frame is a map with `rssi` and `data`. */
function readFrames(
  refs: BodyReferences,
  field: CodecField,
  node: ScalarNode,
  is: boolean,
  name: string,
): BodyNode | undefined {
  if (!refs.parts.receives) return refs.refuse(node, NO_RECEIVER);
  const when = expectParameter(refs.parts.modules, ['bool'])({ ...node, value: name, source: name }, refs.problems);
  if (when === undefined) return undefined;
  const common = { kind: 'frames', key: field.number, when, is } as const;
  if (field.series?.kind === 'frames') return common;
  const rssi = refs.findField(`${field.path}.rssi`);
  const data = refs.findField(`${field.path}.data`);
  if (rssi && data) return { ...common, keys: { rssi: rssi.number, data: data.number } };
  refs.problems.add(node, `${quote(field.path)} must be a $wmbus in the decoder, or have "rssi" and "data"`);
  return undefined;
}

const LOGGED = 'a sensor with a log';
const NO_RECEIVER = 'possible without a "receiver"';
const SOURCE_FORM = `a source: ${SOURCE_WORDS.map((word) => `"${word} …"`).join(', ')} or "frames if …" with a name`;
const WINDOW_COLUMNS: Readonly<Record<Exclude<WindowSpec['kind'], 'log'>, readonly string[]>> = {
  statistics: ['min', 'max', 'avg', 'mdn'],
  direction: ['value'],
  count: ['value', 'delta'],
  total: ['value'],
  amount: ['value'],
};
/** Factor of the value of an alarm if the decoder has no column for it: hundredths, as for other temperatures. */
const UNDECLARED_DIVIDE = 100;
