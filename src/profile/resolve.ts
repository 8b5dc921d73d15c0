/** A profile after `extends`, as YAML: the output of `ghostfleet profile show --resolved`. */
import { stringify } from 'yaml';
import { type LocatedNode, Problems } from '../input/document.js';
import { type LoadText, readExtended } from './extend.js';

/**
 * The profile in YAML with all inherited values and without `extends`.
 * @throws InputError if one of the files is invalid
 */
export function resolveText(source: string, file: string, load: LoadText): string {
  const problems = new Problems();
  const root = readExtended(source, file, load, problems);
  problems.finish();
  return stringify(writeNode(root), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** The plain value of a node. The hash of a codec stays a text, even if YAML would read it as a number. */
function writeNode(node: LocatedNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'number' && /^[0-9a-f]{16}$/.test(node.source) ? node.source : node.value;
    case 'list':
      return node.items.map(writeNode);
    case 'map':
      return Object.fromEntries([...node.entries].map(([name, entry]) => [name, writeNode(entry.value)]));
    default:
      return node satisfies never;
  }
}
