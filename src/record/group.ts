/** Groups items by device; the order of the items is kept. */
import { append } from '../kernel/append.js';

export function groupByDevice<T extends { readonly device: string }>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    append(groups, item.device, item);
  }
  return groups;
}
