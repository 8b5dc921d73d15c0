/** State that most modems never need: an unusual signal, faults, error counters. It is created on the first use. */
import type { Instant, Millis } from '../../kernel/time.js';
import type { LastingFault } from './faults.js';
import type { Signal } from './signal.js';
import { ERROR_CEILING, ERROR_STEP, LOOP_RESETS, LOOP_TIME, SOCKET_FAILURES } from './timing.js';

export class ModemAnomalies {
  /** Signal at the antenna, and at the last connection evaluation; undefined if it is that of the device's own cell. */
  signal: Signal | undefined;
  evaluated: Signal | undefined;
  /** Whether the network here grants power saving mode, and whether it did at the last attach. */
  grants = true;
  granted = true;
  fault: LastingFault | undefined;
  /** The loss that the next check will find. */
  lost: 'socket' | 'registration' | 'modem' | undefined;
  /** When the network registers again an awake modem that it lost; Infinity until it is back, 0 if it lost none. */
  registersAt: Instant = 0;
  /** The next datagram goes to another address, which needs a new socket. */
  readdressed = false;
  /** Errors since the last reset of the back-off, and socket errors since the last good check. */
  #errors = 0;
  #socketFailures = 0;
  /** Number of unexpected resets, and the time of the first of them. */
  #resets = 0;
  #resetsSince: Instant = 0;

  /** Whether the modem has been reset so often that it reports a reset loop. */
  get loops(): boolean {
    return this.#resets >= LOOP_RESETS;
  }

  /** The RAM is lost. Faults, signal and network stay as they are. */
  forget(): void {
    this.#errors = 0;
    this.#socketFailures = 0;
    this.switchedOff();
    this.readdressed = false;
  }

  /** A boot, or the end of a loss while the modem was off, leaves nothing to find. */
  switchedOff(): void {
    this.lost = undefined;
    this.registersAt = 0;
  }

  /** The modem has registered; the network says whether it grants power saving mode. */
  registered(): void {
    this.granted = this.grants;
    this.switchedOff();
  }

  /** @param forgives whether the back-off is reset */
  socketOpened(forgives: boolean): void {
    this.readdressed = false;
    if (forgives) this.#errors = 0;
  }

  /** The check in the error state has found no problem. */
  checked(): void {
    this.#socketFailures = 0;
  }

  /** Counts a socket error; returns whether the modem has to be restarted (timing T-53). */
  socketFailed(): boolean {
    this.lost = undefined;
    if (++this.#socketFailures < SOCKET_FAILURES) return false;
    this.#socketFailures = 0;
    return true;
  }

  /** Counts an error; returns how long the modem is off. The time grows with each error (timing T-53). */
  failed(): Millis {
    return Math.min(ERROR_CEILING, ++this.#errors * ERROR_STEP);
  }

  reset(now: Instant): void {
    if (now - this.#resetsSince > LOOP_TIME) {
      this.#resets = 0;
      this.#resetsSince = now;
    }
    this.#resets++;
  }

  /** The pause after a reset loop has begun. */
  rested(): void {
    this.#resets = 0;
  }
}
