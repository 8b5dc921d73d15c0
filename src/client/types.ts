/**
 * The JSON of the public REST API as it is on the wire: snake_case names, times as ISO 8601 text in UTC.
 *
 * A server may add fields, and a message's `type` is an open list: these types name what the client relies on
 * (device cloud API, "Resources and their fields"; cloud API gaps, section 3).
 */
import type { Millis, Seconds } from '../kernel/time.js';

/** `2026-01-01T00:00:00.000Z` */
export type IsoTime = string;

export interface Space {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly owner_id: string | null;
  readonly user_role: string;
  readonly created_at: IsoTime;
}

export interface NewSpace {
  readonly name: string;
  readonly type?: 'personal' | 'team' | 'default' | 'premium';
}

/** `owner_id` hands the space over to another of its admins. */
export type SpaceUpdate = Partial<NewSpace> & { readonly owner_id?: string };

export interface Tag {
  readonly id: string;
  readonly name: string;
  /** `#RRGGBB` */
  readonly color: string;
  readonly access_type: 'write' | 'read';
  readonly created_at: IsoTime;
}

export interface TagRef {
  readonly id: string;
}

export interface NewTag {
  readonly name: string;
  /** `#RRGGBB` */
  readonly color: string;
  readonly access_type?: 'write' | 'read';
}

export interface Device {
  readonly id: string;
  readonly space_id: string;
  readonly name: string;
  readonly comment: string | null;
  /** Ten decimal digits. */
  readonly serial_number: string;
  readonly external_id: string | null;
  readonly label: Readonly<Record<string, string>>;
  readonly tags: readonly Tag[];
  readonly created_at: IsoTime;
  /** When its last message came. */
  readonly last_seen: IsoTime | null;
  readonly session_id: number | null;
  /** 16 lower-case hex digits each. */
  readonly config_hash: string | null;
  readonly decoder_hash: string | null;
  readonly encoder_hash: string | null;
  /** What the device told when it began its session: `vendor_name`, `fw_version`, … */
  readonly session: Readonly<Record<string, string | number>> | null;
  readonly dashboard_type: string | null;
}

export interface NewDevice {
  readonly name: string;
  /** Ten decimal digits. */
  readonly serial_number: string;
  /** Claim token, 32 hex digits. It is never returned. */
  readonly token: string;
  readonly external_id?: string | null;
  readonly comment?: string | null;
  readonly label?: Readonly<Record<string, string>>;
  readonly tags?: readonly TagRef[];
  /** Key for DTLS, 16 to 32 bytes in hex digits; null removes it. It is never returned. */
  readonly secret?: string | null;
  readonly secret_type?: 'psk';
}

/** `label` and `tags` replace the whole set. */
export type DeviceUpdate = Partial<Omit<NewDevice, 'serial_number' | 'token'>>;

export interface DeviceFilter {
  /** Part of the name, case-insensitive. */
  readonly name?: string;
  /** Part of the serial number. */
  readonly serial_number?: string;
  readonly external_id?: string;
  readonly tag_ids?: readonly string[];
  readonly tag_filter_logic?: 'any' | 'all';
}

/** A page of anything but messages. */
export interface PageQuery {
  /** 1 to 500. */
  readonly limit?: number;
  /** Id of the last item received. */
  readonly offset?: string;
}

export interface DeviceQuery extends DeviceFilter, PageQuery {
  readonly sort_by?: 'id' | 'name' | 'serial_number' | 'external_id' | 'last_seen' | 'session_id';
  readonly order_by?: 'asc' | 'desc';
}

export type DownState = 'pending' | 'sent' | 'cancelled' | 'expired';

export interface Message {
  /** UUID version 7: ids sort by creation. */
  readonly id: string;
  readonly created_at: IsoTime;
  /** `data`, `session`, `config`, `shell`, `stats`, `encoder`, `decoder`, `firmware`, … */
  readonly type: string;
  readonly direction: 'up' | 'down';
  /** A JSON value. A server that sends it as JSON text is understood as well: the client parses it. */
  readonly body: unknown;
  readonly device_id: string;
  readonly device_name: string;
  readonly device_serial_number: string;
  readonly codec_hash: string | null;
  /** Undecoded bytes, lower-case hex. */
  readonly raw: string | null;
  /** null for uplinks. */
  readonly down_state: DownState | null;
  readonly down_state_at: IsoTime | null;
  readonly down_scheduled_at: IsoTime | null;
  /** How often it was offered to the device; 0 for uplinks. */
  readonly down_attempt: number;
}

export interface MessageQuery {
  readonly device_id?: string;
  /** Only messages of devices with this tag. */
  readonly tag_id?: string;
  readonly type?: readonly string[];
  readonly direction?: 'up' | 'down';
  /** Created later than this. The server's default is 24 hours ago: give it when older messages matter. */
  readonly after?: IsoTime;
  /** Created earlier than this. */
  readonly before?: IsoTime;
  /** 1 to 100; the server's default is 20. */
  readonly limit?: number;
  /** Id of the last message received. */
  readonly offset?: string;
}

