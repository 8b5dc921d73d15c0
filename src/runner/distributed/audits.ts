/** Adds up what the parts of a run found out about the target. */
import type { ExpectationResult } from '../../report/result.js';

/** One line for each rule. A violation counts more than a rule that is not decided, and that more than one that was kept. */
export function auditOfAll(results: readonly ExpectationResult[]): readonly ExpectationResult[] {
  const byLine = new Map<string, readonly ExpectationResult[]>();
  for (const result of results) byLine.set(result.line, [...(byLine.get(result.line) ?? []), result]);
  return [...byLine.values()].map((same) => {
    const broken = same.filter(({ passed, undecided }) => !passed && undecided === undefined);
    const [first] = broken;
    if (first !== undefined) {
      const left = broken.reduce((sum, each) => sum + (each.left ?? 0), 0);
      return { ...first, left, sentence: sentenceOf(broken) };
    }
    const open = same.find(({ undecided }) => undecided);
    // Because every list has a result.
    return open ?? { ...(same[0] as ExpectationResult), sentence: sentenceOf(same) };
  });
}

function sentenceOf(results: readonly ExpectationResult[]): string {
  return [...new Set(results.map(({ sentence }) => sentence))].join('; ');
}
