/** The cuts of a scenario, large ones first: later tries then run a smaller one. shrink.ts discards invalid results. */
import { type Document, isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { formatDuration, hours, minutes, parseDuration, seconds } from '../../kernel/time.js';
import { perSecond } from '../parse/pace.js';
import { edited, keepItems, listAt, listsIn, mapAt, mapsIn, wordAt } from './document.js';

export interface Cut {
  /** For progress messages: `without the group "cellar"`. */
  readonly about: string;
  readonly text: string;
}

/** Makes the cuts of one kind for a text, lazily and always in the same order. */
type Cutter = (text: string) => Iterable<Cut>;

/** All cutters, in the order in which they are tried. */
export const CUTTERS: readonly Cutter[] = [groups, devices, items, duration, keys, rates];

function* cut(about: string, text: string, edit: (document: Document) => void): Iterable<Cut> {
  const result = edited(text, edit);
  if (result !== undefined) yield { about, text: result };
}

/** First each group alone, then all groups but one. Steps, loads and faults of a removed group are removed as well. */
function* groups(text: string): Iterable<Cut> {
  const names = groupNames(text);
  if (names.length < 2) return;
  for (const name of names) {
    yield* cut(`the group "${name}" alone`, text, (document) =>
      removeGroups(
        document,
        names.filter((other) => other !== name),
      ),
    );
  }
  for (const name of names) {
    yield* cut(`without the group "${name}"`, text, (document) => removeGroups(document, [name]));
  }
}

/** Fewer devices of a group: a named one; the first or last; a half; all but the last or first. */
function* devices(text: string): Iterable<Cut> {
  const document = parseDocument(text);
  for (const [index, name] of groupNames(text).entries()) {
    const count = Number(mapAt(document, ['fleet', index])?.get('count'));
    if (!(count > 1)) continue;
    const ranges: [number, number][] = namedDevices(document, name).map((number) => [number, number]);
    const half = Math.ceil(count / 2);
    ranges.push([1, 1], [count, count], [1, half], [half + 1, count], [1, count - 1], [2, count]);
    for (const [from, to] of ranges) {
      if (from > to || to > count) continue;
      const about = from === to ? `of "${name}" only device ${from}` : `of "${name}" only devices ${from} to ${to}`;
      yield* cut(about, text, (copy) => keepDevices(copy, index, name, from, to));
    }
  }
}

/** Shorter lists, nested ones too: without a half, a quarter, … an item. Groups and expectations stay. */
function* items(text: string): Iterable<Cut> {
  for (const path of listsIn(parseDocument(text))) {
    if (path[0] === 'fleet' && path.length === 1) continue;
    if (path[0] === 'expect') continue;
    const size = listAt(parseDocument(text), path)?.items.length ?? 0;
    for (let part = Math.ceil(size / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
      for (let from = 0; from < size; from += part) {
        const count = Math.min(part, size - from);
        const about = `${path.join('.')} without ${count === 1 ? `item ${from + 1}` : `items ${from + 1} to ${from + count}`}`;
        yield* cut(about, text, (document) => {
          const list = listAt(document, path);
          if (list !== undefined) keepItems(list, (_, i) => i < from || i >= from + count);
          // An empty list means the same as no list.
          if (count === size) document.deleteIn(path);
        });
      }
    }
  }
}

const LENGTHS = [
  ...[10, 30].map(seconds),
  ...[1, 2, 3, 5, 10, 15, 20, 30, 40, 50].map(minutes),
  ...[1, 1.5, 2, 3, 4, 6, 8, 12, 18, 24, 36, 48, 72, 120, 240, 480].map(hours),
];

/** Shorter durations, the shortest first, because short runs are quick. */
function* duration(text: string): Iterable<Cut> {
  const map = mapAt(parseDocument(text), []);
  const now = parseDuration((map && wordAt(map, 'duration')) ?? '') ?? 0;
  for (const length of LENGTHS.filter((shorter) => shorter < now)) {
    const word = formatDuration(length);
    yield* cut(`duration ${word}`, text, (document) => document.set('duration', word));
  }
}

/** Keys that are never removed: a scenario requires them, or would test something else without them. */
const KEPT = new Set(['name', 'seed', 'duration', 'fleet', 'expect']);

/** Keys of a load that are never removed, because without them it could send more requests. */
const KEPT_OF_LOAD = new Set(['think', 'patient', 'iterations', 'over']);

/** Whether a key is never removed; also the keys of a `rate` or of `users` that change. */
function isKept([section, index, ...path]: readonly (string | number)[], key: string): boolean {
  if (section === undefined) return KEPT.has(key);
  if (section !== 'load' || index === undefined) return false;
  return path[0] === 'rate' || path[0] === 'users' || KEPT_OF_LOAD.has(key);
}

/** The scenario without one key of one of its maps: the text is shorter, and the default is simpler. */
function* keys(text: string): Iterable<Cut> {
  for (const path of mapsIn(parseDocument(text))) {
    for (const key of keysOf(mapAt(parseDocument(text), path)?.items ?? [])) {
      if (isKept(path, key)) continue;
      const where = [...path, key];
      yield* cut(`without ${where.join('.')}`, text, (document) => document.deleteIn(where));
    }
  }
}

/** Loads with a simple low rate, or with one user. */
function* rates(text: string): Iterable<Cut> {
  const document = parseDocument(text);
  for (const [index] of (listAt(document, ['load'])?.items ?? []).entries()) {
    const load = mapAt(document, ['load', index]);
    const highest = highestRate(load?.get('rate', true));
    for (const slow of ['1/h', '1/m', '1/s', '10/s'].filter((rate) => (perSecond(rate) ?? 0) < highest)) {
      yield* cut(`load ${index + 1} at ${slow}`, text, (copy) => copy.setIn(['load', index, 'rate'], slow));
    }
    if (Number(load?.get('users')) > 1) {
      yield* cut(`load ${index + 1} with one user`, text, (copy) => copy.setIn(['load', index, 'users'], 1));
    }
  }
}

/** The highest rate of a load, in requests per second; 0 if the text does not show it: recorded times, a variable. */
function highestRate(rate: unknown): number {
  if (isMap(rate)) return Math.max(0, ...rate.items.map(({ value }) => highestRate(value)));
  if (!isScalar(rate)) return 0;
  return Math.max(
    ...String(rate.value)
      .split('..')
      .map((end) => perSecond(end) ?? 0),
  );
}

/** The scenario with only the expectations in `lines`, and with explicit values for the seed and the serial numbers. */
export function pinned(text: string, seed: number, lines: readonly string[], serials: readonly number[]): string {
  const result = edited(text, (document) => {
    document.set('seed', seed);
    const expectations = listAt(document, ['expect']);
    if (expectations !== undefined) {
      keepItems(expectations, (item) => lines.includes(lineOf(item)));
      if (expectations.items.length === 0) document.delete('expect');
    }
    // Without explicit serial numbers, removing a group would change those of other groups, and thereby their random draws.
    serials.forEach((serial, index) => void mapAt(document, ['fleet', index])?.set('serial', serial));
  });
  return result ?? text;
}

/** The line of an expectation. The expectation is a line, or a map with the line under `that`. */
function lineOf(item: unknown): string {
  if (isMap(item)) return wordAt(item, 'that') ?? '';
  return isScalar(item) ? String(item.value) : '';
}

function groupNames(text: string): readonly string[] {
  const document = parseDocument(text);
  return (listAt(document, ['fleet'])?.items ?? []).map((_, i) => {
    const map = mapAt(document, ['fleet', i]);
    return (map && wordAt(map, 'name')) ?? '';
  });
}

const SECTIONS = [['steps'], ['load'], ['faults'], ['network', 'faults']] as const;

/** Removes groups, with their steps, loads and faults. */
function removeGroups(document: Document, names: readonly string[]): void {
  const fleet = listAt(document, ['fleet']);
  if (fleet === undefined) return;
  keepItems(fleet, (item) => !(isMap(item) && names.includes(wordAt(item, 'name') ?? '')));
  forTargets(document, (to) => (names.includes(to.split('/')[0] ?? '') ? undefined : to));
}

/** Keeps the devices `from` to `to` of a group with their serial numbers, and renumbers them from 1. */
function keepDevices(document: Document, index: number, name: string, from: number, to: number): void {
  const group = mapAt(document, ['fleet', index]);
  const serial = Number(group?.get('serial'));
  group?.set('count', to - from + 1);
  if (from > 1 && serial > 0) group?.set('serial', serial + from - 1);
  forTargets(document, (target) => {
    const [of, number] = target.split('/');
    if (of !== name || number === undefined) return target;
    return Number(number) >= from && Number(number) <= to ? `${name}/${Number(number) - from + 1}` : undefined;
  });
}

/** Changes every `to`; a step, load or fault is removed if `change` returns undefined for its `to`. */
function forTargets(document: Document, change: (to: string) => string | undefined): void {
  for (const path of SECTIONS) {
    const list = listAt(document, path);
    if (list === undefined) continue;
    const targetOf = (item: unknown): string | undefined => (isMap(item) ? wordAt(item, 'to') : undefined);
    keepItems(list, (item) => {
      const to = targetOf(item);
      return to === undefined || change(to) !== undefined;
    });
    for (const item of list.items) {
      const [to, changed] = [targetOf(item), change(targetOf(item) ?? '')];
      if (isMap(item) && to !== undefined && changed !== to) item.set('to', changed);
    }
    if (list.items.length === 0) document.deleteIn(path);
  }
}

/** Numbers of the devices of a group that a `to` names. */
function namedDevices(document: Document, name: string): readonly number[] {
  const found = new Set<number>();
  for (const path of SECTIONS) {
    for (const item of listAt(document, path)?.items ?? []) {
      const [of, number] = ((isMap(item) && wordAt(item, 'to')) || '').split('/');
      if (of === name && number !== undefined) found.add(Number(number));
    }
  }
  return [...found];
}

function keysOf(pairs: readonly Pair[]): readonly string[] {
  return pairs.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : []));
}
