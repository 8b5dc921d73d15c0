/** Tools for the devices and messages of the cloud of `--target`. */
import Type from 'typebox';
import type { Device, DeviceCloudClient } from '../client/client.js';
import { quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { defineTool, type Tool } from './mcp-tool.js';

const OneDevice = Type.String({ minLength: 1, description: 'id, serial number or name of a device' });
const Limit = (most: number) => Type.Optional(Type.Integer({ minimum: 1, maximum: most, description: 'default: 20' }));

export const CLOUD_TOOLS: readonly Tool[] = [
  defineTool(
    'list_cloud_devices',
    'Lists the devices of the space in the cloud, with their health and their latest contact.',
    {
      name: Type.Optional(Type.String({ minLength: 1, description: 'only devices with this text in their names' })),
      health: Type.Optional(
        Type.Array(Type.Enum(['on_time', 'late', 'silent', 'never_seen']), { minItems: 1, maxItems: 4 }),
      ),
      limit: Limit(100),
      after: Type.Optional(Type.String({ minLength: 1, description: 'id of the last device of the page before' })),
    },
    async ({ name, health, limit = 20, after }, desk) => {
      const cloud = await desk.openCloud();
      const filter = { ...(name !== undefined && { name }), ...(health !== undefined && { health }) };
      const [matching, devices] = [
        await cloud.countDevices(filter),
        await cloud.devices({ ...filter, limit, ...(after !== undefined && { offset: after }) }),
      ];
      return {
        matching,
        devices: devices.map(({ id, name: own, serial_number, tags, last_contact, health: state }) => ({
          ...{ id, name: own, serial_number, tags: tags.map((tag) => tag.name), last_contact, health: state },
        })),
      };
    },
  ),
  defineTool(
    'inspect_cloud_device',
    'Shows one device of the cloud, with the facts of its session and its pending downlinks.',
    { device: OneDevice },
    async ({ device }, desk) => {
      const cloud = await desk.openCloud();
      const found = await findDevice(cloud, device);
      const downlinks = await cloud.messages({ device_id: found.id, direction: 'down', after: LONG_AGO, limit: 100 });
      return { ...found, pending_downlinks: downlinks.filter(({ down_state: state }) => state === 'pending') };
    },
  ),
  defineTool(
    'read_messages',
    'Reads the newest messages of the cloud, from and to devices.',
    {
      device: Type.Optional(OneDevice),
      direction: Type.Optional(Type.Enum(['up', 'down'], { description: '"up" from devices, "down" to them' })),
      types: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 10, description: 'such as data or shell' }),
      ),
      limit: Limit(100),
      before: Type.Optional(Type.String({ minLength: 1, description: 'id of the last message of the page before' })),
    },
    async ({ device, direction, types, limit = 20, before }, desk) => {
      const cloud = await desk.openCloud();
      const messages = await cloud.messages({
        ...(device !== undefined && { device_id: (await findDevice(cloud, device)).id }),
        ...(direction !== undefined && { direction }),
        ...(types !== undefined && { type: [...types] }),
        ...(before !== undefined && { offset: before }),
        after: LONG_AGO,
        limit,
      });
      return { messages };
    },
  ),
  defineTool(
    'read_timeline',
    'Shows what has happened to a downlink so far: when it was queued, offered, sent and answered.',
    { message: Type.String({ minLength: 1, description: 'id of a downlink' }) },
    async ({ message }, desk) => {
      const cloud = await desk.openCloud();
      return { ...(await cloud.message(message)), timeline: await cloud.timeline(message) };
    },
  ),
  defineTool(
    'queue_downlink',
    'Queues a downlink for a device: shell commands, lines of its configuration, or data for its application. The device gets it when it starts, reports or polls.',
    {
      device: OneDevice,
      type: Type.Enum(['shell', 'config', 'data']),
      lines: Type.Optional(
        Type.Array(Type.String(), {
          minItems: 1,
          maxItems: 100,
          description: 'for shell and config, such as "info show"',
        }),
      ),
      body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'for data: a JSON object' })),
    },
    async ({ device, type, lines, body }, desk) => {
      const wanted = type === 'data' ? body : lines;
      if (wanted === undefined || (lines !== undefined && body !== undefined)) {
        throw new UsageError(
          'bad-arguments',
          'a downlink of type shell or config needs "lines", one of type data "body"',
        );
      }
      const cloud = await desk.openCloud();
      const { id } = await findDevice(cloud, device);
      if (type === 'data') return cloud.sendData(id, body ?? {});
      return type === 'shell' ? cloud.sendCommands(id, lines ?? []) : cloud.sendConfig(id, lines ?? []);
    },
    'writes',
  ),
];

/** Earlier than any message: the newest messages are wanted, however old they are. */
const LONG_AGO = '1970-01-01T00:00:00.000Z';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws UsageError unless exactly one device has this id, serial number or name */
async function findDevice(cloud: DeviceCloudClient, wanted: string): Promise<Device> {
  if (UUID.test(wanted)) return cloud.device(wanted);
  const isSerial = /^\d{10}$/.test(wanted);
  const found: Device[] = [];
  for await (const device of cloud.allDevices(isSerial ? { serial_number: wanted } : { name: wanted })) {
    if ((isSerial ? device.serial_number : device.name) === wanted) found.push(device);
  }
  const [device, ...more] = found;
  if (device !== undefined && more.length === 0) return device;
  const what = device === undefined ? 'no device' : `${found.length} devices with the name`;
  throw new UsageError('no-device', `the space has ${what} ${quote(wanted)}; "list_cloud_devices" lists their ids`);
}
