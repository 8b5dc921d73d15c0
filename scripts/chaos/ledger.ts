/**
 * The acknowledgements that the callers received, and their comparison with the stored messages: identity, content and order.
 */
import type { DeviceCloudClient } from '../../src/client/client.js';
import { numberOf } from '../support/numbered.js';

export interface Ledger {
  readonly devices: readonly LedgerDevice[];
  /**
   * Ids of queued commands by their text, `echo NAME NUMBER`. A queuer (support/http-callers.ts) queues its numbers in order.
   */
  readonly queued: ReadonlyMap<string, string>;
  /** Number of commands that reached their device again, after a lost acknowledgement. */
  readonly repeated: number;
}

interface LedgerDevice {
  readonly serial: number;
  readonly id: string;
  /** Number of acknowledged uplinks. The uplinks of a device are numbered from 0. */
  readonly acknowledged: number;
  /** Ids of the commands that the device received, in order. */
  readonly received: readonly string[];
}

export interface Balance {
  readonly uplinks: number;
  readonly commands: number;
  readonly repeated: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly altered: readonly string[];
  readonly reordered: readonly string[];
}

type Faults = { readonly [Kind in 'lost' | 'doubled' | 'altered' | 'reordered']: string[] };

/** @param ledger of callers that have stopped */
export async function balance(client: DeviceCloudClient, ledger: Ledger): Promise<Balance> {
  const faults: Faults = { lost: [], doubled: [], altered: [], reordered: [] };
  let uplinks = 0;
  for (const device of ledger.devices) uplinks += await compareUplinks(client, device, faults);
  const commands = await compareCommands(client, ledger, faults);
  for (const device of ledger.devices) compareReceived(device, ledger.queued, faults);
  return { uplinks, commands, repeated: ledger.repeated, ...faults };
}

/** Returns the number of stored uplinks of the device. */
async function compareUplinks(client: DeviceCloudClient, device: LedgerDevice, faults: Faults): Promise<number> {
  const seen = new Set<number>();
  const name = `device ${device.serial}`;
  let stored = 0;
  let newer = Number.POSITIVE_INFINITY;
  let newerAt = Number.POSITIVE_INFINITY;
  // The messages are listed newest first.
  for await (const message of client.allMessages({ device_id: device.id, direction: 'up' })) {
    stored++;
    const number = numberOf(device.serial, Buffer.from(message.raw ?? '', 'hex'));
    if (number === undefined) {
      faults.altered.push(`${name}: uplink ${message.id} is not one of the sent ones`);
      continue;
    }
    if (seen.has(number)) faults.doubled.push(`${name}: uplink ${number} is stored twice`);
    else if (number > newer) faults.reordered.push(`${name}: uplink ${number} is stored before ${newer}`);
    const at = Date.parse(message.created_at);
    if (at > newerAt) faults.reordered.push(`${name}: the time of uplink ${number} is after that of a newer one`);
    seen.add(number);
    newer = number;
    newerAt = at;
  }
  for (let number = 0; number < device.acknowledged; number++) {
    if (!seen.has(number)) faults.lost.push(`${name}: acknowledged uplink ${number} is lost`);
  }
  return stored;
}

/** Returns the number of stored commands. */
async function compareCommands(client: DeviceCloudClient, { queued }: Ledger, faults: Faults): Promise<number> {
  const idsOf = new Map<string, string[]>();
  for await (const message of client.allMessages({ direction: 'down', type: ['shell'] })) {
    const [command = ''] = message.body as readonly string[];
    idsOf.set(command, [...(idsOf.get(command) ?? []), message.id]);
    if (message.down_state !== 'sent') {
      faults.lost.push(`"${command}" is ${message.down_state} after everything was fetched`);
    }
  }
  for (const [command, id] of queued) {
    if (!idsOf.get(command)?.includes(id)) faults.lost.push(`"${command}" was queued as ${id} and is lost`);
  }
  for (const [command, ids] of idsOf) {
    if (ids.length > 1) faults.doubled.push(`"${command}" is stored ${ids.length} times`);
    if (!/^echo \S+ \d+$/.test(command)) faults.altered.push(`"${command}" is not one of the queued commands`);
  }
  return idsOf.size;
}

/** Checks that a device received the commands of each queuer in their order. */
function compareReceived(
  { serial, received }: LedgerDevice,
  queued: ReadonlyMap<string, string>,
  faults: Faults,
): void {
  if (received.length === 0) return;
  const commandOf = new Map([...queued].map(([command, id]) => [id, command]));
  const last = new Map<string, number>();
  for (const id of received) {
    const [, name = '', number = ''] = commandOf.get(id)?.split(' ') ?? [];
    if (Number(number) < (last.get(name) ?? -1)) {
      faults.reordered.push(`device ${serial} received ${name} ${number} after ${last.get(name)}`);
    }
    last.set(name, Number(number));
  }
}

/** The counts of a verdict. */
export function countsOf({ uplinks, commands, repeated, ...faults }: Balance): string {
  const counts = Object.entries(faults).map(([kind, list]) => `${list.length} ${kind}`);
  return `${uplinks} uplinks and ${commands} commands: ${counts.join(', ')}; ${repeated} commands delivered again`;
}

export function faultsOf({ lost, doubled, altered, reordered }: Balance): readonly string[] {
  return [...lost, ...doubled, ...altered, ...reordered];
}
