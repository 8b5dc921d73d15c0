/**
 * The two image slots of a device, and what its bootloader does with them at a reset (firmware behaviour, 5.6): a new image
 * is swapped in on trial, and swapped out again at the next reset unless the firmware has confirmed it meanwhile.
 *
 * All of it is in flash. Only what an image says of itself is kept, not its bytes.
 */
import type { Build } from '../../protocol/firmware-image.js';

export class Bootloader {
  /** In the slot that is run. */
  #running: Build;
  /** In the other slot, complete and requested. */
  #requested: Build | undefined;
  /** What to go back to while the running image is on trial. */
  #fallback: Build | undefined;
  #swapping = false;
  /** The update whose image was swapped in; kept until the firmware has reported it. */
  updateId: Uint8Array | undefined;

  constructor(running: Build) {
    this.#running = running;
  }

  get running(): Build {
    return this.#running;
  }

  /** To be swapped in at the next reset. */
  get requested(): Build | undefined {
    return this.#requested;
  }

  /** False while the running image is on trial. */
  get confirmed(): boolean {
    return this.#fallback === undefined;
  }

  confirm(): void {
    this.#fallback = undefined;
  }

  /** Has an image swapped in at the next reset; undefined stands for bytes that are no image, which are left alone. */
  request(image: Build | undefined): void {
    this.#requested = image;
  }

  /** A reset. True: images are being swapped, and nothing runs until {@link swapped}. Power may fail meanwhile. */
  reset(): boolean {
    if (this.#swapping) return true;
    if (this.#requested !== undefined) {
      this.#fallback = this.#running;
      this.#running = this.#requested;
      this.#requested = undefined;
      this.#swapping = true;
    } else if (this.#fallback !== undefined) {
      this.#running = this.#fallback;
      this.#fallback = undefined;
      this.#swapping = true;
    }
    return this.#swapping;
  }

  swapped(): void {
    this.#swapping = false;
  }
}
