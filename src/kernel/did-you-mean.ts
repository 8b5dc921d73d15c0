/** Suggestions for misspelt names in messages. */

/** Returns ` (did you mean "count"?)` for the most similar candidate, else ''. The order of hyphenated parts is ignored. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = Math.min(
      editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance),
      editDistance(sortedParts(word), sortedParts(candidate), bestDistance),
    );
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

/** The hyphenated parts in alphabetical order: `interval-report` for `report-interval`. */
function sortedParts(word: string): string {
  return word.toLowerCase().split('-').sort().join('-');
}

/** Number of insertions, deletions, replacements and swaps of neighbours that convert `a` to `b`, at most `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[b.length] ?? limit, limit);
}
