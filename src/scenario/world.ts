/**
 * The sliver of a running world that scenario steps use. The runner implements it; nothing here knows how.
 *
 * Steps go two ways: through the public API, like every user of the cloud, or to the device itself, like a person with
 * the device at hand.
 */

import type { DeviceControls } from '../device/device-controls.js';

export interface World {
  readonly api: CloudApi;
  /**
   * Id of the tag with this name, which is created through the API when the space has none.
   * @param colour of one that is created; left out: one of a few that differ
   */
  tagId(name: string, colour?: string): Promise<string>;
  /** Id of the firmware image that `setup` calls so. @throws Error when there is none */
  firmwareId(name: string): string;
}

/** A device of the fleet: its controls, its local shell and its entry in the cloud. */
export interface DeviceHandle {
  readonly name: string;
  readonly serial: number;
  /** 32 lower-case hex digits. Secret: only `create-device` passes it on. */
  readonly claimToken: string;
  /** Names of the tags of its group. */
  readonly tags: readonly string[];
  /** Its id in the cloud; undefined before it is created and after it is deleted. Steps keep it up to date. */
  cloudId: string | undefined;
  /** Runs a line on the local shell. The power must be on: otherwise throws. */
  shell(line: string): ShellOutcome;
  /** Takes the power away and gives it back at once: RAM is lost, flash stays. */
  powerCycle(): void;
  /** Changes the device's board and environment. */
  readonly controls: DeviceControls;
}

export interface ShellOutcome {
  /** 0 or a negative errno, as the firmware returns it. */
  readonly result: number;
  readonly lines: readonly string[];
}

/** What steps use of the client of the public API; all calls are about the one space of the run. */
interface CloudApi {
  createDevice(device: NewDevice): Promise<CloudDevice>;
  device(id: string): Promise<CloudDevice>;
  updateDevice(id: string, change: DeviceChange): Promise<CloudDevice>;
  deleteDevice(id: string): Promise<void>;
  /** Queues `app config …` lines (POST …/configs). */
  sendConfig(deviceId: string, lines: readonly string[]): Promise<QueuedDownlink>;
  /** Queues shell commands (POST …/commands). */
  sendCommands(deviceId: string, commands: readonly string[]): Promise<QueuedDownlink>;
  /** Queues a JSON object for the application (POST …/downlinks). */
  sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<QueuedDownlink>;
  /** Messages of a device, newest first. */
  allMessages(query: { readonly device_id: string; readonly direction: 'down' }): AsyncIterable<CloudMessage>;
  /** Takes a downlink back that waits. */
  cancelMessage(id: string): Promise<unknown>;
  /** Queues a firmware update (POST …/firmware). */
  updateFirmware(deviceId: string, firmwareId: string): Promise<QueuedDownlink>;
}

interface CloudMessage {
  readonly id: string;
  readonly type: string;
  /** null for messages that devices send. */
  readonly down_state: string | null;
}

interface NewDevice {
  readonly name: string;
  /** Ten decimal digits. */
  readonly serial_number: string;
  readonly token: string;
  readonly tags?: readonly { readonly id: string }[];
}

export interface DeviceChange {
  readonly name?: string;
  readonly external_id?: string;
  readonly tags?: readonly { readonly id: string }[];
}

interface CloudDevice {
  readonly id: string;
  readonly tags: readonly { readonly id: string }[];
}

interface QueuedDownlink {
  readonly id: string;
}
