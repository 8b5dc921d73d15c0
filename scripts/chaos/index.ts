/**
 * `npm run chaos [-- name…]`: what a service promises under kills, a full disk, damage and steps of the clock, and
 * whether a run names the lies of a cloud; one verdict a line with its counts; fails if a promise does not hold.
 *
 * Variables: CHAOS_KILLS (300, on SQLite), CHAOS_KILLS_POSTGRES (50, of two services on one database), CHAOS_FULL (5 times),
 * CHAOS_DAMAGE (5 times each kind), CHAOS_STEPS (30 of the clock).
 */
import type { Proof } from '../prove/proof.js';
import { surviveClockSteps } from './clock-steps.js';
import { noticeDamage } from './damage.js';
import { surviveFullDisk } from './full-disk.js';
import { surviveKills } from './kills.js';
import { nameLies } from './lies.js';
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
  { name: 'full-disk', run: async () => [await surviveFullDisk(size('CHAOS_FULL', 5))] },
  { name: 'damage', run: async () => [await noticeDamage(size('CHAOS_DAMAGE', 5))] },
  { name: 'clock', run: async () => [await surviveClockSteps(size('CHAOS_STEPS', 30))] },
  { name: 'lies', run: async () => [await nameLies()] },
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
