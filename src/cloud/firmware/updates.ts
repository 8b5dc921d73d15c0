/**
 * Firmware updates over the air: reports of a device and the chunks that follow (wire W-57 to W-60).
 *
 *   scheduled ──chunk 0 delivered──► downloading ──swap──► swapping ──ack, or a session with the new version──► succeeded
 *                                                                      └──data without ack──► failed
 *
 * The update has succeeded if the session after the swap reports a new version, and this version equals the label of the image.
 * But a label may be wrong, or equal to the version that ran before. Then the acknowledgement of the device decides. A device
 * that runs a new image on trial acknowledges it before it sends application data (wire W-51).
 *
 * A scheduled update sends chunk 0 without a request of the device; a device that requests an image by its identifier gets the
 * same chunk. From then on the cloud sends one chunk at a time, at the offset that the device reports. After a reboot or a lost
 * chunk, the download restarts from offset 0, at most {@link MOST_RESTARTS} times.
 *
 * The class {@link Updates} has no queue and no timer. For each event it returns the changes and the chunk to queue, and
 * src/cloud/delivery commits them together with the message that caused the event.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { DownMessage, SessionFacts, UploadFirmware } from '../../protocol/messages/index.js';
import { uuidBytes, uuidText } from '../../protocol/uuid.js';
import type { Ids } from '../store/ids.js';
import { newMessage } from '../store/new-message.js';
import { OneByOne } from '../store/one-by-one.js';
import type { Change, DeviceRow, Id, MessageRow, Store, WaitingRow } from '../store/store.js';
import { type Image, Images } from './images.js';
import { changeJob, isOpen, jobOf, moved, putJob, UPDATES, type UpdateJob } from './job.js';

interface UpdatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** What follows from an event. */
export interface UpdateStep {
  readonly job: UpdateJob;
  readonly changes: readonly Change[];
  /** At most one chunk. It replaces a chunk that is still queued. */
  readonly queue: readonly MessageRow[];
}

/** The body of a downlink of type `firmware`. The bytes of the chunk are added when it is sent. */
interface ChunkBody {
  readonly target: 'app';
  readonly type: 'chunk';
  readonly update_id: Id;
  readonly firmware_id: Id;
  readonly offset: number;
  readonly length: number;
  /** Size of the whole image in bytes. */
  readonly size: number;
}

/** Maximum size in bytes of the chunk that starts or restarts a download, and of a chunk if the device reports no maximum. */
const FIRST_CHUNK = 256;
/** Maximum size in bytes of any chunk. A transfer can carry such a chunk and 52 bytes of overhead (wire W-59). */
const LONGEST_CHUNK = 16_128;
/** Maximum number of restarts of a download; then the update fails. */
const MOST_RESTARTS = 5;
/** The error of an update whose image was deleted. */
export const IMAGE_GONE = 'the image has been deleted';
/** Prefix of the error that a device reports when it has lost its partial image. */
const LOST_DOWNLOAD = 'offset mismatch';

type ReportingDevice = Pick<DeviceRow, 'id' | 'spaceId' | 'serial' | 'session'>;

