/** Connectors, previews of their requests, and deliveries with their attempts (cloud C-32 to C-35). */
import Type from 'typebox';
import { CONNECTOR_LIMITS, isScript, LONGEST_SCRIPT } from './limits.js';
import { TAG_EXAMPLE, TAG_REFS_EXAMPLE, Tag, TagRefs } from './tags.js';
import {
  Answer,
  Body,
  CreatedAt,
  EXAMPLE,
  Field,
  ItemParams,
  NewName,
  Nullable,
  OfDevice,
  OwnId,
  OwnName,
  PageFields,
  SpaceId,
  Time,
  Uuid,
} from './values.js';

const TRIGGERS = ['data', 'session', 'config', 'stats', 'codec'] as const;
export type ConnectorTrigger = (typeof TRIGGERS)[number];

const SCRIPT = 'Script with a function `main(job)` that returns the request to send.';
const SCRIPT_EXAMPLE =
  'const main = ({ device, message }) => ({ url: "https://example.com/" + device.name, data: message.body })';
const TAGS = 'The connector forwards the messages of devices with one of these tags. Default: none.';
const TIMEOUT = 'Seconds until a request has failed; 0 means 30. Default: 0.';

const Kind = Type.Enum(['webhook'], { description: '"webhook"' });
const Direction = Field(
  'Whether the connector forwards messages from (`up`) or to (`down`) devices. Default: `up`.',
  Type.Enum(['up', 'down'], { description: '"up" or "down"' }),
);
const State = Field(
  'A disabled connector forwards nothing. Default: `enabled`.',
  Type.Enum(['enabled', 'disabled'], { description: '"enabled" or "disabled"' }),
);
const Triggers = Field(
  'Types of the messages that the connector forwards. Default: `data`.',
  Type.Array(Type.Enum([...TRIGGERS], { description: `one of ${TRIGGERS.join(', ')}` }), {
    maxItems: 20,
    description: `a list of ${TRIGGERS.join(', ')}`,
  }),
);
const Delay = Type.Integer({
  minimum: 0,
  maximum: CONNECTOR_LIMITS.delay,
  description: 'a whole number of seconds, at most a week',
});
const RetryDelays = Field(
  'Seconds to wait before each repetition. Default: 10 s, 30 s, 1, 10 and 30 min, 1, 3, 6 and 12 h.',
  Type.Array(Delay, {
    maxItems: CONNECTOR_LIMITS.delays,
    description: `a list of at most ${CONNECTOR_LIMITS.delays} numbers of seconds`,
  }),
);
const Transformation = Type.Refine(
  Type.String({
    description: `a script of at most ${LONGEST_SCRIPT} characters, without the character U+0000`,
    documented: { type: 'string', maxLength: LONGEST_SCRIPT, pattern: '^[^\\x00]*$' },
  }),
  isScript,
);

export const Connector = Answer(
  'Connector',
  {
    id: OwnId,
    space_id: SpaceId,
    name: OwnName,
    type: Kind,
    direction: Direction,
    state: State,
    triggers: Triggers,
    tags: Field(TAGS, Type.Array(Tag)),
    transformation: Field(
      SCRIPT,
      Type.String({
        description: 'JavaScript with a function `main(job)`; for callers who may only read, `********`',
      }),
    ),
    retry_delays: RetryDelays,
    timeout: Field(TIMEOUT, Type.Integer({ description: 'timeout of a request in seconds; 0 means 30' })),
    created_at: CreatedAt,
    version: Field('Number of changes; for `If-Match`.', Type.Integer()),
  },
  {
    id: EXAMPLE.connector,
    space_id: EXAMPLE.space,
    name: 'forward',
    type: 'webhook',
    direction: 'up',
    state: 'enabled',
    triggers: ['data'],
    tags: [TAG_EXAMPLE],
    transformation: SCRIPT_EXAMPLE,
    retry_delays: [10, 30],
    timeout: 0,
    version: 2,
    created_at: EXAMPLE.created,
  },
);

