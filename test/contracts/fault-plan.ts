/** A small scenario with one fault. */
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../src/scenario/parse/sources.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

export const profiles = packagedProfiles();
const types = describeDeviceTypes(profiles);

/** A device that reports every minute and gets a command every 3 minutes. @param fault one entry of `faults` */
export function planWith(fault: string, boot = '0s'): Plan {
  const steps = Array.from({ length: 12 }, (_, i) => `  - { at: ${3 * (i + 1)}m, commands: [info show] }\n`);
  const text = `name: test
duration: 40m
fleet:
  - { name: meteo, profile: meteo, count: 1, boot: { from: ${boot} }, config: { interval-report: 60 } }
faults: [${fault}]
steps:
${steps.join('')}`;
  return planScenario(parseScenario(text, 'test.yaml', types, { ...NO_SOURCES, profiles }));
}
