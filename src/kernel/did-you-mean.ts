/** Suggestions for misspelt names in messages. */

/** Words for yes, and for no. The opposite of a word is never what was meant: "on" for "no". */
const SWITCHES: readonly (readonly string[])[] = [
  ['on', 'true', 'yes', 'y', '1'],
  ['off', 'of', 'false', 'no', 'n', '0'],
];

/**
 * Returns ` (did you mean "count"?)` for the most similar candidate, else ''. The order of hyphenated parts is ignored. For a
 * word such as "no", a candidate with the same meaning is the most similar: "off" or "false".
 */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meaning = meaningOf(word);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === '') continue;
    const other = meaning === undefined ? undefined : meaningOf(candidate);
    if (other !== undefined && other !== meaning) continue;
    if (other !== undefined) return ` (did you mean "${candidate}"?)`;
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

/** Index of the word in {@link SWITCHES}; undefined if it is not such a word. */
function meaningOf(word: string): number | undefined {
  const index = SWITCHES.findIndex((words) => words.includes(word.toLowerCase()));
  return index === -1 ? undefined : index;
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
