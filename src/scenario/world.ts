/**
 * The interface through which steps and setup use the running simulation. The runner implements it.
 *
 * Steps act either through the public API, like users of the cloud, or directly on the device, like a technician on site.
 */

import type { DeviceControls } from '../device/device-controls.js';

export interface World {
  readonly api: CloudApi;
  /**
   * Id of the tag with this name; a missing tag is created through the API.
   * @param colour colour of a new tag; left out for one from a short list
   */
  tagId(name: string, colour?: string): Promise<string>;
  /** Id of the firmware image with this name in `setup`. @throws Error if `setup` has no such image */
  firmwareId(name: string): string;
}

/** A device of the fleet: its controls, its local shell and its entry in the cloud. */
export interface DeviceHandle {
  readonly name: string;
  readonly serial: number;
  /** 32 lower-case hex digits. Secret; only the step `create-device` uses it. */
  readonly claimToken: string;
  /** The DTLS key of the device in hex digits; left out or undefined if the device does not use DTLS. */
  readonly secret?: string | undefined;
  /** Names of the tags of its group. */
  readonly tags: readonly string[];
  /** The id in the cloud; undefined before creation and after deletion. Steps update it. */
  cloudId: string | undefined;
  /** Runs a line on the local shell. @throws Error if the device has no power */
  shell(line: string): ShellResult;
  /** Switches the power off and immediately on: RAM is lost, flash is kept. */
  powerCycle(): void;
  /** Changes the device's board and environment. */
  readonly controls: DeviceControls;
}

export interface ShellResult {
  /** Result code of the firmware: 0, 1 (help was printed) or a negative errno. */
  readonly result: number;
  /**
   * Whether the line was rejected. The result of a rejected line may be 0, for example for an unknown parameter or an invalid
   * value (firmware shell, 3.2).
   */
  readonly rejected: boolean;
  readonly lines: readonly string[];
}

/** The calls of the public API that steps use; all of them use the space of the run. */
interface CloudApi {
  createDevice(device: NewDevice): Promise<CloudDevice>;
  updateDevice(id: string, change: DeviceChange): Promise<CloudDevice>;
  /** Adds and removes tags by their ids; other tags stay. */
  changeTags(
    id: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<CloudDevice>;
  deleteDevice(id: string): Promise<void>;
  /** Queues `app config …` lines (POST …/configs). */
  sendConfig(deviceId: string, lines: readonly string[]): Promise<QueuedDownlink>;
  /** Queues shell commands (POST …/commands). */
  sendCommands(deviceId: string, commands: readonly string[]): Promise<QueuedDownlink>;
  /** Queues a JSON object for the application (POST …/downlinks). */
  sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<QueuedDownlink>;
  /** Messages of a device, newest first. */
  allMessages(query: { readonly device_id: string; readonly direction: 'down' }): AsyncIterable<CloudMessage>;
  /** Cancels a pending downlink. */
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
  readonly secret?: string;
  readonly tags?: readonly { readonly id: string }[];
}

export interface DeviceChange {
  readonly name?: string;
  readonly external_id?: string;
}

interface CloudDevice {
  readonly id: string;
}

interface QueuedDownlink {
  readonly id: string;
}
