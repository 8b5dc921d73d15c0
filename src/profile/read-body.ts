/**
 * The section `body`: the value that the firmware writes for each key of the decoder.
 *
 * The map has the names of the decoder. A leaf names its source in two words, `last thermometer.temperature`. `* 1000` follows
 * if the unit of the decoder differs, `if any` if the firmware omits the key of an event list without events. A list of one map
 * is written once for each sensor of the kinds in `$each`; with `$sparse`, only for sensors with samples. A map with `$if` is
 * written only by a device with the sensor named there. `$order` has the order in which the firmware writes the sections, also
 * those of profiles that extend this one. A name with dots is a path from the top of the decoder, because some firmware writes
 * keys of one section inside another (wire W-63).
 */
import { boolean, type Check, complain, formed, list, text } from '../input/checks.js';
import type { LocatedNode, MapNode } from '../input/document.js';
import { didYouMean, quote } from '../input/problems.js';
import type { CodecField } from '../protocol/codec.js';
import { type BodyParts, BodyReferences, EACH, type Each } from './body-references.js';
import { readSource } from './body-sources.js';
import type { BodyNode } from './profile.js';

/** This key of a map names a sensor. Only a device with that sensor writes the map. */
const IF = '$if';
/** This key limits a list to sensors with samples. */
const SPARSE = '$sparse';

/** This key of the whole section lists keys in the order of the firmware; other keys follow. */
const ORDER = '$order';

export function readBody(parts: BodyParts): Check<readonly BodyNode[]> {
  return formed(
    () => ({
      type: 'object',
      properties: { [ORDER]: { type: 'array', items: { type: 'string' } } },
      additionalProperties: { $ref: '#/definitions/bodyEntry' },
    }),
    (node, problems) => {
      if (node.kind !== 'map') return complain(node, problems, 'a map from the keys of the decoder to their values');
      if (parts.decoder === undefined) return undefined;
      const refs = new BodyReferences(parts, parts.decoder, problems);
      return readEntries(refs, sortBody(refs, node), '', undefined);
    },
  );
}

/** The section with its keys in the order of the firmware. */
function sortBody(refs: BodyReferences, body: MapNode): MapNode {
  const wanted = body.entries.get(ORDER);
  if (wanted === undefined) return body;
  const order = list(text())(wanted.value, refs.problems) ?? [];
  const items = wanted.value.kind === 'list' ? wanted.value.items : [];
  order.forEach((name, i) => {
    if (refs.findField(name) !== undefined) return;
    const near = didYouMean(name, refs.paths);
    refs.problems.add(items[i] ?? wanted.key, `${quote(name)} is not a key of the decoder${near}`);
  });
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const entries = [...body.entries].filter(([name]) => name !== ORDER).sort(([a], [b]) => place(a) - place(b));
  return { ...body, entries: new Map(entries) };
}

function readEntries(refs: BodyReferences, map: MapNode, parent: string, each: Each): readonly BodyNode[] {
  const nodes: BodyNode[] = [];
  for (const [name, { key, value }] of map.entries) {
    if ((name === EACH || name === SPARSE) && each !== undefined) continue;
    if (name === IF) continue;
    const path = name.includes('.') || parent === '' ? name : `${parent}.${name}`;
    const field = refs.findField(path);
    if (field === undefined) {
      refs.problems.add(key, `${quote(path)} is not a key of the decoder${didYouMean(path, refs.paths)}`);
      continue;
    }
    const node = readEntry(refs, field, value, each);
    if (node !== undefined) nodes.push(node);
  }
  return nodes;
}

function readEntry(refs: BodyReferences, field: CodecField, value: LocatedNode, each: Each): BodyNode | undefined {
  if (value.kind === 'scalar') return readSource(refs, field, value, each);
  if (value.kind === 'map') {
    const named = value.entries.get(IF);
    const needs = named && refs.anySensor(named.value, refs.problems);
    if (needs !== undefined) refs.given.add(needs);
    const children = readEntries(refs, value, field.path, each);
    if (needs !== undefined) refs.given.delete(needs);
    return { kind: 'map', key: field.number, children, needs };
  }
  const [item, ...more] = value.items;
  if (item?.kind === 'map' && more.length === 0 && each === undefined) return readList(refs, field, item);
  return refs.refuse(value, `a list of one map with "${EACH}", outside of other lists`);
}

/** The map of a list, which is written once for each sensor of the kinds in `$each`. */
function readList(refs: BodyReferences, field: CodecField, item: MapNode): BodyNode | undefined {
  const named = item.entries.get(EACH);
  if (named === undefined) {
    refs.problems.add(item, `a list in a body needs "${EACH}" with the kind of sensor that its entries are about`);
    return undefined;
  }
  const { value } = named;
  const sensors =
    value.kind === 'list'
      ? list(refs.anySensor, 1)(value, refs.problems)
      : list(refs.anySensor)({ ...value, kind: 'list', items: [value] }, refs.problems);
  const limit = item.entries.get(SPARSE);
  const sparse = limit ? boolean(limit.value, refs.problems) : false;
  if (sensors === undefined || sparse === undefined) return undefined;
  return { kind: 'each', key: field.number, sensors, children: readEntries(refs, item, field.path, sensors), sparse };
}
