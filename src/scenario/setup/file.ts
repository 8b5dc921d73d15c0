/** A file that an entry of `setup` names under `file`. */
import { valueAt } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { SetupScope } from './kind.js';

/** Its text; undefined when it cannot be read. @param node the map in which it is named */
export function textOf(file: string, node: LocatedNode, problems: Problems, scope: SetupScope): string | undefined {
  try {
    return scope.readFile(file).text;
  } catch (error) {
    const place = node.kind === 'map' ? valueAt(node, 'file') : node;
    problems.add(place, error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
