/** What most modems never have: an unusual place, faults, errors to count. Kept only by those that do. */
import type { Instant, Millis } from '../../kernel/time.js';
import type { LastingFault } from './faults.js';
import type { Signal } from './signal.js';
import { ERROR_CEILING, ERROR_STEP, LOOP_RESETS, LOOP_TIME, SOCKET_FAILURES } from './timing.js';

export class ModemAnomalies {
  /** What the antenna hears, and what it heard when the connection was evaluated last; undefined: the device's own cell. */
  signal: Signal | undefined;
  evaluated: Signal | undefined;
  /** Whether the network here grants power saving mode, and whether it did at the last attach. */
  grants = true;
  granted = true;
  fault: LastingFault | undefined;
  /** What the next check will find gone. */
  lost: 'socket' | 'registration' | 'modem' | undefined;
  /** Errors, and failures to open a socket, since one opened. */
  #errors = 0;
  #socketFailures = 0;
  /** Resets that the modem was not prepared for, and when the first of them was. */
  #resets = 0;
  #resetsSince: Instant = 0;

  /** Whether the modem has been reset so often that it wants to be left alone. */
  get loops(): boolean {
    return this.#resets >= LOOP_RESETS;
  }

  /** RAM is gone. What is wrong with the modem, and around it, stays. */
  forget(): void {
    this.socketOpened();
    this.lost = undefined;
  }

  /** The network is found: it says now whether it grants power saving mode. */
  registered(): void {
    this.granted = this.grants;
    this.lost = undefined;
  }

  socketOpened(): void {
    this.#errors = 0;
    this.#socketFailures = 0;
  }

  /** True: it has failed so often that the modem has to start over (wire protocol, 5.2 step 4). */
  socketFailed(): boolean {
    this.lost = undefined;
    return ++this.#socketFailures >= SOCKET_FAILURES;
  }

  /** Counts an error; returns for how long the modem is off: longer each time (firmware behaviour, 4.3). */
  failed(): Millis {
    this.#socketFailures = 0;
    return Math.min(ERROR_CEILING, ++this.#errors * ERROR_STEP);
  }

  reset(now: Instant): void {
    if (now - this.#resetsSince > LOOP_TIME) {
      this.#resets = 0;
      this.#resetsSince = now;
    }
    this.#resets++;
  }

  /** The modem has had its rest. */
  rested(): void {
    this.#resets = 0;
  }
}
