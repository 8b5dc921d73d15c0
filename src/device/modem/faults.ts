/** What can be wrong with a modem (firmware behaviour, 4.1 and 4.3), apart from the network around it. */

/** Happens once; the firmware gets over it by itself. */
export type PassingFault =
  /** An error for which the firmware knows nothing better than to switch the modem off: for 10 s, 20 s, … */
  | 'error'
  /** The modem reports too many resets, and is left off for 32 min. */
  | 'reset-loop'
  /** The network has forgotten the device. */
  | 'lost-registration'
  /** The socket is gone; the next one opens. */
  | 'lost-socket';

/** Stays until it is repaired. */
export type LastingFault =
  /** The modem does not answer. */
  | 'mute'
  /** The SIM card is out. */
  | 'no-sim'
  /** No socket can be opened. */
  | 'no-socket';

export function isLasting(fault: PassingFault | LastingFault): fault is LastingFault {
  return fault === 'mute' || fault === 'no-sim' || fault === 'no-socket';
}
