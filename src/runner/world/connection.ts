/** Connects a virtual device to its transport, with DTLS if its configuration says so. */
import { createHash } from 'node:crypto';
import { DeviceConfig, type Settings } from '../../device/config/device-config.js';
import { wireFormat } from '../../device/link/wire-format.js';
import type { DeviceType } from '../../device/type/device-type.js';
import type { AlarmOwner, Clock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import { connectDtls } from '../../transport/dtls.js';
import type { Channel, Receiver, Transport } from '../../transport/transport.js';

interface ConnectionOptions {
  readonly serial: number;
  readonly claimToken: string;
  /** Key of the device for DTLS, in hex digits. Default: {@link deriveDeviceKey}. */
  readonly secret?: string | undefined;
  readonly transport: Transport;
  readonly random: Random;
}

/** A device that runs what it receives, and the alarms of its clock, as its own code. */
interface ConnectedDevice extends Receiver, AlarmOwner {
  readonly clock: Clock;
}

/** Returns the function by which a device connects its radio (`connect` of DeviceOptions). */
export function makeConnection({ serial, claimToken, secret, transport, random }: ConnectionOptions) {
  return (device: ConnectedDevice, wire: LinkFormat): Channel => {
    if (wire !== 'dtls') return transport.connect(serial, device, wire);
    const psk = Buffer.from(secret ?? deriveDeviceKey(claimToken), 'hex');
    const inner: Transport = {
      connect: (number, receiver, format) =>
        transport.connect(number, { receive: (record) => device.run(() => receiver.receive(record)) }, format),
      close: () => transport.close(),
    };
    return connectDtls({ serial, psk, clock: device.clock, random, inner }, device);
  };
}

/**
 * The DTLS key of a virtual device in hex digits: derived from its claim token, so that a plan needs no second secret for each
 * device.
 */
function deriveDeviceKey(claimToken: string): string {
  const hash = createHash('sha256').update('DTLS key of a virtual device').update(claimToken.toLowerCase());
  return hash.digest('hex').slice(0, 32);
}

/** What devices of one kind share: their type, and the content of their flash. */
export interface DeviceKind {
  readonly type: DeviceType;
  readonly flash: Settings;
}

/** Whether devices of this kind use DTLS (`cloud config protocol flap-dtls`). */
export function usesDtls({ type, flash }: DeviceKind): boolean {
  return wireFormat('base64', type.policy, new DeviceConfig(type.layout, flash)) === 'dtls';
}

/** An object with the field `secret`, with which a device of this kind has to be registered; an empty object without DTLS. */
export function makeRegisteredSecret(kind: DeviceKind, claimToken: string): { readonly secret?: string } {
  return usesDtls(kind) ? { secret: deriveDeviceKey(claimToken) } : {};
}
