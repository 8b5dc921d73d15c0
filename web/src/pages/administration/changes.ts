/** What a user has changed in a dialog. */

/**
 * The fields that differ from those of the item as the dialog showed it; undefined if no field differs. Only these fields are
 * sent, so that changes by other users to the other fields stay.
 */
export function changesOf<T extends object>(
  wanted: T,
  shown: { readonly [Each in keyof T]?: unknown },
): Partial<T> | undefined {
  // The cast is safe: the names are those of the fields.
  const names = Object.keys(wanted) as (keyof T)[];
  const changed = names.filter((name) => wanted[name] !== shown[name]);
  if (changed.length === 0) return undefined;
  const changes: Partial<T> = {};
  for (const name of changed) changes[name] = wanted[name];
  return changes;
}

/**
 * The text of a field that the user may have edited; the text before if the two differ only in their line ends, because
 * browsers change line ends in text fields.
 */
export function edited<T extends string | null | undefined>(text: T, before: string | null): T | string {
  return before !== null && text === before.replace(/\r\n?/g, '\n') ? before : text;
}
