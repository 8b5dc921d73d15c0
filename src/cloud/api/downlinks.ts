/** Queueing and cancelling of downlinks (cloud C-28). */

import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { DeviceParams } from '../../contract/devices.js';
import { CommandLines, DataBody, NewCommands, NewConfig, NewData, NewMessage } from '../../contract/downlinks.js';
import { Message, MessageParams } from '../../contract/messages.js';
import { SpaceParams } from '../../contract/values.js';
import { readTraceParent, writeTraceParent } from '../../kernel/trace-context.js';
import { readJsonBody } from '../http/body.js';
import { ApiFault } from '../http/errors.js';
import { operation, type Routes } from '../http/operation.js';
import { type Checked, checker } from '../http/validation.js';
import { type DownlinkRequest, LONGEST_QUEUE } from '../interfaces/downlinks.js';
import type { DeviceRow, Id, MessageRow } from '../store/store.js';
import { deviceInBody, needWritableTag, visibleDevice, visibleMessage } from './access.js';
import { addCancelling } from './cancelling.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { messageView } from './messages.js';

/** The common part of all operations that queue a downlink. */
const QUEUEING = {
  tag: 'Downlinks',
  headers: IdempotencyHeaders,
  response: { 201: Message },
  errors: {
    ...IDEMPOTENCY_ERRORS,
    409:
      `The queue of the device is full: it has ${LONGEST_QUEUE} pending downlinks (\`queue-full\`). Or the firmware of the ` +
      'device has no encoder for data (`no-encoder`).',
  },
} as const;

export const downlinks: Family = (routes, context, options) => {
  const resource = downlinkResource(context, options);
  addQueueing(routes, context, resource);

  addCancelling(routes, '/spaces/:space_id/messages/:id', {
    tag: 'Downlinks',
    what: 'a pending downlink',
    noun: 'Downlink',
    description: 'The device does not get the downlink. One that was sent cannot be cancelled.',
    params: MessageParams,
    view: Message,
    tooLate: 'The message is not a pending downlink.',
    ...resource,
  });
};

/** Adds the routes that queue configurations, commands and data for one device, and the route for downlinks of any type. */
function addQueueing(routes: Routes, { store }: ApiContext, { send }: DownlinkResource): void {
  const device = '/spaces/:space_id/devices/:id';

  routes.post(
    `${device}/configs`,
    operation({
      ...QUEUEING,
      id: 'queueConfig',
      summary: 'Queue configuration lines',
      description:
        'Lines such as `app config …`. Leave out `config save`: the device saves the configuration and restarts by itself.',
      params: DeviceParams,
      body: NewConfig,
    }),
    async (request, reply) => {
      const { params, body } = request;
      const row = await visibleDevice(store, request, params.id);
      return reply.code(201).send(await send(request, row, { type: 'config', lines: body }));
    },
  );

  routes.post(
    `${device}/commands`,
    operation({
      ...QUEUEING,
      id: 'queueCommands',
      summary: 'Queue shell commands',
      description: 'The device sends the output later, in a message of type `shell`.',
      params: DeviceParams,
      body: NewCommands,
    }),
    async (request, reply) => {
      const { params, body } = request;
      const row = await visibleDevice(store, request, params.id);
      return reply.code(201).send(await send(request, row, { type: 'shell', commands: body }));
    },
  );

  routes.post(
    `${device}/downlinks`,
    operation({
      ...QUEUEING,
      id: 'queueData',
      summary: 'Queue data for the application',
      description: 'The firmware of the device defines the fields.',
      params: DeviceParams,
      body: NewData,
    }),
    async (request, reply) => {
      const { params, body } = request;
      const row = await visibleDevice(store, request, params.id);
      return reply.code(201).send(await send(request, row, { type: 'data', body }));
    },
  );

  routes.post(
    '/spaces/:space_id/messages',
    operation({
      ...QUEUEING,
      id: 'createMessage',
      summary: 'Queue a downlink of any type',
      description:
        'Instead of a `body`, data may have `raw`: the bytes that the application of the device gets. They need no encoder.',
      params: SpaceParams,
      body: NewMessage,
    }),
    async (request, reply) => {
      const device = await deviceInBody(store, request, request.body.device_id);
      return reply.code(201).send(await send(request, device, requestOf(request.body)));
    },
  );
}

type DownlinkResource = ReturnType<typeof downlinkResource>;

/** Functions that the routes share: queueing a downlink, cancelling one, and reading its message. */
function downlinkResource({ store, downlinks: queue, log }: ApiContext, options: ApiOptions) {
  return { send, cancel, read };

  async function send(asked: FastifyRequest, row: DeviceRow, request: DownlinkRequest) {
    await needWritableTag(store, asked, row.tagIds);
    if (request.type === 'config' && request.lines.some((line) => line.trim() === 'config save')) {
      log.warn({ device: row.id }, 'a config downlink contains "config save": the device may apply it twice');
    }
    const view = (queued: MessageRow) =>
      messageView({ ...queued, deviceName: row.name, deviceSerial: row.serial }, options);
    const caller = readTraceParent(asked.headers.traceparent);
    return view(
      await queue.queue(row, request, (queued) => asked.receipt(view(queued)), caller && writeTraceParent(caller)),
    );
  }

  async function cancel(asked: FastifyRequest, id: Id): Promise<void> {
    const row = await visibleMessage(store, asked, id);
    const device = await store.device(row.spaceId, row.deviceId);
    await needWritableTag(store, asked, device?.tagIds ?? []);
    if ((await queue.cancel(row)) === 'not-pending')
      throw new ApiFault(409, 'the message is not a pending downlink', 'not-pending');
  }

  async function read(asked: FastifyRequest, id: Id) {
    return messageView(await visibleMessage(store, asked, id), options);
  }
}

const checkLines = checker(CommandLines, 'body/body');
const checkFields = checker(DataBody, 'body/body');

function requestOf({ type, body: given, raw }: Static<typeof NewMessage>): DownlinkRequest {
  if (raw !== undefined) {
    if (type !== 'data' || given !== undefined) {
      throw new ApiFault(400, 'body/raw is possible for type "data" only, and not together with "body"');
    }
    return { type, raw: raw.toLowerCase() };
  }
  if (given === undefined) throw new ApiFault(400, 'body needs "body"');
  const body = parsed(given);
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

function valid<T>(outcome: Checked<T>): T {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/** The body as a JSON value. Some clients send it as JSON text. */
function parsed(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  const read = readJsonBody(body, 'body/body');
  if ('value' in read) return read.value;
  if (read.fault !== undefined) throw read.fault;
  return body;
}
