/** Groups items by device; the order of the items is kept. */
export function groupByDevice<T extends { readonly device: string }>(
  items: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.device);
    if (group) group.push(item);
    else groups.set(item.device, [item]);
  }
  return groups;
}
