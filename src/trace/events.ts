/**
 * The events of a run, as one stream. All numbers of a report are computed from these events. Events are plain data with keys
 * in a fixed order, because the digest of a run is the hash of their JSON: kinds, keys and texts must not change.
 *
 * `at` is simulated time in ms since the start of the run; `serial` is the serial number of the device.
 */
import type { Instant, Millis } from '../kernel/time.js';

/** Why a device restarted. */
export type BootCause = 'power' | 'shell' | 'button' | 'config' | 'watchdog' | 'brown-out' | 'claim-token' | 'update';

/** Why a device woke its radio. */
export type ContactReason = 'boot' | 'report' | 'event' | 'poll' | 'shell' | 'button' | 'answer';

/** Why the modem is off: the pause of the attach policy, of an error, or of a reset loop (timing T-46, T-53, T-56). */
export type RadioPause = 'attach-pause' | 'back-off' | 'reset-loop';

/** Content of an uplink. `codec` is a decoder or encoder document. */
export const UPLINK_TYPES = ['session', 'codec', 'config', 'data', 'shell', 'firmware', 'stats'] as const;
export type UplinkType = (typeof UPLINK_TYPES)[number];

/** Types of uplinks by the types of messages in the API. */
export const UPLINK_OF_MESSAGE = {
  session: 'session',
  data: 'data',
  config: 'config',
  decoder: 'codec',
  encoder: 'codec',
  shell: 'shell',
  firmware: 'firmware',
  stats: 'stats',
} as const satisfies Readonly<Record<string, UplinkType>>;

export type DownlinkType = 'session' | 'data' | 'config' | 'shell' | 'firmware' | 'timestamp';

/** State of a firmware update. */
export type UpdateState = 'scheduled' | 'downloading' | 'swapping' | 'succeeded' | 'cancelled' | 'failed';

/**
 * What shows that a downlink has arrived: a packet of the device (wire W-29 to W-31). `told`: the API of another cloud reports the
 * delivery.
 */
export type DeliveryEvidence = 'final-ack' | 'next-packet' | 'sequence-zero' | 'told';

/** Something that happened on a device. */
type DeviceEvent =
  | { readonly kind: 'device.boot'; readonly at: Instant; readonly serial: number; readonly cause: BootCause }
  /** The device has a session, the cloud has acknowledged its codec and configuration, and the application runs. */
  | { readonly kind: 'device.ready'; readonly at: Instant; readonly serial: number }
  /** The code of the device has thrown an error: the device stops for good, and the run is invalid. */
  | { readonly kind: 'device.failed'; readonly at: Instant; readonly serial: number; readonly why: string }
  /** The device wakes its radio for an exchange. */
  | { readonly kind: 'device.wake'; readonly at: Instant; readonly serial: number; readonly why: ContactReason }
  /** The device sends a datagram again; `waited`: time since it was last sent, in ms. */
  | { readonly kind: 'device.repeat'; readonly at: Instant; readonly serial: number; readonly waited: Millis }
  /** A transfer restarts from its first fragment, or is aborted, because the sequence numbers do not match. */
  | { readonly kind: 'device.restart'; readonly at: Instant; readonly serial: number; readonly why: string }
  /** A datagram of the cloud, with `bytes`, is longer than the buffer of the device, which can read only the first `read` of them. */
  | {
      readonly kind: 'device.overrun';
      readonly at: Instant;
      readonly serial: number;
      readonly bytes: number;
      readonly read: number;
    }
  /** An uplink message is ready to be sent. `uplink` numbers the uplinks of this device over the whole run. */
  | {
      readonly kind: 'uplink.made';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
      readonly bytes: number;
    }
  /** The device sends the first datagram of an uplink. */
  | {
      readonly kind: 'uplink.sent';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
    }
  /** The cloud has acknowledged the last fragment of an uplink. */
  | {
      readonly kind: 'uplink.acked';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
    }
  /** The device drops an uplink: failed transfer, reboot or power-off. `why`: a fixed reason, to count. */
  | {
      readonly kind: 'uplink.dropped';
      readonly at: Instant;
      readonly serial: number;
      readonly uplink: number;
      readonly type: UplinkType;
      readonly why: string;
    }
  /** The firmware leaves the modem off. `lasts`: planned length of the pause in ms; it may end earlier. */
  | {
      readonly kind: 'radio.paused';
      readonly at: Instant;
      readonly serial: number;
      readonly why: RadioPause;
      readonly lasts: Millis;
    }
  | { readonly kind: 'poll.failed'; readonly at: Instant; readonly serial: number; readonly why: string }
  /** The device has received a complete downlink message. `print`: fingerprint of its content, see protocol/hashes.ts. */
  | {
      readonly kind: 'downlink.received';
      readonly at: Instant;
      readonly serial: number;
      readonly type: DownlinkType;
      readonly print: string;
    }
  /**
   * The device has executed or refused a downlink. `ok`: the device executed all of it. Otherwise `partly` is set if the device
   * rejected a line and executed the others, and absent if a failure ended the execution.
   */
  | {
      readonly kind: 'downlink.executed';
      readonly at: Instant;
      readonly serial: number;
      readonly type: DownlinkType;
      readonly print: string;
      readonly ok: boolean;
      readonly partly?: true;
    };

