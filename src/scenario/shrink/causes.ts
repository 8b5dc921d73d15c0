/** Kinds of faults and disturbing steps in a failing scenario, and texts without one, for reason.ts. */
import { isMap, isScalar, parseDocument } from 'yaml';
import { edited, keepItems, listAt, mapAt } from './document.js';

/** A kind of fault, or of disturbing step, in a scenario, which may cause its failure. */
export interface Suspect {
  /** For messages: `the fault "outage"`, `the step "radio"`. */
  readonly what: string;
  /** The text without this kind; undefined if the text does not have it. */
  without(text: string): string | undefined;
}

const LISTS = [['faults'], ['network', 'faults']] as const;
/** Keys of a fault that are common to all kinds. */
const COMMON = new Set(['from', 'until', 'every', 'lasts', 'to']);

/** Steps that can make a device fail to exchange messages with the cloud. */
const DISTURBING = 'antenna battery delete-device line-power modem power-cycle power-saving radio'.split(' ');

/** Every kind in the text: first faults in lists, then faults that apply for the whole run, then disturbing steps. */
export function suspectsIn(text: string): readonly Suspect[] {
  const document = parseDocument(text);
  const listed = LISTS.flatMap((path) => (listAt(document, path)?.items ?? []).flatMap(kindOf));
  const lasting = (mapAt(document, ['network'])?.items ?? []).flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '';
    return name === 'faults' ? [] : [name];
  });
  const steps = listAt(document, ['steps'])?.items ?? [];
  return [
    ...[...new Set([...listed, ...lasting])].map((fault) => ({
      what: `the fault "${fault}"`,
      without: (from: string) => withoutFault(from, fault),
    })),
    ...DISTURBING.filter((step) => steps.some((item) => isMap(item) && item.has(step))).map((step) => ({
      what: `the step "${step}"`,
      without: (from: string) => withoutSteps(from, step),
    })),
  ];
}

function withoutSteps(text: string, step: string): string | undefined {
  return edited(text, (document) => {
    const list = listAt(document, ['steps']);
    if (list === undefined) return;
    keepItems(list, (item) => !(isMap(item) && item.has(step)));
    if (list.items.length === 0) document.delete('steps');
  });
}

function withoutFault(text: string, fault: string): string | undefined {
  return edited(text, (document) => {
    for (const path of LISTS) {
      const list = listAt(document, path);
      if (list === undefined) continue;
      keepItems(list, (item) => !kindOf(item).includes(fault));
      if (list.items.length === 0) document.deleteIn(path);
    }
    mapAt(document, ['network'])?.delete(fault);
    // An empty map means the same as no map.
    if (mapAt(document, ['network'])?.items.length === 0) document.delete('network');
  });
}

/** The kind of a fault, as a list of one; an empty list for an item that is not a fault. */
function kindOf(item: unknown): readonly string[] {
  if (!isMap(item)) return [];
  return item.items.flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '';
    return COMMON.has(name) ? [] : [name];
  });
}
