/**
 * Index of the first of `count` items for which `isReached` holds; `count` if it holds for none. If it holds for an item, it must
 * hold for all later ones.
 */
export function bisect(count: number, isReached: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
