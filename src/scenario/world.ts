/**
 * The interface through which steps and setup use the running simulation. The runner implements it.
 *
 * Steps act either through the public API, like users of the cloud, or directly on the device, like a technician on site.
 */
import type { DeviceCloudClient } from '../client/client.js';
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
  /** Changes the device's power, board and environment. */
  readonly controls: Pick<DeviceControls, keyof DeviceControls>;
}

export interface ShellResult {
  /** Result code of the firmware: 0, 1 (help was printed) or a negative errno. */
  readonly code: number;
  /** Whether the line was rejected; its result may be 0, as for an invalid value (shell S-14). */
  readonly rejected: boolean;
  readonly lines: readonly string[];
}

/** The calls of the public API that steps use; all of them use the space of the run. */
type CloudApi = Pick<
  DeviceCloudClient,
  | ('createDevice' | 'updateDevice' | 'changeTags' | 'deleteDevice')
  | ('sendConfig' | 'sendCommands' | 'sendData' | 'allMessages' | 'cancelMessage' | 'updateFirmware')
>;
