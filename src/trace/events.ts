/**
 * The facts of a run, as one stream. Everything that a report says is a fold over these; nothing is counted twice in two
 * places. Events are plain data with their keys in a fixed order, because the digest of a run is taken over their JSON.
 *
 * `at` is simulated time in ms since the world began; `serial` the device's serial number.
 */
import type { Instant, Millis } from '../kernel/time.js';

/** Why a device restarted. */
export type BootCause = 'power' | 'shell' | 'button' | 'config' | 'watchdog' | 'brown-out' | 'claim-token' | 'update';

/** Why a device woke its radio. */
export type ContactReason = 'boot' | 'report' | 'event' | 'poll' | 'shell' | 'button' | 'answer';

/** What an uplink carries. `codec` is a decoder or encoder document. */
export type UplinkType = 'session' | 'data' | 'config' | 'codec' | 'shell' | 'firmware' | 'stats';

/** What a downlink carries. */
export type DownlinkType = 'session' | 'data' | 'config' | 'shell' | 'firmware' | 'timestamp';

/** How far a firmware update is. */
export type UpdateState = 'scheduled' | 'downloading' | 'swapping' | 'succeeded' | 'cancelled' | 'failed';

/** What made the cloud believe that a downlink has arrived (wire protocol, 6.2 step 4 and 5). `told`: only its API was asked. */
export type DeliveryEvidence = 'final-ack' | 'next-packet' | 'sequence-zero' | 'told';

/** Something that happened on a device. */
type DeviceEvent =
  | { readonly kind: 'device.boot'; readonly at: Instant; readonly serial: number; readonly cause: BootCause }
  /** The session is set up and the application runs. */
  | { readonly kind: 'device.ready'; readonly at: Instant; readonly serial: number }
  /** The radio is woken for an exchange. */
  | { readonly kind: 'device.wake'; readonly at: Instant; readonly serial: number; readonly why: ContactReason }
  /** The same datagram goes out again; `waited` since its last copy. */
  | { readonly kind: 'device.repeat'; readonly at: Instant; readonly serial: number; readonly waited: Millis }
  /** A transfer begins again from its first fragment, or is given up, because the sequence numbers went apart. */
  | { readonly kind: 'device.restart'; readonly at: Instant; readonly serial: number; readonly why: string }
  /** An uplink message is ready to go. `uplink` numbers the uplinks of this device over the whole run. */
  | {
      readonly kind: 'uplink.made';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
      readonly bytes: number;
    }
  /** Its first datagram goes out. */
  | {
      readonly kind: 'uplink.sent';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
    }
  /** The cloud has acknowledged its last fragment. */
  | {
      readonly kind: 'uplink.acked';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
    }
  /** The device gives it up, or forgets it in a reboot or because it is switched off. `why` is a short fixed phrase, good for counting. */
  | {
      readonly kind: 'uplink.dropped';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
      readonly why: string;
    }
  | { readonly kind: 'poll.failed'; readonly at: Instant; readonly serial: number; readonly why: string }
  /** A downlink message is whole on the device. `print` identifies its content, see {@link contentPrint}. */
  | {
      readonly kind: 'downlink.received';
      readonly at: Instant;
      readonly serial: number;
      readonly type: DownlinkType;
      readonly print: string;
    }
  /** The device has done what a downlink says (or failed to). */
  | {
      readonly kind: 'downlink.executed';
      readonly at: Instant;
      readonly serial: number;
      readonly type: DownlinkType;
      readonly print: string;
      readonly ok: boolean;
    };

/** Why a datagram is not trusted: it cannot be read, there is no such device, or it is not signed by it. */
export type Refusal = 'unreadable' | 'unknown serial number' | 'wrong tag';

