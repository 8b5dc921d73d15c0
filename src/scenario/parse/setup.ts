/**
 * The `setup` of a scenario: what must exist in its space before the devices are made, in this order. It is taken away in the
 * reverse order when the run is over.
 *
 *     setup:
 *       - tag: { name: cold-store, color: "#1f77b4" }
 *       - connector: { name: forward, tags: [cold-store], file: forward.js }
 *       - firmware: { name: v2, profile: clime, version: v9.0.0 }
 *       - client: { name: neighbour, space: next-door }
 */
import { complain, type Form, readVariant, variantForm } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import { checkSetup, SETUP_NAMES, type SetupCall, setupForms } from '../setup/index.js';
import type { SetupScope } from '../setup/kind.js';

/** The form of `setup`, for editors. */
export function setupForm(): Form {
  return { type: 'array', items: variantForm({}, setupForms()) };
}

/** Reads all entries, in the order of the file. */
export function setup(node: LocatedNode, problems: Problems, scope: SetupScope): readonly SetupCall[] | undefined {
  if (node.kind !== 'list') return complain(node, problems, 'a list of what the space needs');
  const before = problems.list.length;
  const read: SetupCall[] = [];
  for (const item of node.items) {
    const call = entry(item, problems, scope);
    if (call === undefined) continue;
    const name = nameOf(call);
    if (name !== undefined && read.some((other) => other.setup === call.setup && nameOf(other) === name)) {
      problems.add(item, `there is a ${call.setup} ${quote(name)} already`);
    }
    read.push(call);
  }
  return problems.list.length === before ? read : undefined;
}

function entry(node: LocatedNode, problems: Problems, scope: SetupScope): SetupCall | undefined {
  if (node.kind !== 'map') return complain(node, problems, `one of ${SETUP_NAMES.join(', ')}, with what it needs`);
  const { kind, options } = readVariant('an entry of setup', {}, SETUP_NAMES, node, problems);
  return kind && checkSetup(kind, options, problems, scope);
}

/** The firmware images that steps can name. */
export function firmwareNames(calls: readonly SetupCall[]): readonly string[] {
  return calls.flatMap((call) => (call.setup === 'firmware' ? call.options.name : []));
}

/** The clients that loads can act as, with their further spaces; null: the fleet's. */
export function clientSpaces(calls: readonly SetupCall[]): ReadonlyMap<string, string | null> {
  return new Map(calls.flatMap((call) => (call.setup === 'client' ? [[call.options.name, call.options.space]] : [])));
}

/** By which the rest of the scenario refers to it. */
function nameOf(call: SetupCall): string | undefined {
  return call.setup === 'firmware' || call.setup === 'client' ? call.options.name : undefined;
}
