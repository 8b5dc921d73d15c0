/**
 * `npm run chaos [-- name…]`: checks that a service keeps its promises under kills, a full disk, damage and steps of the clock,
 * and that a run notices when a cloud lies. Prints one verdict a line with its counts, and fails if a promise is broken.
 *
 * Variables with their defaults: CHAOS_KILLS (300 kills with SQLite), CHAOS_KILLS_POSTGRES (50 kills of two services on one
 * PostgreSQL database), CHAOS_FULL (the disk is full 5 times), CHAOS_DAMAGE (5 rounds with all kinds of damage), CHAOS_STEPS
 * (30 steps of the clock).
 */
import { type Proof, runByName } from '../support/proof.js';
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

await runByName('trial', TRIALS);