/** A message that goes down to a device. */
export type NewMessage =
  | { readonly device_id: string; readonly type: 'data'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly device_id: string; readonly type: 'config' | 'shell'; readonly body: readonly string[] };

/** A station in the life of a downlink: `queued`, `contact`, `offered`, `sent`, `answered`, `cancelled`, `expired`. */
export interface TimelineEntry {
  readonly id: string;
  readonly at: IsoTime;
  readonly what: string;
  readonly detail: string | null;
}

export type Role = 'admin' | 'user';

export interface User {
  /** Of the account: the same in every space. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly state: 'invited' | 'active';
  readonly created_at: IsoTime;
}

export interface NewUser {
  readonly email: string;
  /** Default `user`. */
  readonly role?: Role;
  readonly name?: string | null;
}

export interface Invitation extends User {
  /** To be handed over by whoever invites: no mail is sent, and it is not shown again. */
  readonly invite_token: string;
  readonly invite_expires_at: IsoTime;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  /** How the secret begins. */
  readonly prefix: string;
  /** `tags`: it sees only the devices of its tags. */
  readonly scope: 'space' | 'tags';
  readonly tags: readonly Tag[];
  readonly access_type: 'write' | 'read';
  readonly created_at: IsoTime;
  readonly last_used_at: IsoTime | null;
}

export interface KeyWithSecret extends Key {
  /** The secret; it is not shown again. */
  readonly key: string;
}

export interface NewKey {
  readonly name: string;
  readonly tags?: readonly TagRef[];
  readonly access_type?: 'write' | 'read';
}

export interface Variable {
  readonly id: string;
  readonly space_id: string;
  /** null: of the whole space. */
  readonly device_id: string | null;
  readonly name: string;
  /** null when it is secure. */
  readonly value: string | null;
  readonly environment: string | null;
  readonly comment: string | null;
  readonly secure: boolean;
  readonly locked: boolean;
  readonly created_at: IsoTime;
}

export interface NewVariable {
  readonly name: string;
  readonly value: string;
  readonly device_id?: string | null;
  readonly environment?: string | null;
  readonly comment?: string | null;
  readonly secure?: boolean;
}

export interface VariableQuery extends PageQuery {
  readonly device_id?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly secure?: 'true' | 'false';
}

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Token {
  /** Takes the place of an API key for `expires_in` seconds. */
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
}

export interface Count {
  readonly count: number;
}

/** Which messages a connector forwards; `codec` stands for `decoder` and `encoder`. */
export type ConnectorTrigger = 'data' | 'session' | 'config' | 'stats' | 'codec';

export interface Connector {
  readonly id: string;
  readonly space_id: string;
  readonly name: string;
  readonly type: 'webhook';
  readonly direction: 'up' | 'down';
  readonly state: 'enabled' | 'disabled';
  readonly triggers: readonly ConnectorTrigger[];
  /** It forwards messages of the devices with which it shares one of them. */
  readonly tags: readonly Tag[];
  /** JavaScript with a function `main(job)` that returns the request. */
  readonly transformation: string;
  /** Seconds from the end of a failed attempt to the next. */
  readonly retry_delays: readonly number[];
  /** Seconds that a request may take; 0 stands for 30. */
  readonly timeout: Seconds;
  readonly created_at: IsoTime;
}

/** Left out: `up`, enabled, trigger `data`, no tags, and nine retries over 23 hours. */
export interface NewConnector {
  readonly name: string;
  readonly transformation: string;
  readonly type?: 'webhook';
  readonly direction?: 'up' | 'down';
  readonly state?: 'enabled' | 'disabled';
  readonly triggers?: readonly ConnectorTrigger[];
  readonly tags?: readonly TagRef[];
  readonly retry_delays?: readonly number[];
  readonly timeout?: number;
}

/** Lists replace the whole list. */
export type ConnectorUpdate = Partial<NewConnector>;

export interface ConnectorPreview {
  /** `cancelled`: the script does not want the message. */
  readonly outcome: 'request' | 'cancelled' | 'failed';
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly header: Readonly<Record<string, string>>;
    readonly body: string | null;
  } | null;
  /** What is wrong with the script. */
  readonly error: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface Delivery {
  readonly id: string;
  readonly connector_id: string;
  readonly device_id: string;
  readonly message_id: string;
  readonly state: DeliveryState;
  /** How many were made. */
  readonly attempts: number;
  readonly next_attempt_at: IsoTime | null;
  readonly created_at: IsoTime;
  /** Oldest first. */
  readonly log: readonly {
    /** Counted from 0. */
    readonly attempt: number;
    readonly at: IsoTime;
    /** In milliseconds. */
    readonly took: Millis;
    /** Scheme and host. */
    readonly target: string | null;
    /** Of the answer; null when there was none. */
    readonly status: number | null;
    readonly error: string | null;
    /** The beginning of an answer that was no success. */
    readonly response: string | null;
  }[];
}

export interface DeliveryQuery extends PageQuery {
  readonly state?: DeliveryState;
  readonly message_id?: string;
}
