/** Firmware updates of devices (cloud C-37). src/cloud/firmware/updates.ts decides their states. */

import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { DeviceParams } from '../../contract/devices.js';
import {
  DeviceUpdatesQuery,
  FirmwareUpdate,
  NewFirmwareUpdate,
  NewFirmwareUpdateOfDevice,
  UpdateParams,
  type UpdateState,
  UpdatesQuery,
} from '../../contract/firmware.js';
import { SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { jobOf, UPDATES, type UpdateJob } from '../firmware/job.js';
import { firmwareId } from '../firmware/updates.js';
import { ApiFault, notFound, unknownId } from '../http/errors.js';
import { operation, PageOf, type Routes } from '../http/operation.js';
import { everyRecord } from '../store/records.js';
import { ConflictError, type DeviceRow, type Id, type Page } from '../store/store.js';
import { type Caller, deviceInBody, needWritableTag, visibleDevice } from './access.js';
import { addCancelling } from './cancelling.js';
import type { ApiContext, Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { sendPage } from './pages.js';

type Creating = Caller & Pick<FastifyRequest, 'receipt'>;

/** The common part of the two operations that schedule an update. */
const SCHEDULING = {
  tag: 'Firmware',
  headers: IdempotencyHeaders,
  response: { 201: FirmwareUpdate },
  errors: { ...IDEMPOTENCY_ERRORS, 409: 'The device has another update that has not ended.' },
} as const;

export const firmware: Family = (routes, context) => {
  const resource = updateResource(context);
  addOfSpace(routes, context, resource);
  addOfDevice(routes, context, resource);
};

const COLLECTION = '/spaces/:space_id/firmware';
const OF_DEVICE = '/spaces/:space_id/devices/:id/firmware';

function addOfSpace(routes: Routes, context: ApiContext, resource: UpdateResource): void {
  const { store } = context;
  routes.get(
    COLLECTION,
    operation({
      tag: 'Firmware',
      id: 'listFirmwareUpdates',
      summary: 'List firmware updates',
      description: 'Unfinished and finished updates of all devices.',
      params: SpaceParams,
      querystring: UpdatesQuery,
      response: { 200: PageOf(FirmwareUpdate) },
    }),
    async (request, reply) => {
      const { device_id: deviceId, state } = request.query;
      return sendPage(context, request, reply, {
        read: (page) => resource.list(request, { deviceId, state }, page),
        views: (jobs) => jobs.map(updateView),
      });
    },
  );

  routes.post(
    COLLECTION,
    operation({
      ...SCHEDULING,
      id: 'createFirmwareUpdate',
      summary: 'Schedule a firmware update of a device',
      description: 'The device downloads the image in chunks, from its next contact on.',
      params: SpaceParams,
      body: NewFirmwareUpdate,
    }),
    async (request, reply) => {
      const { device_id: deviceId, firmware_id: id } = request.body;
      const device = await deviceInBody(store, request, deviceId);
      return reply.code(201).send(await resource.schedule(request, device, id));
    },
  );

  routes.get(
    `${COLLECTION}/:id`,
    operation({
      tag: 'Firmware',
      id: 'getFirmwareUpdate',
      summary: 'Read a firmware update',
      description: 'With its progress and the times of its states.',
      params: UpdateParams,
      response: { 200: FirmwareUpdate },
    }),
    async (request) => updateView(await resource.find(request, request.params.id)),
  );

  addCancelling(routes, `${COLLECTION}/:id`, {
    tag: 'Firmware',
    what: 'a firmware update',
    noun: 'FirmwareUpdate',
    description: 'The device keeps its present firmware.',
    params: UpdateParams,
    view: FirmwareUpdate,
    tooLate: 'The device is already swapping its images, or the update has ended.',
    cancel: resource.cancel,
    read: async (request, id) => updateView(await resource.find(request, id)),
  });
}

function addOfDevice(routes: Routes, context: ApiContext, resource: UpdateResource): void {
  const { store } = context;
  routes.get(
    OF_DEVICE,
    operation({
      tag: 'Firmware',
      id: 'listFirmwareUpdatesOfDevice',
      summary: 'List firmware updates of a device',
      description: 'Unfinished and finished updates of one device.',
      params: DeviceParams,
      querystring: DeviceUpdatesQuery,
      response: { 200: PageOf(FirmwareUpdate) },
    }),
    async (request, reply) => {
      const { id: deviceId } = await visibleDevice(store, request, request.params.id);
      const { state } = request.query;
      return sendPage(context, request, reply, {
        read: (page) => resource.list(request, { deviceId, state }, page),
        views: (jobs) => jobs.map(updateView),
      });
    },
  );

  routes.post(
    OF_DEVICE,
    operation({
      ...SCHEDULING,
      id: 'createFirmwareUpdateOfDevice',
      summary: 'Schedule a firmware update of this device',
      description: 'The device downloads the image in chunks, from its next contact on.',
      params: DeviceParams,
      body: NewFirmwareUpdateOfDevice,
    }),
    async (request, reply) => {
      const device = await visibleDevice(store, request, request.params.id);
      return reply.code(201).send(await resource.schedule(request, device, request.body.firmware_id));
    },
  );
}

type UpdateResource = ReturnType<typeof updateResource>;

/** Functions that several routes share: scheduling, cancelling, listing and finding updates. */
function updateResource({ store, firmware: updates }: ApiContext) {
  return { schedule, cancel, list, find };

  async function schedule(request: Creating, device: DeviceRow, identifier: string) {
    await needWritableTag(store, request, device.tagIds);
    const image = await updates.images.find(request.spaceId, firmwareId(identifier) ?? '');
    if (!image) throw unknownId('body/firmware_id', identifier, 'a firmware image');
    try {
      return updateView(await updates.schedule(device, image, (job) => request.receipt(updateView(job))));
    } catch (error) {
      if (error instanceof ConflictError && error.field === 'record-key')
        throw new ApiFault(409, 'the device has another update that has not ended', 'update-open');
      throw error;
    }
  }

  async function cancel(request: Caller, id: Id): Promise<void> {
    const job = await find(request, id);
    const device = await visibleDevice(store, request, job.deviceId);
    await needWritableTag(store, request, device.tagIds);
    if ((await updates.cancel(job)) === 'too-late')
      throw new ApiFault(
        409,
        'the update cannot be cancelled: the device is already swapping its images, or the update has ended',
        'too-late',
      );
  }

  async function list(request: Caller, filter: UpdateFilter, { limit, after }: Page): Promise<readonly UpdateJob[]> {
    const found: UpdateJob[] = [];
    for await (const row of everyRecord(store, UPDATES, request.spaceId, after)) {
      const job = jobOf(row);
      if (!isWanted(job, filter) || !(await isVisible(request, job))) continue;
      found.push(job);
      if (found.length === limit) break;
    }
    return found;
  }

  /** Updates of deleted devices are visible only to callers that see the whole space. */
  async function isVisible(request: Caller, job: UpdateJob): Promise<boolean> {
    const { scope } = request.access;
    if (scope === null) return true;
    const device = await store.device(request.spaceId, job.deviceId);
    return device?.tagIds.some((id) => scope.includes(id)) ?? false;
  }

  async function find(request: Caller, id: Id): Promise<UpdateJob> {
    const row = await store.record(UPDATES, request.spaceId, id);
    const job = row && jobOf(row);
    if (!job || !(await isVisible(request, job))) throw notFound('firmware update');
    return job;
  }
}

interface UpdateFilter {
  readonly deviceId: Id | undefined;
  readonly state: UpdateState | undefined;
}

function isWanted(job: UpdateJob, { deviceId, state }: UpdateFilter): boolean {
  return (deviceId === undefined || job.deviceId === deviceId) && (state === undefined || job.state === state);
}

export function updateView(job: UpdateJob): Static<typeof FirmwareUpdate> {
  return {
    id: job.id,
    space_id: job.spaceId,
    device_id: job.deviceId,
    firmware_id: job.firmwareId,
    target: 'app',
    bundle: job.bundle,
    name: job.name,
    version: job.version,
    size: job.size,
    offset: job.offset,
    state: job.state,
    error: job.error,
    scheduled_at: isoTime(job.scheduledAt),
    updated_at: isoTime(job.updatedAt),
    timeline: job.timeline.map(({ state, at }) => ({ state, at: isoTime(at) })),
  };
}
