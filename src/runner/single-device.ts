/**
 * Virtual devices outside a run: for the command line in real time against any cloud, and for programs that use the library.
 */

import { Device, type DeviceWorld } from '../device/device.js';
import { POLICIES } from '../device/family/index.js';
import { deviceType } from '../device/type/device-type.js';
import type { EdgeClock } from '../kernel/clock.js';
import { seededRandom } from '../kernel/random.js';
import type { Profile } from '../profile/profile.js';
import type { LinkFormat, PacketFormat } from '../protocol/flap/envelope.js';
import type { Trace } from '../trace/events.js';
import { GatewayHost } from '../transport/gateway-host.js';
import { openHttp } from '../transport/http.js';
import { ownSockets } from '../transport/own-sockets.js';
import type { Failed, Transport } from '../transport/transport.js';
import { udpTransport } from '../transport/udp.js';
import { type DeviceKind, makeConnection } from './world/connection.js';
import { makeFlashSettings } from './world/flash-settings.js';
import { FleetDevice, type NamedDevice } from './world/fleet-device.js';
import type { WireRecorder } from './world/options.js';

/** Address of the cloud, with the link that the device uses. */
export type CloudAddress =
  | { readonly link: 'udp'; readonly host: string; readonly port: number; readonly format: PacketFormat }
  /** The device ingress, a part of the API (docs/API.md). `api`: address of the API, such as `http://127.0.0.1:8080`. */
  | { readonly link: 'http'; readonly api: string };

/** Name and secrets of a device. */
export interface DeviceAccount extends NamedDevice {
  /** Key of the device for DTLS, in hex digits. Default: derived from the claim token. */
  readonly secret?: string | undefined;
}

interface SingleDeviceOptions extends Omit<DeviceAccount, 'name'> {
  readonly profile: Profile;
  /** Configuration lines written to flash before the first start; the radio mode is LTE unless one of them sets another. */
  readonly config: readonly string[];
  readonly cloud: CloudAddress;
  readonly clock: EdgeClock;
  readonly trace: Trace;
  /** Receives the failures of this machine. */
  readonly failed: Failed;
  /** Records what the device sends and receives. Default: nothing is recorded. */
  readonly recorder?: WireRecorder;
  /** Called when the device cannot go on: its code has thrown an error, or `recorder` cannot record. */
  readonly crashed: (error: Error) => void;
}

interface SingleDevice {
  readonly device: FleetDevice;
  /** Switches the device off and closes the connection. */
  stop(): Promise<void>;
}

/** Local ports of a single device: two, so that each new socket has another one. */
const PORTS = 2;

/**
 * Builds a device with a connection of its own and switches it on.
 * @throws UsageError for a configuration that the device rejects, or an address that is not valid
 */
export async function startSingleDevice(options: SingleDeviceOptions): Promise<SingleDevice> {
  const { profile, serial, claimToken, secret, cloud, clock, trace, crashed, recorder } = options;
  const kind = makeDeviceKind(profile, options.config);
  const name = `${profile.name}-${serial}`;
  const opened = await openTransport(options);
  recorder?.begin(clock, () => name, crashed);
  const transport = recorder?.record(opened) ?? opened;
  const format = cloud.link === 'http' ? 'http' : cloud.format;
  const wire: Wire = { transport, format, clock, trace, failed: (_serial, error) => crashed(error) };
  const device = switchOn(kind, { name, serial, claimToken, secret }, wire);
  return {
    device,
    stop: async () => {
      device.device.powerOff();
      await transport.close();
    },
  };
}

/**
 * @param config configuration lines written to flash before the first start; the radio mode is LTE unless one of them sets
 * another
 * @throws UsageError that lists every line that the device rejects
 */
export function makeDeviceKind(profile: Profile, config: readonly string[]): DeviceKind {
  const type = deviceType(profile);
  const hasMode = type.layout.find('app', 'mode') !== undefined;
  return { type, flash: makeFlashSettings(type.layout, [...(hasMode ? ['app config mode lte'] : []), ...config]) };
}

/** Whether devices of this type always send raw datagrams. */
export function isRawSender({ family }: Profile): boolean {
  return POLICIES[family].transfers.alwaysRaw;
}

/** The transport of a device with its format, and the world around the device. */
interface Wire extends Pick<DeviceWorld, 'trace' | 'failed'> {
  readonly transport: Transport;
  readonly format: LinkFormat;
  readonly clock: EdgeClock;
}

export function switchOn(kind: DeviceKind, account: DeviceAccount, { transport, format, ...world }: Wire): FleetDevice {
  const { serial, claimToken, secret } = account;
  // The seed is the serial number, so that the device has the same radio cell and the same climate in every process.
  const random = seededRandom(`device/${serial}`);
  const device = new Device({
    ...kind,
    serial,
    claimToken,
    format,
    random,
    world,
    connect: makeConnection({ serial, claimToken, secret, transport, random }),
  });
  device.powerOn();
  return new FleetDevice(device, account);
}

async function openTransport({ cloud, clock, failed }: SingleDeviceOptions): Promise<Transport> {
  if (cloud.link === 'udp') {
    if (cloud.format === 'dtls') return ownSockets({ ...cloud, clock, failed });
    return udpTransport({ host: cloud.host, ports: { [cloud.format]: cloud.port }, sockets: PORTS, failed });
  }
  const wire = openHttp(cloud.api, clock, failed);
  await GatewayHost.open(new URL(cloud.api).hostname, { failed });
  return wire;
}
