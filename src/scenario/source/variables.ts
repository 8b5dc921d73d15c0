/**
 * Variables: `vars: { period: 900 }` at the top of a scenario, `${period}` in any value below, `--var period=300` for one run.
 *
 * A text that consists of one variable becomes the value of the variable, with its type: `interval-report: ${period}` is a
 * number. Within a longer text, the value is inserted as text: `every: ${n}m`. `$${` stands for `${`. A variable can use the
 * variables above it. There are no expressions: a scenario that needs them should be written in TypeScript.
 */
import { complain, type Form } from '../../input/checks.js';
import { type LocatedNode, type MapNode, type Problems, readYaml, type ScalarNode } from '../../input/document.js';
import { didYouMean, InputError, quote } from '../../input/problems.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { describeGiven } from '../values/environment.js';

const KEY = 'vars';
const NAME = /^[a-z][a-z0-9_-]{0,63}$/i;
/** Something that looks like the use of a variable. */
const ANY_USE = /\$\{[^}]*\}/;
const USE = /\$(\$?)\{([^}]*)\}/g;

export const VARS_FORM: Form = {
  type: 'object',
  propertyNames: { pattern: NAME.source },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
};

/** JSON Schema of a text that uses a variable. */
export const VARIABLE_FORM: Form = { type: 'string', pattern: ANY_USE.source };

export interface GivenVariables {
  /** Values by name from the command line and the environment, which override those of the scenario. */
  readonly vars?: ReadonlyMap<string, string> | undefined;
  /** Called with each name in `vars` that the scenario does not have. Default: such a name is a problem of the scenario. */
  readonly onUnknownVar?: (name: string) => void;
}

interface Variables {
  /** Values by the names of the variables. */
  readonly values: ReadonlyMap<string, ScalarNode>;
  /** Names of those that are not read yet, because they are at or below the present place of `vars`. */
  readonly open: Set<string>;
  /** Characters that may still be inserted into texts. */
  readonly room: { left: number };
}

/** Limit of the characters of one text after its variables are replaced. */
const LONGEST_TEXT = 100_000;
/** Limit of the characters that variables insert into the texts of a scenario. */
const MOST_INSERTED = 4_000_000;

/**
 * The variables of the scenario.
 * In the names of given values, `_` also stands for `-` ({@link spelled}).
 */
export function readVariables(
  root: MapNode,
  { vars: given = new Map(), onUnknownVar }: GivenVariables,
  problems: Problems,
): Variables {
  const declared = root.entries.get(KEY)?.value;
  const values = new Map<string, ScalarNode>();
  if (declared !== undefined && declared.kind !== 'map') complain(declared, problems, 'a map of names to values');
  const entries: MapNode['entries'] = declared?.kind === 'map' ? declared.entries : new Map();
  const variables = { values, open: new Set(entries.keys()), room: { left: MOST_INSERTED } };
  // A later value takes precedence, in either spelling: those of the command line follow those of the environment.
  const meant = new Map([...given].map(([name, value]) => [spelled(name, entries), value]));
  for (const [name, { key, value }] of entries) {
    if (!NAME.test(name)) problems.add(key, `${quote(name)} is not a name of letters, digits, "-" and "_"`);
    const own = substitute(value, variables, problems);
    if (own.kind !== 'scalar' || own.value === null) complain(own, problems, 'a text, a number, true or false');
    else values.set(name, replaceValue(name, own, meant.get(name), problems));
    variables.open.delete(name);
  }
  for (const name of meant.keys()) {
    if (values.has(name)) continue;
    if (onUnknownVar) {
      onUnknownVar(name);
      continue;
    }
    problems.add(
      declared ?? root,
      `${describeGiven(name)} is not a variable of this scenario${describeKnown(name, variables)}`,
    );
  }
  return variables;
}

/**
 * The variable that a given name means. Shells have no names with "-", so `report_interval` means `report-interval`, unless there
 * is a variable of the very name.
 */
function spelled(name: string, entries: MapNode['entries']): string {
  if (entries.has(name)) return name;
  const [only, ...others] = [...entries.keys()].filter((each) => inShells(each) === name);
  return only === undefined || others.length > 0 ? name : only;
}

function inShells(name: string): string {
  return name.replaceAll('-', '_');
}

/** The value of a variable from the command line; it must have the type of the value in the scenario. */
function replaceValue(name: string, own: ScalarNode, typed: string | undefined, problems: Problems): ScalarNode {
  if (typed === undefined) return own.source === '' ? own : { ...own, isWritten: true };
  const value = typeof own.value === 'string' ? typed : parseScalar(typed);
  if (typeof value === typeof own.value) return { ...own, value, source: typed };
  problems.add(own, `${quote(typed)} is not a ${typeof own.value}: the variable "${name}" is ${quote(own.source)}`);
  return own;
}

