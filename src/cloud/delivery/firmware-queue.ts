/** Firmware updates in the queue: inserts and removes chunks, detects a stalled download. `Updates` reads the reports. */
import type { Clock } from '../../kernel/clock.js';
import { seconds } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import type { Image } from '../firmware/images.js';
import { isOpen, jobOf, needNoJob, UPDATES, type UpdateJob } from '../firmware/job.js';
import { endOf, IMAGE_GONE, type UpdateStep, type Updates, updateOf } from '../firmware/updates.js';
import type { FirmwareUpdates } from '../interfaces/firmware-updates.js';
import type { Ids } from '../store/ids.js';
import { inOrder } from '../store/in-order.js';
import { everyRecord, untilUndisturbed } from '../store/records.js';
import type { Change, DeviceRow, Id, MessageRow, RecordRow, Store, WaitingRow } from '../store/store.js';
import type { DeviceSession, QueuedDownlink } from './device-session.js';

/** The part of the delivery core that firmware updates need. */
export interface ChunkQueue {
  /** The cached session of the device, if any. */
  sessionOf(serial: number): DeviceSession | undefined;
  /** Inserts a stored downlink into the queue. */
  insert(session: DeviceSession, row: MessageRow): void;
  /** Removes an obsolete chunk. Its state becomes `sent` if the device has received the chunk, otherwise `cancelled`. */
  settle(session: DeviceSession, queued: QueuedDownlink, received: boolean): Promise<void>;
  /** Cancels a pending downlink without ending its update. */
  cancel(row: WaitingRow): Promise<unknown>;
}

interface FirmwareQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly updates: Updates;
  readonly queue: ChunkQueue;
}

/**
 * A device answers a chunk before it polls or reports again. So a poll or a report this long after the delivery of a chunk
 * shows that the device will not answer the chunk. An earlier poll shows nothing: a device can poll in the same packet in which
 * it acknowledges the chunk (wire W-13).
 */
const STALLED_AFTER = seconds(1);

const EXPIRED = 'expired: the device did not continue the update';

export class FirmwareQueue implements FirmwareUpdates {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #trace: Trace;
  readonly #updates: Updates;
  readonly #queue: ChunkQueue;
  readonly #order: Pick<FirmwareQueueOptions, 'store' | 'ids'>;

  constructor({ store, clock, ids, trace, updates, queue }: FirmwareQueueOptions) {
    this.#store = store;
    this.#order = { store, ids };
    this.#clock = clock;
    this.#trace = trace;
    this.#updates = updates;
    this.#queue = queue;
  }

  get images() {
    return this.#updates.images;
  }

