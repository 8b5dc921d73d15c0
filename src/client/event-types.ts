/** Events of a space, as they happen (`GET /v2/spaces/{space_id}/events`). */
import type { FirmwareUpdate } from './firmware-types.js';
import type { Delivery, Device, DownState, IsoTime, Message, MessageQuery } from './types.js';

/** An event in the timeline of a downlink. */
export interface DownlinkStation {
  readonly message_id: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly device_serial_number: string;
  /** Type of the message. */
  readonly type: string;
  readonly at: IsoTime;
  /** `queued`, `waiting`, `contact`, `offered`, `sent`, `answered`, `cancelled` or `expired`. */
  readonly what: string;
  readonly detail: string | null;
  /** Present state of the downlink. */
  readonly down_state: DownState | null;
}

export interface DeviceEvent {
  readonly device_id: string;
  readonly change: 'created' | 'changed' | 'deleted';
  /** Present state of the device; null if it was deleted. */
  readonly device: Device | null;
}

/**
 * An event. `id` is its position, from which a stream can be resumed. Resources are in the state that they had when the event
 * was sent.
 */
export type SpaceEvent = { readonly id: string } & (
  | { readonly event: 'message'; readonly data: Message }
  | { readonly event: 'downlink'; readonly data: DownlinkStation }
  | { readonly event: 'device'; readonly data: DeviceEvent }
  | { readonly event: 'delivery'; readonly data: Delivery }
  | { readonly event: 'firmware'; readonly data: FirmwareUpdate }
  /** Events are missing before this one, because the position was too old. Read the lists again. */
  | { readonly event: 'reset'; readonly data: { readonly reason: string; readonly message: string } }
);

export interface EventQuery extends Pick<MessageQuery, 'device_id' | 'tag_id' | 'type' | 'direction'> {
  /** Kinds of events. Default: all. `type` and `direction` filter the events `message` and `downlink`. */
  readonly event?: readonly Exclude<SpaceEvent['event'], 'reset'>[];
  /** Resumes after the event with this id. Default: from now. */
  readonly after?: string;
  /**
   * Called when a stream has begun: every later change arrives as an event. So read lists after this call.
   * @param resumed whether the stream continues after an earlier event
   */
  readonly onOpen?: (resumed: boolean) => void;
  /** Aborting this signal ends the iteration. */
  readonly signal?: AbortSignal;
}
