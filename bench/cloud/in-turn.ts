/** Measures two rates alternately, so that other load on the machine affects both equally. The best round of each counts. */
const ROUNDS = 3;

/**
 * Resolves with the best round of each of the two.
 * @param rateOf the rate of a round; the highest one is the best
 */
export async function bestInTurn<R>(
  one: () => Promise<R>,
  other: () => Promise<R>,
  rateOf: (round: R) => number,
): Promise<[R, R]> {
  let best: R = await one();
  let otherBest: R = await other();
  const better = (known: R, round: R) => (rateOf(round) > rateOf(known) ? round : known);
  for (let round = 1; round < ROUNDS; round++) {
    best = better(best, await one());
    otherBest = better(otherBest, await other());
  }
  return [best, otherBest];
}
