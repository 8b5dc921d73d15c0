/**
 * Makes a failing scenario small: takes something away, looks whether it still fails in the same way, keeps it that way if
 * so, and continues until no further cut is possible (delta debugging over the tree of the file).
 *
 * Knows nothing of runs: whether a text fails in the same way is for the caller to say. The same answers lead to the same
 * result; only a deadline makes it depend on the machine.
 */
import { CUTTERS, type Cut } from './cuts.js';

interface ShrinkOptions {
  readonly text: string;
  /** Whether this text is a scenario that fails in the same way. */
  readonly stillFails: (text: string) => Promise<boolean>;
  /** Asked before every try: whether to stop with what there is. */
  readonly enough: () => boolean;
  readonly onCut?: (cut: Cut, tries: number) => void;
}

interface Shrunk {
  readonly text: string;
  /** Cuts that held. */
  readonly cuts: number;
  readonly tries: number;
  /** Nothing more can be taken away: it was not stopped early. */
  readonly minimal: boolean;
}

export async function shrink({ text, stillFails, enough, onCut }: ShrinkOptions): Promise<Shrunk> {
  const refused = new Set<string>();
  let best = text;
  let cuts = 0;
  let tries = 0;
  /** The first cut that holds; undefined when none does. */
  const firstThatHolds = async (candidates: Iterable<Cut>): Promise<Cut | undefined> => {
    for (const candidate of candidates) {
      if (enough()) return undefined;
      if (refused.has(candidate.text)) continue;
      tries++;
      if (await stillFails(candidate.text)) return candidate;
      refused.add(candidate.text);
    }
    return undefined;
  };
  for (let before = ''; before !== best && !enough(); ) {
    before = best;
    for (const cutter of CUTTERS) {
      for (let held = await firstThatHolds(cutter(best)); held; held = await firstThatHolds(cutter(best))) {
        best = held.text;
        cuts++;
        onCut?.(held, tries);
      }
    }
  }
  return { text: best, cuts, tries, minimal: !enough() };
}
