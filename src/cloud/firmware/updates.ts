/**
 * Updates over the air: what a device reports, and what is sent next (wire protocol, 11).
 *
 *   scheduled ──chunk 0 delivered──► downloading ──swap──► swapping ──ack, or a session with the new version──► succeeded
 *
 * The cloud begins with chunk 0 unasked; a device that asks for an image by its identifier gets the same chunk. From then on
 * the device's own count is trusted, and one chunk is queued at a time. Whatever breaks the download (a reboot, a lost
 * chunk) begins it again from its start, a few times.
 *
 * In here is no queue and no timer: each event returns what it changes and what is to be queued, and the delivery core
 * writes that together with the message that brought it.
 */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { DownMessage, SessionFacts, UploadFirmware } from '../../protocol/messages/index.js';
import { uuidBytes, uuidText } from '../../protocol/uuid.js';
import type { Ids } from '../store/ids.js';
import { newMessage } from '../store/new-message.js';
import type { Change, DeviceRow, Id, MessageRow, Store, WaitingRow } from '../store/store.js';
import { type Image, Images } from './images.js';
import { changeJob, isOpen, jobOf, moved, putJob, UPDATES, type UpdateJob } from './job.js';

export interface UpdatesOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

/** What an event leads to. */
export interface UpdateStep {
  readonly job: UpdateJob;
  readonly changes: readonly Change[];
  /** At most one chunk, which takes the place of any other; a scheduled update keeps its first one. */
  readonly queue: readonly MessageRow[];
}

/** The body of a downlink of type `firmware`; the bytes are added when it is offered. */
interface ChunkBody {
  readonly target: 'app';
  readonly type: 'chunk';
  readonly update_id: Id;
  readonly firmware_id: Id;
  readonly offset: number;
  readonly length: number;
  /** Of the whole image. */
  readonly size: number;
}

/** What a device takes that has not said how much it takes. */
const FIRST_CHUNK = 256;
/** So that a message stays within what a transfer can carry (wire protocol, 11: 52 bytes of overhead). */
const LONGEST_CHUNK = 16_128;
const MOST_RESTARTS = 5;
/** Begins the error of a device that has lost its partial image. */
const LOST_DOWNLOAD = 'offset mismatch';

type ReportingDevice = Pick<DeviceRow, 'id' | 'spaceId' | 'session'>;

