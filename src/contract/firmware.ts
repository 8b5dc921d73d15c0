/** Firmware images and updates of devices (cloud C-37). */
import Type from 'typebox';
import { readBase64 } from '../kernel/bytes.js';
import {
  Answer,
  BASE64,
  Body,
  CreatedAt,
  EXAMPLE,
  Field,
  ItemParams,
  Label,
  Nullable,
  OfDevice,
  OwnId,
  PageFields,
  SpaceId,
  Time,
  UUID_PATTERN,
  Uuid,
} from './values.js';

const BUNDLE = 'Bundle id of the application, such as `com.example.app`; null if unknown.';
const VERSION = 'Version that a device with this image reports in its session.';
const NAME = 'Name of the resource.';

const IMAGE_EXAMPLE = { bundle: 'com.example.freezer', name: 'freezer', version: 'v1.2.0', size: 182_344 };

export const FirmwareImage = Answer(
  'FirmwareImage',
  {
    id: OwnId,
    bundle: Field(BUNDLE, Nullable(Type.String())),
    name: Field(NAME, Nullable(Type.String())),
    version: Field(
      VERSION,
      Type.String({ description: 'the `fw_version` that a device with this image reports in its session' }),
    ),
    size: Type.Integer({ description: 'size in bytes' }),
    sha256: Field('SHA-256 of the image in hex digits.', Type.String({ pattern: '^[0-9a-f]{64}$' })),
    created_at: CreatedAt,
  },
  {
    id: EXAMPLE.image,
    ...IMAGE_EXAMPLE,
    created_at: EXAMPLE.created,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
);

export const NewFirmwareImage = Body(
  {
    data: Field(
      'The image.',
      Type.Refine(
        Type.String({
          description: 'base64 of at least one byte, without line breaks (`base64 -w 0`)',
          documented: BASE64,
        }),
        (text) => (readBase64(text)?.length ?? 0) > 0,
      ),
    ),
    bundle: Type.Optional(Field(BUNDLE, Label)),
    name: Type.Optional(Field(NAME, Label)),
    version: Type.Optional(Field(VERSION, Label)),
    damaged: Type.Optional(
      Field(
        'Accepts an image for virtual devices with a wrong checksum, which devices reject. For tests.',
        Type.Boolean(),
      ),
    ),
  },
  { data: 'AAECAwQFBgc=', version: 'v1.2.0' },
);

export const ImageParams = ItemParams('Id of the firmware image.', EXAMPLE.image);

const UPDATE_STATES = ['scheduled', 'downloading', 'swapping', 'succeeded', 'cancelled', 'failed'] as const;
export type UpdateState = (typeof UPDATE_STATES)[number];

const IMAGE = 'Image of the update.';
const TARGET = 'Part of the device that is updated. Default: `app`.';
const State = Type.Enum([...UPDATE_STATES], { description: `one of ${UPDATE_STATES.join(', ')}` });

export const FirmwareUpdate = Answer(
  'FirmwareUpdate',
  {
    id: OwnId,
    space_id: SpaceId,
    device_id: OfDevice,
    firmware_id: Field(IMAGE, Uuid),
    target: Field(TARGET, Type.Literal('app')),
    bundle: Field(BUNDLE, Nullable(Type.String())),
    name: Field(NAME, Nullable(Type.String())),
    version: Field(VERSION, Type.String()),
    size: Type.Integer({ description: 'size of the image in bytes' }),
    offset: Type.Integer({ description: 'bytes that the device has accepted' }),
    state: State,
    error: Field('Reason of a failure; null if there is none.', Nullable(Type.String())),
    scheduled_at: Field('Time at which the update was requested.', Time),
    updated_at: Field('Time of its latest progress.', Time),
    timeline: Field(
      'The states of the update, oldest first.',
      Type.Array(Type.Object({ state: State, at: Field('Time of the event.', Time) })),
    ),
  },
  {
    id: EXAMPLE.update,
    space_id: EXAMPLE.space,
    device_id: EXAMPLE.device,
    firmware_id: EXAMPLE.image,
    target: 'app',
    ...IMAGE_EXAMPLE,
    offset: 0,
    state: 'scheduled',
    error: null,
    scheduled_at: EXAMPLE.created,
    updated_at: EXAMPLE.created,
    timeline: [{ state: 'scheduled', at: EXAMPLE.created }],
  },
);

/** An identifier of an image: a UUID, also without hyphens. */
const FirmwareId = Type.Refine(
  Type.String({
    description: 'a firmware identifier: 32 hex digits, or a UUID',
    documented: { type: 'string', pattern: `${UUID_PATTERN}|^[0-9a-fA-F]{32}$` },
  }),
  (text) => /^[0-9a-fA-F]{32}$/.test(text.replaceAll('-', '')),
);
const Ordered = {
  firmware_id: Field(IMAGE, FirmwareId),
  target: Type.Optional(Field(TARGET, Type.Enum(['app'], { description: '"app"' }))),
};
export const NewFirmwareUpdate = Body(
  { device_id: OfDevice, ...Ordered },
  { device_id: EXAMPLE.device, firmware_id: EXAMPLE.image },
);
export const NewFirmwareUpdateOfDevice = Body(Ordered, { firmware_id: EXAMPLE.image });

export const UpdateParams = ItemParams('Id of the firmware update.', EXAMPLE.update);
const wantedState = Type.Optional(Field('Only updates in this state. Default: all.', State));
export const DeviceUpdatesQuery = Type.Object({ ...PageFields, state: wantedState });
export const UpdatesQuery = Type.Object({
  ...PageFields,
  state: wantedState,
  device_id: Type.Optional(Field('Only updates of this device. Default: all.', Uuid, EXAMPLE.device)),
});
