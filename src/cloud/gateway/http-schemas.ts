/**
 * The requests and answers of the device ingress. They say what a message is made of; whether it makes sense is decided
 * where it is read, in protocol/http.
 */
import Type from 'typebox';
import { DOWNLINK_TYPES } from '../../protocol/http/downlinks.js';
import { UPLINK_TYPES } from '../../protocol/http/uplinks.js';
import { Nullable, Uuid } from '../http/schemas.js';

const quoted = (words: readonly string[]) => `one of ${words.map((word) => `"${word}"`).join(', ')}`;

export const DeviceParams = Type.Object({
  serial_number: Type.String({ pattern: '^[0-9]{1,10}$', description: 'a serial number of up to ten digits' }),
});

export const Headers = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'a key of 1 to 64 characters, the same for all repetitions of a request',
    }),
  ),
});

export const Session = Type.Object(
  {
    fw_bundle: Type.Optional(Type.String({ description: 'a text' })),
    fw_version: Type.Optional(Type.String({ description: 'a text' })),
  },
  { description: 'an object with facts about the device, such as "fw_version" and "iccid"' },
);

export const Uplink = Type.Object(
  {
    type: Type.Enum([...UPLINK_TYPES], { description: quoted(UPLINK_TYPES) }),
    body: Type.Optional(Type.Unknown({ description: 'what the API shows of such a message' })),
    codec_hash: Type.Optional(Type.String({ description: 'the hash of the codec, 16 hex digits' })),
    hash: Type.Optional(Type.String({ description: 'the hash of the configuration, 16 hex digits' })),
    cbor: Type.Optional(Type.String({ description: 'CBOR in base64: of data, a decoder or an encoder' })),
  },
  { description: 'a message: an object with a "type" and what belongs to it' },
);

export const Ack = Type.Object({ id: Uuid }, { description: 'a JSON object' });

export const Acknowledged = Type.Object(
  { poll: Type.Boolean({ description: 'whether a downlink waits' }) },
  { title: 'Acknowledged' },
);

const Downlink = Type.Object(
  {
    id: Uuid,
    type: Type.Enum([...DOWNLINK_TYPES]),
    body: Type.Unknown(),
    codec_hash: Type.Optional(Type.String({ description: 'of data: the hash of the encoder' })),
    cbor: Type.Optional(Type.String({ description: 'of data: CBOR in base64, by the encoder' })),
  },
  { title: 'OfferedDownlink' },
);

export const Offer = Type.Object(
  {
    downlink: Nullable(Downlink),
    more: Type.Boolean({ description: 'whether another one waits behind it' }),
  },
  { title: 'Offer' },
);
