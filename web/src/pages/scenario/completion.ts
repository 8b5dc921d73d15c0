/**
 * Completions of the editor: keys and words from the JSON schema of scenarios, names of profiles and metrics. Pure functions of
 * the text and the position of the cursor.
 */
import { yamlLanguage } from '@codemirror/lang-yaml';
import type { ScenarioWords } from '../../../../src/control/scenarios.js';

export interface Completion {
  readonly label: string;
  /** Text to insert; default: the label. */
  readonly apply?: string;
  readonly info?: string;
}

interface Completions {
  /** Position at which the completed word begins. */
  readonly from: number;
  readonly options: readonly Completion[];
}

type Schema = Readonly<Record<string, unknown>>;
type Node = NonNullable<ReturnType<typeof yamlLanguage.parser.parse>['topNode']>;

/** Placeholder that replaces the word that is being typed, so that the rest of the text stays valid YAML. */
const MARK = 'gf0mark';

/** @param at position in the text, in characters @returns undefined if nothing can be completed there */
export function completionsAt(text: string, at: number, words: ScenarioWords): Completions | undefined {
  const [word = ''] = /[\w.-]*$/.exec(text.slice(0, at)) ?? [];
  const from = at - word.length;
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
  if (/(^|\s)#/.test(line)) return undefined;
  const after = /^[\w.-]*/.exec(text.slice(at))?.[0].length ?? 0;
  const marked = (mark: string) => placeOf(text.slice(0, from) + mark + text.slice(at + after), from);
  const isKey = /(^\s*|-\s+|[{,[]\s*)$/.test(line);
  const options = [
    ...(isKey ? keysAt(marked(`${MARK}: 0`), words) : []),
    ...(/^\s*$/.test(line) ? [] : valuesAt(marked(MARK), words)),
  ];
  return options.length === 0 ? undefined : { from, options };
}

interface Place {
  /** Keys and list items (`[]`) that lead to the word. */
  readonly path: readonly string[];
  /** Other keys of the map in which the word is a key. */
  readonly siblings: readonly string[];
}

function placeOf(text: string, at: number): Place {
  let node: Node | null = yamlLanguage.parser.parse(text).resolveInner(at + 1);
  const path: string[] = [];
  let siblings: readonly string[] | undefined;
  for (let below: Node | null = null; node; below = node, node = node.parent) {
    if (node.name === 'Item') path.unshift('[]');
    if (node.name !== 'Pair') continue;
    const key = node.getChild('Key');
    if (key && below?.name !== 'Key') path.unshift(textOf(key, text));
    else siblings ??= node.parent?.getChildren('Pair').map((pair) => textOf(pair.getChild('Key'), text)) ?? [];
  }
  return { path, siblings: siblings ?? [] };
}

function textOf(node: Node | null, text: string): string {
  return node ? text.slice(node.from, node.to).replace(/^["']|["']$/g, '') : '';
}

function keysAt({ path, siblings }: Place, { schema }: ScenarioWords): readonly Completion[] {
  const keys = new Map<string, Completion>();
  for (const { properties } of schemasAt(schema as Schema, path)) {
    for (const [label, form] of Object.entries((properties ?? {}) as Schema)) {
      if (siblings.includes(label)) continue;
      // The cast is safe because the forms of a schema are objects.
      const { description } = form as Schema;
      keys.set(label, {
        ...{ label, apply: `${label}: ` },
        ...(typeof description === 'string' && { info: description }),
      });
    }
  }
  return [...keys.values()];
}

function valuesAt({ path }: Place, { schema, profiles, metrics }: ScenarioWords): readonly Completion[] {
  const named = (names: ScenarioWords['profiles']) => names.map(({ name, about }) => ({ label: name, info: about }));
  if (path.at(-1) === 'profile') return named(profiles);
  if (path[0] === 'expect' || path.at(-1) === 'after') return named(metrics);
  const values = schemasAt(schema as Schema, path).flatMap(({ enum: words = [], const: word, type }) => [
    // The cast is safe because the JSON Schema keyword `enum` has a list as its value.
    ...(words as readonly unknown[]),
    ...(word === undefined ? [] : [word]),
    ...(type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(values.map(String))].map((label) => ({ label }));
}

/** The forms that the value at a path can have. */
function schemasAt(schema: Schema, path: readonly string[]): readonly Schema[] {
  let forms = branchesOf(schema);
  for (const step of path) {
    forms = forms.flatMap((form) => {
      const {
        properties = {},
        additionalProperties,
        items,
      } = form as { readonly [keyword: string]: Schema | undefined };
      const below = step === '[]' ? items : (properties[step] ?? additionalProperties);
      return typeof below === 'object' ? branchesOf(below as Schema) : [];
    });
  }
  return forms;
}

/** A form and all its alternatives, each as a separate schema. */
function branchesOf(form: Schema): readonly Schema[] {
  const { anyOf } = form as { readonly anyOf?: readonly Schema[] };
  return [form, ...(anyOf ?? []).flatMap(branchesOf)];
}
