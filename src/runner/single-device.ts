/** Virtual devices outside a run: in real time against any cloud, or in a program. */

import type { Member } from '../console/member.js';
import type { Settings } from '../device/config/device-config.js';
import { Device, type LinkFormat } from '../device/device.js';
import { type DeviceType, deviceType } from '../device/type/device-type.js';
import type { EdgeClock } from '../kernel/clock.js';
import { seededRandom } from '../kernel/random.js';
import type { Profile } from '../profile/profile.js';
import type { EnvelopeFormat } from '../protocol/flap/envelope.js';
import type { Trace } from '../trace/events.js';
import { httpTransport, pooledRequests } from '../transport/http.js';
import { lookUp } from '../transport/look-up.js';
import type { Transport } from '../transport/transport.js';
import { udpTransport } from '../transport/udp.js';
import { flashSettings } from './world/flash-settings.js';
import { deviceHandle } from './world/handles.js';
import { memberOf } from './world/members.js';

/** Address of the cloud, with the link that the device uses. */
export type CloudAddress =
  | { readonly link: 'udp'; readonly host: string; readonly port: number; readonly format: EnvelopeFormat }
  /** The device ingress below the address of the API, such as `http://127.0.0.1:8080`. */
  | { readonly link: 'http'; readonly api: string };

/** What devices of one kind share: their type, and the content of their flash. */
interface DeviceKind {
  readonly type: DeviceType;
  readonly flash: Settings;
}

/** Who a device is. */
export interface DeviceIdentity {
  readonly name: string;
  readonly serial: number;
  /** 32 hex digits. */
  readonly claimToken: string;
}

interface SingleDeviceOptions extends Omit<DeviceIdentity, 'name'> {
  readonly profile: Profile;
  /** Lines written to flash beforehand; the radio mode is LTE unless they say otherwise. */
  readonly config: readonly string[];
  readonly cloud: CloudAddress;
  readonly clock: EdgeClock;
  readonly trace: Trace;
}

/** A device that is switched on. */
export interface SwitchedOn {
  readonly device: Device;
  /** The device for a console: its shell and its controls. */
  readonly member: Member;
}

interface SingleDevice {
  /** The device for a console: its shell and its controls. */
  readonly member: Member;
  /** Switches the device off and closes the connection. */
  stop(): Promise<void>;
}

/**
 * Number of local ports of a single device: each socket that the modem opens uses another port than the previous
 * socket.
 */
const PORTS = 2;

/**
 * Builds a device with a connection of its own and switches it on.
 * @throws UsageError for a configuration that the device rejects, or an address that is not valid
 */
export async function startDevice(options: SingleDeviceOptions): Promise<SingleDevice> {
  const { profile, serial, claimToken, cloud, clock, trace } = options;
  const kind = deviceKind(profile, options.config);
  const transport = await reach(cloud, clock);
  const wire = { transport, format: cloud.link === 'http' ? 'http' : cloud.format, clock, trace } as const;
  const { device, member } = switchOn(kind, { name: `${profile.name}-${serial}`, serial, claimToken }, wire);
  return {
    member,
    stop: async () => {
      device.powerOff();
      await transport.close();
    },
  };
}

/**
 * @param config lines written to flash beforehand; the radio mode is LTE unless they say otherwise
 * @throws UsageError that lists every line that the device rejects
 */
export function deviceKind(profile: Profile, config: readonly string[]): DeviceKind {
  const type = deviceType(profile);
  return { type, flash: flashSettings(type.layout, ['app config mode lte', ...config]) };
}

/** What a device is connected to. */
interface Wire {
  readonly transport: Transport;
  readonly format: LinkFormat;
  readonly clock: EdgeClock;
  readonly trace: Trace;
}

/** Builds a device and switches it on. */
export function switchOn(kind: DeviceKind, identity: DeviceIdentity, { transport, ...wire }: Wire): SwitchedOn {
  const { serial, claimToken } = identity;
  const device = new Device({
    ...{ ...kind, serial, claimToken, ...wire },
    // The same serial number gives the same device: the same radio cell and the same climate.
    random: seededRandom(`device/${serial}`),
    connect: (device) => transport.connect(serial, device),
  });
  device.powerOn();
  return { device, member: memberOf(device, deviceHandle(identity, [], device)) };
}

async function reach(cloud: CloudAddress, clock: EdgeClock): Promise<Transport> {
  if (cloud.link === 'udp') return udpTransport({ ...cloud, sockets: PORTS });
  const requests = pooledRequests(cloud.api);
  await lookUp(new URL(cloud.api).hostname);
  return httpTransport(requests.send, clock, () => requests.close());
}
