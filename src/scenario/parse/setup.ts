/**
 * The `setup` of a scenario: resources of the space. The run creates them before the devices, in the order of the file, and
 * deletes them afterwards in the reverse order.
 *
 *     setup:
 *       - tag: { name: cold-store, color: "#1f77b4" }
 *       - connector: { name: forward, tags: [cold-store], file: forward.js }
 *       - firmware: { name: v2, profile: clime, version: v9.0.0 }
 *       - client: { name: neighbour, space: next-door }
 */
import { bytesOf, MOST_CONNECTORS, MOST_IMAGES, MOST_VARIABLES } from '../../contract/limits.js';
import { complain, type Form, readVariant, variantForm } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import { checkSetup, SETUP_NAMES, type SetupCall, setupForms } from '../setup/index.js';
import type { SetupScope } from '../setup/kind.js';

/** JSON Schema of `setup`, for editors. */
export function setupForm(): Form {
  return { type: 'array', items: variantForm({}, setupForms()) };
}

/** Reads all entries, in the order of the file. */
export function setup(node: LocatedNode, problems: Problems, scope: SetupScope): readonly SetupCall[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of resources');
  const before = problems.list.length;
  const read: SetupCall[] = [];
  for (const item of node.items) {
    const call = oneSetup(item, problems, scope);
    if (call === undefined) continue;
    const name = nameOf(call);
    if (name !== undefined && read.some((other) => other.setup === call.setup && isSameName(other, call))) {
      problems.add(item, `another ${call.setup} already has the name ${quote(name)}`);
    }
    read.push(call);
  }
  if (problems.list.length > before) return undefined;
  checkCounts(read, node, problems);
  return problems.list.length === before ? read : undefined;
}

/** Checks that a space has room for all entries. */
function checkCounts(read: readonly SetupCall[], node: LocatedNode, problems: Problems): void {
  const most = { connector: MOST_CONNECTORS, firmware: MOST_IMAGES, variable: MOST_VARIABLES.count };
  for (const [kind, limit] of Object.entries(most)) {
    const count = read.filter(({ setup }) => setup === kind).length;
    if (count > limit) problems.add(node, `${count} entries of ${kind} are more than ${limit}, the limit of the cloud`);
  }
  const bytes = read.reduce((sum, call) => sum + (call.setup === 'variable' ? bytesOf(call.options) : 0), 0);
  if (bytes <= MOST_VARIABLES.bytes) return;
  problems.add(
    node,
    `the names and values of all variables have ${bytes} bytes, more than ${MOST_VARIABLES.bytes}, the limit of the cloud`,
  );
}

function oneSetup(node: LocatedNode, problems: Problems, scope: SetupScope): SetupCall | undefined {
  if (node.kind !== 'map') return complain(node, problems, `a resource: a map with one of ${SETUP_NAMES.join(', ')}`);
  const { kind, options } = readVariant('an entry of setup', {}, SETUP_NAMES, node, problems);
  return kind && checkSetup(kind, options, problems, scope);
}

/** Names of the firmware images, for steps. */
export function firmwareNames(calls: readonly SetupCall[]): readonly string[] {
  return calls.flatMap((call) => (call.setup === 'firmware' ? call.options.name : []));
}

/** Names of the clients, for loads, with their spaces; null for the space of the fleet. */
export function clientSpaces(calls: readonly SetupCall[]): ReadonlyMap<string, string | null> {
  return new Map(calls.flatMap((call) => (call.setup === 'client' ? [[call.options.name, call.options.space]] : [])));
}

/** The name that only one resource of its kind may have; undefined for kinds without such names. */
function nameOf(call: SetupCall): string | undefined {
  return call.setup === 'tag' || call.setup === 'request' ? undefined : call.options.name;
}

/** Variables of different environments may have the same name. */
function isSameName(one: SetupCall, other: SetupCall): boolean {
  const areApart =
    one.setup === 'variable' && other.setup === 'variable' && one.options.environment !== other.options.environment;
  return nameOf(one) === nameOf(other) && !areApart;
}
