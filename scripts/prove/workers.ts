/** The digest of a run is the same with one, two and four threads, in memory and over UDP, and in several versions of Node. */
import { execFileSync } from 'node:child_process';
import { bundle } from '../support/bundle.js';
import type { Proof, Verdict } from '../support/proof.js';
import type { Scenarios, Ways, WorkerDigests } from './worker-digests.js';

const FIRST = process.env.PROVE_FIRST ?? '0';
const SEEDS = process.env.PROVE_SEEDS ?? '50';
/** Versions of Node. In the first, random scenarios and packaged scenarios with a small fleet run in all ways. */
const [ALL_WAYS = '20', ...FEW_WAYS] = (process.env.PROVE_NODES ?? '20,22,24').split(',');
const FOLDER = '.bench/out';

export const workers: Proof = {
  name: 'workers',
  async run() {
    // The file of the thread is beside the program, where a run looks for it.
    const thread = 'src/runner/divided/threads/thread-main.ts';
    bundle({ 'worker-digests': 'scripts/prove/worker-digests.ts', 'part-thread': thread }, FOLDER, '.mjs');
    const all: Versions = [[ALL_WAYS, 'all'], ...FEW_WAYS.map((version) => [version, 'few'] as const)];
    return [
      same('random scenarios', all, 'random'),
      same('packaged scenarios with a small fleet', all, 'packaged-small'),
      same('packaged scenarios', [[ALL_WAYS, 'few']], 'packaged'),
    ];
  },
};

/** Versions of Node, and the ways in which a scenario runs in each. */
type Versions = readonly (readonly [version: string, ways: Ways])[];

function same(what: string, versions: Versions, which: Scenarios): Verdict {
  const found = versions.map(([version, ways]) => digestsUnder(version, which, ways));
  const [first = []] = found;
  const names = first.map(({ name, seed }) => `${name} with seed ${seed}`);
  const different = names.filter((_, index) => {
    const digests = found.flatMap((scenarios) => Object.values(scenarios[index]?.digests ?? { none: 'no run' }));
    return new Set(digests).size !== 1;
  });
  const divided = first.filter((scenario) => scenario.divided).length;
  const ways = new Set(first.flatMap(({ digests }) => Object.keys(digests)));
  return {
    what: `${names.length} ${what} have one digest each (${[...ways].join('; ')}) in Node ${versions.map(([version]) => version).join(', ')}`,
    held: names.length > 0 && divided > 0 && different.length === 0,
    detail: `${divided} can be divided; different: ${different.join(', ') || 'none'}`,
  };
}

function digestsUnder(version: string, which: Scenarios, ways: Ways): readonly WorkerDigests[] {
  const program = [`${FOLDER}/worker-digests.mjs`, which, ways, FIRST, SEEDS];
  const output = execFileSync('npx', ['--yes', '-p', `node@${version}`, 'node', ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 16 * 1024 * 1024,
  });
  const lines = output.toString().trim().split('\n');
  // The cast is safe because the program prints one object a line.
  return lines.map((line) => JSON.parse(line) as WorkerDigests);
}
