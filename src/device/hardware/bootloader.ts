/**
 * The two image slots of a device, and its bootloader (behaviour B-33, B-34). At a reset, the bootloader swaps in a requested
 * image on trial. At the next reset it swaps the image out again, unless the firmware has confirmed it.
 *
 * This state is in flash. For each image, it contains only a description, not the bytes.
 */
import type { Build } from '../../protocol/firmware-image.js';

export class Bootloader {
  /** The image in the primary slot, which runs. */
  #running: Build;
  /** The image in the secondary slot, if it is complete and its swap is requested. */
  #requested: Build | undefined;
  /** The image to revert to while the running image is on trial. */
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

  /** The image that the next reset swaps in. */
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

  /** Requests that the next reset swaps in `image`. Undefined (the bytes are not an image) requests no swap. */
  request(image: Build | undefined): void {
    this.#requested = image;
  }

  /** Called at every reset. True if a swap of the images begins, or again: no firmware runs until {@link swapped}. */
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