const NewScript = Field(SCRIPT, Transformation);
const Changeable = {
  name: Type.Optional(NewName),
  transformation: Type.Optional(NewScript),
  type: Type.Optional(Kind),
  direction: Type.Optional(Direction),
  state: Type.Optional(State),
  triggers: Type.Optional(Triggers),
  tags: Type.Optional(Field(TAGS, TagRefs)),
  retry_delays: Type.Optional(RetryDelays),
  timeout: Type.Optional(
    Field(
      TIMEOUT,
      Type.Integer({
        minimum: 0,
        maximum: CONNECTOR_LIMITS.timeout,
        description: `a whole number of seconds, at most ${CONNECTOR_LIMITS.timeout}`,
      }),
    ),
  ),
};
export const NewConnector = Body(
  { ...Changeable, name: NewName, transformation: NewScript },
  { name: 'forward', tags: TAG_REFS_EXAMPLE, triggers: ['data'], transformation: SCRIPT_EXAMPLE },
);
export const ConnectorUpdate = Body(Changeable, { state: 'disabled' });
/** A change of the connector with this name. */
export const NamedConnectorUpdate = Body({ ...Changeable, name: NewName }, { name: 'forward', state: 'disabled' });

export const ConnectorParams = ItemParams('Id of the connector.', EXAMPLE.connector);

/** A message that a resource is about. */
const OfMessage = Field('Message that it is about.', Uuid);

export const PreviewRequest = Body(
  {
    message_id: OfMessage,
    transformation: Type.Optional(Field('Script to run. Default: the script of the connector.', Transformation)),
  },
  { message_id: EXAMPLE.uplink },
);

const ERROR = 'Reason of a failure; null if there is none.';

export const ConnectorPreview = Answer(
  'ConnectorPreview',
  {
    outcome: Field(
      'Whether the script returned a request or nothing, or failed. A request to a target that is not permitted has failed.',
      Type.Enum(['request', 'cancelled', 'failed']),
    ),
    request: Field(
      'Request that would be sent; null if there is none.',
      Nullable(
        Type.Object({
          method: Field('Method of the request.', Type.String()),
          url: Field('Address of the request.', Type.String()),
          header: Field('Headers of the request.', Type.Record(Type.String(), Type.String())),
          body: Field('Body of the request; null if it has none.', Nullable(Type.String())),
        }),
      ),
    ),
    error: Field(ERROR, Nullable(Type.String({ description: 'why the delivery would fail' }))),
  },
  {
    outcome: 'request',
    request: {
      method: 'POST',
      url: 'https://example.com/freezer-1',
      header: { 'content-type': 'application/json' },
      body: '{"temperature":-18.4}',
    },
    error: null,
  },
);

const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const Delivery = Answer(
  'Delivery',
  {
    id: OwnId,
    connector_id: Field('Connector to which it belongs.', Uuid),
    device_id: OfDevice,
    message_id: OfMessage,
    state: Field('State of the delivery.', Type.Enum([...DELIVERY_STATES])),
    attempts: Type.Integer({ description: 'number of attempts made' }),
    next_attempt_at: Field('Time of the next attempt; null if there will be none.', Nullable(Time)),
    created_at: CreatedAt,
    log: Field(
      'The attempts, oldest first.',
      Type.Array(
        Type.Object({
          attempt: Nullable(Type.Integer({ description: 'counted from 0; null: cancelled without an attempt' })),
          at: Field('Time of the event.', Time),
          took: Type.Integer({ description: 'duration in milliseconds' }),
          target: Field(
            'Address of the request.',
            Nullable(Type.String({ description: 'scheme and host only: a path may contain a token' })),
          ),
          status: Nullable(Type.Integer({ description: 'HTTP status of the response; null if there was none' })),
          error: Field(ERROR, Nullable(Type.String())),
          response: Nullable(
            Type.String({ description: 'first characters of the body of a response that is not 2xx' }),
          ),
        }),
      ),
    ),
  },
  {
    id: EXAMPLE.delivery,
    connector_id: EXAMPLE.connector,
    device_id: EXAMPLE.device,
    message_id: EXAMPLE.uplink,
    state: 'delivered',
    attempts: 1,
    next_attempt_at: null,
    created_at: EXAMPLE.later,
    log: [
      {
        attempt: 0,
        at: EXAMPLE.later,
        took: 82,
        target: 'https://example.com',
        status: 204,
        error: null,
        response: null,
      },
    ],
  },
);

export const DeliveryParams = Type.Object({
  ...ConnectorParams.properties,
  delivery_id: Field('Id of the delivery.', Uuid, EXAMPLE.delivery),
});
export const DeliveryQuery = Type.Object({
  ...PageFields,
  state: Type.Optional(
    Field(
      'Only deliveries in this state. Default: all.',
      Type.Enum([...DELIVERY_STATES], { description: `one of ${DELIVERY_STATES.join(', ')}` }),
    ),
  ),
  device_id: Type.Optional(Field('Only deliveries of messages of this device. Default: all.', Uuid, EXAMPLE.device)),
  message_id: Type.Optional(Field('Only deliveries of this message. Default: all.', Uuid, EXAMPLE.uplink)),
});
