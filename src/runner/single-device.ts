/** One virtual device on its own, over UDP, in real time. */
import { Device } from '../device/device.js';
import { deviceType } from '../device/device-type.js';
import type { Clock } from '../kernel/clock.js';
import { seededRandom } from '../kernel/random.js';
import type { Profile } from '../profile/profile.js';
import type { EnvelopeFormat } from '../protocol/flap/envelope.js';
import type { Trace } from '../trace/events.js';
import { udpTransport } from '../transport/udp.js';
import { benchSettings } from './bench-config.js';

export interface SingleDeviceOptions {
  readonly profile: Profile;
  readonly serial: number;
  /** 32 hex digits. */
  readonly claimToken: string;
  /** Lines written to flash beforehand; the radio mode is LTE unless they say otherwise. */
  readonly config: readonly string[];
  readonly gateway: { readonly host: string; readonly port: number };
  readonly format: EnvelopeFormat;
  readonly clock: Clock;
  readonly trace: Trace;
}

export interface SingleDevice {
  /** Runs a line on its shell; returns what it prints. */
  shell(line: string): readonly string[];
  /** Takes the power away and closes the socket. */
  stop(): Promise<void>;
}

/** Builds the device and switches it on. @throws UsageError for a configuration that it refuses */
export async function startDevice(options: SingleDeviceOptions): Promise<SingleDevice> {
  const { profile, serial, claimToken, clock, trace, format } = options;
  const type = deviceType(profile);
  const flash = benchSettings(type.layout, ['app config mode lte', ...options.config]);
  const transport = await udpTransport({ ...options.gateway, format, sockets: 1 });
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
    connect: (receive) => transport.connect(serial, receive),
  });
  device.powerOn();
  return {
    shell: (line) => device.shell(line).lines,
    stop: async () => {
      device.powerOff();
      await transport.close();
    },
  };
}
