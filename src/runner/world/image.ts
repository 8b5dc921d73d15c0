/** Firmware images for virtual devices. */
import type { Profile } from '../../profile/profile.js';
import { writeImage } from '../../protocol/firmware-image.js';

/**
 * Creates an image for devices of this type.
 * @throws RangeError if its header alone is longer than `size` bytes
 */
export function makeImage({ identity }: Profile, version: string, size: number): Uint8Array {
  return writeImage({ bundle: identity.fwBundle, name: identity.fwName, version }, size);
}
