/** Checks selectors of a scenario against the fleet: a misspelt name is a problem, not an empty selection. */
import { type Check, describeKey, formed, type OptionalCheck, optional, text } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { SelectableGroup } from './device.js';
import { FIELDS } from './fields.js';
import { parseSelector, SELECTOR_FORM, SelectorError } from './grammar.js';
import { canTouch } from './match.js';
import { nameSelector, type Selector } from './selector.js';

/** The names that a selector of a scenario may use. */
export interface FleetNames {
  readonly groups: readonly string[];
  readonly regions: readonly string[];
  readonly tags: readonly string[];
  /** The groups with their devices, to find selectors that select nothing; undefined if the fleet could not be read. */
  readonly fleet: readonly SelectableGroup[] | undefined;
}

/** Words of the grammar; a group cannot have such a name. */
export const RESERVED = ['all', 'region', 'tag'] as const;

/** The text of a selector; {@link readSelector} checks the names in it. */
export const selectorText: Check<string> = formed(
  () => SELECTOR_FORM,
  (node, problems) => (node.kind === 'scalar' && typeof node.value === 'number' ? node.source : text()(node, problems)),
);

export const ABOUT_TO =
  'Devices that are meant: all (default), a group, a device such as cellar/3, region/…, tag/…, or a sample.';

/** The key `to`; default: all devices. */
export const TO: { readonly to: OptionalCheck<string, string> } = {
  to: optional(describeKey(ABOUT_TO, 'region/north', selectorText), 'all'),
};

/**
 * Reads a selector and checks it against the fleet.
 * @param node place of the problems @returns undefined if a problem was noted
 */
export function readSelector(
  to: string,
  node: LocatedNode,
  problems: Problems,
  names: FleetNames,
): Selector | undefined {
  const before = problems.list.length;
  let read: Selector;
  try {
    read = parseSelector(to, names.tags);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    problems.add(node, `${quote(to)} is not a selector: ${error.message}`);
    return undefined;
  }
  const checked = resolveSelector(read, { node, problems, names });
  if (problems.list.length > before) return undefined;
  const empty = names.fleet !== undefined && !names.fleet.some((group) => canTouch(checked, group));
  if (empty) problems.add(node, `${quote(to)} selects no device of the fleet`);
  return empty ? undefined : checked;
}

interface Context {
  readonly node: LocatedNode;
  readonly problems: Problems;
  readonly names: FleetNames;
}

/** Turns words that are names of groups into selectors of the kind `group`; notes a problem for every unknown name. */
function resolveSelector(read: Selector, context: Context): Selector {
  const { names, node, problems } = context;
  switch (read.kind) {
    case 'all':
      return read;
    case 'word':
      return resolveWord(read, context);
    case 'group':
    case 'devices':
      checkRange(read, context);
      return read;
    case 'region':
      checkLabel(read.region, 'region', names.regions, context);
      return read;
    case 'tag':
      checkLabel(read.tag, 'tag of a group', names.tags, context);
      return read;
    case 'sample':
    case 'not':
      return { ...read, of: resolveSelector(read.of, context) };
    case 'and':
    case 'or':
      return { ...read, parts: read.parts.map((part) => resolveSelector(part, context)) };
    case 'field':
      if (FIELDS[read.field].live) {
        const fields = Object.entries(FIELDS).flatMap(([name, { live }]) => (live ? [] : [name]));
        problems.add(node, `${quote(read.field)} is known only during a run; a scenario can use ${orList(fields)}`);
      }
      return read;
    default:
      return read satisfies never;
  }
}

function resolveWord(read: Extract<Selector, { kind: 'word' }>, context: Context): Selector {
  const { groups, fleet } = context.names;
  const { word } = read;
  if (groups.includes(word)) return { kind: 'group', group: word };
  if (fleet === undefined ? word.includes('*') : fleet.some((group) => canTouch(read, group))) return read;
  reportUnknownGroup(word, word, context);
  return read;
}

function reportUnknownGroup(word: string, group: string, { names, node, problems }: Context): void {
  const { groups, regions, tags } = names;
  const device = `${groups[0] ?? 'clime'}/3`;
  const kind = tags.includes(word) ? 'tag' : regions.includes(word) ? 'region' : undefined;
  const meant = kind ? ` (did you mean "${kind}/${word}"?)` : didYouMean(group, [...groups, ...RESERVED]);
  problems.add(node, `${quote(word)} is not "all", a group or a device such as "${device}"${meant}`);
}

function checkRange(read: Extract<Selector, { kind: 'group' | 'devices' }>, context: Context): void {
  const { names, node, problems } = context;
  if (!names.groups.includes(read.group)) return reportUnknownGroup(nameSelector(read), read.group, context);
  if (read.kind === 'group') return;
  const size = names.fleet?.find(({ name }) => name === read.group)?.count;
  const wrong = findWrongRange(read.first, read.last, size);
  if (wrong !== undefined) problems.add(node, `${quote(nameSelector(read))} does not exist: ${wrong}`);
}

/** @param size number of devices in the group; undefined if it is not known */
function findWrongRange(first: number, last: number, size: number | undefined): string | undefined {
  if (last < first) return 'a range begins with the lower number';
  if (first >= 1 && last <= (size ?? last)) return undefined;
  return size === undefined ? 'the first device of a group has the number 1' : `the group has the devices 1 to ${size}`;
}

function checkLabel(label: string, what: string, labels: readonly string[], { node, problems }: Context): void {
  if (labels.includes(label)) return;
  const known = labels.length === 0 ? 'the fleet has none' : `the fleet has ${orList(labels)}`;
  problems.add(node, `${quote(label)} is not a ${what}${didYouMean(label, labels)}; ${known}`);
}
