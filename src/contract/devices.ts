/** Devices, their lists and their summaries (cloud C-10, C-22). */
import Type from 'typebox';
import { HEALTHS } from './health.js';
import { hasAtMost } from './limits.js';
import { TAG_EXAMPLE, TAG_REFS_EXAMPLE, Tag, TagRefs } from './tags.js';
import {
  Answer,
  Body,
  Comment,
  CreatedAt,
  EXAMPLE,
  Field,
  Hash,
  ItemParams,
  Limit,
  NewComment,
  NewName,
  Nullable,
  NullableText,
  OwnId,
  OwnName,
  PageFields,
  PageOffset,
  Serial,
  SpaceId,
  Text,
  Time,
  UUID_PATTERN,
  Uuid,
} from './values.js';

const SERIAL_NUMBER = 'Serial number on the label of the device.';
const EXTERNAL_ID = 'Id of the device in your own system. Default: null.';
const LABEL = 'Texts by name; connectors see them. Default: an empty object.';

const Facts = {
  serial_number: Field(SERIAL_NUMBER, Serial),
  label: Field(LABEL, Type.Record(Type.String(), Type.String())),
  last_seen: Field('Time of the latest message from the device; null if there was none.', Nullable(Time)),
  session_id: Nullable(Type.Integer({ description: 'Unix time, in seconds, at which the session began' })),
  last_contact: Field('Time of the latest message or poll of the device; null if there was none.', Nullable(Time)),
  contact_every: Field(
    'Expected time from one contact to the next, in seconds: by its configuration, or learned from its contacts; null if not known yet.',
    Nullable(Type.Number({ minimum: 0 })),
  ),
  health: Field(
    'Whether it makes contact as often as expected: `on_time`, `late` (one contact is missing), `silent` (three are), or `never_seen`.',
    Type.Enum([...HEALTHS]),
  ),
};

export const Device = Answer(
  'Device',
  {
    id: OwnId,
    space_id: SpaceId,
    name: OwnName,
    comment: Comment,
    serial_number: Facts.serial_number,
    external_id: Field(EXTERNAL_ID, Nullable(Type.String())),
    label: Facts.label,
    tags: Field('Tags of the device that the caller sees.', Type.Array(Tag)),
    version: Field('Number of changes by users; for `If-Match`.', Type.Integer({ minimum: 0 })),
    created_at: CreatedAt,
    last_seen: Facts.last_seen,
    session_id: Facts.session_id,
    last_contact: Facts.last_contact,
    contact_every: Facts.contact_every,
    health: Facts.health,
    config_hash: Field(
      'Hash of the configuration that the device reported; null if it has not reported one.',
      Nullable(Hash),
    ),
    decoder_hash: Field('Hash of the codec for data from the device; null if it has not uploaded one.', Nullable(Hash)),
    encoder_hash: Field('Hash of the codec for data to the device; null if it has not uploaded one.', Nullable(Hash)),
    session: Nullable(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'fields that the device reported when its session began',
      }),
    ),
    dashboard_type: Field('Reserved.', Type.Null()),
  },
  {
    id: EXAMPLE.device,
    space_id: EXAMPLE.space,
    name: 'freezer-1',
    comment: null,
    serial_number: EXAMPLE.serial,
    external_id: 'stock-4711',
    label: { site: 'A' },
    tags: [TAG_EXAMPLE],
    version: 3,
    created_at: EXAMPLE.created,
    last_seen: EXAMPLE.later,
    session_id: 1_767_254_500,
    config_hash: EXAMPLE.hash,
    decoder_hash: EXAMPLE.hash,
    encoder_hash: null,
    session: { fw_version: 'v1.2.0', iccid: '8942310022000000000' },
    dashboard_type: null,
    last_contact: EXAMPLE.later,
    contact_every: 1800,
    health: 'on_time',
  },
);

