/** Measures two rates alternately, so that other load on the machine affects both equally. The best round of each counts. */
const ROUNDS = 3;

/** Resolves with the highest rate of each of the two. */
export async function bestInTurn(one: () => Promise<number>, other: () => Promise<number>): Promise<[number, number]> {
  let [best, otherBest] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    best = Math.max(best, await one());
    otherBest = Math.max(otherBest, await other());
  }
  return [best, otherBest];
}
