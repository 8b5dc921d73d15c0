/** Reads the file that the key `file` of a resource of `setup` names. */

import { valueAt } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { messageOf } from '../../kernel/errors.js';
import type { SetupScope } from './kind.js';

/** The text of the file; undefined if a problem was noted. @param node the map with the key `file` */
export function textOf(file: string, node: LocatedNode, problems: Problems, scope: SetupScope): string | undefined {
  try {
    return scope.readFile(file).text;
  } catch (error) {
    const place = valueAt(node, 'file');
    problems.add(place, messageOf(error));
    return undefined;
  }
}
