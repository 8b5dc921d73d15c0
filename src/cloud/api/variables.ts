/** Variables: named values of a space or of one of its devices (cloud C-36). */

import type { FastifyReply } from 'fastify';
import type { Static } from 'typebox';
import { bytesOf, MOST_VARIABLES } from '../../contract/limits.js';
import { SpaceParams } from '../../contract/values.js';
import { NewVariable, Variable, VariableParams, VariableQuery, VariableUpdate } from '../../contract/variables.js';
import { isoTime } from '../../kernel/calendar.js';
import {
  changeVariable,
  deleteVariable,
  findVariable,
  isTooMuch,
  putVariable,
  readVariables,
  toVariable,
  type Variable as VariableRecord,
} from '../connectors/variables.js';
import { ApiFault, notFound, unknownId } from '../http/errors.js';
import { NoContent, operation, PageOf, type Routes } from '../http/operation.js';
import { matchingRecords } from '../store/records.js';
import { type Change, ConflictError, type Id, type RecordRow } from '../store/store.js';
import { tenantOf } from '../store/tenants.js';
import type { ApiContext, Family } from './family.js';
import { needSame } from './fixed-fields.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { sendPage } from './pages.js';

const LOCKED = { 423: 'The variable is locked.' };
const TAKEN_OR_FULL = {
  409:
    'A variable with this name already exists for the same device and environment. Or the device, or the space itself, ' +
    `would have more than ${MOST_VARIABLES.count} variables, or ${MOST_VARIABLES.bytes / 1024} KiB of their names and values ` +
    '(`quota`).',
};

export const variables: Family = (routes, context) => {
  const resource = variableResource(context);
  addCollection(routes, context, resource);
  addItem(routes, context, resource);
  addLocking(routes, context, resource);
};

const COLLECTION = '/spaces/:space_id/variables';
const ITEM = '/spaces/:space_id/variables/:id';

function addCollection(routes: Routes, context: ApiContext, resource: VariableResource): void {
  const { store, clock, ids, changes } = context;
  routes.get(
    COLLECTION,
    operation({
      tag: 'Variables',
      id: 'listVariables',
      summary: 'List variables',
      description: 'Filters match whole values.',
      params: SpaceParams,
      querystring: VariableQuery,
      response: { 200: PageOf(Variable) },
    }),
    async (request, reply) => {
      const { spaceId, query } = request;
      const { device_id: deviceId, name, environment, secure } = query;
      const matches = (row: RecordRow) => {
        const variable = toVariable(row);
        return (
          (deviceId === undefined || variable.deviceId === deviceId) &&
          (name === undefined || variable.name === name.trim()) &&
          (environment === undefined || variable.environment === environment) &&
          (secure === undefined || variable.secure === (secure === 'true'))
        );
      };
      return sendPage(context, request, reply, {
        read: (page) => matchingRecords(store, 'variable', spaceId, page, matches),
        views: (rows) => rows.map((row) => view(toVariable(row))),
      });
    },
  );

  routes.post(
    COLLECTION,
    operation({
      tag: 'Variables',
      id: 'createVariable',
      summary: 'Create a variable',
      description:
        'Without `device_id`, the variable belongs to the space. The value of a secure variable is never returned.',
      params: SpaceParams,
      headers: IdempotencyHeaders,
      body: NewVariable,
      response: { 201: Variable },
      errors: { ...TAKEN_OR_FULL, ...IDEMPOTENCY_ERRORS },
    }),
    async (request, reply) => {
      const { spaceId, body } = request;
      const variable: VariableRecord = {
        id: ids.uuid(),
        spaceId,
        deviceId: await resource.knownDevice(spaceId, body.device_id?.toLowerCase() ?? null),
        name: body.name.trim(),
        value: body.value,
        environment: body.environment?.trim() ?? null,
        comment: body.comment ?? null,
        secure: body.secure ?? false,
        locked: false,
        createdAt: Math.floor(clock.wall),
      };
      const answer = view(variable);
      const needed: readonly Change[] =
        variable.deviceId === null ? [] : [{ kind: 'device.need', id: variable.deviceId }];
      await changes.run(reply, variablesOf(variable), async () => {
        await resource.needRoom(variable);
        await resource.commit(variable.name, [...needed, ...request.receipt(answer), putVariable(variable)]);
      });
      return reply.code(201).send(answer);
    },
  );
}

function addItem(routes: Routes, { store }: ApiContext, resource: VariableResource): void {
  routes.get(
    ITEM,
    operation({
      tag: 'Variables',
      id: 'getVariable',
      summary: 'Read a variable',
      description: 'The value of a secure variable is null.',
      params: VariableParams,
      response: { 200: Variable },
    }),
    async ({ spaceId, params }) => view(await resource.find(spaceId, params.id)),
  );

  routes.put(
    ITEM,
    operation({
      tag: 'Variables',
      id: 'updateVariable',
      summary: 'Change a variable',
      description:
        'A secure variable can be made visible only together with a new `value`. The `device_id` cannot be changed.',
      params: VariableParams,
      body: VariableUpdate,
      response: { 200: Variable },
      errors: { ...TAKEN_OR_FULL, ...LOCKED },
    }),
    ({ spaceId, params, body }, reply) =>
      resource.change(reply, spaceId, params.id, async (before) => {
        needUnlocked(before);
        const why = 'a variable cannot be moved: delete it, and create one there';
        needSame(body, { field: 'device_id', is: before.deviceId, why, code: 'device-fixed' });
        if (before.secure && body.secure === false && (body.value ?? null) === null) {
          throw new ApiFault(
            400,
            'body needs "value": a secure variable can be made visible only together with a new value',
            'secure-variable',
          );
        }
        const variable: VariableRecord = {
          ...before,
          name: body.name?.trim() ?? before.name,
          value: body.value ?? before.value,
          environment: body.environment === undefined ? before.environment : (body.environment?.trim() ?? null),
          comment: body.comment === undefined ? before.comment : body.comment,
          secure: body.secure ?? before.secure,
        };
        await resource.needRoom(variable, before);
        await resource.commit(variable.name, [changeVariable(before, variable)]);
        return view(variable);
      }),
  );

  routes.delete(
    ITEM,
    operation({
      tag: 'Variables',
      id: 'deleteVariable',
      summary: 'Delete a variable',
      description: 'Scripts that read it get no value from now on.',
      params: VariableParams,
      response: { 204: NoContent },
      errors: LOCKED,
    }),
    ({ spaceId, params }, reply) =>
      resource.change(reply, spaceId, params.id, async (variable) => {
        needUnlocked(variable);
        // The first change fails the commit if the variable has been locked since it was read.
        await store.commit([changeVariable(variable, variable), deleteVariable(variable.id)]);
        return reply.code(204).send();
      }),
  );
}

