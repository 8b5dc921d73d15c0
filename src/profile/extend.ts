/**
 * `extends`: a profile that inherits from another file, or from several. Maps are merged key by key. For other values, the
 * extending file wins. A `~` (null) in the extending file removes the inherited value, also a map. If there are several files,
 * each is merged over the files before it. Every value keeps its file and line for messages.
 */
import { text } from '../input/checks.js';
import { type LocatedNode, type MapNode, type Place, type Problems, readYaml } from '../input/document.js';
import { quote } from '../input/problems.js';

/** Reads a file by its path: the folder of the extending file plus the path in `extends`. Undefined if it does not exist. */
export type LoadText = (path: string) => string | undefined;

const KEY = 'extends';

/** Cache of files by path: most profiles extend the same few files. */
export type ReadFiles = Map<string, LocatedNode>;

/** Reads a file and the files that it extends. @throws InputError for invalid YAML */
export function readExtended(
  source: string,
  file: string,
  load: LoadText,
  problems: Problems,
  read: ReadFiles = new Map(),
): LocatedNode {
  return resolve(readYaml(source, file), [file], { load, read }, problems);
}

interface Files {
  readonly load: LoadText;
  readonly read: ReadFiles;
}

/** @param chain paths of the files from the profile to `root`; each file extends the next one */
function resolve(root: LocatedNode, chain: readonly string[], files: Files, problems: Problems): LocatedNode {
  const entry = root.kind === 'map' ? root.entries.get(KEY) : undefined;
  if (root.kind !== 'map' || entry === undefined) return root;
  const named = entry.value.kind === 'list' ? entry.value.items : [entry.value];
  const bases = named.flatMap((node) => inheritProfile(node, chain, files, problems) ?? []);
  if (named.length === 0) problems.add(entry.value, 'an empty list of files to extend');
  const [first, ...more] = [...bases, removeKey(root, KEY)];
  return more.reduce(merge, first ?? root);
}

/** An extended file, merged with the files that it extends itself; undefined if a problem was noted. */
function inheritProfile(
  node: LocatedNode,
  chain: readonly string[],
  files: Files,
  problems: Problems,
): LocatedNode | undefined {
  const relative = FILE(node, problems);
  if (relative === undefined) return undefined;
  const path = `${node.file.slice(0, node.file.lastIndexOf('/') + 1)}${relative}`;
  if (chain.includes(path)) {
    problems.add(node, `${quote(relative)} extends itself: ${[...chain, path].join(' → ')}`);
    return undefined;
  }
  const other = readFile(path, files);
  if (other === undefined) {
    problems.add(node, `${quote(relative)} cannot be read: file ${path} not found`);
    return undefined;
  }
  return resolve(other, [...chain, path], files, problems);
}

/** Form of the path of an extended file. */
export const EXTENDED_FILE = /^(?!\/)(?!.*\.\.)[\w./-]+\.yaml$/;
const FILE = text(EXTENDED_FILE, 'the path of a .yaml file below the folder of this one');

function readFile(path: string, { load, read }: Files): LocatedNode | undefined {
  const known = read.get(path);
  if (known) return known;
  const source = load(path);
  if (source === undefined) return undefined;
  const node = readYaml(source, path);
  read.set(path, node);
  return node;
}

/** Merges two files: `own` overrides `base`. */
export function merge(base: LocatedNode, own: LocatedNode): LocatedNode {
  if (base.kind !== 'map' || own.kind !== 'map') return own;
  const entries = new Map(base.entries);
  for (const [name, entry] of own.entries) {
    const inherited = base.entries.get(name);
    if (inherited && entry.value.kind === 'scalar' && entry.value.value === null) entries.delete(name);
    else entries.set(name, inherited ? { key: entry.key, value: merge(inherited.value, entry.value) } : entry);
  }
  return { ...own, entries };
}

/** The map without one of its keys. */
export function removeKey(node: MapNode, name: string): MapNode {
  return { ...node, entries: new Map([...node.entries].filter(([key]) => key !== name)) };
}

/**
 * What a file writes to remove the inherited entry of a section that contains `place`: `timing: { downlink_watchdog: ~ }`.
 * @param root the merged file
 * @param sections those to search
 * @returns undefined if no section has such an entry
 */
export function findRemoval(root: LocatedNode, sections: readonly string[], place: Place): string | undefined {
  for (const section of sections) {
    const entries = root.kind === 'map' ? root.entries.get(section)?.value : undefined;
    for (const [name, { value }] of entries?.kind === 'map' ? entries.entries : []) {
      if (contains(value, place)) return `${section}: { ${name}: ~ }`;
    }
  }
  return undefined;
}

function contains(node: LocatedNode, place: Place): boolean {
  const isChildAt = (child: LocatedNode) => contains(child, place);
  // A problem may be in the middle of a text.
  const length = node.kind === 'scalar' ? node.source.length : 1;
  const isHere = node.file === place.file && node.line === place.line && node.column <= place.column;
  if (isHere && place.column < node.column + length) return true;
  if (node.kind === 'map') return [...node.entries.values()].map(({ value }) => value).some(isChildAt);
  return node.kind === 'list' && node.items.some(isChildAt);
}
