/**
 * The part of an update over the air that is in RAM: takes chunks of an image and returns the answers (wire W-58, W-59;
 * behaviour B-33, B-34). A reboot discards this part.
 */
import { ImageReader } from '../../protocol/firmware-image.js';
import { type DownloadFirmware, encodeUp, type UploadFirmware } from '../../protocol/messages/index.js';
import { Bootloader } from '../hardware/bootloader.js';
import type { Hardware } from '../hardware/hardware.js';
import type { FirmwareDownload } from '../shell/host.js';
import type { Reaction } from './cloud-thread.js';

const TARGET = 'app';
/** Bytes. The requested length of a chunk is a multiple of this. */
const BLOCK = 256;
/** Bytes of the transfer buffer that a chunk cannot use. */
const OVERHEAD = 50;

interface Download {
  readonly updateId: Uint8Array;
  readonly size: number;
  readonly image: ImageReader;
  /** Bytes. */
  accepted: number;
}

/** The message that requests an image. */
export function downloadRequest(firmware: string): Uint8Array {
  return encodeUp({ kind: 'upload-firmware', target: TARGET, type: 'download', maxLength: BLOCK, firmware });
}

export class Updater {
  readonly #hardware: Hardware;
  #download: Download | undefined;

  constructor(hardware: Hardware) {
    this.#hardware = hardware;
  }

  /** The image that is being received; undefined if there is none. */
  get progress(): FirmwareDownload | undefined {
    const download = this.#download;
    return download && { updateId: download.updateId, accepted: download.accepted, size: download.size };
  }

  /**
   * Takes a chunk and returns the answer: the request for the next chunk, the report that the image is complete, or an error. A
   * chunk with a wrong target, type or offset has no answer, and the download continues as if the chunk had not arrived.
   */
  take(chunk: DownloadFirmware): Reaction {
    const { bootloader } = this.#hardware.type.profile;
    const { updateId, offset, data, size } = chunk;
    if (bootloader === undefined) return makeFailure(updateId, 'unsupported MCUBOOT');
    // The firmware only logs these errors, without an answer.
    if (chunk.target !== TARGET || chunk.type !== 'chunk') return { kind: 'failed' };
    if (offset === 0) {
      this.#download = undefined;
      if (size > bootloader.slotSize) return makeFailure(updateId, 'image size too big');
      this.#download = { updateId, size, image: new ImageReader(), accepted: 0 };
    }
    const download = this.#download;
    if (download === undefined) return makeFailure(updateId, 'offset mismatch (device was rebooted)');
    if (offset !== download.accepted || offset + data.length > download.size) return { kind: 'failed' };
    download.image.write(data);
    download.accepted += data.length;
    return download.accepted < download.size
      ? this.#requestNext(updateId, download)
      : this.#complete(updateId, download);
  }

  #requestNext(updateId: Uint8Array, { accepted }: Download): Reaction {
    const { transferBuffer } = this.#hardware.type.profile;
    const maxLength = Math.floor((transferBuffer - OVERHEAD) / BLOCK) * BLOCK;
    return report({ type: 'next', updateId, offset: accepted, maxLength });
  }

  #complete(updateId: Uint8Array, { image, accepted }: Download): Reaction {
    this.#download = undefined;
    const hardware = this.#hardware;
    const bootloader = hardware.bootloader ?? new Bootloader(hardware.build);
    hardware.bootloader = bootloader;
    bootloader.request(image.finish());
    return {
      ...report({ type: 'swap', updateId, offset: accepted }),
      afterwards: {
        delay: hardware.type.policy.downlinks.updatePause,
        restart: () => {
          bootloader.updateId = updateId;
          hardware.reboot('update');
        },
      },
    };
  }
}

/**
 * The report of a successful update, after the session is set up. Building the report also confirms the image that is on trial.
 * Undefined if there was no update. CHESTER sends the report once, and not at all if the bootloader has reverted the update.
 * hio devices also send it after a reverted update, and at every boot until it is delivered (timing T-11).
 */
export function reportUpdate({ bootloader, type }: Hardware): Uint8Array | undefined {
  if (bootloader === undefined) return undefined;
  const { keepsReport } = type.policy.session;
  const { updateId, confirmed } = bootloader;
  if (!keepsReport) bootloader.updateId = undefined;
  if (updateId === undefined || (confirmed && !keepsReport)) return undefined;
  bootloader.confirm();
  return encodeUp({ kind: 'upload-firmware', target: TARGET, type: 'ack', updateId });
}

function makeFailure(updateId: Uint8Array, error: string): Reaction {
  return report({ type: 'error', updateId, error });
}

function report(fields: Omit<UploadFirmware, 'kind' | 'target'>): Extract<Reaction, { readonly kind: 'answer' }> {
  const message = encodeUp({ kind: 'upload-firmware', target: TARGET, ...fields });
  return { kind: 'answer', type: 'firmware', message };
}
