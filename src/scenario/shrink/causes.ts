/**
 * Lists the kinds of faults in a failing scenario, and removes a kind from its text. reason.ts uses this to find the faults
 * that cause the failure.
 */
import { isMap, isScalar, parseDocument } from 'yaml';
import { edited, keepItems, listAt, mapAt } from './document.js';

/** A kind of fault in a scenario, which may cause its failure. */
export interface Suspect {
  /** For messages: `outage`. */
  readonly fault: string;
  /** The text without faults of this kind; undefined if the text has no such fault. */
  without(text: string): string | undefined;
}

const LISTS = [['faults'], ['network', 'faults']] as const;
/** Keys of a fault that are common to all kinds. */
const COMMON = new Set(['from', 'until', 'every', 'lasts', 'to']);

/** Every kind of fault in the text: first those of faults in lists, then those that apply for the whole run. */
export function suspectsIn(text: string): readonly Suspect[] {
  const document = parseDocument(text);
  const listed = LISTS.flatMap((path) => (listAt(document, path)?.items ?? []).flatMap(kindOf));
  const lasting = (mapAt(document, ['network'])?.items ?? []).flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '';
    return name === 'faults' ? [] : [name];
  });
  return [...new Set([...listed, ...lasting])].map((fault) => ({
    fault,
    without: (from) => withoutKind(from, fault),
  }));
}

function withoutKind(text: string, fault: string): string | undefined {
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
