/** One virtual device on its own, in real time. */

import type { Member } from '../console/member.js';
import { Device, type LinkFormat } from '../device/device.js';
import { deviceType } from '../device/hardware/device-type.js';
import type { EdgeClock } from '../kernel/clock.js';
import { seededRandom } from '../kernel/random.js';
import type { Profile } from '../profile/profile.js';
import type { EnvelopeFormat } from '../protocol/flap/envelope.js';
import type { Trace } from '../trace/events.js';
import { httpTransport, pooledRequests } from '../transport/http.js';
import { lookUp } from '../transport/look-up.js';
import type { Transport } from '../transport/transport.js';
import { udpTransport } from '../transport/udp.js';
import { flashSettings } from './flash-settings.js';
import { deviceHandle } from './handles.js';
import { memberOf } from './members.js';

/** Address of the cloud, with the link that the device uses. */
export type CloudAddress =
  | { readonly link: 'udp'; readonly host: string; readonly port: number; readonly format: EnvelopeFormat }
  /** The device ingress below the address of the API, such as `http://127.0.0.1:8080`. */
  | { readonly link: 'http'; readonly api: string };

interface SingleDeviceOptions {
  readonly profile: Profile;
  readonly serial: number;
  /** 32 hex digits. */
  readonly claimToken: string;
  /** Lines written to flash beforehand; the radio mode is LTE unless they say otherwise. */
  readonly config: readonly string[];
  readonly cloud: CloudAddress;
  readonly clock: EdgeClock;
  readonly trace: Trace;
}

interface SingleDevice {
  /** The device for a console: its shell and its controls. */
  readonly member: Member;
  /** Switches the device off and closes the connection. */
  stop(): Promise<void>;
}

/** Number of ports of a single device: each socket that its modem opens uses another port than the socket before. */
const PORTS = 2;

/** Builds the device and switches it on. @throws UsageError for a configuration that it rejects, or for an invalid address */
export async function startDevice(options: SingleDeviceOptions): Promise<SingleDevice> {
  const { profile, serial, claimToken, clock, trace, cloud } = options;
  const type = deviceType(profile);
  const flash = flashSettings(type.layout, ['app config mode lte', ...options.config]);
  const transport = await reach(cloud, clock);
  const format: LinkFormat = cloud.link === 'http' ? 'http' : cloud.format;
  const device = new Device({
    type,
    serial,
    claimToken,
    flash,
    clock,
    // The same serial number gives the same device: the same radio cell and the same climate.
    random: seededRandom(`device/${serial}`),
    trace,
    format,
    connect: (device) => transport.connect(serial, device),
  });
  device.powerOn();
  const name = `${profile.name}-${serial}`;
  return {
    member: memberOf(device, deviceHandle({ name, serial, claimToken }, [], device)),
    stop: async () => {
      device.powerOff();
      await transport.close();
    },
  };
}

async function reach(cloud: CloudAddress, clock: EdgeClock): Promise<Transport> {
  if (cloud.link === 'udp') return udpTransport({ ...cloud, sockets: PORTS });
  const requests = pooledRequests(cloud.api);
  await lookUp(new URL(cloud.api).hostname);
  return httpTransport(requests.send, clock, () => requests.close());
}