/** Why the gateway rejects a datagram: unreadable, unknown device, wrong tag, or a copy of an earlier one. */
export type Refusal = 'unreadable' | 'unknown serial number' | 'wrong tag' | 'replayed';

/** Something that happened in the cloud. `downlink` is the message id. */
export type CloudEvent =
  /**
   * The cloud has stored an uplink durably. `copy`: the uplink was recognised as a repetition and not stored again. `again`:
   * the uplink was stored as a new message, and an earlier message of the device has the same content; this is the id of the
   * earlier message. Only the embedded cloud sets `again`, for data.
   */
  | {
      readonly kind: 'cloud.stored';
      readonly at: Instant;
      readonly serial: number;
      readonly type: UplinkType;
      readonly message: string;
      readonly copy: boolean;
      readonly again?: string;
    }
  /** The cloud has acknowledged a message over FLAP without storing it. Only the embedded cloud emits this event. */
  | { readonly kind: 'cloud.unstored'; readonly at: Instant; readonly serial: number }
  /** The cloud has answered a datagram after `took` ms. No event if this time is 0. */
  | { readonly kind: 'cloud.took'; readonly at: Instant; readonly serial: number; readonly took: Millis }
  /** The gateway has rejected a datagram. The event has no serial number, because the sender is not verified. */
  | { readonly kind: 'cloud.refused'; readonly at: Instant; readonly why: Refusal }
  /** The cloud has deleted expired messages and deliveries of connectors. */
  | { readonly kind: 'cloud.pruned'; readonly at: Instant; readonly messages: number }
  /** The API has accepted a downlink, or the cloud has created one itself (types session, timestamp). */
  | {
      readonly kind: 'downlink.queued';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly type: DownlinkType;
      /** What the cloud lacks to send it: the device has uploaded no encoder since it was registered. */
      readonly lacks?: 'encoder';
      /** The span of the API request that queued it, if the caller sent one (kernel/trace-context.ts). */
      readonly traceparent?: string;
    }
  /** A downlink was not accepted, or its device is unknown. The event before has the reason. */
  | { readonly kind: 'downlink.rejected'; readonly at: Instant; readonly serial: number; readonly type: DownlinkType }
  /** The first packet of the device since the downlink was queued. */
  | { readonly kind: 'downlink.contact'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  /** The cloud sends the first fragment, for the `attempt`-th time. */
  | {
      readonly kind: 'downlink.offered';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly print: string;
      readonly attempt: number;
    }
  /** The downlink is in state `sent`: its last fragment is confirmed. */
  | {
      readonly kind: 'downlink.delivered';
      readonly at: Instant;
      readonly serial: number;
      readonly downlink: string;
      readonly evidence: DeliveryEvidence;
    }
  /** The cloud has stored the shell answer, or the new configuration. */
  | { readonly kind: 'downlink.answered'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  | { readonly kind: 'downlink.cancelled'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  | { readonly kind: 'downlink.expired'; readonly at: Instant; readonly serial: number; readonly downlink: string }
  /** An update's new state or offset. `offset`: bytes accepted. `why`: reason of a failure, or empty. */
  | {
      readonly kind: 'update.moved';
      readonly at: Instant;
      readonly serial: number;
      readonly update: string;
      readonly state: UpdateState;
      readonly offset: number;
      readonly why: string;
    };

/**
 * An API request of a load, sent by the runner. `call`: name of the load, or for a request of a chain, its name in it, such as
 * `dashboard/list`; `intended`: when the request was due; `chain`: the load, for a request of a chain.
 */
type CallEvent =
  /** A due request waits for a connection. */
  | {
      readonly kind: 'call.waits';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly chain?: string;
    }
  /**
   * A request is sent. `waited`: it has waited for a connection. `held`: for how long the limit of requests a second has held it
   * back before it was due.
   */
  | {
      readonly kind: 'call.sent';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly waited?: true;
      readonly held?: Millis;
      readonly chain?: string;
    }
  /**
   * `status`: HTTP status, 0 if there was no response. `why`: short fixed reason for a missing response or one that does not fit.
   * `found`: what a failed check has found, without secrets. `expected`: the checks accept its status, which is not 2xx.
   */
  | {
      readonly kind: 'call.done';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly sent: Instant;
      readonly status: number;
      readonly why: string;
      readonly found?: string;
      readonly expected?: true;
      readonly chain?: string;
    }
  /** A due request was not sent. `waited`: it has waited for a connection. */
  | {
      readonly kind: 'call.dropped';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly why: string;
      readonly waited?: true;
      readonly chain?: string;
    }
  /** An iteration of a load with chains begins; it was due at `intended`. `call`: name of the load. */
  | { readonly kind: 'chain.began'; readonly at: Instant; readonly call: string; readonly intended: Instant }
  /**
   * It has ended. `ok`: all its requests were answered as they should be. `held`: for how long the limit of requests a second has
   * held back its requests since it was due.
   */
  | {
      readonly kind: 'chain.ended';
      readonly at: Instant;
      readonly call: string;
      readonly intended: Instant;
      readonly ok: boolean;
      readonly held?: Millis;
    }
  /** A load has ended. `planned`: requests due until then, counted apart from those sent. */
  | {
      readonly kind: 'load.closed';
      readonly at: Instant;
      readonly call: string;
      readonly planned: number;
      readonly closedLoop: boolean;
    };

/** What the faults in `net.fault` events do to a datagram. `weak-signal` is the radio of a device. */
export const DATAGRAM_SIGNS = {
  outage: 'destroys',
  loss: 'destroys',
  corruption: 'destroys',
  'weak-signal': 'destroys',
  reorder: 'delays',
  duplication: 'copies',
} as const;
export type DatagramSign = keyof typeof DATAGRAM_SIGNS;

/** Something that happened on the network, in the cloud process, or in the runner. */
type WorldEvent =
  /** A fault made the network lose, duplicate, change or delay a datagram. */
  | {
      readonly kind: 'net.fault';
      readonly at: Instant;
      readonly serial: number;
      readonly fault: DatagramSign;
      readonly way: 'up' | 'down';
    }
  /** A fault made the embedded cloud reject or delay a request, a datagram or a use of its store. */
  | { readonly kind: 'service.fault'; readonly at: Instant; readonly fault: string }
  /** The process of the embedded cloud has been killed (`runs` false), or runs again. */
  | { readonly kind: 'service.process'; readonly at: Instant; readonly runs: boolean }
  /** A step of the scenario was executed for a device. `note`: the reason when `ok` is false. */
  | {
      readonly kind: 'step';
      readonly at: Instant;
      readonly serial: number;
      readonly step: string;
      readonly ok: boolean;
      readonly note: string;
    }
  /** A user changed a device from a console; this is not part of the scenario. `action` contains no secrets. */
  | { readonly kind: 'console.action'; readonly at: Instant; readonly serial: number; readonly action: string }
  /** From now on, run time passes `speed` times as fast as real time; 1 before. Not in virtual time. */
  | { readonly kind: 'world.speed'; readonly at: Instant; readonly speed: number }
  /** The duration of the scenario has passed; devices start no new activity. */
  | { readonly kind: 'world.closing'; readonly at: Instant };

export type TraceEvent = DeviceEvent | CloudEvent | CallEvent | WorldEvent;

/** Receives the events of a run. */
export interface Trace {
  emit(event: TraceEvent): void;
}
