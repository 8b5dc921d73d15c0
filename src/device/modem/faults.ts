/** Faults of a modem (timing T-53, T-56). Faults of the network are in transport/faults/. */

/** Happens once; the firmware recovers by itself. */
export type PassingFault =
  /** An error after which the firmware switches the modem off: for 10 s, 20 s, … */
  | 'error'
  /** The modem reports too many resets, and the firmware leaves it off for 32 min. */
  | 'reset-loop'
  /** The network has forgotten the device. */
  | 'lost-registration'
  /** The socket is lost; opening a new one succeeds. */
  | 'lost-socket';

/** Stays until it is repaired. */
export type LastingFault =
  /** The modem does not answer. */
  | 'mute'
  /** The SIM card is missing. */
  | 'no-sim'
  /** No socket can be opened. */
  | 'no-socket';

/** All lasting faults. A record instead of a list, so that a missing fault is a type error. */
const LASTING = { mute: true, 'no-sim': true, 'no-socket': true } as const satisfies Record<LastingFault, true>;

export function isLasting(fault: PassingFault | LastingFault): fault is LastingFault {
  return fault in LASTING;
}
