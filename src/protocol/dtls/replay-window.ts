/** Recognises records that arrive again (RFC 6347, section 4.1.2.6): the last 64 numbers are remembered. */

const HALF = 32;

export class ReplayWindow {
  /** The largest number so far; -1 before the first record. */
  #newest = -1;
  /** Bit n: the number `newest - n` has arrived; bits 0 to 31. */
  #recent = 0;
  /** Bits 32 to 63. */
  #older = 0;

  /** Whether a record with this number may be new. */
  admits(sequence: number): boolean {
    const age = this.#newest - sequence;
    if (age < 0) return true;
    if (age >= 2 * HALF) return false;
    const bits = age < HALF ? this.#recent : this.#older;
    return ((bits >>> (age % HALF)) & 1) === 0;
  }

  /**
   * Remembers a record that was authentic.
   * @returns true if its number is larger than all before
   */
  remember(sequence: number): boolean {
    const step = sequence - this.#newest;
    if (step > 0) {
      this.#shift(step);
      this.#newest = sequence;
      this.#recent |= 1;
      return true;
    }
    const age = -step;
    if (age < HALF) this.#recent |= 1 << age;
    else if (age < 2 * HALF) this.#older |= 1 << (age - HALF);
    return false;
  }

  #shift(step: number): void {
    if (step >= 2 * HALF) {
      this.#recent = 0;
      this.#older = 0;
    } else if (step >= HALF) {
      this.#older = this.#recent << (step - HALF);
      this.#recent = 0;
    } else {
      this.#older = (this.#older << step) | (this.#recent >>> (HALF - step));
      this.#recent <<= step;
    }
  }
}
