/**
 * The reason of a failure: the faults without which the scenario passes. If several faults each cause a part of the failure,
 * the scenario still fails after one of them is removed. Then the fault that causes the largest part is the reason. Here, a
 * step that disturbs devices counts as a fault.
 *
 * A reduced scenario must fail for the same reason as the original, otherwise it would show another failure. With a shorter
 * duration, for example, a downlink can be late without any outage.
 */
import { type Suspect, suspectsIn } from './causes.js';
import { inOrder } from './in-order.js';

interface Reason {
  /** Faults that are causes: if any one of them is removed, the scenario passes. */
  readonly causes: readonly Suspect[];
  /** If there are no causes: the faults that cause a part of the failure, the one with the largest part first. */
  readonly partial: readonly Part[];
}

interface Part {
  readonly suspect: Suspect;
  /** Share of the shortfall (failure.ts) that disappears without the fault, above 0 and below 1. */
  readonly share: number;
}

/**
 * Returns how far a text is from a scenario that passes: 0 if it passes, undefined if it cannot be run.
 * @param signal aborts when the result has become useless. Undefined if no other text is examined at the same time
 */
export type Shortfall = (text: string, signal?: AbortSignal) => Promise<number | undefined>;

interface Search {
  readonly shortfall: Shortfall;
  /** Number of texts that are examined at the same time. */
  readonly atOnce: number;
  /** Called before every run: true stops the search. */
  readonly enough: () => boolean;
}

export const NO_REASON: Reason = { causes: [], partial: [] };

export async function reasonOf(text: string, { shortfall, atOnce, enough }: Search): Promise<Reason> {
  const parts: Part[] = [];
  const whole = (await shortfall(text)) ?? 0;
  function* suspects(): Iterable<Suspect> {
    for (const suspect of suspectsIn(text)) {
      if (enough()) return;
      yield suspect;
    }
  }
  const shares = inOrder(suspects(), atOnce, (suspect, signal) =>
    shareOf(text, suspect, whole, (other) => shortfall(other, signal)),
  );
  for await (const [suspect, share] of shares) if (share > 0) parts.push({ suspect, share });
  const causes = parts.filter(({ share }) => share === 1).map(({ suspect }) => suspect);
  return { causes, partial: causes.length > 0 ? [] : parts.sort((a, b) => b.share - a.share) };
}

/** Whether a smaller failing scenario fails for this reason. */
export async function hasReason(text: string, { causes, partial }: Reason, shortfall: Shortfall): Promise<boolean> {
  for (const suspect of causes) if ((await shareOf(text, suspect, 1, shortfall)) < 1) return false;
  const [largest] = partial;
  if (largest === undefined) return true;
  const whole = (await shortfall(text)) ?? 0;
  return (await shareOf(text, largest.suspect, whole, shortfall)) >= largest.share;
}

/** Share of the shortfall that goes without the fault: 1 if the scenario passes, 0 if nothing changes. */
async function shareOf(text: string, { without }: Suspect, whole: number, shortfall: Shortfall): Promise<number> {
  const innocent = without(text);
  const left = innocent === undefined ? undefined : await shortfall(innocent);
  if (left === undefined || whole === 0) return 0;
  return Math.max(0, 1 - left / whole);
}
