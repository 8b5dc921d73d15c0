/** The port (interface) through which the API starts and ends firmware updates; src/cloud/delivery implements it. */
import type { Image, Images } from '../firmware/images.js';
import type { UpdateJob } from '../firmware/job.js';
import type { Change, DeviceRow, Id } from '../store/store.js';

export interface FirmwareUpdates {
  readonly images: Images;
  /**
   * Starts an update of the device.
   * @param along further changes for the same commit, written before the update
   * @throws ConflictError while another update of the device is unfinished
   */
  schedule(device: DeviceRow, image: Image, along?: (job: UpdateJob) => readonly Change[]): Promise<UpdateJob>;
  /** Cancels an update; `too-late` if the device already swaps its images, or if the update has ended. */
  cancel(job: UpdateJob): Promise<'cancelled' | 'too-late'>;
  /** Deletes an image. Updates to it fail, unless the device has the whole image already and swaps. */
  removeImage(spaceId: Id, id: Id): Promise<void>;
  /** Changes that end the update of a device, for the commit that deletes the device. */
  prepareRemoval(device: DeviceRow): Promise<readonly Change[]>;
}
