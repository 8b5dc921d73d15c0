/** The cloud of a fleet: the embedded one, or any with the same API. Only its API and transport are used. */

import type { DeviceCloudClient } from '../../client/client.js';
import type { ClockHold } from '../../kernel/clock-hold.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { Trace } from '../../trace/events.js';
import type { Transport } from '../../transport/transport.js';
import type { TargetAudit } from './audit/audit.js';
import type { RequestLimit } from './request-limit.js';
import type { ServiceFaults } from './service-faults.js';
import type { ClockOffset } from './target-clock.js';

/** Delays an API request whose caller holds the clock. True when it arrives; false if the service is down. */
export type Admission = (hold: ClockHold) => Promise<boolean>;

/** Where devices in other threads reach a cloud. */
export interface CloudPorts {
  readonly host: string;
  /** UDP ports by format; null: devices use the device ingress of the API. */
  readonly udp: { readonly base64: number; readonly raw: number; readonly dtls: number } | null;
}

export interface Target {
  /** The public API, for the space of the run. */
  readonly api: DeviceCloudClient;
  /** Address and key of the API, for loads, which send their own requests. The key is secret. */
  readonly address: { readonly baseUrl: string; readonly apiKey: string };
  /** The address of its web console with a new one-time token; undefined without a console, and while the cloud is down. */
  readonly consoleLink?: () => string | undefined;
  /** Whether the cookie `secret` belongs to an open console session that began with a one-time token; also while it is down. */
  readonly hasSession?: (secret: string) => Promise<boolean>;
  /** The API for a further space, by the name of the space in the scenario. @throws UsageError without a key for this space */
  openSpace(name: string): Promise<DeviceCloudClient>;
  /** Limits the requests of loads together with those of {@link api}; undefined for no limit. */
  readonly limit?: RequestLimit | undefined;
  /** Called before every API request; undefined if no fault can delay or stop it. */
  readonly admit?: Admission;
  /** Adds and removes faults of the cloud; undefined for a cloud that cannot have faults. */
  readonly faults?: Pick<ServiceFaults, 'add' | 'remove'>;
  /** Called when the fleet is created and the run begins. Rate limits and faults take effect from then on. */
  begin(): void;
  end(): void;
  /**
   * Reads the response to a request that queued a downlink and was not sent through `api`; returns false if it contains no
   * downlink. The embedded cloud is not checked: for it, the result is always true.
   * @param asked body of the request
   */
  accepted(answer: string, asked: string): boolean;
  /** The transport to the gateway of the cloud, without faults. */
  readonly wire: Transport;
  /** Ports of the cloud for devices in other threads; undefined if it has none. */
  readonly ports?: CloudPorts;
  /** How devices send over {@link wire}: HTTP, or base64, which hio devices replace by raw or DTLS. */
  readonly format: LinkFormat;
  /** Milliseconds of the run per millisecond of the cloud. */
  readonly speed: number;
  /** The trace for events of the devices. */
  readonly trace: Trace;
  /** Compares the messages in the cloud with those of the devices; undefined for the embedded cloud. */
  readonly audit?: TargetAudit;
  /** Warnings about the cloud at the end of the run. Default: none. */
  readonly remarks?: () => readonly string[];
  /** How far the clock of the cloud is ahead of the clock of this machine; missing for the embedded cloud. */
  readonly clockOffset?: () => ClockOffset | undefined;
  /** Whether the cloud still exists after the run. If so, the run must delete what it created there. */
  readonly outlivesRun: boolean;
  /** Names of devices by their serial numbers, if the answer to their creation was lost. Left out: no answer can be lost. */
  readonly unsure?: ReadonlyMap<number, string>;
  /** When the run began, by the clock of the cloud. Left out for a cloud that ends with the run. */
  since?(): UnixMillis;
  /** Called when the fleet is at rest: reports the final state of the last messages. */
  lastLook(): Promise<void>;
  /** Closes everything that was opened for the run. */
  close(): Promise<void>;
}