/** A device in a table of a whole fleet. */
export const DeviceSummary = Answer(
  'DeviceSummary',
  {
    id: OwnId,
    name: OwnName,
    serial_number: Facts.serial_number,
    label: Facts.label,
    tag_names: Field('Names of the tags of the device that the caller sees.', Type.Array(Type.String())),
    last_seen: Facts.last_seen,
    session_id: Facts.session_id,
    last_contact: Facts.last_contact,
    contact_every: Facts.contact_every,
    health: Facts.health,
    fw_bundle: Field('Bundle id of its application; null before the first session.', Nullable(Type.String())),
    fw_name: Field(
      'Name of its application, or of the product if the device does not report one; null if it reports neither.',
      Nullable(Type.String()),
    ),
    fw_version: Field('Version of its firmware; null before the first session.', Nullable(Type.String())),
  },
  {
    id: EXAMPLE.device,
    name: 'freezer-1',
    serial_number: EXAMPLE.serial,
    label: { site: 'A' },
    tag_names: ['cold'],
    last_seen: EXAMPLE.later,
    session_id: 1_767_254_500,
    fw_bundle: 'com.example.freezer',
    fw_name: 'freezer',
    fw_version: 'v1.2.0',
    last_contact: EXAMPLE.later,
    contact_every: 1800,
    health: 'on_time',
  },
);

export const Count = Answer(
  'Count',
  { count: Field('Number of devices.', Type.Integer({ minimum: 0 })) },
  { count: 1 },
);

const ClaimToken = Type.String({
  pattern: '^[0-9a-fA-F]{32}$',
  description: 'a claim token of 32 hex digits',
  writeOnly: true,
});
const Changeable = {
  name: Type.Optional(NewName),
  external_id: Type.Optional(Field(EXTERNAL_ID, NullableText(255))),
  comment: Type.Optional(NewComment),
  label: Type.Optional(
    Field(
      LABEL,
      Type.Refine(
        Type.Record(Type.String(), Type.String({ description: 'a text' }), {
          description: 'an object of at most 64 texts (names up to 64 characters, values up to 1024)',
          documented: {
            type: 'object',
            maxProperties: 64,
            propertyNames: { maxLength: 64 },
            additionalProperties: { type: 'string', maxLength: 1024 },
          },
        }),
        isLabel,
      ),
    ),
  ),
  tags: Type.Optional(Field('Tags of the device that the caller sees.', TagRefs)),
  secret: Type.Optional(
    Field(
      'Key for DTLS. It is never returned. Default: null.',
      Type.Union([Type.String({ pattern: '^(?:[0-9a-fA-F]{2}){16,32}$' }), Type.Null()], {
        description: 'a secret of 16 to 32 bytes in hex digits, or null',
        writeOnly: true,
      }),
    ),
  ),
  secret_type: Type.Optional(
    Field('Kind of the secret. Default: `psk`.', Type.Enum(['psk'], { description: '"psk"' })),
  ),
};

/** Ten digits from 0000000001 to 4294967295. */
const SERIAL_PATTERN =
  '^(?!0{10})(?:[0-3][0-9]{9}|4[01][0-9]{8}|42[0-8][0-9]{7}|429[0-3][0-9]{6}|4294[0-8][0-9]{5}|42949[0-5][0-9]{4}|' +
  '429496[0-6][0-9]{3}|4294967[01][0-9]{2}|42949672[0-8][0-9]|429496729[0-5])$';

export const NewDevice = Body(
  {
    ...Changeable,
    name: NewName,
    serial_number: Field(
      SERIAL_NUMBER,
      Type.Refine(
        Type.Union([Type.String(), Type.Integer()], {
          description: 'ten decimal digits from 0000000001 to 4294967295',
          documented: {
            anyOf: [
              { type: 'string', pattern: SERIAL_PATTERN },
              { type: 'integer', minimum: 1_000_000_000, maximum: 0xffff_ffff },
            ],
          },
        }),
        (value) => serialOf(value) !== undefined,
      ),
    ),
    token: Field('Claim token on the label of the device. It is never returned.', ClaimToken),
  },
  {
    name: 'freezer-1',
    serial_number: EXAMPLE.serial,
    token: '00112233445566778899aabbccddeeff',
    external_id: 'stock-4711',
    label: { site: 'A' },
    tags: TAG_REFS_EXAMPLE,
  },
);
export const DeviceUpdate = Body(
  {
    ...Changeable,
    token: Type.Optional(Field('New claim token of a repaired device. It is never returned.', ClaimToken)),
  },
  { name: 'freezer-2', label: { site: 'B' } },
);

