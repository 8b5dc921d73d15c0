/** A firmware update as it is kept: one record, from the request to its end (cloud API gaps, 3.9). */
import type { UnixMillis } from '../../kernel/time.js';
import type { Change, Id, RecordRow } from '../store/store.js';

export const UPDATE_STATES = ['scheduled', 'downloading', 'swapping', 'succeeded', 'cancelled', 'failed'] as const;
export type UpdateState = (typeof UPDATE_STATES)[number];

export interface UpdateJob {
  /** Also the update id on the wire. */
  readonly id: Id;
  readonly spaceId: Id;
  readonly deviceId: Id;
  /** The image. */
  readonly firmwareId: Id;
  readonly bundle: string | null;
  readonly name: string | null;
  /** What the device tells in its session when all went well. */
  readonly version: string;
  /** Of the image, in bytes. */
  readonly size: number;
  /** What the device ran before; null: it has not said yet. */
  readonly fromVersion: string | null;
  readonly state: UpdateState;
  /** Bytes that the device has accepted. */
  readonly offset: number;
  /** Times that the download began again from its start. */
  readonly restarts: number;
  /** Why it failed. */
  readonly error: string | null;
  readonly scheduledAt: UnixMillis;
  readonly updatedAt: UnixMillis;
  /** The states that it has been through, and since when. */
  readonly timeline: readonly { readonly state: UpdateState; readonly at: UnixMillis }[];
}

export const UPDATES = 'firmware';

export function isOpen({ state }: Pick<UpdateJob, 'state'>): boolean {
  return state === 'scheduled' || state === 'downloading' || state === 'swapping';
}

/** The job in another state, or just further on in the same. */
export function moved(job: UpdateJob, at: UnixMillis, change: Partial<UpdateJob>): UpdateJob {
  const state = change.state ?? job.state;
  const timeline = state === job.state ? job.timeline : [...job.timeline, { state, at }];
  return { ...job, ...change, updatedAt: at, timeline };
}

/** Writes a new job. A device has one open update at most: another one is refused as a conflict. */
export function putJob(job: UpdateJob): Change {
  return { kind: 'record.put', row: rowOf(job) };
}

/** Moves a job on, unless a user or another service has done so meanwhile: see `untilUndisturbed`. */
export function changeJob(before: UpdateJob, after: UpdateJob): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

function rowOf(job: UpdateJob): RecordRow {
  const { id, spaceId, scheduledAt: createdAt, ...body } = job;
  const key = isOpen(job) ? job.deviceId : null;
  return { family: UPDATES, id, spaceId, key, createdAt, dueAt: null, body };
}

export function jobOf({ id, spaceId, createdAt, body }: RecordRow): UpdateJob {
  // Because every record of this family was made by rowOf.
  return {
    ...(body as Omit<UpdateJob, 'id' | 'spaceId' | 'scheduledAt'>),
    id,
    spaceId: spaceId ?? '',
    scheduledAt: createdAt,
  };
}
