/** How long a modem takes for what, and how long the firmware waits for it. */
import { type Millis, minutes, seconds } from '../../kernel/time.js';

/** What the source leaves open (firmware behaviour, 4.1: "assumptions for a simulator"). */
export const BOOT: readonly [Millis, Millis] = [seconds(2), seconds(4)];
export const ATTACH: readonly [Millis, Millis] = [seconds(5), seconds(40)];
export const WAKE: readonly [Millis, Millis] = [seconds(1), seconds(4)];
/** Shares of the above, for `lte state`, and the length of an evaluation [assumptions]. */
export const PREPARE = seconds(1);
export const OPEN_SOCKET: Millis = 100;
export const WAKE_ONLY: Millis = 500;
export const EVALUATION = seconds(1);
/** Longest boot, until the SIM is found, or until the modem is awake (firmware behaviour, 4.1). */
export const ANSWER_LIMIT = seconds(10);
/** Wait for a radio connection before the send is tried again (wire protocol, 5.2 step 2). */
export const CONNECTION_LIMIT = seconds(30);
/** Pause in the error state, and before a socket is opened again (wire protocol, 5.2 steps 3 and 4). */
export const ERROR_PAUSE = seconds(5);
/** The modem is off after its n-th error for n × this, up to the ceiling (firmware behaviour, 4.3). */
export const ERROR_STEP = seconds(10);
export const ERROR_CEILING = seconds(600);
/** A socket that fails so often in a row is an error of the modem (wire protocol, 5.2 step 4). */
export const SOCKET_FAILURES = 3;
export const RESET_LOOP = minutes(32);
/** Without power saving mode: from the end of an exchange until the modem goes into flight mode (firmware behaviour, 4.1). */
export const IDLE: Millis = 500;
/** So many resets within this time make a loop of them [assumption, after what Nordic says of its nRF91 modems]. */
export const LOOP_RESETS = 7;
export const LOOP_TIME = minutes(30);
