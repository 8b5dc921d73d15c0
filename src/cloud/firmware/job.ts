/** The record of a firmware update, from the request to its end (cloud C-37). */
import type { UpdateState } from '../../contract/firmware.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, DeviceRow, Id, RecordRow } from '../store/store.js';

export interface UpdateJob {
  /** Id of the update, in the API and on the wire. */
  readonly id: Id;
  readonly spaceId: Id;
  readonly deviceId: Id;
  readonly firmwareId: Id;
  readonly bundle: string | null;
  readonly name: string | null;
  /** Label of the image: the `fw_version` that is expected in the session after a successful update. */
  readonly version: string;
  /** Size of the image in bytes. */
  readonly size: number;
  /** Version that the device ran before the update; null: not reported yet. */
  readonly fromVersion: string | null;
  /** Version after the swap, if it does not prove the new image: the update waits for `ack`, and fails if data come first. */
  readonly unprovenVersion?: string;
  readonly state: UpdateState;
  /** Bytes that the device has accepted. */
  readonly offset: number;
  /** Number of times that the download was restarted from offset 0. */
  readonly restarts: number;
  /** Why the update failed, or was cancelled because its device was deleted; otherwise null. */
  readonly error: string | null;
  readonly scheduledAt: UnixMillis;
  readonly updatedAt: UnixMillis;
  /** The states of the update so far, each with its start, in order of time. */
  readonly timeline: readonly { readonly state: UpdateState; readonly at: UnixMillis }[];
}

export const UPDATES = 'firmware';

export function isOpen({ state }: Pick<UpdateJob, 'state'>): boolean {
  return state === 'scheduled' || state === 'downloading' || state === 'swapping';
}

/** The job with a change of its state or of its progress within a state. */
export function moved(job: UpdateJob, at: UnixMillis, change: Partial<UpdateJob>): UpdateJob {
  const state = change.state ?? job.state;
  const timeline = state === job.state ? job.timeline : [...job.timeline, { state, at }];
  return { ...job, ...change, updatedAt: at, timeline };
}

/** Stores a new job. A device has at most one open update: the commit of a second one fails with a conflict. */
export function putJob(job: UpdateJob): Change {
  return { kind: 'record.put', row: rowOf(job) };
}

/** Rejects a commit, so that `untilUndisturbed` repeats the work, if the device has an open update after all. */
export function needNoJob({ id, spaceId }: Pick<DeviceRow, 'id' | 'spaceId'>): Change {
  return { kind: 'record.none', family: UPDATES, spaceId, range: { from: id, below: `${id}0` } };
}

/** Changes a job. On a conflict with a user or another service, `untilUndisturbed` (store/records.ts) repeats the work. */
export function changeJob(before: UpdateJob, after: UpdateJob): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

/** An open job is found by its device, and by the time of its last progress, for its expiry (maintenance/expiry.ts). */
function rowOf(job: UpdateJob): RecordRow {
  const { id, spaceId, scheduledAt: createdAt, ...body } = job;
  const [key, dueAt] = isOpen(job) ? [job.deviceId, job.updatedAt] : [null, null];
  return { family: UPDATES, id, spaceId, key, createdAt, dueAt, body };
}

export function jobOf({ id, spaceId, createdAt, body }: RecordRow): UpdateJob {
  return {
    ...(body as Omit<UpdateJob, 'id' | 'spaceId' | 'scheduledAt'>),
    id,
    spaceId: spaceId ?? '',
    scheduledAt: createdAt,
  };
}
