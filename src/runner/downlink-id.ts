/** Finds a downlink by what a user has typed, for all that answer questions about downlinks. */
import { quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';

/** Number of ids in the error for an ambiguous word. */
const SHOWN = 5;

/**
 * The id of the downlink that a word names: the id itself, or a beginning or end of it. Undefined if there is none.
 * @throws UsageError if there are several
 */
export function findDownlinkId(ids: readonly string[], word: string): string | undefined {
  if (ids.includes(word)) return word;
  const found = ids.filter((id) => id.startsWith(word) || id.endsWith(word));
  if (found.length <= 1) return found[0];
  const more = found.length > SHOWN ? `, and ${found.length - SHOWN} more` : '';
  throw new UsageError(
    'ambiguous',
    `${found.length} downlinks match ${quote(word)}: ${found.slice(0, SHOWN).join(', ')}${more}`,
  );
}
