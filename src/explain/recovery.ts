/** How long devices need until exchanges work again after a fault: the rules of the firmware, with typical durations. */
import { type Instant, type Millis, minutes, seconds } from '../kernel/time.js';
import type { FaultRecovery } from './situation.js';

/** A datagram without an answer is repeated after this time (firmware timing, 6): half of it is the mean wait. */
const REPETITION: Millis = seconds(11);
/** Time to attach: the mean of docs/FIDELITY.md. */
const ATTACH: Millis = seconds(22);
/** The modem is off for 10 s after the first error, and for 10 s more after each further one (firmware timing, 7.3). */
const STEP: Millis = seconds(10);
const LONGEST_BACK_OFF: Millis = seconds(600);
/** Typical time until the error of a failing modem shows (firmware timing, 7.1). */
const ERROR: Millis = seconds(7);
/** Windows of the attach policy `periodic-2h` and the pause after each (firmware timing, 7.2). */
const ATTEMPTS: readonly (readonly [Millis, Millis])[] = [
  [minutes(5), 0],
  [minutes(5), 0],
  [minutes(50), minutes(60)],
];
/** After this time with a boot every 40 s, the modem reports a reset loop and stays off (firmware timing, 7.1). */
const BOOTS: Millis = seconds(280);
const RESET_LOOP: Millis = minutes(32);

/** What differs between the families of firmware. */
export interface ModemRules {
  /** Time to start the modem: the mean of docs/FIDELITY.md. */
  readonly boot: Millis;
  /**
   * Time until a device notices that its modem lost the network while asleep, and switches it off (firmware timing, 6 and 8).
   */
  readonly unnoticed: Millis;
}

/**
 * @param since when the device first attempted an exchange
 * @param until end of the fault
 * @returns when an exchange gets through
 */
export function recovered(recovery: FaultRecovery, since: Instant, until: Instant, rules: ModemRules): Instant {
  switch (recovery) {
    case 'repeats':
      return until + REPETITION / 2;
    case 'attaches':
      return attached(since, until, rules);
    case 'backs-off':
      return afterBackOff(since, until, rules);
    case 'boots':
      return afterBoots(since, until, rules);
    case 'rests':
      return until + ATTACH;
    default:
      return recovery satisfies never;
  }
}

function attached(since: Instant, until: Instant, { boot, unnoticed }: ModemRules): Instant {
  if (until < since + unnoticed) return until + ATTACH;
  let begin = since + unnoticed + STEP + boot;
  for (let i = 0; ; i++) {
    const [window, pause] = ATTEMPTS[i % ATTEMPTS.length] ?? [0, 0];
    if (until + ATTACH < begin + window) return Math.max(begin, until) + ATTACH;
    begin += window + pause + STEP / 2 + boot;
  }
}

function afterBackOff(since: Instant, until: Instant, { boot }: ModemRules): Instant {
  let begin = since;
  for (let errors = 1; begin < until; errors++) begin += ERROR + boot + Math.min(LONGEST_BACK_OFF, errors * STEP);
  return begin + boot + ATTACH;
}

function afterBoots(since: Instant, until: Instant, { boot }: ModemRules): Instant {
  const within = (until - since) % (BOOTS + RESET_LOOP);
  return (within < BOOTS ? until : until - within + BOOTS + RESET_LOOP) + boot + ATTACH;
}
