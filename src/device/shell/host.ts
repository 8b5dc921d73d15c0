/**
 * The device as shell commands see it: the parts of its firmware, each reduced to what commands read and do. The firmware
 * itself has this form, so nothing stands between a command and the device.
 *
 * All devices of a type share one shell, which gets the device with each line. All calls return at once; a command that takes
 * time returns its continuation ({@link CommandResult.rest}). The interface deliberately has no reboot: a command that restarts
 * the device says so in its result ({@link CommandResult.reboot}), and the firmware restarts when the shell is done. So no
 * command runs on a device that has just lost its RAM.
 */

import type { Millis, UnixSeconds } from '../../kernel/time.js';
import type { Build } from '../../protocol/firmware-image.js';
import type { ContactReason } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { CloudCounters } from '../link/cloud-counters.js';
import type { Link } from '../link/link.js';
import type { ModemCounters } from '../modem/counters.js';
import type { Modem } from '../modem/modem.js';
import type { Subscriber } from '../modem/subscriber.js';
import type { Receiver } from '../wmbus/receiver.js';
import type { ShellBoard, ShellEquipment } from './equipment.js';

export interface ShellHost {
  readonly config: DeviceConfig;
  readonly profile: {
    readonly identity: { readonly modemFirmware?: string | undefined };
    /** Undefined if the device type has no updates. */
    readonly bootloader?: { readonly slotSize: number } | undefined;
  };
  readonly hardware: ShellHardware;
  readonly cloud: ShellCloud;
  readonly application: ShellApplication;
  /** The receiver of meters (CHESTER wM-Bus only). */
  readonly receiver: Pick<Receiver, 'begin' | 'enroll' | 'pushMadeUp'> | undefined;
  /** The firmware image that is being downloaded; undefined if there is none. */
  readonly download: FirmwareDownload | undefined;
  readonly board: ShellBoard;
  readonly equipment: ShellEquipment;
  /** What commands remember until the next boot. */
  readonly shellMemory: ShellMemory;
  /** Time since the last boot. */
  readonly uptime: Millis;
  /** The device's own clock in whole Unix seconds; it runs from 1970 until the first session (shell S-28). */
  readUnixTime(): UnixSeconds;
  /** Sets that clock, in Unix seconds. */
  moveClock(time: UnixSeconds): void;
  /** Asks the cloud for a firmware image. Returns 0, or a negative errno if the request cannot be queued. */
  requestFirmware(id: string): number;
}

interface ShellHardware {
  readonly identity: DeviceIdentity;
  /** Known to the firmware once the modem has started. */
  readonly subscriber: Subscriber;
  readonly modem: ShellModem;
  readonly link: Pick<Link, 'failover'>;
  /** The running image. */
  readonly build: Pick<Build, 'version'>;
  /** Undefined before the first update. */
  readonly bootloader: ShellBootloader | undefined;
}

export interface ShellModem
  extends Pick<
    Modem,
    | 'state'
    | 'started'
    | 'registered'
    | 'registration'
    | 'evaluation'
    | 'attempt'
    | 'wait'
    | 'positioning'
    | 'reconnect'
  > {
  readonly counters: ModemMetrics;
}

interface ShellBootloader {
  /** False while the running image is on trial: the next reset reverts to the earlier image. */
  readonly confirmed: boolean;
  /** The image that the next reset swaps in. */
  readonly requested: Pick<Build, 'version'> | undefined;
  confirm(): void;
}

interface ShellCloud {
  /** The session and its codecs are set up. */
  readonly initialized: boolean;
  readonly counters: CloudMetrics;
  /** Queues a poll for downlinks. */
  requestPoll(): void;
}

interface ShellApplication {
  /** Queues the samples that the command `sample` takes, or closes the present aggregation windows. */
  measureNow(kind: 'sample' | 'aggregate'): void;
  /** Queues a sample of one kind of sensor, by its name in the profile. */
  measureSensor(sensor: string): void;
  /** Queues a report. */
  reportNow(why: ContactReason): void;
  /** Plans the next scan for meters again: its time, or what it does, has changed. */
  planScan(): void;
  /** Polls for downlinks on the queue that sends the reports, without a time limit. */
  pollBetweenReports(): void;
}

/** What an object counts, without the functions that count. */
type Counts<T> = { readonly [K in keyof T as T[K] extends (...args: never[]) => void ? never : K]: T[K] };

export type CloudMetrics = Counts<CloudCounters>;
export type ModemMetrics = Counts<ModemCounters>;

/** State that commands keep from one line to the next. It is in RAM: each boot creates a new one. */
export class ShellMemory {
  /** Number of the next request to the LoRaWAN modem and to the GNSS receiver. */
  lrwRequests = 0;
  gnssRequests = 0;
  /** Uptime at which the GNSS receiver was started; undefined while it is off. */
  gnssSince: Millis | undefined;
  /** Uptime at which the search for all tags ends. */
  searchingUntil: Millis = 0;
  /** Uptime at which the battery's test load was connected; undefined while it is disconnected. */
  loadSince: Millis | undefined;
  /** Pins that `gpio set` has set to 1, such as `gpio0 13`. */
  readonly pins = new Set<string>();
  /** Each ends a command that is waiting to continue, without further output. */
  readonly waiting = new Set<() => void>();
}

/** Written in production; undefined shows as `(unset)` (shell S-20). */
export interface DeviceIdentity {
  readonly vendorName: string | undefined;
  readonly productName: string | undefined;
  readonly hwVariant: string | undefined;
  readonly hwRevision: string | undefined;
  readonly fwBundle: string | undefined;
  readonly fwName: string | undefined;
  readonly fwVersion: string | undefined;
  /** Ten decimal digits. */
  readonly serialNumber: string | undefined;
  /** 32 hex digits. A secret: only `info` prints it. */
  readonly claimToken: string | undefined;
  /** `aa:bb:cc:dd:ee:ff`. */
  readonly bleDevaddr: string | undefined;
  readonly blePasskey: string | undefined;
}

export interface FirmwareDownload {
  readonly updateId: Uint8Array;
  /** Bytes. */
  readonly accepted: number;
  readonly size: number;
}
