/** Explanations name causes without which a slow downlink is fast: random scenarios are run again without them. */
import { humanDuration } from '../../../src/kernel/time.js';
import type { Proof, Verdict } from '../../support/proof.js';
import { type Checked, check } from './check.js';
import { drawScenario } from './draw.js';

const SCENARIOS = Number(process.env.PROVE_SEEDS ?? 200);
/** Seed of the first scenario. */
const FIRST = Number(process.env.PROVE_FIRST ?? 0);

export const explain: Proof = {
  name: 'explain',
  async run() {
    const all: Checked[] = [];
    for (let seed = FIRST; seed < FIRST + SCENARIOS; seed++) {
      const checked = await check(drawScenario(seed));
      for (const each of checked) if (!each.held) console.log(`     ${failure(each)}`);
      all.push(...checked);
    }
    return verdicts(all);
  },
};

function verdicts(all: readonly Checked[]): readonly Verdict[] {
  const named = all.filter(({ predicted }) => predicted !== undefined);
  const held = named.filter((each) => each.held);
  const single = held.filter((each) => each.named.length === 1);
  const refused = all.filter((each) => each.refused !== undefined);
  const without = all.length - named.length - refused.length;
  return [
    {
      what: `${SCENARIOS} scenarios: every downlink slower than 10 min is fast in a run without the named causes, and takes exactly the time that explain says`,
      held: named.length > 0 && held.length === named.length,
      detail: `${held.length} of ${named.length}, ${single.length} of them by a single cause; ${all.length} were slow: ${without} have no causes without which they are fast, ${refused.length} cannot be repeated`,
    },
  ];
}

export function failure({ downlink, took, named, predicted, without }: Checked): string {
  const [expected, found] = [predicted, without].map((end) =>
    end === undefined ? 'nothing' : `${end.outcome} after ${humanDuration(end.time)} (${end.time} ms)`,
  );
  return `${downlink}: took ${humanDuration(took)}; without ${named.join(' and ')} expected ${expected}, found ${found}`;
}