  async schedule(
    device: DeviceRow,
    image: Image,
    along: (job: UpdateJob) => readonly Change[] = () => [],
  ): Promise<UpdateJob> {
    return this.#updates.inTurn(device.id, async () => {
      const begin = async () => {
        const begun = this.#updates.begin(device, image);
        await this.#write(begun, along(begun.job));
        return begun;
      };
      const step = await untilUndisturbed(begin, { order: inOrder(this.#order, device.id) });
      this.#emitMoved(device.serial, step.job);
      const session = this.#queue.sessionOf(device.serial);
      if (session) await this.#enqueue(session, step);
      return step.job;
    });
  }

  async cancel({ spaceId, id, deviceId }: UpdateJob): Promise<'cancelled' | 'too-late'> {
    const cancel = () => this.#end(spaceId, id, 'cancelled', null, needsImage);
    return (await this.#updates.inTurn(deviceId, cancel)) ? 'cancelled' : 'too-late';
  }

  async removeImage(spaceId: Id, id: Id): Promise<void> {
    await this.images.remove(id);
    for await (const row of everyRecord(this.#store, UPDATES, spaceId)) {
      const { id: update, firmwareId, deviceId, ...job } = jobOf(row);
      if (firmwareId !== id || !needsImage(job)) continue;
      const fail = () => this.#end(spaceId, update, 'failed', IMAGE_GONE, needsImage);
      await this.#updates.inTurn(deviceId, fail);
    }
  }

  async prepareRemoval(device: DeviceRow): Promise<readonly Change[]> {
    const job = await this.#updates.current(device);
    if (job === undefined) return [needNoJob(device)];
    const step = this.#updates.end(job, 'cancelled', 'the device was removed');
    this.#emitMoved(device.serial, step.job);
    return [...step.changes, needNoJob(device)];
  }

  /** Reads the device's update from the store: after its session was read, or when another service may have changed it. */
  async readUpdate(session: DeviceSession): Promise<void> {
    const job = await this.#updates.current(session.device);
    if (job) this.#note(session, job);
    else session.update = undefined;
  }

  /** Applies a change of the update to the session. An uplink has caused the change, and the change is already stored. */
  async takeProgress(session: DeviceSession, job: UpdateJob): Promise<void> {
    this.#emitMoved(session.device.serial, job);
    await this.#settleChunks(session, job);
  }

  /** Records the delivery of a chunk. Returns changes for the commit that marks it as sent. */
  takeDelivered(session: DeviceSession, chunk: WaitingRow): Promise<readonly Change[]> {
    if (session.update) session.update.silentSince = this.#clock.now;
    return this.#updates.delivered(chunk);
  }

  /** Called for a poll or an uplink that does not answer a chunk; restarts a stalled download. */
  async noteActivity(session: DeviceSession): Promise<void> {
    const { silentSince = Number.POSITIVE_INFINITY } = session.update ?? {};
    if (this.#clock.now - silentSince < STALLED_AFTER || listChunks(session).length > 0) return;
    await this.#updates.inTurn(session.device.id, async () => {
      const restart = async () => {
        const job = await this.#updates.current(session.device);
        if (job?.state !== 'downloading') return undefined;
        const restarted = this.#updates.restart(session.device, job);
        await this.#write(restarted);
        return restarted;
      };
      const step = await untilUndisturbed(restart, { order: inOrder(this.#order, session.device.id) });
      if (step === undefined) return this.readUpdate(session);
      this.#emitMoved(session.device.serial, step.job);
      await this.#enqueue(session, step);
    });
  }

  /** Ends an update that its device has not continued for too long, unless it has continued meanwhile. */
  async expire(row: RecordRow): Promise<void> {
    const { spaceId, id, deviceId, updatedAt } = jobOf(row);
    const isOverdue = (job: UpdateJob) => isOpen(job) && job.updatedAt === updatedAt;
    await this.#updates.inTurn(deviceId, () => this.#end(spaceId, id, 'failed', EXPIRED, isOverdue));
  }

  /** Ends the update to which a chunk belongs, because the chunk will never be delivered. */
  async endUpdate(chunk: WaitingRow, state: 'cancelled' | 'failed', why: string | null): Promise<void> {
    const { spaceId, deviceId } = chunk;
    await this.#updates.inTurn(deviceId, () => this.#end(spaceId, updateOf(chunk), state, why, isOpen));
  }

  /** Ends an update; false if it does not exist, or `may` returns false for its current state. */
  async #end(
    spaceId: Id,
    id: Id,
    state: 'cancelled' | 'failed',
    why: string | null,
    may: (job: UpdateJob) => boolean,
  ): Promise<boolean> {
    const ended = await untilUndisturbed(async () => {
      const job = await this.#updates.find(spaceId, id);
      if (job === undefined || !may(job)) return undefined;
      const step = this.#updates.end(job, state, why);
      await this.#write(step);
      return step.job;
    });
    if (ended === undefined) return false;
    const pending = await this.#store.pendingDownlinks(ended.deviceId);
    for (const row of pending) if (row.type === 'firmware') await this.#queue.cancel(row);
    const device = await this.#store.device(spaceId, ended.deviceId);
    const session = device && this.#queue.sessionOf(device.serial);
    if (device) this.#emitMoved(device.serial, ended);
    if (session) this.#note(session, ended);
    return true;
  }

  async #write({ changes, queue }: UpdateStep, along: readonly Change[] = []): Promise<void> {
    await this.#store.commit([...along, ...changes, ...queue.map((row): Change => ({ kind: 'message.insert', row }))]);
  }

  async #enqueue(session: DeviceSession, { job, queue }: UpdateStep): Promise<void> {
    await this.#settleChunks(session, job);
    for (const row of queue) this.#queue.insert(session, row);
  }

  /** Removes the queued chunks, which the new state of the update has made obsolete. */
  async #settleChunks(session: DeviceSession, job: UpdateJob): Promise<void> {
    this.#note(session, job);
    // In this state, only the first chunk is queued, and it is still needed.
    if (job.state === 'scheduled') return;
    for (const queued of listChunks(session)) {
      // If the reported offset is at or after the end of the chunk, the device has the chunk: only the confirmation was lost.
      await this.#queue.settle(session, queued, queued.attempt > 0 && job.offset >= endOf(queued.row));
    }
  }

  #emitMoved(serial: number, { id: update, state, offset, error }: UpdateJob): void {
    this.#trace.emit({ kind: 'update.moved', at: this.#clock.now, serial, update, state, offset, why: error ?? '' });
  }

  #note(session: DeviceSession, job: UpdateJob): void {
    const silentSince = job.state === 'downloading' ? this.#clock.now : undefined;
    const unproven = job.unprovenVersion === undefined ? undefined : true;
    session.update = isOpen(job) ? { silentSince, unproven } : undefined;
  }
}

/** Whether the device still has to download the image, or a part of it. */
function needsImage({ state }: Pick<UpdateJob, 'state'>): boolean {
  return state === 'scheduled' || state === 'downloading';
}

function listChunks(session: DeviceSession): readonly QueuedDownlink[] {
  return session.queue.filter((queued) => queued.row.type === 'firmware');
}
