/** Messages that go down to a device (device cloud API, "Downlinks"; cloud API gaps, 3.5 and 3.6). */
import Type from 'typebox';
import type { DownlinkRequest } from '../context.js';
import type { Id } from '../store/store.js';
import { isTooDeep, tooDeep } from './body.js';
import { ApiFault, notFound } from './errors.js';
import type { Family } from './family.js';
import { messageView } from './messages.js';
import { ItemParams, SpaceParams, Uuid } from './schemas.js';
import { checker, type Outcome } from './validation.js';

/** What a device's command buffer holds beside the final NUL (cloud API gaps, 2.9). */
const LINE_BYTES = 255;

const Line = Type.Refine(
  Type.String({ description: `a line of 1 to ${LINE_BYTES} bytes` }),
  (line) => line.trim() !== '' && Buffer.byteLength(line) <= LINE_BYTES && !/[\0\r\n]/.test(line),
);
const Lines = Type.Array(Line, { minItems: 1, maxItems: 100, description: 'a list of 1 to 100 lines' });
const Fields = Type.Record(Type.String(), Type.Unknown(), { description: 'a JSON object' });

const NewMessage = Type.Object(
  {
    device_id: Uuid,
    type: Type.Enum(['data', 'config', 'shell'], { description: '"data", "config" or "shell"' }),
    body: Type.Unknown(),
  },
  { description: 'a JSON object' },
);

export const downlinks: Family = (routes, { store, downlinks: queue, log }, options) => {
  const device = '/spaces/:space_id/devices/:id';
  const message = '/spaces/:space_id/messages/:id';

  routes.post(`${device}/configs`, { schema: { params: ItemParams, body: Lines } }, async (request, reply) => {
    const { spaceId, params, body } = request;
    return reply.code(201).send(await send(spaceId, params.id, { type: 'config', lines: body }));
  });

  routes.post(`${device}/commands`, { schema: { params: ItemParams, body: Lines } }, async (request, reply) => {
    const { spaceId, params, body } = request;
    return reply.code(201).send(await send(spaceId, params.id, { type: 'shell', commands: body }));
  });

  routes.post(`${device}/downlinks`, { schema: { params: ItemParams, body: Fields } }, async (request, reply) => {
    const { spaceId, params, body } = request;
    return reply.code(201).send(await send(spaceId, params.id, { type: 'data', body }));
  });

  routes.post(
    '/spaces/:space_id/messages',
    { schema: { params: SpaceParams, body: NewMessage } },
    async ({ spaceId, body }, reply) => {
      const request = requestOf(body.type, parsed(body.body));
      return reply.code(201).send(await send(spaceId, body.device_id.toLowerCase(), request));
    },
  );

  routes.post(`${message}/cancel`, { schema: { params: ItemParams } }, async ({ spaceId, params }) => {
    await cancel(spaceId, params.id);
    return messageView(await find(spaceId, params.id), options);
  });

  routes.delete(message, { schema: { params: ItemParams } }, async ({ spaceId, params }, reply) => {
    await cancel(spaceId, params.id);
    return reply.code(204).send();
  });

  async function send(spaceId: Id, deviceId: Id, request: DownlinkRequest) {
    const row = await store.device(spaceId, deviceId);
    if (!row) throw notFound('device');
    if (request.type === 'config' && request.lines.some((line) => line.trim() === 'config save')) {
      log.warn({ device: deviceId }, 'a config downlink contains "config save": the device may apply it twice');
    }
    const queued = await queue.queue(row, request);
    return messageView({ ...queued, deviceName: row.name, deviceSerial: row.serial }, options);
  }

  async function cancel(spaceId: Id, id: Id): Promise<void> {
    const row = await find(spaceId, id);
    if ((await queue.cancel(row)) === 'not-pending') throw new ApiFault(409, 'the message is not a pending downlink');
  }

  async function find(spaceId: Id, id: Id) {
    const row = await store.message(spaceId, id);
    if (!row) throw notFound('message');
    return row;
  }
};

const checkLines = checker(Lines, 'body/body');
const checkFields = checker(Fields, 'body/body');

function requestOf(type: 'data' | 'config' | 'shell', body: unknown): DownlinkRequest {
  switch (type) {
    case 'data':
      return { type, body: valid(checkFields(body)) };
    case 'config':
      return { type, lines: valid(checkLines(body)) };
    case 'shell':
      return { type, commands: valid(checkLines(body)) };
    default:
      return type satisfies never;
  }
}

function valid<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** Some clients send the body as JSON text. */
function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  if (isTooDeep(body)) throw tooDeep();
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