export class Updates {
  readonly images: Images;
  readonly #options: UpdatesOptions;
  readonly #turns = new OneByOne();

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.images = new Images(options.store);
  }

  /** Runs changes of a device's update one after another. After a conflict with another service, the event is handled again. */
  inTurn<T>(deviceId: Id, work: () => Promise<T>): Promise<T> {
    return this.#turns.run(deviceId, work);
  }

  /** The device's open update; undefined if there is none. */
  async current(device: Pick<DeviceRow, 'id' | 'spaceId'>): Promise<UpdateJob | undefined> {
    const row = await this.#options.store.recordByKey(UPDATES, device.spaceId, device.id);
    return row && jobOf(row);
  }

  async find(spaceId: Id, id: Id): Promise<UpdateJob | undefined> {
    const row = await this.#options.store.record(UPDATES, spaceId, id);
    return row && jobOf(row);
  }

  /**
   * Starts an update. The commit fails with a conflict if the device has another open update.
   * @param maxLength maximum size in bytes of the first chunk
   */
  begin(device: ReportingDevice, image: Image, maxLength = FIRST_CHUNK): UpdateStep {
    const { ids, clock } = this.#options;
    const at = Math.floor(clock.wall);
    const job: UpdateJob = {
      id: ids.ofDevice(device.serial),
      spaceId: device.spaceId,
      deviceId: device.id,
      firmwareId: image.id,
      bundle: image.bundle,
      name: image.name,
      version: image.version,
      size: image.size,
      fromVersion: versionIn(device.session),
      state: 'scheduled',
      offset: 0,
      restarts: 0,
      error: null,
      scheduledAt: at,
      updatedAt: at,
      timeline: [{ state: 'scheduled', at }],
    };
    return { job, changes: [putJob(job)], queue: [this.#chunk(device, job, 0, maxLength)] };
  }

  /** Handles an uplink of type `firmware`; undefined if nothing follows from it. */
  async reported(device: ReportingDevice, report: UploadFirmware): Promise<UpdateStep | undefined> {
    if (report.type === 'download') return this.#requested(device, report);
    const job = report.updateId?.length === 16 ? await this.find(device.spaceId, uuidText(report.updateId)) : undefined;
    // Devices also report on updates that the cloud does not know, and on finished ones (wire W-51).
    if (job === undefined || job.deviceId !== device.id || !isOpen(job)) return undefined;
    const { offset = 0, maxLength = FIRST_CHUNK, error = '' } = report;
    switch (report.type) {
      case 'next':
        if (offset >= job.size) return this.restart(device, job);
        return this.#send(device, job, { state: 'downloading', offset }, maxLength);
      case 'swap':
        return this.#only(job, { state: 'swapping', offset: job.size });
      case 'error':
        if (error.startsWith(LOST_DOWNLOAD)) return this.restart(device, job);
        return this.#only(job, failure(error));
      case 'ack':
      case 'confirmed':
        return this.#only(job, acknowledged(job, device.session));
      default:
        return undefined;
    }
  }

  /** Handles a new session of a device; undefined if nothing follows for its open update. */
  async sessionBegan(device: ReportingDevice, session: SessionFacts): Promise<UpdateStep | undefined> {
    const job = await this.current(device);
    if (job === undefined) return undefined;
    const version = session.fw_version ?? null;
    if (job.state === 'scheduled') return this.#only(job, { fromVersion: version });
    if (version === null) return undefined;
    // In the state `downloading`, a new version shows that the announcement of the swap was lost.
    if (isSameVersion(version, job.version) && version !== job.fromVersion) return this.#only(job, SUCCESS);
    return job.state === 'swapping' ? this.#only(job, { unprovenVersion: version }) : this.restart(device, job);
  }

  /**
   * Handles application data of a device; undefined if nothing follows for its open update. A device acknowledges its new image
   * before it sends such data. The update fails if data arrive in a session after the swap without this acknowledgement.
   */
  async dataArrived(device: ReportingDevice): Promise<UpdateStep | undefined> {
    const job = await this.current(device);
    if (job?.state !== 'swapping' || job.unprovenVersion === undefined) return undefined;
    const { unprovenVersion: version, fromVersion } = job;
    return this.#only(job, version === fromVersion ? reverted(version) : unacknowledged(version));
  }

  /** Handles the delivery of a chunk. The delivery of the first one changes the state to `downloading`. */
  async delivered(chunk: WaitingRow): Promise<readonly Change[]> {
    const { update_id: id, offset } = bodyOf(chunk);
    const job = offset === 0 ? await this.find(chunk.spaceId, id) : undefined;
    return job?.state === 'scheduled' ? this.#only(job, { state: 'downloading' }).changes : [];
  }

  /** Restarts the download from offset 0; after {@link MOST_RESTARTS} restarts, the update fails. */
  restart(device: ReportingDevice, job: UpdateJob): UpdateStep {
    if (job.restarts >= MOST_RESTARTS) {
      return this.#only(job, failure(`given up: the download was interrupted ${job.restarts + 1} times`));
    }
    return this.#send(device, job, { offset: 0, restarts: job.restarts + 1 }, FIRST_CHUNK);
  }

  /** Ends the open update without success. @param why the reason; null if a user has cancelled the update */
  end(job: UpdateJob, state: 'cancelled' | 'failed', why: string | null): UpdateStep {
    return this.#only(job, { state, error: why });
  }

  /** The message to the device for a chunk. @throws Error if the image was deleted */
  async chunk(row: WaitingRow): Promise<DownMessage> {
    const { firmware_id: firmwareId, update_id: updateId, offset, length, size, target, type } = bodyOf(row);
    const image = await this.images.content(row.spaceId, firmwareId);
    if (image === undefined) throw new Error(IMAGE_GONE);
    const data = image.subarray(offset, offset + length);
    return { kind: 'download-firmware', target, type, updateId: uuidBytes(updateId), offset, data, size };
  }

  /** Handles the request of a device for an image: shell command `cloud firmware download <id>`. */
  async #requested(
    device: ReportingDevice,
    { firmware = '', maxLength = FIRST_CHUNK }: UploadFirmware,
  ): Promise<UpdateStep | undefined> {
    const { log } = this.#options;
    const first = Math.min(maxLength, FIRST_CHUNK);
    const id = firmwareId(firmware);
    const image = id && (await this.images.find(device.spaceId, id));
    if (!image) {
      log.warn({ device: device.id, firmware }, 'a device requests an unknown firmware image');
      return undefined;
    }
    const current = await this.current(device);
    if (current === undefined) return this.begin(device, image, first);
    if (current.firmwareId === image.id) {
      // While the update is scheduled, chunk 0 is queued already. While the device swaps its images, a chunk would be too late.
      if (current.state !== 'downloading') return undefined;
      const queue = [this.#chunk(device, current, 0, first)];
      return { job: current, changes: [changeJob(current, current)], queue };
    }
    log.warn(
      { device: device.id, firmware },
      'a device requests a firmware image while it has another unfinished update',
    );
    return undefined;
  }

  #only(before: UpdateJob, change: Partial<UpdateJob>): UpdateStep {
    const job = moved(before, Math.floor(this.#options.clock.wall), change);
    return { job, changes: [changeJob(before, job)], queue: [] };
  }

  #send(device: ReportingDevice, before: UpdateJob, change: Partial<UpdateJob>, maxLength: number): UpdateStep {
    const step = this.#only(before, change);
    return { ...step, queue: [this.#chunk(device, step.job, step.job.offset, maxLength)] };
  }

  #chunk(device: ReportingDevice, { id, firmwareId, size }: UpdateJob, offset: number, maxLength: number): MessageRow {
    const { ids, clock } = this.#options;
    const body: ChunkBody = {
      target: 'app',
      type: 'chunk',
      update_id: id,
      firmware_id: firmwareId,
      offset,
      length: Math.min(maxLength, LONGEST_CHUNK, size - offset),
      size,
    };
    return newMessage(ids, clock, device, 'down', 'firmware', body);
  }
}

const SUCCESS: Partial<UpdateJob> = { state: 'succeeded' };

/** The job after an acknowledgement. hio acknowledges the old image, too: the session's version decides (wire W-51, W-60). */
function acknowledged(job: UpdateJob, session: DeviceRow['session']): Partial<UpdateJob> {
  const version = versionIn(session);
  const isOld = version !== null && version === job.fromVersion && !isSameVersion(version, job.version);
  return isOld && !isChester(session) ? reverted(version) : SUCCESS;
}

/** Whether the label of an image names the version that a device reports. Labels are often written without the `v`. */
function isSameVersion(reported: string, label: string): boolean {
  const [one, other] = [reported, label].map((version) => version.trim().replace(/^v/i, ''));
  return one === other;
}

function isChester(session: DeviceRow['session']): boolean {
  const product = session?.product_name;
  return typeof product === 'string' && product.startsWith('CHESTER');
}

function reverted(version: string): Partial<UpdateJob> {
  return failure(`reverted: the device runs "${version}"`);
}

function unacknowledged(version: string): Partial<UpdateJob> {
  return failure(`not acknowledged: the device runs "${version}"`);
}

function failure(error: string): Partial<UpdateJob> {
  return { state: 'failed', error };
}

/** The UUID of a firmware identifier of 32 hex digits with or without hyphens; undefined if invalid (cloud C-37). */
export function firmwareId(text: string): Id | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? uuidText(uuidBytes(digits)) : undefined;
}

/** Id of the update to which a downlink of type `firmware` belongs. */
export function updateOf(chunk: WaitingRow): Id {
  return bodyOf(chunk).update_id;
}

/** Offset of the first byte after this chunk. */
export function endOf(chunk: WaitingRow): number {
  const { offset, length } = bodyOf(chunk);
  return offset + length;
}

function bodyOf(chunk: WaitingRow): ChunkBody {
  // The casts are safe because only `Updates` makes downlinks of type `firmware`, and rows always contain such short bodies.
  return (chunk as MessageRow).body as ChunkBody;
}

function versionIn(session: DeviceRow['session']): string | null {
  const version = session?.fw_version;
  return typeof version === 'string' ? version : null;
}