function parseScalar(text: string): ScalarNode['value'] {
  try {
    const node = readYaml(text, '');
    return node.kind === 'scalar' ? node.value : null;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** A copy of `node` in which variables are replaced by their values. */
export function substitute(node: LocatedNode, variables: Variables, problems: Problems): LocatedNode {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'string' && node.value.includes('${')
        ? fillText(node, node.value, variables, problems)
        : node;
    case 'list':
      return { ...node, items: node.items.map((item) => substitute(item, variables, problems)) };
    case 'map': {
      const entries = [...node.entries].map(([key, entry]) => {
        if (ANY_USE.test(key)) {
          const reason = `variables are replaced in values, not in keys: ${quote(key)} stays as it is; write the key out`;
          problems.explain(entry.key, reason);
        }
        return [key, { ...entry, value: substitute(entry.value, variables, problems) }] as const;
      });
      return { ...node, entries: new Map(entries) };
    }
    default:
      return node satisfies never;
  }
}

function fillText(node: ScalarNode, text: string, variables: Variables, problems: Problems): ScalarNode {
  const alone = /^\$\{([^}]*)\}$/.exec(text)?.[1];
  if (alone !== undefined) {
    const found = lookUp(alone, node, variables, problems);
    if (found === undefined) return node;
    const { value, source, isWritten } = found;
    const names = [alone.trim(), ...(found.variables ?? [])];
    return { ...node, value, source, variables: names, ...(isWritten && { isWritten }) };
  }
  const { room } = variables;
  const used = new Set<string>();
  const written: { isWritten?: true } = {};
  let length = text.length;
  const value = text.replace(USE, (whole, escaped: string, name: string) => {
    if (escaped !== '') return whole.slice(1);
    const found = lookUp(name, node, variables, problems);
    for (const each of [name.trim(), ...(found?.variables ?? [])]) used.add(each);
    if (found?.isWritten) written.isWritten = true;
    const inserted = found?.source ?? whole;
    length += inserted.length;
    room.left -= inserted.length;
    return length > LONGEST_TEXT || room.left < 0 ? '' : inserted;
  });
  if (room.left < 0) {
    if (Number.isFinite(room.left)) problems.add(node, `variables insert more than ${MOST_INSERTED} characters`);
    // Prevents a second report of this problem.
    room.left = Number.NEGATIVE_INFINITY;
    return node;
  }
  const names = { ...(used.size > 0 && { variables: [...used] }), ...written };
  if (length <= LONGEST_TEXT) return { ...node, value, source: value, ...names };
  problems.add(node, `the text is longer than ${LONGEST_TEXT} characters with the values of its variables`);
  return node;
}

/** A name and a value within a text, such as a form or a query: `user=ada&password=sesame`. */
const NAMED = /(?:passw|token|secret|api-?key)[\w-]{0,40}["']?\s{0,9}[=:]/i;

/**
 * The variables that have a part of a secret: of a `secure` variable of the space, of a shell line with a secret, or of a value
 * whose key names a secret, such as `password`; and those that have such a name. Each in both spellings in which its value can
 * be given.
 * @param root the scenario with its variables replaced
 */
export function findSecretVariables(root: LocatedNode): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { scalar, key, isSecret } of listScalars(root, '', false)) {
    const line = `${key} ${scalar.source}`.trim();
    const isTyped = key !== 'script' && withoutSecrets(line) !== line;
    const isWhole = isSecret || isTyped || isCredential(key) || (key !== 'script' && NAMED.test(line));
    for (const name of scalar.variables ?? []) if (isWhole || isCredential(name)) found.add(name).add(inShells(name));
  }
  return found;
}

/** Whether a header, in small letters, has a secret: a scenario gets its value from the environment. */
export function isCredential(header: string): boolean {
  return /^(?:proxy-)?authorization$|^cookie$|passw|token|secret|api-?key/i.test(header);
}

interface Keyed {
  readonly scalar: ScalarNode;
  /** The nearest key above. */
  readonly key: string;
  /** Whether it is the value of a `secure` variable. */
  readonly isSecret: boolean;
}

/** The texts with variables. */
function* listScalars(node: LocatedNode, key: string, isSecret: boolean): Generator<Keyed> {
  if (node.kind === 'scalar') {
    if (node.variables !== undefined) yield { scalar: node, key, isSecret };
    return;
  }
  if (node.kind === 'list') {
    for (const item of node.items) yield* listScalars(item, key, isSecret);
    return;
  }
  const secure = node.entries.get('secure')?.value;
  const isSecure = secure?.kind === 'scalar' && secure.value === true;
  for (const [name, { value }] of node.entries) yield* listScalars(value, name, isSecure && name === 'value');
}

function lookUp(name: string, node: ScalarNode, variables: Variables, problems: Problems): ScalarNode | undefined {
  const found = variables.values.get(name.trim());
  if (variables.open.has(name.trim()))
    problems.add(node, `a variable can only use those above it: ${quote(name)} is not above`);
  else if (found === undefined) problems.add(node, `unknown variable ${quote(name)}${describeKnown(name, variables)}`);
  return found;
}

function describeKnown(name: string, variables: Variables): string {
  const names = [...variables.values.keys(), ...variables.open];
  return `${didYouMean(name, names)}; the scenario has ${names.length === 0 ? 'none' : names.join(', ')}`;
}
