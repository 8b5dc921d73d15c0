/** Devices (device cloud API, "Devices"; cloud API gaps, 2.6 and 3.3). Claim tokens come in and never go out. */
import Type, { type Static } from 'typebox';
import { serialText } from '../store/order.js';
import {
  ConflictError,
  DEVICE_SORTS,
  type DeviceChange,
  type DeviceFilter,
  type DeviceRow,
  type Id,
} from '../store/store.js';
import { ApiFault, notFound } from './errors.js';
import type { Family } from './family.js';
import { followsNamingRule, ItemParams, Name, NullableText, PageQuery, SpaceParams, Uuid } from './schemas.js';
import { tagViews } from './tags.js';
import { isoTime, isoTimeOrNull } from './time.js';

const Text = Type.String({ description: 'one text' });
const FilterQuery = {
  name: Type.Optional(Text),
  serial_number: Type.Optional(Text),
  external_id: Type.Optional(Text),
  tag_ids: Type.Optional(Type.Array(Uuid, { maxItems: 100, description: 'a list of at most 100 ids of tags' })),
  tag_filter_logic: Type.Optional(Type.Enum(['any', 'all'], { default: 'any', description: '"any" or "all"' })),
};
const CountQuery = Type.Object(FilterQuery);
const ListQuery = Type.Object({
  ...PageQuery,
  ...FilterQuery,
  sort_by: Type.Optional(Type.Enum([...DEVICE_SORTS], { description: `one of ${DEVICE_SORTS.join(', ')}` })),
  order_by: Type.Optional(Type.Enum(['asc', 'desc'], { description: '"asc" or "desc"' })),
});

const UpdateFields = {
  name: Type.Optional(Name),
  external_id: Type.Optional(NullableText(255)),
  comment: Type.Optional(NullableText(500)),
  label: Type.Optional(
    Type.Refine(
      Type.Record(Type.String(), Type.String(), {
        description: 'an object of at most 64 texts (names up to 64 characters, values up to 1024)',
      }),
      isLabel,
    ),
  ),
  tags: Type.Optional(
    Type.Array(Type.Object({ id: Uuid }, { description: 'an object with the id of a tag' }), {
      maxItems: 100,
      description: 'a list of at most 100 objects with the id of a tag each',
    }),
  ),
};
const DeviceUpdate = Type.Object(UpdateFields, { description: 'a JSON object' });

const NewDevice = Type.Object(
  {
    ...UpdateFields,
    name: Name,
    serial_number: Type.Refine(
      Type.Union([Type.String(), Type.Integer()], { description: 'ten decimal digits from 0000000001 to 4294967295' }),
      (value) => serialOf(value) !== undefined,
    ),
    token: Type.String({
      pattern: '^[0-9a-fA-F]{32}$',
      description: 'a claim token of 32 hex digits',
      writeOnly: true,
    }),
  },
  { description: 'a JSON object' },
);

