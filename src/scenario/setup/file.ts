/** Reads the file that the key `file` of a resource of `setup` names. */

import { valueAt } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import type { NamedText } from '../../input/text-file.js';
import { messageOf } from '../../kernel/errors.js';
import type { SetupScope } from './kind.js';

/** The file; undefined if a problem was noted. @param node the map with the key `file` */
export function readFileOf(
  file: string,
  node: LocatedNode,
  problems: Problems,
  scope: SetupScope,
): NamedText | undefined {
  try {
    return scope.readFile(file);
  } catch (error) {
    const place = valueAt(node, 'file');
    problems.add(place, messageOf(error));
    return undefined;
  }
}
