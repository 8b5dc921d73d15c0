/** A space with a few devices that have reported for some hours. */
import {
  type Device,
  type Service,
  startDevice,
  startService,
  type VirtualDevice,
  type VirtualTime,
  virtualTime,
} from '../../src/index.js';

export const HOSTILE_TOKEN = 'ab'.repeat(16);

export interface World {
  readonly time: VirtualTime;
  readonly service: Service;
  readonly cellar: VirtualDevice;
  readonly gate: VirtualDevice;
  /** A registered device without a virtual device. A careless page would interpret its name as HTML. */
  readonly hostile: Device;
}

/**
 * Creates the space. Its virtual time begins in the past and passes for 2h 55m, because pages compare times with the clock of the
 * machine.
 * @param webConsole folder with the built console @param hoursAgo when the virtual time begins
 */
export async function world(webConsole: string, hoursAgo = 3): Promise<World> {
  const time = virtualTime({ start: new Date(Date.now() - hoursAgo * 3_600_000) });
  const service = await startService({ time, webConsole });
  const { client } = service;
  const cold = await client.createTag({ name: 'cold', color: '#3377bb' });
  const cellar = await startDevice({ profile: 'clime', service, name: 'cellar-0001' });
  const second = await startDevice({ profile: 'clime', service, name: 'cellar-0002' });
  const gate = await startDevice({ profile: 'control', service, name: 'gate-0001' });
  for (const { id } of [cellar, second]) await client.updateDevice(id, { tags: [cold] });
  await client.updateDevice(gate.id, { label: { region: 'north pole' } });
  const name = '<img src=x onerror=alert(1)>';
  const hostile = await client.createDevice({ name, serial_number: '3000000000', token: HOSTILE_TOKEN });
  await client.sendCommands(cellar.id, ['info show']);
  await time.advance('2h55m');
  return { time, service, cellar, gate, hostile };
}