/** Adds the routes that lock and unlock one variable, by POST or by PUT. */
function addLocking(routes: Routes, { store }: ApiContext, resource: VariableResource): void {
  for (const [action, locked, summary, description] of [
    ['lock', true, 'Lock a variable against changes', 'A locked variable can neither be changed nor deleted.'],
    ['unlock', false, 'Unlock a variable', 'It can be changed and deleted again.'],
  ] as const) {
    const described = (id: string) =>
      operation({ tag: 'Variables', id, summary, description, params: VariableParams, response: { 200: Variable } });
    const path = `${ITEM}/${action}`;
    const handle = (reply: FastifyReply, spaceId: Id, id: Id) =>
      resource.change(reply, spaceId, id, async (before) => {
        const variable = { ...before, locked };
        await store.commit([changeVariable(before, variable)]);
        return view(variable);
      });
    routes.post(path, described(`${action}Variable`), ({ spaceId, params }, reply) =>
      handle(reply, spaceId, params.id),
    );
    routes.put(path, described(`${action}VariableByPut`), ({ spaceId, params }, reply) =>
      handle(reply, spaceId, params.id),
    );
  }
}

/** The variables of a device, or of the space itself, change one after another: they have limits together. */
function variablesOf({ spaceId, deviceId }: VariableRecord): string {
  return `variable/${spaceId}/${deviceId}`;
}

function needUnlocked({ name, locked }: VariableRecord): void {
  if (locked) throw new ApiFault(423, `variable "${name}" is locked: unlock it first`, 'locked');
}

type VariableResource = ReturnType<typeof variableResource>;

/** Functions that several routes share: finding a variable or its device, its room, and the commit (409 if the name is taken). */
function variableResource({ store, turns, changes }: ApiContext) {
  return { find, change, knownDevice, needRoom, commit };

  /** Runs `work`, which commits a change of the variable, in the turn of the variables of its owner. */
  async function change<T>(
    reply: FastifyReply,
    spaceId: Id,
    id: Id,
    work: (before: VariableRecord) => Promise<T>,
  ): Promise<T> {
    const owner = variablesOf(await find(spaceId, id));
    return changes.run(reply, owner, async () => work(await find(spaceId, id)));
  }

  /**
   * @param before undefined: a new variable
   * @throws ApiFault 409 `quota` if its device, or the space, would have too many variables
   */
  async function needRoom(after: VariableRecord, before?: VariableRecord): Promise<void> {
    const more = { count: before ? 0 : 1, bytes: bytesOf(after) - (before ? bytesOf(before) : 0) };
    if (more.count === 0 && more.bytes <= 0) return;
    const { spaceId, deviceId } = after;
    const tenant = await tenantOf(store, spaceId);
    const stored = await readVariables({ store, turn: () => turns.next(tenant) }, spaceId, deviceId);
    if (isTooMuch({ count: stored.count + more.count, bytes: stored.bytes + more.bytes })) throw quotaFault(deviceId);
  }

  async function find(spaceId: Id, id: Id): Promise<VariableRecord> {
    const variable = await findVariable(store, spaceId, id);
    if (!variable) throw notFound('variable');
    return variable;
  }

  async function knownDevice(spaceId: Id, id: Id | null): Promise<Id | null> {
    if (id !== null && !(await store.device(spaceId, id))) {
      throw unknownId('body/device_id', id, 'a device');
    }
    return id;
  }

  async function commit(name: string, changes: readonly Change[]): Promise<void> {
    try {
      await store.commit(changes);
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.field === 'record-key';
      throw isTaken
        ? new ApiFault(409, `a variable "${name}" already exists for this device and environment`, 'name-taken')
        : error;
    }
  }
}

function quotaFault(deviceId: Id | null): ApiFault {
  const { count, bytes } = MOST_VARIABLES;
  const owner = deviceId === null ? 'space itself' : 'device';
  const most = `${count} variables, or ${bytes / 1024} KiB of their names and values`;
  return new ApiFault(409, `the ${owner} would have more than ${most}, which is the maximum; delete some`, 'quota');
}

function view(variable: VariableRecord): Static<typeof Variable> {
  return {
    id: variable.id,
    space_id: variable.spaceId,
    device_id: variable.deviceId,
    name: variable.name,
    value: variable.secure ? null : variable.value,
    environment: variable.environment,
    comment: variable.comment,
    secure: variable.secure,
    locked: variable.locked,
    created_at: isoTime(variable.createdAt),
  };
}
