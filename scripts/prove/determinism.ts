/** The same seed gives the same run in three versions of Node, each with another time zone and language. */
import { execFileSync } from 'node:child_process';
import { buildSync } from 'esbuild';
import type { Proof } from '../support/proof.js';

const SEEDS = Number(process.env.PROVE_SEEDS ?? 200);
const VERSIONS = [20, 22, 24];
const BUNDLE = '.bench/out/seeds.mjs';

/** Time zones and languages, which must have no effect. */
const PLACES: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  20: { TZ: 'UTC', LC_ALL: 'C' },
  22: { TZ: 'Pacific/Auckland', LC_ALL: 'de_DE.UTF-8' },
  24: { TZ: 'America/St_Johns', LC_ALL: 'tr_TR.UTF-8' },
};

export const determinism: Proof = {
  name: 'determinism',
  async run() {
    buildSync({
      entryPoints: ['scripts/prove/seeds.ts'],
      ...{ outfile: BUNDLE, bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'error' },
    });
    const digests = VERSIONS.map((version) => digestsUnder(version));
    const [first = []] = digests;
    const different = first.filter((digest, seed) => digests.some((others) => others[seed] !== digest)).length;
    return [
      {
        what: `${SEEDS} seeds give the same runs in Node ${VERSIONS.join(', ')}`,
        held: first.length === SEEDS && different === 0,
        detail: `${different} differ`,
      },
      {
        what: 'different seeds give different runs',
        held: new Set(first).size === SEEDS,
        detail: `${new Set(first).size} digests`,
      },
    ];
  },
};

function digestsUnder(version: number): readonly string[] {
  const output = execFileSync('npx', ['--yes', '-p', `node@${version}`, 'node', BUNDLE, String(SEEDS)], {
    env: { ...process.env, ...PLACES[version] },
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 16 * 1024 * 1024,
  });
  return output.toString().trim().split('\n');
}
