/**
 * Reduces a failing scenario: removes a part, keeps the result if it still fails in the same way, and continues until no
 * further cut is possible (delta debugging over the tree of the file).
 *
 * The caller runs the scenarios and decides whether they fail in the same way. The result depends only on its answers; with a
 * deadline it also depends on the speed of the machine.
 */
import { type Suspect, suspectsIn } from './causes.js';
import { CUTTERS, type Cut } from './cuts.js';

interface ShrinkOptions {
  readonly text: string;
  /** Whether this text is a scenario that fails in the same way. */
  readonly stillFails: (text: string) => Promise<boolean>;
  /**
   * Whether this text is a scenario that passes. Default: no text passes, so that the reduction does not look for faults as
   * causes.
   */
  readonly passes?: (text: string) => Promise<boolean>;
  /** Called before every try: true stops the reduction with the best result so far. */
  readonly enough: () => boolean;
  readonly onCut?: (cut: Cut, tries: number) => void;
}

interface Shrunk {
  readonly text: string;
  /** Number of successful cuts. */
  readonly cuts: number;
  readonly tries: number;
  /** Kinds of faults that cause the failure: without any one of them, the original passes, and so does the result. */
  readonly causes: readonly string[];
  /** No further cut is possible; false if the reduction was stopped early. */
  readonly minimal: boolean;
}

export async function shrink({ text, stillFails, passes, enough, onCut }: ShrinkOptions): Promise<Shrunk> {
  const passesWithout = async (tried: string, { without }: Suspect): Promise<boolean> => {
    const innocent = without(tried);
    return innocent !== undefined && passes !== undefined && (await passes(innocent));
  };
  const causes: Suspect[] = [];
  for (const suspect of passes === undefined ? [] : suspectsIn(text)) {
    if (!enough() && (await passesWithout(text, suspect))) causes.push(suspect);
  }
  /** In the same way, and for the same reason. */
  const failsAlike = async (tried: string): Promise<boolean> => {
    if (!(await stillFails(tried))) return false;
    for (const cause of causes) if (!(await passesWithout(tried, cause))) return false;
    return true;
  };
  const refused = new Set<string>();
  let best = text;
  let cuts = 0;
  let tries = 0;
  /** The first successful cut; undefined if there is none. */
  const firstThatHolds = async (candidates: Iterable<Cut>): Promise<Cut | undefined> => {
    for (const candidate of candidates) {
      if (enough()) return undefined;
      if (refused.has(candidate.text)) continue;
      tries++;
      if (await failsAlike(candidate.text)) return candidate;
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
  return { text: best, cuts, tries, causes: causes.map(({ fault }) => fault), minimal: !enough() };
}
