/**
 * Reduces a failing scenario: removes a part, keeps the result if it still fails in the same way, and continues until no
 * further cut is possible (delta debugging over the tree of the file).
 *
 * The caller runs the scenarios and decides whether they fail in the same way. The result depends only on the decisions of the
 * caller and, with a deadline, on the speed of the machine.
 */
import { suspectsIn } from './causes.js';
import { CUTTERS, type Cut } from './cuts.js';
import { hasReason, NO_REASON, reasonOf } from './reason.js';

interface ShrinkOptions {
  readonly text: string;
  /** Whether this text is a scenario that fails in the same way. */
  readonly stillFails: (text: string) => Promise<boolean>;
  /**
   * How far this text is from a scenario that passes: 0 if it passes, undefined if it cannot be run. Default: the reduction
   * does not look for faults as causes.
   */
  readonly shortfall?: (text: string) => Promise<number | undefined>;
  /** Called before every try: true stops the reduction with the best result so far. */
  readonly enough: () => boolean;
  readonly onCut?: (cut: Cut, tries: number) => void;
}

interface Shrunk {
  readonly text: string;
  /** Number of successful cuts. */
  readonly cuts: number;
  readonly tries: number;
  /** Kinds of faults that cause the failure: without any one of them, both the original and the result pass. */
  readonly causes: readonly string[];
  /**
   * If no fault alone is a cause: the kind of fault without which the original comes closest to passing. Without it, the result
   * comes at least as close, or passes.
   */
  readonly largest: string | undefined;
  /** Kinds of faults that also contribute to the failure of the original, and are not in the result. */
  readonly dropped: readonly string[];
  /** No further cut is possible; false if the reduction was stopped early. */
  readonly minimal: boolean;
}

export async function shrink({ text, stillFails, shortfall, enough, onCut }: ShrinkOptions): Promise<Shrunk> {
  const reason = shortfall === undefined ? NO_REASON : await reasonOf(text, shortfall, enough);
  /** Whether a text fails in the same way and for the same reason. */
  const failsAlike = async (tried: string): Promise<boolean> =>
    (await stillFails(tried)) && (shortfall === undefined || (await hasReason(tried, reason, shortfall)));
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
  const [largest] = reason.partial;
  const left = new Set(suspectsIn(best).map(({ fault }) => fault));
  return {
    text: best,
    cuts,
    tries,
    causes: reason.causes.map(({ fault }) => fault),
    largest: largest?.suspect.fault,
    dropped: reason.partial.flatMap(({ suspect: { fault } }) => (left.has(fault) ? [] : [fault])),
    minimal: !enough(),
  };
}
