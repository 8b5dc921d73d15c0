/** Explanations name causes whose removal makes a slow downlink fast: shown by repeating random scenarios without them. */
import { humanDuration } from '../../../src/kernel/time.js';
import type { Proof, Verdict } from '../../support/proof.js';
import { type Checked, check } from './check.js';
import { drawScenario } from './draw.js';

const SCENARIOS = Number(process.env.PROVE_SEEDS ?? 200);
/** Seed of the first scenario. Other seeds draw scenarios that were not used when the model was developed. */
const FIRST = Number(process.env.PROVE_FIRST ?? 0);
/** Smallest accepted share of slow downlinks that are fast without their named causes. */
export const LEAST = 0.95;
/**
 * Largest accepted share of slow downlinks that are fast when only some of their named causes are removed. It is not 0, because
 * the phases of timers are random.
 */
const MOST_NEEDLESS = 0.3;

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

async function verdicts(all: readonly Checked[]): Promise<readonly Verdict[]> {
  const held = all.filter((each) => each.held);
  const single = held.filter(({ named }) => named.length === 1);
  const needless: Checked[] = [];
  for (const each of all) if (await each.needless()) needless.push(each);
  const lost = all.filter(({ without }) => without === 'not found');
  return [
    {
      what: `${SCENARIOS} scenarios: of the downlinks slower than 10 min, 95 % are faster without the causes that explain names`,
      held: all.length > 0 && held.length >= all.length * LEAST,
      // A downlink that is not found again does not count as faster.
      detail: `${held.length} of ${all.length}, ${single.length} of them by a single cause; ${lost.length} not found again`,
    },
    {
      what: 'explain seldom names more causes than necessary',
      held: needless.length <= all.length * MOST_NEEDLESS,
      detail: `${needless.length} of ${all.length} are also fast if only some of the causes are removed`,
    },
  ];
}

export function failure({ downlink, took, named, predicted, without }: Checked): string {
  const expected = predicted === undefined ? 'nothing' : humanDuration(predicted);
  const found = typeof without === 'number' ? humanDuration(without) : (without ?? 'nothing removed');
  return `${downlink}: took ${humanDuration(took)}; without ${named.join(' and ') || 'any cause'} expected ${expected}, found ${found}`;
}
