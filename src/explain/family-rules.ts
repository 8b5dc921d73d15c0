/** How the families of firmware differ in their contact with the cloud, as far as explanations need it. */
import type { RadioPause } from '../trace/events.js';
import type { RuledRestart } from './chances.js';
import type { FleetPart } from './situation.js';

interface FamilyRules {
  /** What follows a failed poll; null if the next report or poll follows (timing T-20). */
  readonly pollRetry: string | null;
  /** Whether the transfer layer repeats a datagram (timing T-36), and not the modem. */
  readonly repeats: boolean;
  /** Why the modem pauses, and until when. */
  readonly pauses: Readonly<Record<RadioPause, string>>;
}

const RULES: Readonly<Record<FleetPart['family'], FamilyRules>> = {
  chester: {
    pollRetry: 'the firmware polls again 5 min after a failed poll, and not before',
    repeats: false,
    pauses: {
      'attach-pause': 'no network found in time: the modem is off until the next attach attempt',
      'back-off': 'error of the modem: off, longer after each error',
      'reset-loop': 'too many resets: the modem is off for 32 min',
    },
  },
  hio: {
    pollRetry: null,
    repeats: true,
    pauses: {
      'attach-pause': 'no network found in time: flight mode until the next attach attempt',
      'back-off': 'error of the modem: a pause, longer after each error until the next reboot',
      'reset-loop': 'too many resets: the modem is off for 32 min, and boots then',
    },
  },
};

/** What the device does when its transfer begins again. */
export const RESTARTS: Readonly<Record<RuledRestart, string>> = {
  'another address': 'several failures in a row: the device changes to its next address',
  'stale answers without end': 'four stale answers in a row: the transfer begins again',
};

/** @param part undefined if it is not known; the family of most devices is then assumed */
export function getRules(part: Pick<FleetPart, 'family'> | undefined): FamilyRules {
  return RULES[part?.family ?? 'chester'];
}
