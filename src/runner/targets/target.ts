/**
 * What a fleet runs against: the embedded cloud, or any cloud that speaks the contract. The runner knows no more of it than
 * its API, and a way for datagrams.
 */
import type { DeviceCloudClient } from '../../client/client.js';
import type { LinkFormat } from '../../device/device.js';
import type { ClockHold } from '../../kernel/clock-hold.js';
import type { Trace } from '../../trace/events.js';
import type { Transport } from '../../transport/transport.js';

/**
 * Delays a request to the API of a caller that holds simulated time. Resolves when the request arrives; false if the service is
 * down.
 */
export type Admission = (hold: ClockHold) => Promise<boolean>;

export interface Target {
  /** The public API, for the space of the run. */
  readonly api: DeviceCloudClient;
  /** Where the API is, for those who send requests of their own. The key is secret. */
  readonly address: { readonly baseUrl: string; readonly apiKey: string };
  /** The API for a further space, by a name for it. @throws UsageError when nothing opens it */
  openSpace(name: string): Promise<DeviceCloudClient>;
  /** Called before every request; not set: no fault delays or stops it. */
  readonly admit?: Admission;
  /** The fleet is made, and the world begins: its limits hold from now on, and what goes wrong with it goes by its time. */
  begin(): void;
  /** Ends all faults. */
  end(): void;
  /** Takes the answer to a request that queued a downlink past `api`. False: it names none. */
  accepted(answer: string): boolean;
  /** The way to its gateway, without faults. */
  readonly wire: Transport;
  /** What the devices must send over it. */
  readonly format: LinkFormat;
  /** Milliseconds of the run in one of its own. */
  readonly speed: number;
  /** The trace for events of the devices. */
  readonly trace: Trace;
  /** Whether the run has to delete what it created there. */
  readonly outlivesRun: boolean;
  /** Called when the fleet is at rest: reports the final state of the last messages. */
  lastLook(): Promise<void>;
  /** Ends what was opened for the run. */
  close(): Promise<void>;
}
