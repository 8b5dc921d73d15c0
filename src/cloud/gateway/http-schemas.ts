/**
 * Schemas of the requests and responses of the device ingress (http.ts). They check the form of a message; src/protocol/http
 * checks its content.
 */
import Type from 'typebox';
import { DOWNLINK_TYPES } from '../../protocol/http/downlinks.js';
import { UPLINK_TYPES } from '../../protocol/http/uplinks.js';
import { FACTS, STATS } from '../../protocol/messages/session.js';
import { BASE64, Hash, Nullable, Uuid } from '../http/schemas.js';

const quoted = (words: readonly string[]) => `one of ${words.map((word) => `"${word}"`).join(', ')}`;

export const DeviceParams = Type.Object({
  serial_number: Type.String({ pattern: '^[0-9]{1,10}$', description: 'a serial number of at most ten digits' }),
});

export const Headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'a key of 1 to 64 characters, the same for all retries of a request',
    }),
  ),
});

const TEXT = { type: 'string' };
const COUNT = { type: 'integer', minimum: 0, maximum: 0xffff_ffff };
const NUMBER = { type: 'integer', minimum: -0x7fff_ffff, maximum: 0x7fff_ffff };
const FORMS = { text: TEXT, uint: COUNT, digits: { type: 'string', pattern: '^[0-9]{1,19}$' } };

/** What the document says about the facts of a session. */
const Facts = { type: 'object', properties: Object.fromEntries(FACTS.map(([, name, form]) => [name, FORMS[form]])) };

/** What the document says about an uplink of one type. */
function uplinkOf(
  type: string,
  needed: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>> = {},
) {
  const properties = { type: { const: type }, ...needed };
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

const OBJECT = { type: 'object' };
const ShellAnswer = {
  type: 'object',
  required: ['message_id', 'responses'],
  properties: {
    message_id: Uuid,
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
    ...{ type: { enum: ['download', 'next', 'swap', 'ack', 'error'] }, target: TEXT, update_id: Uuid },
    ...{ offset: COUNT, max_length: COUNT, firmware: TEXT, error: TEXT },
  },
};

const UPLINKS = [
  uplinkOf('session', { body: Facts }),
  uplinkOf('data', { body: OBJECT }),
  uplinkOf('data', { codec_hash: Hash, cbor: BASE64 }),
  uplinkOf('config', { body: { type: 'array', items: TEXT } }, { hash: Hash }),
  ...['decoder', 'encoder'].flatMap((type) => [
    uplinkOf(type, { body: OBJECT }),
    uplinkOf(type, { cbor: BASE64 }, { codec_hash: Hash }),
  ]),
  uplinkOf('shell', { body: ShellAnswer }),
  uplinkOf('stats', { body: { type: 'object', properties: Object.fromEntries(STATS.map((name) => [name, NUMBER])) } }),
  uplinkOf('firmware', { body: FirmwareReport }),
  uplinkOf('timestamp', {}),
];

export const Session = Type.Object(
  {
    fw_bundle: Type.Optional(Type.String({ description: 'a text' })),
    fw_version: Type.Optional(Type.String({ description: 'a text' })),
  },
  { description: 'an object with facts about the device, such as "fw_version" and "iccid"', documented: Facts },
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
    documented: { type: 'object', anyOf: UPLINKS },
  },
);

export const Ack = Type.Object({ id: Uuid }, { description: 'a JSON object' });

export const Acknowledged = Type.Object(
  { poll: Type.Boolean({ description: 'true if a downlink is pending' }) },
  { title: 'Acknowledged' },
);

const Downlink = Type.Object(
  {
    id: Uuid,
    type: Type.Enum([...DOWNLINK_TYPES]),
    body: Type.Unknown(),
    codec_hash: Type.Optional(Type.String({ description: 'for data: the hash of the encoder' })),
    cbor: Type.Optional(Type.String({ description: 'for data: the body encoded as CBOR, in base64' })),
  },
  { title: 'OfferedDownlink' },
);

export const Offer = Type.Object(
  {
    downlink: Nullable(Downlink),
    more: Type.Boolean({ description: 'true if another downlink is pending' }),
  },
  { title: 'Offer' },
);