/** Something that happened in the cloud. `downlink` is the message id. */
export type CloudEvent =
  /** An uplink is stored durably. `copy`: it was recognised as a repetition and not stored again. */
  | {
      readonly kind: 'cloud.stored';
      readonly at: Instant;
      readonly serial: number;
      readonly type: UplinkType;
      readonly message: string;
      readonly copy: boolean;
    }
  /** The cloud took `took` ms between a datagram and its answer (left out when 0). */
  | { readonly kind: 'cloud.took'; readonly at: Instant; readonly serial: number; readonly took: Millis }
  /** A datagram was refused: nobody knows from whom it was. */
  | { readonly kind: 'cloud.refused'; readonly at: Instant; readonly why: Refusal }
  /** Messages, and deliveries of connectors, were deleted because of their age. */
  | { readonly kind: 'cloud.pruned'; readonly at: Instant; readonly messages: number }
  /** A downlink was accepted by the API, or made by the cloud itself (types session, timestamp). */
  | {
      readonly kind: 'downlink.queued';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly type: DownlinkType;
    }
  /** The device's first packet since the downlink was queued. */
  | { readonly kind: 'downlink.contact'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  /** Its first fragment goes out, for the `attempt`-th time. */
  | {
      readonly kind: 'downlink.offered';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly print: string;
      readonly attempt: number;
    }
  /** State `sent`: its last fragment is confirmed. */
  | {
      readonly kind: 'downlink.delivered';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly evidence: DeliveryEvidence;
    }
  /** The evidence is in: a shell answer is stored, or a new configuration was reported. */
  | { readonly kind: 'downlink.answered'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  | { readonly kind: 'downlink.cancelled'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  | { readonly kind: 'downlink.expired'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  /** A firmware update has begun, come further or ended. `offset`: bytes that the device has accepted; `why` it failed, or empty. */
  | {
      readonly kind: 'update.moved';
      readonly at: Instant;
      readonly serial: number;
      readonly update: string;
      readonly state: UpdateState;
      readonly offset: number;
      readonly why: string;
    };

/** A request of a load, which the runner sends to the API. `call` names the load; `intended` is when it was due. */
type CallEvent =
  /** `status` of its answer, 0: there was none. `why` that is so, or a 2xx of no use, in a short fixed phrase (empty otherwise). */
  | {
      readonly kind: 'call.done';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly sent: Instant;
      readonly status: number;
      readonly why: string;
    }
  /** It was never sent. */
  | {
      readonly kind: 'call.dropped';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly why: string;
    }
  /** It was still without an answer at the very end. */
  | {
      readonly kind: 'call.open';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly sent: Instant;
    }
  /** A load is over. `planned`: requests that were due until then, counted apart from those that were made. */
  | {
      readonly kind: 'load.closed';
      readonly at: Instant;
      readonly call: string;
      readonly planned: number;
      readonly closedLoop: boolean;
    };

/** Something that happened between the two, or that the runner did. */
type WorldEvent =
  /** The network lost, doubled or changed a datagram because a fault says so. */
  | {
      readonly kind: 'net.fault';
      readonly at: Instant;
      readonly serial: number;
      readonly fault: string;
      readonly way: 'up' | 'down';
    }
  /** The embedded cloud has refused or held up something because a fault says so. */
  | { readonly kind: 'service.fault'; readonly at: Instant; readonly fault: string }
  /** The process of the embedded cloud has died, or runs again. */
  | { readonly kind: 'service.process'; readonly at: Instant; readonly runs: boolean }
  /** A step of the scenario was carried out. `ok` false: `note` says why not. */
  | { readonly kind: 'step'; readonly at: Instant; readonly step: string; readonly ok: boolean; readonly note: string }
  /** Somebody has done something to a device from a console, which is not in the scenario. `action` holds no secrets. */
  | { readonly kind: 'console.action'; readonly at: Instant; readonly serial: number; readonly action: string }
  /** The scenario's time is over; devices begin nothing new. */
  | { readonly kind: 'world.closing'; readonly at: Instant };

export type TraceEvent = DeviceEvent | CloudEvent | CallEvent | WorldEvent;

/** Where facts go. */
export interface Trace {
  emit(event: TraceEvent): void;
}
