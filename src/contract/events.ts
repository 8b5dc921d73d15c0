/** The events of a space (cloud C-42). */
import Type from 'typebox';
import { Device } from './devices.js';
import { Direction, Message, MessageTypes, TimelineEvent } from './messages.js';
import { EXAMPLE, Field, Nullable, Uuid } from './values.js';

/** Subjects: a message, a station of a downlink's timeline, a device, its health, a delivery of a connector, a firmware update. */
export const EVENT_KINDS = ['message', 'downlink', 'device', 'health', 'delivery', 'firmware'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const EventQuery = Type.Object({
  event: Type.Optional(
    Field(
      'Only these events; may be repeated. Default: all.',
      Type.Array(Type.Enum([...EVENT_KINDS], { description: `one of ${EVENT_KINDS.join(', ')}` }), { maxItems: 32 }),
      ['message'],
    ),
  ),
  device_id: Type.Optional(Field('Only events of this device. Default: all.', Uuid, EXAMPLE.device)),
  tag_id: Type.Optional(Field('Only events of the devices with this tag. Default: all.', Uuid, EXAMPLE.tag)),
  type: Type.Optional(
    Field('Types of the messages in `message` and `downlink` events; may be repeated. Default: all.', MessageTypes, [
      'data',
    ]),
  ),
  direction: Type.Optional(
    Field(
      'Direction of the messages in `message` and `downlink` events: from (`up`) or to (`down`) devices. Default: both.',
      Direction,
    ),
  ),
});

export const EventHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Field(
      'Resumes after this event. Default: from now.',
      Type.String({ maxLength: 64, description: 'the id of an event', examples: ['5e2f0c8d1b7a4936a1d0e4c27f8b3569'] }),
    ),
  ),
});

const { device_id, device_name, device_serial_number, type, down_state } = Message.properties;
const { at, what, detail } = TimelineEvent.properties;

/** The data of an event `downlink`. The other events have the data that the lists of their resources have. */
export const DownlinkStation = Type.Object({
  message_id: Uuid,
  device_id,
  device_name,
  device_serial_number,
  type,
  at,
  what,
  detail,
  down_state,
});
/** The data of an event `device`. */
export const DeviceEvent = Type.Object({
  device_id,
  change: Type.Enum(['created', 'changed', 'deleted']),
  device: Nullable(Device),
});
/** The data of an event `health`: the device has become late or silent. */
export const HealthEvent = Type.Object({
  ...{ device_id, device_name, device_serial_number, at },
  health: Device.properties.health,
  ...{ last_contact: Device.properties.last_contact, contact_every: Device.properties.contact_every },
});
