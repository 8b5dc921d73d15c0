/** The DTLS key of the only device of a scenario. */
import { packagedProfiles } from '../../src/profile/library.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { makeRegisteredSecret } from '../../src/runner/world/connection.js';
import { makeKinds } from '../../src/runner/world/fleet.js';
import { parseScenario } from '../../src/scenario/parse/scenario.js';
import { planScenario } from '../../src/scenario/plan/plan-scenario.js';

export function secretOf(scenario: string): Uint8Array {
  const profiles = packagedProfiles();
  const plan = planScenario(parseScenario(scenario, 'test.yaml', describeDeviceTypes(profiles)), {});
  const [kind] = makeKinds(plan, profiles);
  const { secret = '' } = kind ? makeRegisteredSecret(kind, plan.devices[0]?.claimToken ?? '') : {};
  return Buffer.from(secret, 'hex');
}
