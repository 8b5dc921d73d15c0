/**
 * Reduces a failing scenario: removes a part, keeps the result if it still fails in the same way, and continues until no
 * further cut is possible (delta debugging over the tree of the file).
 *
 * The caller runs the scenarios and decides whether they fail in the same way. The result depends only on the decisions of the
 * caller and, with a deadline, on the speed of the machine.
 */
import { suspectsIn } from './causes.js';
import { CUTTERS, type Cut } from './cuts.js';
import { inOrder } from './in-order.js';
import { hasReason, NO_REASON, reasonOf, type Shortfall } from './reason.js';

interface ShrinkOptions {
  readonly text: string;
  /**
   * Whether this text is a scenario that fails in the same way.
   * @param signal aborts when the result has become useless. Undefined if no other text is examined at the same time
   */
  readonly stillFails: (text: string, signal?: AbortSignal) => Promise<boolean>;
  /** How far a text is from passing: 0 passes, undefined cannot run. Default: no search for causes. */
  readonly shortfall?: Shortfall;
  /** Number of texts that are examined at the same time; the result is the same for every number. Default: 1. */
  readonly atOnce?: number;
  /** Called before every try: true stops the reduction with the best result so far. */
  readonly enough: () => boolean;
  readonly onCut?: (cut: Cut, tries: number) => void;
}

interface Shrunk {
  readonly text: string;
  /** Number of successful cuts. */
  readonly cuts: number;
  readonly tries: number;
  /** Kinds of faults that cause the failure: if any one of them is removed, both the original and the result pass. */
  readonly causes: readonly string[];
  /** If no fault alone is a cause: the one without which the original comes closest to passing. */
  readonly largest: string | undefined;
  /** Kinds of faults that also contribute to the failure of the original, and are not in the result. */
  readonly dropped: readonly string[];
  /** No further cut is possible; false if the reduction was stopped early. */
  readonly minimal: boolean;
}

export async function shrink(options: ShrinkOptions): Promise<Shrunk> {
  const { text, stillFails, shortfall, atOnce = 1, enough, onCut } = options;
  const reason = shortfall === undefined ? NO_REASON : await reasonOf(text, { shortfall, atOnce, enough });
  /** Whether a text fails in the same way and for the same reason. */
  const failsAlike = async (tried: Cut, signal: AbortSignal): Promise<boolean> =>
    (await stillFails(tried.text, signal)) &&
    (shortfall === undefined || (await hasReason(tried.text, reason, (other) => shortfall(other, signal))));
  const refused = new Set<string>();
  let best = text;
  let cuts = 0;
  let tries = 0;
  function* untried(candidates: Iterable<Cut>): Iterable<Cut> {
    const seen = new Set<string>();
    for (const candidate of candidates) {
      if (enough()) return;
      if (!refused.has(candidate.text) && !seen.has(candidate.text)) yield candidate;
      seen.add(candidate.text);
    }
  }
  /** The first successful cut; undefined if there is none. */
  const firstThatHolds = async (candidates: Iterable<Cut>): Promise<Cut | undefined> => {
    for await (const [candidate, holds] of inOrder(untried(candidates), atOnce, failsAlike)) {
      tries++;
      if (holds) return candidate;
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
  const left = new Set(suspectsIn(best).map(({ what }) => what));
  return {
    text: best,
    cuts,
    tries,
    causes: reason.causes.map(({ what }) => what),
    largest: largest?.suspect.what,
    dropped: reason.partial.flatMap(({ suspect: { what } }) => (left.has(what) ? [] : [what])),
    minimal: !enough(),
  };
}
