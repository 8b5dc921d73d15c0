/** How long the modem and its network take, and how long the firmware waits for them. */
import { type Millis, minutes, seconds } from '../../kernel/time.js';

/** Shortest and longest duration; one in between is drawn. */
export type Span = readonly [Millis, Millis];

/** Durations that the modem and its network determine, not the firmware. Tests can choose other values. */
export interface ModemTimings {
  /** From the reset to the end of the preparation. */
  readonly boot: Span;
  /** From the beginning of an attach window to the registration, with a good signal. */
  readonly attach: Span;
  /** Time from switching the serial line on to the modem's "Ready". */
  readonly wake: Millis;
  /** Time until a registered modem has a radio connection. */
  readonly connect: Span;
  /** From the last datagram until the network releases the connection, unless an answer does; fixed by the cell. */
  readonly release: Span;
  readonly openSocket: Millis;
  /** Time for a connection evaluation. */
  readonly evaluation: Millis;
}

/**
 * [Assumptions] within the ranges of the sources. A boot takes 5 to 8 s, of which reset and wake-up take 3.3 s (timing T-45).
 * An attach takes 5 to 40 s; wake-up and radio connection together take 1 to 4 s (behaviour B-36). The firmware's own tests
 * contain a recorded dialogue in which the network releases the connection 11 s after the device began to listen.
 */
export const ASSUMED_TIMINGS: ModemTimings = {
  boot: [seconds(5), seconds(8)],
  attach: [seconds(5), seconds(40)],
  wake: 500,
  connect: [500, 3500],
  release: [seconds(10), seconds(12)],
  openSocket: 100,
  evaluation: seconds(1),
};

/** Length of the last part of a boot, which `lte state` shows as `prepare` [assumption]. */
export const PREPARE = seconds(1);
/** Longest wait for "Ready", and for the SIM card (timing T-45). */
export const ANSWER_LIMIT = seconds(10);
/** The modem listens this long for an answer (timing T-35). */
export const LISTEN = seconds(5);
/** Pause of the error state after a good check, and before a socket is opened again (timing T-53). */
export const ERROR_PAUSE = seconds(5);
/** After its n-th error, the modem is off for n times this duration, up to the ceiling (timing T-53). */
export const ERROR_STEP = seconds(10);
export const ERROR_CEILING = seconds(600);
/** This many socket errors without a good check in between restart the modem (timing T-53). */
export const SOCKET_FAILURES = 3;
/** Time in flight mode before the modem is switched off for a pause, and after it is switched on (timing T-47). */
export const FLIGHT_MODE = seconds(5);
/** The modem stays off this long after a reset loop (timing T-56). */
export const RESET_LOOP = minutes(32);
/** Without power saving mode: from the end of an exchange until the modem goes into flight mode (timing T-50). */
export const IDLE: Millis = 500;
/** This many resets within this time are a reset loop [assumption, from Nordic's documents about its nRF91 modems]. */
export const LOOP_RESETS = 7;
export const LOOP_TIME = minutes(30);
