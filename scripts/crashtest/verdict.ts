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
    const counts = new Map<number, number>();
    for await (const message of client.allMessages({ device_id: device, direction: 'up', after: '2020-01-01' })) {
      const number = Buffer.from(message.raw ?? '', 'hex').readUInt32BE(4);
      counts.set(number, (counts.get(number) ?? 0) + 1);
      uplinks++;
    }
    for (let number = 0; number < acknowledged; number++) {
      if (!counts.has(number)) faults.push(`device ${device}: acknowledged uplink ${number} is lost`);
    }
    for (const [number, count] of counts) {
      if (count > 1) faults.push(`device ${device}: uplink ${number} is stored ${count} times`);
    }
  }

  const stored = new Map<string, string[]>();
  for await (const message of client.allMessages({ direction: 'down', type: ['shell'], after: '2020-01-01' })) {
    const [command = ''] = message.body as readonly string[];
    stored.set(command, [...(stored.get(command) ?? []), message.id]);
    if (message.down_state !== 'sent')
      faults.push(`"${command}" is ${message.down_state} after everything was fetched`);
  }
  for (const [command, id] of truth.queued) {
    if (!stored.get(command)?.includes(id)) faults.push(`"${command}" was queued as ${id} and is lost`);
    if (!truth.received.has(id)) faults.push(`"${command}" (${id}) has never reached its device`);
  }
  for (const [command, ids] of stored) {
    if (ids.length > 1) faults.push(`"${command}" is stored ${ids.length} times`);
  }
  return { uplinks, downlinks: stored.size, faults };
}