export const devices: Family = (routes, { store, clock, ids, downlinks, log }) => {
  const collection = '/spaces/:space_id/devices';
  const item = '/spaces/:space_id/devices/:id';

  routes.get(collection, { schema: { params: SpaceParams, querystring: ListQuery } }, async (request, reply) => {
    const { spaceId, query } = request;
    const { limit = 100, offset: after, sort_by: sortBy = 'id', order_by: order = 'asc' } = query;
    const filter = filterOf(query);
    const rows = await store.devices(spaceId, { ...filter, limit, after, sortBy, order });
    if (rows === 'unknown-cursor')
      throw new ApiFault(400, `querystring/offset "${after}" is not a device of this space`);
    const isAll = after === undefined && rows.length < limit;
    reply.header('x-total', isAll ? rows.length : await store.countDevices(spaceId, filter));
    return views(spaceId, rows);
  });

  routes.get(`${collection}/count`, { schema: { params: SpaceParams, querystring: CountQuery } }, async (request) => ({
    count: await store.countDevices(request.spaceId, filterOf(request.query)),
  }));

  routes.post(collection, { schema: { params: SpaceParams, body: NewDevice } }, async (request, reply) => {
    const { spaceId, body } = request;
    const serial = serialOf(body.serial_number) ?? 0;
    const row: DeviceRow = {
      id: ids.uuid(),
      spaceId,
      name: '',
      comment: null,
      serial,
      token: body.token.toLowerCase(),
      externalId: null,
      label: {},
      tagIds: [],
      createdAt: Math.floor(clock.wall),
      lastSeen: null,
      sessionId: null,
      session: null,
      configHash: null,
      decoderHash: null,
      encoderHash: null,
      ...(await changeOf(spaceId, body)),
    };
    try {
      await store.commit([{ kind: 'device.insert', row }]);
    } catch (error) {
      if (error instanceof ConflictError) throw new ApiFault(409, `the serial number "${serialText(serial)}" is taken`);
      throw error;
    }
    await downlinks.forget(serial);
    return reply.code(201).send(await view(row));
  });

  routes.get(item, { schema: { params: ItemParams } }, async (request) =>
    view(await find(request.spaceId, request.params.id)),
  );

  routes.put(item, { schema: { params: ItemParams, body: DeviceUpdate } }, async ({ spaceId, params, body }) => {
    const { id, serial } = await find(spaceId, params.id);
    await store.commit([{ kind: 'device.change', id, change: await changeOf(spaceId, body) }]);
    await downlinks.forget(serial);
    return view(await find(spaceId, id));
  });

  routes.delete(item, { schema: { params: ItemParams } }, async (request, reply) => {
    const { id, serial } = await find(request.spaceId, request.params.id);
    await store.commit([{ kind: 'device.delete', id, at: Math.floor(clock.wall) }]);
    await downlinks.forget(serial);
    return reply.code(204).send();
  });

  async function find(spaceId: Id, id: Id): Promise<DeviceRow> {
    const row = await store.device(spaceId, id);
    if (!row) throw notFound('device');
    return row;
  }

  /** What a body sets. @throws ApiFault 400 when it names a tag that the space does not have */
  async function changeOf(spaceId: Id, body: Static<typeof DeviceUpdate>): Promise<DeviceChange> {
    const change: { -readonly [Field in keyof DeviceChange]: DeviceChange[Field] } = {};
    if (body.name !== undefined) {
      change.name = body.name.trim();
      if (!followsNamingRule(change.name))
        log.warn({ name: change.name }, 'the name of a device breaks the naming rule');
    }
    if (body.external_id !== undefined) change.externalId = body.external_id;
    if (body.comment !== undefined) change.comment = body.comment;
    if (body.label !== undefined) change.label = body.label;
    if (body.tags !== undefined) {
      const tagIds = body.tags.map((tag) => tag.id.toLowerCase());
      const known = await tagViews(store, spaceId, tagIds);
      const problems = tagIds.flatMap((id, i) =>
        known.has(id) ? [] : [`body/tags/${i}/id "${id}" is not a tag of this space`],
      );
      if (problems.length > 0) throw new ApiFault(400, problems.join('; '));
      change.tagIds = [...known.keys()];
    }
    return change;
  }

  async function view(row: DeviceRow) {
    const [only] = await views(row.spaceId, [row]);
    return only;
  }

  async function views(spaceId: Id, rows: readonly DeviceRow[]) {
    const tags = await tagViews(
      store,
      spaceId,
      rows.flatMap((row) => row.tagIds),
    );
    return rows.map((row) => ({
      id: row.id,
      space_id: row.spaceId,
      name: row.name,
      comment: row.comment,
      serial_number: serialText(row.serial),
      external_id: row.externalId,
      label: row.label,
      tags: row.tagIds.flatMap((id) => tags.get(id) ?? []),
      created_at: isoTime(row.createdAt),
      last_seen: isoTimeOrNull(row.lastSeen),
      session_id: row.sessionId,
      config_hash: row.configHash,
      decoder_hash: row.decoderHash,
      encoder_hash: row.encoderHash,
      session: row.session,
      dashboard_type: null,
    }));
  }
};

function isLabel(label: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.entries(label);
  // The schema alone would let a number pass under a name with a line break, which its pattern does not match.
  return entries.length <= 64 && entries.every(([name, value]) => name.length <= 64 && isShort(value));
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 1024;
}

/** Undefined when it is no serial number. */
function serialOf(value: string | number): number | undefined {
  const text = String(value);
  const serial = Number(text);
  return /^\d{10}$/.test(text) && serial >= 1 && serial <= 0xffff_ffff ? serial : undefined;
}

function filterOf(query: Static<typeof CountQuery>): DeviceFilter {
  return {
    name: query.name,
    serial: query.serial_number,
    externalId: query.external_id,
    tagIds: query.tag_ids,
    tagLogic: query.tag_filter_logic,
  };
}
