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
 * A request to the API is on its way, by somebody who keeps simulated time still meanwhile. Resolves when it gets there; false:
 * nobody is there to take it.
 */
export type Admission = (hold: ClockHold) => Promise<boolean>;

export interface Target {
  /** The public API, for the space of the run. */
  readonly api: DeviceCloudClient;
  /** Where the API is, for those who send requests of their own. The key is secret. */
  readonly address: { readonly baseUrl: string; readonly apiKey: string };
  /** The API for a further space, by a name for it. @throws UsageError when nothing opens it */
  openSpace(name: string): Promise<DeviceCloudClient>;
  /** To be asked before every request; left out: each gets there at once. */
  readonly admit?: Admission;
  /** The fleet is made, and the world begins: its limits hold from now on, and what goes wrong with it goes by its time. */
  begin(): void;
  /** Nothing goes wrong any more. */
  end(): void;
  /** Takes the answer to a request that queued a downlink past `api`. False: it names none. */
  accepted(answer: string): boolean;
  /** The way to its gateway, without faults. */
  readonly wire: Transport;
  /** What the devices must send over it. */
  readonly format: LinkFormat;
  /** Milliseconds of the run in one of its own. */
  readonly speed: number;
  /** Where the devices tell what happens to them. */
  readonly trace: Trace;
  /** What the run made there has to be taken away at its end. */
  readonly outlivesRun: boolean;
  /** The fleet is at rest: tells what is not yet known about the last messages. */
  lastLook(): Promise<void>;
  /** Ends what was opened for the run. */
  close(): Promise<void>;
}
