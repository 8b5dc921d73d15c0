/** The hardware that the firmware runs on: the parts of a device that survive a reboot, and the reboot itself. */
import type { Clock } from '../../kernel/clock.js';
import type { Draws } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { Build } from '../../protocol/firmware-image.js';
import type { BootCause, ContactReason, DownlinkType, UplinkType } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Battery, CurrentUse } from '../environment/battery.js';
import type { Environment } from '../environment/environment.js';
import type { Link } from '../link/link.js';
import type { Modem } from '../modem/modem.js';
import type { Subscriber } from '../modem/subscriber.js';
import type { DeviceIdentity } from '../shell/host.js';
import type { DeviceType } from '../type/device-type.js';
import type { Bootloader } from './bootloader.js';
import type { Spool } from './spool.js';

export interface Hardware {
  readonly type: DeviceType;
  readonly serial: number;
  readonly clock: Clock;
  readonly draws: Draws;
  readonly identity: DeviceIdentity;
  readonly subscriber: Subscriber;
  readonly config: DeviceConfig;
  /** The firmware that runs. */
  readonly build: Build;
  /** Created by the first update; undefined before. */
  bootloader: Bootloader | undefined;
  readonly spool: Spool;
  readonly environment: Environment;
  /** For tests: `setCoverage`, `setSignal({ rsrp: -122 })`, `suffer('lost-socket')` … These changes survive reboots. */
  readonly modem: Modem;
  /** Used only while no line supplies the board. For tests: `battery.set(0.9)` replaces the pack by one that is 90 % used. */
  readonly battery: Battery;
  readonly link: Link;
  readonly facts: DeviceFacts;
  /** Deviation of the clock in parts per million, positive if it runs too fast; 0 unless a control has changed it. */
  readonly clockDrift: number;
  readonly buttonPressed: boolean;
  /** Whether the device is closed: it starts no new work, but running exchanges finish. */
  readonly isClosing: boolean;
  /** Counts the charge that a use of the battery takes, in addition to the idle current. */
  spent(use: CurrentUse, duration: Millis): void;
  /** Stops the firmware at once and boots again. */
  reboot(cause: BootCause): void;
}

/** How much of a downlink was executed: all, all but rejected lines, or not to its end. */
export type Extent = 'wholly' | 'partly' | 'failed';

/** Receives the content of messages, which the trace does not contain. */
export interface MessageWitness {
  /** The device `serial` has made its uplink number `uplink`. @param message its bytes, including the type byte */
  noteMade(serial: number, uplink: number, message: Uint8Array): void;
  /** The device `serial` has received a downlink. @param message its bytes, including the type byte */
  noteReceived(serial: number, message: Uint8Array): void;
}

/** Writes the events of the device to the trace. Uplinks are numbered from the first boot on. */
export interface DeviceFacts {
  /** Why the radio is used next; part of the next `device.wake` event. */
  reason: ContactReason;
  ready(): void;
  /** The device has built a message. Returns the number of the uplink. */
  made(type: UplinkType, message: Uint8Array): number;
  sent(uplink: number, type: UplinkType): void;
  acknowledged(uplink: number, type: UplinkType): void;
  dropped(uplink: number, type: UplinkType, why: string): void;
  received(type: DownlinkType, message: Uint8Array, fingerprint: string): void;
  executed(type: DownlinkType, fingerprint: string, extent: Extent): void;
  pollFailed(why: string): void;
}
