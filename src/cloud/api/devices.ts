/** Registers, reads, changes and removes devices (cloud C-10, C-22). Claim tokens and secrets are write-only. */

import type { Static } from 'typebox';
import { Device, DeviceParams, DeviceUpdate, NewDevice, serialOf } from '../../contract/devices.js';
import { SpaceParams } from '../../contract/values.js';
import { variablesOfDevice } from '../connectors/variables.js';
import { readJsonBody } from '../http/body.js';
import { ApiFault } from '../http/errors.js';
import { NoContent, operation, type Routes } from '../http/operation.js';
import { checker } from '../http/validation.js';
import { makeNewDevice } from '../store/new-device.js';
import { serialText } from '../store/order.js';
import { type Change, ConflictError, type DeviceChange, type DeviceRow, type Id } from '../store/store.js';
import { type Caller, needWholeSpace, needWritableTag, visibleDevice } from './access.js';
import { changedMeanwhile, conditionErrors, conditionHeaders, versionIn } from './condition.js';
import type { CloudContext } from './context.js';
import { deviceViews } from './device-view.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { namesOf } from './names.js';
import { knownTags } from './tags.js';

const TAKEN = {
  409: 'Another device has this serial number or this claim token; both are unique across all spaces (`device-taken`).',
} as const;

export const devices: Family = (routes, context, options) => {
  const resource = deviceResource(context, options);
  addRegistration(routes, context, resource);
  addItem(routes, context, resource);
  addRemoval(routes, context);
};

const COLLECTION = '/spaces/:space_id/devices';
const ITEM = '/spaces/:space_id/devices/:id';

function addRegistration(routes: Routes, context: ApiContext, resource: DeviceResource): void {
  const register = registration(context, resource);
  routes.post(
    COLLECTION,
    operation({
      tag: 'Devices',
      id: 'createDevice',
      summary: 'Register a device',
      description:
        'The serial number and the claim token are on the label of the device. From now on, the service accepts its messages.',
      params: SpaceParams,
      headers: IdempotencyHeaders,
      body: NewDevice,
      response: { 201: Device },
      errors: { ...TAKEN, ...IDEMPOTENCY_ERRORS },
    }),
    async (request, reply) => {
      const answer = await register(request, request.body, (device) => request.receipt(device));
      return reply.code(201).send(answer);
    },
  );
}

type Body = Static<typeof NewDevice>;

/** The work of the route. @returns a function whose `receipt` adds changes to the commit, from the answer */
function registration({ store, clock, ids, downlinks }: CloudContext, resource: DeviceResource) {
  return async (caller: Caller, body: Body, receipt: (answer: unknown) => readonly Change[]) => {
    const serial = serialOf(body.serial_number) ?? 0;
    const row = makeNewDevice({
      ...{ id: ids.ofDevice(serial), spaceId: caller.spaceId, serial, token: body.token.toLowerCase() },
      createdAt: Math.floor(clock.wall),
      ...(await resource.changeOf(caller, body)),
    });
    await needWritableTag(store, caller, row.tagIds);
    const answer = await resource.view(caller, row);
    const secret = resource.secretChange(row, body.secret);
    await resource.commit([...receipt(answer), { kind: 'device.insert', row }, ...secret]);
    resource.noteName(body.name);
    await downlinks.forget(serial);
    return answer;
  };
}

/** Registers a device in a space. @param device body of a request @throws ApiFault as the route answers */
export type RegisterDevice = (spaceId: Id, device: unknown) => Promise<Static<typeof Device>>;

/**
 * Registration with the checks and the work of the route, but without HTTP: for the process of the service, which may change
 * every space.
 */
export function deviceRegistration(context: CloudContext, options: Pick<ApiOptions, 'strictNames'>): RegisterDevice {
  const register = registration(context, deviceResource(context, options));
  const check = checker(NewDevice, 'body');
  return async (spaceId, device) => {
    const read = readJsonBody(JSON.stringify(device), 'body');
    const checked = 'value' in read ? check(read.value) : { error: read.fault };
    if ('error' in checked) throw checked.error;
    const access = { userId: null, keyId: null, boundTo: spaceId, role: 'admin', scope: null } as const;
    return register({ spaceId, access }, checked.value, () => []);
  };
}

function addItem(routes: Routes, { store, downlinks }: ApiContext, resource: DeviceResource): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Devices',
      id: 'getDevice',
      summary: 'Read a device',
      description:
        'With its tags, and what it reported when its session began. Claim token and secret are never returned.',
      params: DeviceParams,
      response: { 200: Device },
    }),
    async (request) => resource.view(request, await visibleDevice(store, request, request.params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Devices',
      id: 'updateDevice',
      summary: 'Change a device',
      description:
        '`tags` and `label` replace the whole set; so send `If-Match` with the `version` on which they are based. `token` is for a repaired device; the old claim token becomes invalid ' +
        'immediately. `token` and `secret` need a key of the whole space. The serial number cannot be changed.',
      params: DeviceParams,
      headers: conditionHeaders('device'),
      body: DeviceUpdate,
      response: { 200: Device },
      errors: { ...TAKEN, ...conditionErrors('device') },
    }),
    async (request) => {
      const { body } = request;
      const was = versionIn(request.headers['if-match']);
      const before = await visibleDevice(store, request, request.params.id);
      const { id, serial, tagIds } = before;
      await needWritableTag(store, request, tagIds);
      needSameSerial(body, serial);
      if (body.token !== undefined || body.secret !== undefined) needWholeSpace(request);
      const change = await resource.changeOf(request, body);
      if (change.tagIds) await needWritableTag(store, request, change.tagIds);
      const within = request.access.scope ?? undefined;
      const secret = resource.secretChange(before, body.secret);
      await resource.commit([{ kind: 'device.change', id, change, within, was }, ...secret]);
      resource.noteName(body.name);
      await downlinks.forget(serial);
      return resource.view(request, await visibleDevice(store, request, id));
    },
  );
}

