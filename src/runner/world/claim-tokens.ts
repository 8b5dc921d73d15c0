/**
 * Claim tokens of virtual devices. They are truly random: the API of a run's cloud has a port, which all programs on the
 * machine can reach, so a token that followed from the scenario and its seed would let them play the device. This does not
 * change the digest, because no event depends on a token.
 */
import { entropy } from '../../kernel/entropy.js';
import { randomBytes } from '../../kernel/random.js';
import type { Plan } from '../../scenario/model/plan.js';

/** A new token, 32 hex digits. */
export function makeClaimToken(): string {
  return Buffer.from(randomBytes(entropy, 16)).toString('hex');
}

/** The plan with new tokens in place of those that follow from its seed. */
export function renewTokens(plan: Plan): Plan {
  return { ...plan, devices: plan.devices.map((device) => ({ ...device, claimToken: makeClaimToken() })) };
}
