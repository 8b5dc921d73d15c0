/** The families of firmware, by the word of the profile section `family`. */
import type { FamilyName } from '../../profile/profile.js';
import { CHESTER } from './chester.js';
import { HIO } from './hio.js';
import type { Policy } from './policy.js';

export type { Policy, SessionStep } from './policy.js';

export const POLICIES: Readonly<Record<FamilyName, Policy>> = { chester: CHESTER, hio: HIO };
