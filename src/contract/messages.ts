/** Messages from and to devices, and the timeline of a downlink (cloud C-27, C-25). */
import Type from 'typebox';
import {
  Answer,
  CreatedAt,
  EXAMPLE,
  Field,
  Hash,
  ItemParams,
  Limit,
  Nullable,
  OfDevice,
  OwnId,
  PageOffset,
  Serial,
  Text,
  Time,
  Timestamp,
  Uuid,
} from './values.js';

/** States of a downlink. */
const DOWN_STATES = ['pending', 'sent', 'cancelled', 'expired'] as const;
export type DownState = (typeof DOWN_STATES)[number];

export const Message = Answer(
  'Message',
  {
    id: OwnId,
    created_at: CreatedAt,
    type: Type.String({ description: '`data`, `session`, `config`, `shell`, …; new types may be added' }),
    direction: Field(
      'Direction of the message.',
      Type.Enum(['up', 'down'], { description: '`up` (from the device) or `down` (to it)' }),
    ),
    body: Field(
      'Content of the message.',
      Type.Unknown({ description: 'a JSON value; with `--message-body string`, the same value as JSON text' }),
    ),
    device_id: OfDevice,
    device_name: Field('Name of the device.', Type.String()),
    device_serial_number: Field('Serial number of the device.', Serial),
    codec_hash: Field(
      'Hash of the codec with which the body was read or written; null if there is none.',
      Nullable(Hash),
    ),
    raw: Nullable(
      Type.String({
        description:
          'bytes in hex digits that were not decoded, or, in a downlink, not encoded; null if there is a body',
      }),
    ),
    down_state: Nullable(Type.Enum([...DOWN_STATES], { description: 'state of a downlink' })),
    down_state_at: Field('Time at which the downlink came into its state; null for uplinks.', Nullable(Time)),
    down_scheduled_at: Field('Time from which the downlink is offered; null for uplinks.', Nullable(Time)),
    down_attempt: Type.Integer({
      minimum: 0,
      description: 'number of times the downlink was sent to the device; 0 for uplinks',
    }),
  },
  {
    id: EXAMPLE.uplink,
    created_at: EXAMPLE.later,
    type: 'data',
    direction: 'up',
    body: { temperature: -18.4 },
    device_id: EXAMPLE.device,
    device_name: 'freezer-1',
    device_serial_number: EXAMPLE.serial,
    codec_hash: EXAMPLE.hash,
    raw: null,
    down_state: null,
    down_state_at: null,
    down_scheduled_at: null,
    down_attempt: 0,
  },
);

export const TimelineEvent = Answer(
  'TimelineEvent',
  {
    id: OwnId,
    at: Field('Time of the event.', Time),
    what: Type.String({
      description: '`queued`, `waiting`, `contact`, `offered`, `sent`, `answered`, `cancelled` or `expired`',
    }),
    detail: Field(
      'Details of the event, such as the number of an attempt or a reason; for `queued`, the header `traceparent` of the ' +
        'request; null without details.',
      Nullable(Type.String()),
    ),
  },
  { id: EXAMPLE.event, at: EXAMPLE.created, what: 'queued', detail: null },
);

export const MessageParams = ItemParams('Id of the message.', EXAMPLE.downlink);

export const MessageTypes = Type.Array(Text, { maxItems: 32, description: 'a list of at most 32 types' });
export const Direction = Type.Enum(['up', 'down'], { description: '"up" or "down"' });

export const MessageQuery = Type.Object({
  device_id: Type.Optional(Field('Only messages of this device. Default: all.', Uuid, EXAMPLE.device)),
  tag_id: Type.Optional(Field('Only messages of the devices with this tag. Default: all.', Uuid, EXAMPLE.tag)),
  type: Type.Optional(Field('Only messages of these types; may be repeated. Default: all.', MessageTypes, ['data'])),
  direction: Type.Optional(Field('Only messages from (`up`) or to (`down`) devices. Default: both.', Direction)),
  after: Type.Optional(Field('Only messages after this time. Default: 24 hours ago.', Timestamp, EXAMPLE.created)),
  before: Type.Optional(Field('Only messages before this time. Default: all.', Timestamp, EXAMPLE.later)),
  limit: Type.Optional(Limit(100, 20)),
  offset: Type.Optional(PageOffset(Uuid)),
});
