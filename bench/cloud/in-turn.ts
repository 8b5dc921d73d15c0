/** Measures rates alternately, so that other load on the machine affects all equally. The best round of each counts. */
import { size } from '../size.js';

/** In the first round, programs that have just started still compile their code. */
const ROUNDS = size({ quick: 2, usual: 3 });

/**
 * Resolves with the best round of each measurement, by its name.
 * @param rateOf the rate of a round; the highest one is the best
 * @param rounds how often each is measured
 */
export async function bestInTurn<Name extends string, Round>(
  measurements: Readonly<Record<Name, () => Promise<Round>>>,
  rateOf: (round: Round) => number,
  rounds = ROUNDS,
): Promise<Readonly<Record<Name, Round>>> {
  const best = new Map<string, Round>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries<() => Promise<Round>>(measurements)) {
      const [known, measured] = [best.get(name), await measure()];
      if (known === undefined || rateOf(measured) > rateOf(known)) best.set(name, measured);
    }
  }
  // The cast is safe because each name has been measured at least once.
  return Object.fromEntries(best) as Record<Name, Round>;
}
