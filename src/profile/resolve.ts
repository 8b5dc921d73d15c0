/** A profile as it is after `extends`, written down again: what `ghostfleet profile show --resolved` prints. */
import { stringify } from 'yaml';
import { type LocatedNode, Problems } from '../input/document.js';
import { type LoadText, readExtended } from './extend.js';

/**
 * The profile in YAML, with everything that it takes from other files and nothing that refers to one.
 * @throws InputError when one of the files cannot be read
 */
export function resolvedText(source: string, file: string, load: LoadText): string {
  const problems = new Problems();
  const root = readExtended(source, file, load, problems);
  problems.finish();
  return stringify(written(root), { lineWidth: 120, aliasDuplicateObjects: false });
}

/** The plain value of a node. The hash of a codec stays a text, even when it looks like a number to YAML. */
function written(node: LocatedNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'number' && /^[0-9a-f]{16}$/.test(node.source) ? node.source : node.value;
    case 'list':
      return node.items.map(written);
    case 'map':
      return Object.fromEntries([...node.entries].map(([name, entry]) => [name, written(entry.value)]));
    default:
      return node satisfies never;
  }
}