export const DeviceParams = ItemParams('Id of the device.', EXAMPLE.device);

const FilterQuery = {
  name: Type.Optional(
    Field('Only devices with this text in their names, in upper or lower case. Default: all.', Text, 'freezer'),
  ),
  serial_number: Type.Optional(
    Field('Only devices with these digits in their serial numbers. Default: all.', Text, EXAMPLE.serial),
  ),
  external_id: Type.Optional(Field('Only devices with exactly this external id. Default: all.', Text, 'stock-4711')),
  tag_ids: Type.Optional(
    Field(
      'Only devices with these tags; may be repeated. Default: all.',
      Type.Array(Uuid, { maxItems: 100, description: 'a list of at most 100 ids of tags' }),
      [EXAMPLE.tag],
    ),
  ),
  tag_filter_logic: Type.Optional(
    Field(
      'Whether a device must have any or all of `tag_ids`.',
      Type.Enum(['any', 'all'], { default: 'any', description: '"any" or "all"' }),
    ),
  ),
  health: Type.Optional(
    Field(
      'Only devices with this health; may be repeated. Default: all.',
      Type.Array(Type.Enum([...HEALTHS], { description: `one of ${HEALTHS.join(', ')}` }), {
        maxItems: HEALTHS.length,
        description: `a list of ${HEALTHS.join(', ')}`,
      }),
      ['late', 'silent'],
    ),
  ),
};
const order = Type.Optional(
  Field('Ascending or descending.', Type.Enum(['asc', 'desc'], { default: 'asc', description: '"asc" or "desc"' })),
);

export const DEVICE_SORTS = ['id', 'name', 'serial_number', 'external_id', 'last_seen', 'session_id'] as const;
export type DeviceSort = (typeof DEVICE_SORTS)[number];

/** The position after a page: the id of its last device, or its `x-next-offset`. */
const DEVICE_OFFSET = `${UUID_PATTERN.slice(0, -1)}(?:\\.[A-Za-z0-9_-]{1,4000})?$`;

export const DeviceFilter = Type.Object(FilterQuery);
export const DeviceQuery = Type.Object({
  limit: PageFields.limit,
  offset: Type.Optional(
    Field(
      'The `x-next-offset` of the page before, or the id of its last device. Without it, the first page is returned.',
      Type.String({ pattern: DEVICE_OFFSET, description: 'a UUID, or the "x-next-offset" of the page before' }),
      EXAMPLE.device,
    ),
  ),
  ...FilterQuery,
  sort_by: Type.Optional(
    Field(
      'Field by which the list is sorted.',
      Type.Enum([...DEVICE_SORTS], { default: 'id', description: `one of ${DEVICE_SORTS.join(', ')}` }),
    ),
  ),
  order_by: order,
});

/** Maximum number of devices in a page. Reading a device from a database decrypts its session, which takes 10 µs. */
const LARGEST_PAGE = 2_000;

export const DeviceSummaryQuery = Type.Object({
  ...FilterQuery,
  limit: Type.Optional(Limit(LARGEST_PAGE, 100)),
  offset: Type.Optional(PageOffset(Uuid)),
  order_by: order,
});

function isLabel(label: Readonly<Record<string, unknown>>): boolean {
  const entries = Object.entries(label);
  // The schema does not check the value under a name with a line break, because its pattern for names does not match such a
  // name.
  return entries.length <= 64 && entries.every(([name, value]) => hasAtMost(64, name) && isShort(value));
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && hasAtMost(1024, value);
}

/** The serial number as a number; undefined if it is not valid. */
export function serialOf(value: string | number): number | undefined {
  const text = String(value);
  const serial = Number(text);
  return /^\d{10}$/.test(text) && serial >= 1 && serial <= 0xffff_ffff ? serial : undefined;
}
