/**
 * `npm run chaos [-- name…]`: what a service promises under kills, one verdict a line with its counts; fails if a promise
 * does not hold.
 *
 * Variables: CHAOS_KILLS (300, on SQLite), CHAOS_KILLS_POSTGRES (50, of two services on one database).
 */
import type { Proof } from '../prove/proof.js';
import { surviveKills } from './kills.js';
import { size } from './size.js';

const TRIALS: readonly Proof[] = [
  {
    name: 'kills',
    run: async () => [await surviveKills({ store: 'sqlite', kills: size('CHAOS_KILLS', 300), nodes: 1 })],
  },
  {
    name: 'postgres',
    run: async () => [await surviveKills({ store: 'postgres', kills: size('CHAOS_KILLS_POSTGRES', 50), nodes: 2 })],
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !TRIALS.some((trial) => trial.name === name));
if (unknown.length > 0) {
  console.error(`unknown trial "${unknown.join('", "')}"; expected ${TRIALS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

for (const trial of TRIALS) {
  if (wanted.length > 0 && !wanted.includes(trial.name)) continue;
  for (const { what, held, detail } of await trial.run()) {
    if (!held) process.exitCode = 1;
    console.log(`${held ? 'ok  ' : 'FAIL'} ${what} · ${detail}`);
  }
}