/** A client may send the device as it has read it. @throws ApiFault 400 if the body has another serial number */
function needSameSerial(body: object, serial: number): void {
  const given = 'serial_number' in body ? body.serial_number : undefined;
  if (given === undefined || given === null || serialOf(String(given)) === serial) return;
  const why = 'the serial number of a device cannot be changed';
  throw new ApiFault(400, `body/serial_number is not ${serialText(serial)}: ${why}`, 'serial-number-fixed');
}

function addRemoval(routes: Routes, { store, clock, downlinks, firmware, changes }: ApiContext): void {
  routes.delete(
    ITEM,
    operation({
      tag: 'Devices',
      id: 'deleteDevice',
      summary: 'Remove a device',
      description:
        'Cancels its pending downlinks and its firmware update, deletes its variables, and hides its messages from lists.',
      params: DeviceParams,
      response: { 204: NoContent },
    }),
    async (request, reply) => {
      const device = await visibleDevice(store, request, request.params.id);
      const { id, spaceId, tagIds } = device;
      await needWritableTag(store, request, tagIds);
      const cancelled = await changes.run(reply, `device/${id}`, async () => {
        const pending = await store.pendingDownlinks(id);
        await store.commit([
          // First: what another request adds to the device from now on is rejected, and what it has added is found.
          { kind: 'device.delete', id, at: Math.floor(clock.wall) },
          ...(await firmware.prepareRemoval(device)),
          { kind: 'record.delete', family: 'secret', id },
          ...(await variablesOfDevice({ store }, spaceId, id)),
        ]);
        return pending;
      });
      await downlinks.noteDeleted(device, cancelled);
      return reply.code(204).send();
    },
  );
}

type DeviceResource = ReturnType<typeof deviceResource>;

/** What several routes share: a change from a body, the view, the commit (409 if taken), and the secret. */
function deviceResource({ store, clock, log }: CloudContext, options: Pick<ApiOptions, 'strictNames'>) {
  const names = namesOf('device', log, options);

  return { changeOf, view, commit, secretChange, noteName: names.note };

  /** The change that a body asks for. @throws ApiFault 400 if it names a tag that the caller does not see */
  async function changeOf(
    { spaceId, access: { scope } }: Caller,
    body: Static<typeof DeviceUpdate>,
  ): Promise<DeviceChange> {
    const change: { -readonly [Field in keyof DeviceChange]: DeviceChange[Field] } = {};
    if (body.name !== undefined) change.name = names.read(body.name);
    if (body.token !== undefined) change.token = body.token.toLowerCase();
    if (body.external_id !== undefined) change.externalId = body.external_id;
    if (body.comment !== undefined) change.comment = body.comment;
    if (body.label !== undefined) change.label = body.label;
    if (body.tags !== undefined) {
      change.tagIds = await knownTags(store, spaceId, body.tags, (id) => scope === null || scope.includes(id));
    }
    return change;
  }

  async function view(caller: Caller, row: DeviceRow) {
    const [only] = await deviceViews({ store, clock }, caller)([row]);
    // One row has one view.
    return only as Static<typeof Device>;
  }

  async function commit(changes: readonly Change[]): Promise<void> {
    try {
      await store.commit(changes);
    } catch (error) {
      if (error instanceof ConflictError && error.field === 'device-version') {
        throw changedMeanwhile('device');
      }
      const isTaken = error instanceof ConflictError && (error.field === 'serial' || error.field === 'token');
      // The answer reveals neither which of the two is taken nor in which space: the other device may belong to another tenant.
      throw isTaken
        ? new ApiFault(409, 'another device has this serial number or this claim token', 'device-taken')
        : error;
    }
  }

  /** Changes that store or delete the DTLS key. The key has a record of its own, so that no view of a device can contain it. */
  function secretChange({ id, spaceId }: DeviceRow, secret: string | null | undefined): readonly Change[] {
    if (secret === undefined) return [];
    if (secret === null) return [{ kind: 'record.delete', family: 'secret', id }];
    const body = { type: 'psk', secret: secret.toLowerCase() };
    const createdAt = Math.floor(clock.wall);
    return [
      { kind: 'device.need', id },
      { kind: 'record.put', row: { family: 'secret', id, spaceId, key: null, createdAt, dueAt: null, body } },
    ];
  }
}
