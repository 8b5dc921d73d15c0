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

/** Where the cloud is, and how to talk to it. */
export type CloudAddress =
  | { readonly link: 'udp'; readonly host: string; readonly port: number; readonly format: EnvelopeFormat }
  /** `api` such as `http://127.0.0.1:8080`: the device ingress beside the API. */
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
  /** The device for a console: its shell, and the hands on it. */
  readonly member: Member;
  /** Takes the power away and closes the connection. */
  stop(): Promise<void>;
}

/** Ports that a single device takes turns with: each socket that its modem opens has another one than the socket before. */
const PORTS = 2;

/** Builds the device and switches it on. @throws UsageError for a configuration that it refuses, or an address that is none */
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
    // The same serial number is the same device: same cell, same climate.
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