export class Updates {
  readonly images: Images;
  readonly #options: UpdatesOptions;
  readonly #turns = new Map<Id, Promise<unknown>>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.images = new Images(options.store);
  }

  /**
   * Lets what changes the update of a device happen one after another: the device may report while a user cancels. (Several
   * services on one store do not know of each other here: a commit that moves a job which another has moved is refused, and
   * what follows is decided anew.)
   */
  async inTurn<T>(deviceId: Id, work: () => Promise<T>): Promise<T> {
    const turn = Promise.resolve(this.#turns.get(deviceId)).then(work);
    const over = turn.catch(() => {});
    this.#turns.set(deviceId, over);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(deviceId) === over) this.#turns.delete(deviceId);
    }
  }

  /** The device's open update. */
  async current(device: Pick<DeviceRow, 'id' | 'spaceId'>): Promise<UpdateJob | undefined> {
    const row = await this.#options.store.recordByKey(UPDATES, device.spaceId, device.id);
    return row && jobOf(row);
  }

  async find(spaceId: Id, id: Id): Promise<UpdateJob | undefined> {
    const row = await this.#options.store.record(UPDATES, spaceId, id);
    return row && jobOf(row);
  }

  /** A new update. Writing it fails with a conflict while the device has another one. */
  begin(device: ReportingDevice, image: Image): UpdateStep {
    const { ids, clock } = this.#options;
    const at = Math.floor(clock.wall);
    const job: UpdateJob = {
      id: ids.uuid(),
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
    return { job, changes: [putJob(job)], queue: [this.#chunk(device, job, 0, FIRST_CHUNK)] };
  }

  /** What an uplink of type firmware means; undefined: nothing. */
  async reported(device: ReportingDevice, report: UploadFirmware): Promise<UpdateStep | undefined> {
    if (report.type === 'download') return this.#asked(device, report);
    const job = report.updateId?.length === 16 ? await this.find(device.spaceId, uuidText(report.updateId)) : undefined;
    // A device may well report on an update that nobody knows (wire protocol, 8.1 step 5).
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
        return this.#only(job, judgement(job, versionIn(device.session) ?? job.version));
      default:
        return undefined;
    }
  }

  /** What a new session means for the device's open update. */
  async sessionBegan(device: ReportingDevice, session: SessionFacts): Promise<UpdateStep | undefined> {
    const job = await this.current(device);
    if (job === undefined) return undefined;
    const version = session.fw_version ?? null;
    if (job.state === 'scheduled') return this.#only(job, { fromVersion: version });
    if (version === null) return undefined;
    if (job.state === 'swapping') return this.#only(job, judgement(job, version));
    // The swap may have been too fast for its own announcement; otherwise the device has lost what it had.
    const isNew = version === job.version && version !== job.fromVersion;
    return isNew ? this.#only(job, judgement(job, version)) : this.restart(device, job);
  }

  /** The device has a chunk: with the first one, the download has begun. */
  async delivered(chunk: WaitingRow): Promise<readonly Change[]> {
    const { update_id: id, offset } = bodyOf(chunk);
    const job = offset === 0 ? await this.find(chunk.spaceId, id) : undefined;
    return job?.state === 'scheduled' ? this.#only(job, { state: 'downloading' }).changes : [];
  }

  /** Begins the download again from its start, or gives up. */
  restart(device: ReportingDevice, job: UpdateJob): UpdateStep {
    if (job.restarts >= MOST_RESTARTS) {
      return this.#only(job, failure(`given up: the download was broken off ${job.restarts + 1} times`));
    }
    return this.#send(device, job, { offset: 0, restarts: job.restarts + 1 }, FIRST_CHUNK);
  }

  /** The open update ends without success. */
  end(job: UpdateJob, state: 'cancelled' | 'failed', why: string | null): UpdateStep {
    return this.#only(job, { state, error: why });
  }

  /** The message for a chunk. @throws Error when the image is gone */
  async chunk(row: WaitingRow): Promise<DownMessage> {
    const { firmware_id: firmwareId, update_id: updateId, offset, length, size, target, type } = bodyOf(row);
    const image = await this.images.content(row.spaceId, firmwareId);
    if (image === undefined) throw new Error('the image has been deleted');
    const data = image.subarray(offset, offset + length);
    return { kind: 'download-firmware', target, type, updateId: uuidBytes(updateId), offset, data, size };
  }

  /** The device asks for an image: shell `cloud firmware download <id>`. */
  async #asked(device: ReportingDevice, { firmware = '', maxLength }: UploadFirmware): Promise<UpdateStep | undefined> {
    const { log } = this.#options;
    const id = firmwareId(firmware);
    const image = id && (await this.images.find(device.spaceId, id));
    if (!image) {
      log.warn({ device: device.id, firmware }, 'a device asks for a firmware image that is not known');
      return undefined;
    }
    const current = await this.current(device);
    if (current === undefined) return this.begin(device, image);
    if (current.firmwareId === image.id) {
      // Scheduled, it is on its way already; swapping, it is too late.
      if (current.state !== 'downloading') return undefined;
      const queue = [this.#chunk(device, current, 0, maxLength ?? FIRST_CHUNK)];
      return { job: current, changes: [changeJob(current, current)], queue };
    }
    log.warn({ device: device.id, firmware }, 'a device asks for a firmware image while another update is under way');
    return undefined;
  }

  #only(before: UpdateJob, change: Partial<UpdateJob>): UpdateStep {
    const job = moved(before, Math.floor(this.#options.clock.wall), change);
    return { job, changes: [changeJob(before, job)], queue: [] };
  }

  /** Moves the job on, with the chunk at its new offset. */
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

/** A swap shows its success by the version that runs afterwards: an acknowledgement alone may be one of the old image. */
function judgement(job: UpdateJob, version: string): Partial<UpdateJob> {
  return version === job.version ? { state: 'succeeded' } : failure(`reverted: the device runs "${version}"`);
}

function failure(error: string): Partial<UpdateJob> {
  return { state: 'failed', error };
}

/** The UUID that a firmware identifier stands for: 32 hex digits, with or without hyphens (cloud API gaps, 3.9). */
export function firmwareId(text: string): Id | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  return /^[0-9a-f]{32}$/.test(digits) ? uuidText(uuidBytes(digits)) : undefined;
}

/** The update to which a downlink of type firmware belongs. */
export function updateOf(chunk: WaitingRow): Id {
  return bodyOf(chunk).update_id;
}

/** How far the image is complete with this chunk. */
export function endOf(chunk: WaitingRow): number {
  const { offset, length } = bodyOf(chunk);
  return offset + length;
}

function bodyOf(chunk: WaitingRow): ChunkBody {
  // Because every downlink of type firmware was made by Updates, and is too short to be left in the store.
  return (chunk as MessageRow).body as ChunkBody;
}

function versionIn(session: DeviceRow['session']): string | null {
  const version = session?.fw_version;
  return typeof version === 'string' ? version : null;
}
