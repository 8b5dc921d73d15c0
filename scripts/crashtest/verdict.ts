/** Compares the contents of the store with the answers that the callers got. */
import type { DeviceCloudClient } from '../../src/client/client.js';

export interface Truth {
  /** Number of acknowledged uplinks, numbered from 0, by the id of the device. */
  readonly uplinks: ReadonlyMap<string, number>;
  /** Ids of queued downlinks by the text of their command. */
  readonly queued: ReadonlyMap<string, string>;
  /** Ids of the downlinks that devices have received. */
  readonly received: ReadonlySet<string>;
}

export interface Verdict {
  readonly uplinks: number;
  readonly downlinks: number;
  readonly faults: readonly string[];
}

export async function verdictOn(client: DeviceCloudClient, truth: Truth): Promise<Verdict> {
  const faults: string[] = [];
  let uplinks = 0;
  for (const [device, acknowledged] of truth.uplinks) {
    const counts = await uplinkCounts(client, device);
    for (const count of counts.values()) uplinks += count;
    faults.push(...uplinkFaults(device, acknowledged, counts));
  }
  const stored = await shellDownlinks(client);
  faults.push(...stored.flatMap(({ command, state }) => (state === 'sent' ? [] : [notSent(command, state)])));
  const idsOf = new Map<string, string[]>();
  for (const { command, id } of stored) idsOf.set(command, [...(idsOf.get(command) ?? []), id]);
  return { uplinks, downlinks: idsOf.size, faults: [...faults, ...downlinkFaults(truth, idsOf)] };
}

/** How often each uplink of a device is stored, by its number. */
async function uplinkCounts(client: DeviceCloudClient, device: string): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for await (const message of client.allMessages({ device_id: device, direction: 'up', after: LONG_AGO })) {
    const number = Buffer.from(message.raw ?? '', 'hex').readUInt32BE(4);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

function uplinkFaults(device: string, acknowledged: number, counts: ReadonlyMap<number, number>): readonly string[] {
  const faults: string[] = [];
  for (let number = 0; number < acknowledged; number++) {
    if (!counts.has(number)) faults.push(`device ${device}: acknowledged uplink ${number} is lost`);
  }
  for (const [number, count] of counts) {
    if (count > 1) faults.push(`device ${device}: uplink ${number} is stored ${count} times`);
  }
  return faults;
}

interface ShellDownlink {
  readonly id: string;
  readonly command: string;
  readonly state: string | null;
}

async function shellDownlinks(client: DeviceCloudClient): Promise<readonly ShellDownlink[]> {
  const found: ShellDownlink[] = [];
  for await (const message of client.allMessages({ direction: 'down', type: ['shell'], after: LONG_AGO })) {
    const [command = ''] = message.body as readonly string[];
    found.push({ id: message.id, command, state: message.down_state });
  }
  return found;
}

function notSent(command: string, state: ShellDownlink['state']): string {
  return `"${command}" is ${state} after everything was fetched`;
}

/** @param idsOf ids of the stored downlinks by the text of their command */
function downlinkFaults(truth: Truth, idsOf: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const faults: string[] = [];
  for (const [command, id] of truth.queued) {
    if (!idsOf.get(command)?.includes(id)) faults.push(`"${command}" was queued as ${id} and is lost`);
    if (!truth.received.has(id)) faults.push(`"${command}" (${id}) has never reached its device`);
  }
  for (const [command, ids] of idsOf) {
    if (ids.length > 1) faults.push(`"${command}" is stored ${ids.length} times`);
  }
  return faults;
}

/** Earlier than all messages of the test. */
const LONG_AGO = '2020-01-01';
