/**
 * `include`: other files that a scenario builds on. An included file may have any key of a scenario, and can include further
 * files. Paths are relative to the including file, and must not lead out of the folder of the scenario.
 *
 * Two files are merged as follows. Maps are merged key by key. Lists are concatenated, with the items of the included file
 * first. For all other values, the including file takes precedence. Of several included files, a later one takes precedence
 * over an earlier one. A file that is included several times, also by a link, counts once, at its first place: otherwise its
 * steps would run twice if two included files share it.
 */

import { complain, eitherForm, type Form, formOf, list, text } from '../../input/checks.js';
import { type LocatedNode, type MapNode, type Problems, readYaml } from '../../input/document.js';
import { InputError, quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { messageOf } from '../../kernel/errors.js';

const KEY = 'include';
/** Limit of included files, against files that include each other many times over. */
const MOST_FILES = 100;
/** Limit of the text of all included files, in characters. */
const LONGEST = 1_000_000;
/** Limit of the values in all included files. A value counts again for each YAML alias that refers to it. */
const MOST_VALUES = 20_000;

const path = text(
  /^(?!\/)(?!.*\.\.)[\w ./-]+\.ya?ml$/,
  'the path of a .yaml file in the folder of the scenario or below',
);
const paths = list(path, 1);

export const INCLUDE_FORM: Form = eitherForm(formOf(path), formOf(paths));

type ReadFile = (path: string) => NamedText;

/** The scenario merged with all files that it includes directly or indirectly. */
export function resolveIncludes(root: MapNode, readFile: ReadFile, problems: Problems): MapNode {
  return new Includer(plain(root.file), readFile, problems).resolve(root, []);
}

/** A file as its path names it, and the file behind symbolic links. */
interface Included {
  readonly path: string;
  readonly real: string;
}

class Includer {
  /** Name of the file of the scenario. */
  readonly #file: string;
  readonly #readFile: ReadFile;
  readonly #problems: Problems;
  /** Paths and real paths of the files so far. */
  readonly #known = new Set<string>();
  #files = 0;
  #length = 0;
  #values = 0;

  constructor(file: string, readFile: ReadFile, problems: Problems) {
    this.#file = file;
    this.#readFile = readFile;
    this.#problems = problems;
  }

  /** @param chain the including files down to this one; empty for the scenario itself */
  resolve(root: MapNode, chain: readonly Included[]): MapNode {
    const entry = root.entries.get(KEY);
    if (entry === undefined) return root;
    const own = { ...root, entries: new Map([...root.entries].filter(([key]) => key !== KEY)) };
    const wanted = entry.value.kind === 'list' ? entry.value.items : [entry.value];
    const included = wanted.flatMap((node) => this.#read(node, chain) ?? []);
    return [...included, own].reduce(mergeMaps);
  }

  #read(node: LocatedNode, chain: readonly Included[]): MapNode | undefined {
    const problems = this.#problems;
    if (node.kind === 'scalar' && node.source.includes('${')) {
      problems.add(node, `${quote(node.source)} is not replaced: "include" cannot use variables; write the path out`);
      return undefined;
    }
    const relative = path(node, problems);
    if (relative === undefined) return undefined;
    const from = chain.at(-1)?.path ?? '';
    const full = plain(`${from.slice(0, from.lastIndexOf('/') + 1)}${relative}`);
    const isCircle = (name: string) => chain.some((above) => above.path === name || above.real === name);
    const circle = () => {
      const names = [...chain.map((above) => above.path), full];
      problems.add(node, `${quote(relative)} includes itself: ${names.join(' → ')}`);
      return undefined;
    };
    if (isCircle(full)) return circle();
    if (this.#known.has(full)) return undefined;
    this.#known.add(full);
    if (++this.#files > MOST_FILES) {
      problems.add(node, `a scenario cannot include more than ${MOST_FILES} files`);
      return undefined;
    }
    const found = this.#parse(full, node);
    if (found === undefined) return undefined;
    const { root, real } = found;
    if (isCircle(real) || plain(root.file) === this.#file) return circle();
    if (real !== full && this.#known.has(real)) return undefined;
    this.#known.add(real);
    this.#values += countValues(root, MOST_VALUES);
    if (this.#values > MOST_VALUES) {
      problems.add(node, `the included files have more than ${MOST_VALUES} values`);
      return undefined;
    }
    if (root.kind !== 'map') return complain(root, problems, 'a part of a scenario: a map with keys of a scenario');
    return this.resolve(root, [...chain, { path: full, real }]);
  }

  #parse(path: string, node: LocatedNode): { readonly root: LocatedNode; readonly real: string } | undefined {
    try {
      const { file, text, real = path } = this.#readFile(path);
      this.#length += text.length;
      if (this.#length <= LONGEST) return { root: readYaml(text, file), real };
      this.#problems.add(node, `the included files are longer than ${LONGEST} characters`);
      return undefined;
    } catch (error) {
      // Problems in the included file are reported with their places in that file.
      if (error instanceof InputError)
        for (const { message, ...place } of error.problems) this.#problems.add(place, message);
      else this.#problems.add(node, messageOf(error));
      return undefined;
    }
  }
}

/** The path without parts that do not change it: `./`, and slashes that follow each other. */
function plain(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** Number of values, or a number above `most` if there are more. */
function countValues(node: LocatedNode, most: number): number {
  let count = 1;
  const inner = node.kind === 'list' ? node.items : node.kind === 'map' ? [...node.entries.values()] : [];
  for (const item of inner) {
    if (count > most) break;
    count += countValues('value' in item && 'key' in item ? item.value : item, most - count);
  }
  return count;
}

function mergeMaps(base: MapNode, own: MapNode): MapNode {
  const entries = new Map(base.entries);
  for (const [name, entry] of own.entries) {
    const there = base.entries.get(name);
    entries.set(name, there ? { key: entry.key, value: mergeNodes(there.value, entry.value) } : entry);
  }
  return { ...own, entries };
}

function mergeNodes(base: LocatedNode, own: LocatedNode): LocatedNode {
  if (base.kind === 'map' && own.kind === 'map') return mergeMaps(base, own);
  if (base.kind === 'list' && own.kind === 'list') return { ...own, items: [...base.items, ...own.items] };
  return own;
}
