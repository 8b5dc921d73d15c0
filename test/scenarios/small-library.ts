/** The scenarios of the library with smaller fleets. */
import { fileOf, planIn } from '../../scripts/support/library.js';

/** Those that run for each change: with interrupted exchanges and an outage. */
export const ALWAYS = ['flapping-link', 'regional-outage'];

/** Variables for smaller fleets, which take a fraction of the time. `npm run prove -- library` runs the scenarios unchanged. */
const SMALL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'api-poller': { devices: 3, modest: 6, rate: 2, limit: 40 },
  'battery-winter': { hill: 1, valley: 1, worn: 1 },
  'boot-storm': { valley: 12, hill: 10 },
  'config-rollout': { canary: 2, early: 2, rest: 2 },
  'flapping-link': { devices: 6 },
  'half-failed-firmware': { canary: 2, early: 5, shaky: 3, tired: 2, rest: 2, size: 8192 },
  'noisy-neighbour': { quiet: 3, noisy: 1, flood: 1, limit: 40 },
  'poison-downlink': { each: 1 },
  'regional-outage': { patient: 4, eager: 2, south: 2 },
  'three-recoveries': { devices: 4 },
  'top-of-the-hour-herd': { devices: 5 },
  'two-firmwares': { loggers: 4 },
};

export function smallPlan(name: string, vars: Readonly<Record<string, string>> = {}) {
  const values = Object.entries({ ...SMALL[name], ...vars }).map(([key, value]) => [key, String(value)] as const);
  return planIn(fileOf(name), new Map(values));
}
