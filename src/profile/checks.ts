/** Checks that several sections of a profile use. */
import { type Check, complain, type Form, formed, formOf, list, number, oneOf, refine } from '../input/checks.js';
import type { LocatedNode } from '../input/document.js';
import { didYouMean, orList, quote } from '../input/problems.js';
import type { ModuleSpec, ParameterRef } from './parameters.js';

/** Accepts any value; it is checked elsewhere. */
export const anything: Check<LocatedNode> = (node) => node;

/** A number of 0 or more. */
export const amount: Check<number> = formed(
  () => ({ type: 'number', minimum: 0 }),
  (node, problems) =>
    node.kind === 'scalar' && typeof node.value === 'number' && node.value >= 0 && Number.isFinite(node.value)
      ? node.value
      : complain(node, problems, 'a number of 0 or more'),
);

/** `[min, max]` */
export const range: Check<readonly [number, number]> = refine(list(number()), (ends, node, problems) => {
  const [min, max, ...more] = ends;
  if (min !== undefined && max !== undefined && more.length === 0 && min <= max) return [min, max];
  problems.add(node, 'a range is a list of the lowest and the highest value');
  return undefined;
});

/** A reference by name to an item of another section, read as its index. If that section has errors, any name is accepted. */
export function expectIndex(names: readonly string[] | undefined, what: string): Check<number> {
  return formed(
    () => ({ type: 'string' }),
    (node, problems) => {
      if (names === undefined) return 0;
      const name = node.kind === 'scalar' ? String(node.value) : '';
      const index = names.indexOf(name);
      if (index >= 0) return index;
      return complain(node, problems, `${what}: ${orList(names) || 'there is none'}${didYouMean(name, names)}`);
    },
  );
}

/** A shell line that sets a configuration parameter: `app config mode "lte"`. The shell checks the value. */
export function expectSetupLine(modules: readonly ModuleSpec[] | undefined): Check<string> {
  return formed(
    () => ({ type: 'string', pattern: SETUP.source }),
    (node, problems) => {
      const line = node.kind === 'scalar' ? String(node.value) : '';
      const [, word, name] = SETUP.exec(line) ?? [];
      const module = modules?.find((known) => known.name === word);
      const known = module?.list?.name === name || module?.parameters.some((spec) => spec.name === name);
      if (word !== undefined && (modules === undefined || known)) return line;
      return complain(node, problems, 'a line that sets a configuration parameter: <module> config <name> <value>');
    },
  );
}

const SETUP = /^(\S+) config (\S+) ./;

/**
 * The name of a configuration parameter: `module.name`, or only the name for a parameter of the application.
 * @param types the types that the parameter may have
 */
export function expectParameter(
  modules: readonly ModuleSpec[] | undefined,
  types: readonly ModuleSpec['parameters'][number]['type'][],
): Check<ParameterRef> {
  return formed(
    () => ({ type: 'string', pattern: /^([a-z0-9]+\.)?[a-z0-9_-]+$/.source }),
    (node, problems) => {
      const text = node.kind === 'scalar' ? String(node.value) : '';
      const dot = text.indexOf('.');
      const ref = { module: dot < 0 ? 'app' : text.slice(0, dot), name: text.slice(dot + 1) };
      if (modules === undefined) return ref;
      const known = modules.find((module) => module.name === ref.module)?.parameters ?? [];
      const found = known.find((spec) => spec.name === ref.name);
      if (found && types.includes(found.type)) return ref;
      if (found) return complain(node, problems, `a parameter of type ${orList(types)}: it is of type ${found.type}`);
      const close = didYouMean(
        text,
        modules.flatMap((m) => m.parameters.map((spec) => (m.name === 'app' ? spec.name : `${m.name}.${spec.name}`))),
      );
      return complain(node, problems, `a configuration parameter of this device type${close}`);
    },
  );
}

/** A map whose keys depend on its kind, the word at `tag`. The check of the kind reads the whole map, including `tag`. */
export function chooseByTag<T>(what: string, tag: string, kinds: Readonly<Record<string, Check<T>>>): Check<T> {
  const form = () => ({ anyOf: Object.entries(kinds).map(([kind, check]) => addTag(formOf(check), tag, kind)) });
  return formed(form, (node, problems) => {
    if (node.kind !== 'map') return complain(node, problems, `${what}: a map`);
    const entry = node.entries.get(tag);
    if (entry === undefined) {
      problems.add(node, `${what} needs "${tag}"`);
      return undefined;
    }
    const kind = oneOf(Object.keys(kinds))(entry.value, problems);
    return kind === undefined ? undefined : kinds[kind]?.(node, problems);
  });
}

/** The form of one kind, with the word of the kind as the only value of `tag`. */
function addTag(form: Form, tag: string, kind: string): Form {
  // The cast is safe because only the form of a record has `properties`, and they are forms.
  const properties = form.properties as Form | undefined;
  return properties ? { ...form, properties: { ...properties, [tag]: { const: kind } } } : form;
}

/** A map of the first kind in `kinds` whose name is one of its keys, else of the last kind. */
export function chooseByKey<T>(kinds: Readonly<Record<string, Check<T>>>): Check<T> {
  const checks = Object.entries(kinds);
  return formed(
    () => ({ anyOf: checks.map(([, check]) => formOf(check)) }),
    (node, problems) => {
      const found = checks.find(([key]) => node.kind === 'map' && node.entries.has(key)) ?? checks.at(-1);
      return found?.[1](node, problems);
    },
  );
}

/** A map in which the name of each key selects the check of its value; undefined if any value is invalid. */
export function expectNamed<T>(wanted: string, check: (name: string) => Check<T>): Check<readonly T[]> {
  const form = () => ({
    type: 'object',
    propertyNames: { pattern: NAME.source },
    additionalProperties: formOf(check('name')),
  });
  return formed(form, (node, problems) => {
    if (node.kind !== 'map') return complain(node, problems, `a map of ${wanted}`);
    const all: T[] = [];
    for (const [name, entry] of node.entries) {
      if (!NAME.test(name)) problems.add(entry.key, `${quote(name)} is not a name of small letters, digits and _`);
      const one = check(name)(entry.value, problems);
      if (one !== undefined) all.push(one);
    }
    return all.length === node.entries.size ? all : undefined;
  });
}

const NAME = /^[a-z][a-z0-9_]*$/;

/** Whether a sensor, a quantity or a section of the reports can have this name. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Largest lengths of the texts in a session (wire W-47), by their keys in the section `identity` of a profile. */
export const IDENTITY_LENGTHS = {
  vendor: 16,
  product: 16,
  hw_variant: 10,
  hw_revision: 6,
  fw_bundle: 127,
  fw_name: 64,
  fw_version: 47,
  modem_firmware: 64,
} as const;

/** The form of a text in the identity, and its name for messages. */
export function expectIdentityText(length: number): { readonly form: RegExp; readonly what: string } {
  return { form: new RegExp(`^\\S.{0,${length - 1}}$`), what: `a text of at most ${length} characters` };
}
