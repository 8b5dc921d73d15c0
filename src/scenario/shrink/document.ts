/** Edits the text of a scenario. The order of keys and the comments of the remaining parts are kept. */
import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

/** The text after an edit; undefined if the edit changed nothing, or if the result is not valid YAML. */
export function edited(text: string, edit: (document: Document) => void): string | undefined {
  const document = parseDocument(text);
  try {
    edit(document);
    const result = textOf(document);
    return result === text ? undefined : result;
  } catch {
    // The edit removed an anchor that is still in use.
    return undefined;
  }
}

/** The text in the format that every edit produces. */
export function normalised(text: string): string {
  return textOf(parseDocument(text));
}

function textOf(document: Document): string {
  return document.toString({ lineWidth: 120, flowCollectionPadding: true });
}

/** The map at `path`; undefined if there is none. */
export function mapAt(document: Document, path: readonly (string | number)[]): YAMLMap | undefined {
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isMap(node) ? node : undefined;
}

/** The list at `path`; undefined if there is none. */
export function listAt(document: Document, path: readonly (string | number)[]): YAMLSeq | undefined {
  const node = document.getIn(path, true);
  return isSeq(node) ? node : undefined;
}

/** Keeps the items for which `keep` is true; the comment above the first item is removed together with that item. */
export function keepItems(list: YAMLSeq, keep: (item: unknown, index: number) => boolean): void {
  // The library attaches a comment above the first item to the list.
  if (list.items.length > 0 && !keep(list.items[0], 0)) list.commentBefore = null;
  list.items = list.items.filter(keep);
}

/** The value of `key` as text; undefined if it is not a scalar. */
export function wordAt(map: YAMLMap, key: string): string | undefined {
  const node = map.get(key, true);
  return isScalar(node) ? (node.source ?? String(node.value)) : undefined;
}

/** The paths of all lists in the document, the outermost first. */
export function listsIn(document: Document): readonly (readonly (string | number)[])[] {
  return paths(document, isSeq);
}

/** The paths of all maps in the document, the outermost first. */
export function mapsIn(document: Document): readonly (readonly (string | number)[])[] {
  return paths(document, isMap);
}

function paths(document: Document, wanted: (node: unknown) => boolean): readonly (readonly (string | number)[])[] {
  const found: (string | number)[][] = [];
  const visit = (node: unknown, path: (string | number)[]): void => {
    if (wanted(node)) found.push(path);
    if (isSeq(node)) for (const [i, item] of node.items.entries()) visit(item, [...path, i]);
    if (isMap(node)) {
      for (const { key, value } of node.items) visit(value, [...path, String(isScalar(key) ? key.value : key)]);
    }
  };
  visit(document.contents, []);
  return found.sort((a, b) => a.length - b.length);
}
