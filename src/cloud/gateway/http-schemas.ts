/** Schemas of the device ingress (http.ts). They check the form of a message; src/protocol/http checks its content. */
import Type from 'typebox';
import { Answer, BASE64, Body, EXAMPLE, Field, Hash, Nullable, OwnId, Uuid } from '../../contract/values.js';
import { DOWNLINK_TYPES } from '../../protocol/http/downlinks.js';
import { UPLINK_TYPES } from '../../protocol/http/uplinks.js';
import { FACTS, STATS } from '../../protocol/messages/session.js';

const quoted = (words: readonly string[]) => `one of ${words.map((word) => `"${word}"`).join(', ')}`;

const SERIAL_NUMBER = 'Serial number on the label of the device.';

export const DeviceParams = Type.Object({
  serial_number: Field(
    SERIAL_NUMBER,
    Type.String({ pattern: '^[0-9]{1,10}$', description: 'a serial number of at most ten digits' }),
    EXAMPLE.serial,
  ),
});

export const Headers = Type.Object({
  'idempotency-key': Type.Optional(
    Field(
      'Makes a repetition of the request safe: it gets the first answer. Default: every request is executed.',
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'a key of 1 to 64 characters, the same for all retries of a request',
      }),
      'onboarding-1',
    ),
  ),
});

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0, maximum: 0xffff_ffff };
const NUMBER = { type: 'integer', minimum: -0x7fff_ffff, maximum: 0x7fff_ffff };
const FORMS = { text: TEXT, uint: COUNT, digits: { type: 'string', pattern: '^[0-9]{1,19}$' } };

/** Meanings of facts that their names do not tell. */
const FACT_MEANINGS: Readonly<Record<string, string>> = {
  serial_number: SERIAL_NUMBER,
  fw_bundle: 'Bundle id of the application.',
  fw_version: 'Version of the firmware.',
};

/** What the document says about the facts of a session. */
const Facts = {
  type: 'object',
  properties: Object.fromEntries(
    FACTS.map(([, name, form]) => [name, { ...FORMS[form], meaning: FACT_MEANINGS[name] }]),
  ),
};

/** What the document says about an uplink of one type. */
function uplinkOf(
  type: string,
  needed: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
) {
  const properties = { type: { const: type }, ...needed };
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

const CONTENT = 'Content of the message.';
const CODEC_HASH = 'Hash of the codec with which the body was read or written; null if there is none.';
const CBOR = 'Body as CBOR.';
const content = (form: object) => ({ body: { ...form, meaning: CONTENT } });
const codec_hash = Field(CODEC_HASH, Hash);
const cbor = { ...BASE64, meaning: CBOR };

const ShellAnswer = {
  type: 'object',
  required: ['message_id', 'responses'],
  properties: {
    message_id: Field('Message that it is about.', Uuid),
    responses: {
      type: 'array',
      items: {
        type: 'object',
        properties: { command: TEXT, result: NUMBER, outputs: { type: 'array', items: TEXT } },
      },
    },
  },
};
const FirmwareReport = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['download', 'next', 'swap', 'ack', 'error'] },
    target: { ...TEXT, meaning: 'Part of the device that is updated. Default: `app`.' },
    update_id: Uuid,
    offset: { ...COUNT, meaning: 'Number of bytes that the device has accepted.' },
    max_length: COUNT,
    firmware: TEXT,
    error: { ...TEXT, meaning: 'Reason of a failure; null if there is none.' },
  },
};

const UPLINKS = [
  uplinkOf('session', content(Facts)),
  uplinkOf('data', content({ type: 'object' })),
  uplinkOf('data', { codec_hash, cbor }),
  uplinkOf('config', content({ type: 'array', items: TEXT }), { hash: Field('Hash of the configuration.', Hash) }),
  ...['decoder', 'encoder'].flatMap((type) => [
    uplinkOf(type, content({ type: 'object' })),
    uplinkOf(type, { cbor }, { codec_hash }),
  ]),
  uplinkOf('shell', content(ShellAnswer)),
  uplinkOf('stats', content({ type: 'object', properties: Object.fromEntries(STATS.map((name) => [name, NUMBER])) })),
  uplinkOf('firmware', content(FirmwareReport)),
  uplinkOf('timestamp', {}),
];

export const Session = Type.Object(
  {
    fw_bundle: Type.Optional(Type.String({ description: 'a text' })),
    fw_version: Type.Optional(Type.String({ description: 'a text' })),
  },
  {
    description: 'an object with facts about the device, such as "fw_version" and "iccid"',
    example: { fw_bundle: 'com.example.freezer', fw_version: 'v1.2.0' },
    documented: Facts,
  },
);

export const Uplink = Type.Object(
  {
    type: Type.Enum([...UPLINK_TYPES], { description: quoted(UPLINK_TYPES) }),
    body: Type.Optional(Type.Unknown({ description: 'the body as returned by the API for such a message' })),
    codec_hash: Type.Optional(Type.String({ description: 'the hash of the codec, 16 hex digits' })),
    hash: Type.Optional(Type.String({ description: 'the hash of the configuration, 16 hex digits' })),
    cbor: Type.Optional(Type.String({ description: 'CBOR in base64: a data body, a decoder or an encoder' })),
  },
  {
    description: 'a message: an object with a "type" and the fields of that type',
    example: { type: 'data', body: { temperature: -18.4 } },
    documented: { type: 'object', anyOf: UPLINKS },
  },
);

export const Ack = Body(
  { id: Field('Id of the downlink that the device has stored.', Uuid) },
  { id: EXAMPLE.downlink },
);

export const Acknowledged = Answer(
  'Acknowledged',
  { poll: Type.Boolean({ description: 'true if a downlink is pending' }) },
  { poll: true },
);

const DOWNLINK_EXAMPLE = { id: EXAMPLE.downlink, type: 'shell' as const, body: ['info show'] };

const Downlink = Answer(
  'OfferedDownlink',
  {
    id: OwnId,
    type: Type.Enum([...DOWNLINK_TYPES]),
    body: Field(CONTENT, Type.Unknown()),
    codec_hash: Type.Optional(Field(CODEC_HASH, Type.String({ description: 'for data: the hash of the encoder' }))),
    cbor: Type.Optional(Field(CBOR, Type.String({ description: 'for data: the body encoded as CBOR, in base64' }))),
  },
  DOWNLINK_EXAMPLE,
);

export const Offer = Answer(
  'Offer',
  {
    downlink: Field('Downlink that the device should take; null if there is none.', Nullable(Downlink)),
    more: Type.Boolean({ description: 'true if another downlink is pending' }),
  },
  { downlink: DOWNLINK_EXAMPLE, more: false },
);
