/**
 * JSON types of the public REST API: names in snake_case, times as ISO 8601 text in UTC (cloud API, "Resources and their
 * fields"; cloud API gaps, section 3).
 *
 * The types contain only fields that the client relies on: a service may return further fields and further types of messages.
 */
import type { Millis, Seconds } from '../kernel/time.js';

/** ISO 8601 time in UTC with milliseconds, such as `2026-01-01T00:00:00.000Z`. */
export type IsoTime = string;

export interface Space {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  /** `personal`, `team`, `default` or `premium`. */
  readonly type: string;
  /** Id of the owner's account; null without an owner. */
  readonly owner_id: string | null;
  /** Role of the caller: `admin` or `user`. */
  readonly user_role: string;
  readonly created_at: IsoTime;
}

export interface NewSpace {
  readonly name: string;
  /** Default `team`. */
  readonly type?: 'personal' | 'team' | 'default' | 'premium';
}

/** Fields to change. `owner_id` transfers the space to another of its admins. */
export type SpaceUpdate = Partial<NewSpace> & { readonly owner_id?: string };

export interface Tag {
  readonly id: string;
  readonly name: string;
  /** `#RRGGBB` */
  readonly color: string;
  readonly access_type: 'write' | 'read';
  readonly created_at: IsoTime;
}

/** Reference to a tag by its id. */
export interface TagRef {
  readonly id: string;
}

export interface NewTag {
  readonly name: string;
  /** `#RRGGBB` */
  readonly color: string;
  /**
   * With `read`, a key limited to this tag can read the devices with this tag, but can neither change them nor send to them.
   * Default `write`.
   */
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
  /** Number of changes by users; left out by services that do not know it. See `updateDevice`. */
  readonly version?: number;
  readonly created_at: IsoTime;
  /** Time of its last message; null before the first one. */
  readonly last_seen: IsoTime | null;
  /** Unix time, in seconds, at which the session began; null before the first session. */
  readonly session_id: number | null;
  /** 16 lower-case hex digits; null before the device has sent its configuration. */
  readonly config_hash: string | null;
  /** 16 lower-case hex digits; null before the device has sent its decoder. */
  readonly decoder_hash: string | null;
  /** 16 lower-case hex digits; null before the device has sent its encoder. */
  readonly encoder_hash: string | null;
  /** Fields that the device reported when its session began: `vendor_name`, `fw_version`, … */
  readonly session: Readonly<Record<string, string | number>> | null;
  readonly dashboard_type: string | null;
}

/** A device in a table of a fleet. */
export interface DeviceSummary {
  readonly id: string;
  readonly name: string;
  /** Ten decimal digits. */
  readonly serial_number: string;
  readonly label: Readonly<Record<string, string>>;
  readonly tag_names: readonly string[];
  /** Time of its last message; null before the first one. */
  readonly last_seen: IsoTime | null;
  /** Unix time, in seconds, at which the session began; null before the first session. */
  readonly session_id: number | null;
  /** `com.example.freezer`; null before the first session. */
  readonly fw_bundle: string | null;
  /** Name of the application; if the device does not report one, name of the product; null if it reports neither. */
  readonly fw_name: string | null;
  /** `v1.2.0`; null before the first session. */
  readonly fw_version: string | null;
}

export interface NewDevice {
  /** 1 to 64 printable characters. */
  readonly name: string;
  /** Ten decimal digits, unique across all spaces. */
  readonly serial_number: string;
  /** Claim token, 32 hex digits, unique across all spaces. It is never returned. */
  readonly token: string;
  /** At most 255 characters. Default null. */
  readonly external_id?: string | null;
  /** At most 500 characters. Default null. */
  readonly comment?: string | null;
  /** At most 64 texts, with names of at most 64 and values of at most 1024 characters. Default `{}`. */
  readonly label?: Readonly<Record<string, string>>;
  /** At most 100. Default: none. */
  readonly tags?: readonly TagRef[];
  /** Key for DTLS, 16 to 32 bytes in hex digits; null removes it. It is never returned. */
  readonly secret?: string | null;
  readonly secret_type?: 'psk';
}

/** Fields to change. `label` and `tags` replace the whole set. `token` replaces the claim token, for example after a repair. */
export type DeviceUpdate = Partial<Omit<NewDevice, 'serial_number'>>;

export interface DeviceFilter {
  /** Part of the name, case-insensitive. */
  readonly name?: string;
  /** Part of the serial number. */
  readonly serial_number?: string;
  readonly external_id?: string;
  /** At most 100 ids. */
  readonly tag_ids?: readonly string[];
  /** Whether a device must have one or all of `tag_ids`. Default `any`. */
  readonly tag_filter_logic?: 'any' | 'all';
}

/** A page of any list except messages. */
export interface PageQuery {
  /** 1 to 500; for device summaries, 1 to 2,000. Default 100. */
  readonly limit?: number;
  /** Id of the last item of the previous page. Default: the first page. */
  readonly offset?: string;
}

export interface DeviceQuery extends DeviceFilter, PageQuery {
  /** Default `id`. */
  readonly sort_by?: 'id' | 'name' | 'serial_number' | 'external_id' | 'last_seen' | 'session_id';
  /** Default `asc`. */
  readonly order_by?: 'asc' | 'desc';
}

/** Filters and the page of device summaries, which are in order of id. */
export interface DeviceSummaryQuery extends DeviceFilter, PageQuery {
  /** Default `asc`. */
  readonly order_by?: 'asc' | 'desc';
}

/** State of a downlink; see docs/API.md, "Downlinks". */
export type DownState = 'pending' | 'sent' | 'cancelled' | 'expired';

export interface Message {
  /** UUID version 7: ids sort by creation. */
  readonly id: string;
  readonly created_at: IsoTime;
  /** `data`, `session`, `config`, `shell`, `stats`, `encoder`, `decoder`, `firmware`, … */
  readonly type: string;
  readonly direction: 'up' | 'down';
  /** A JSON value. If a service sends it as JSON text, the client parses it. */
  readonly body: unknown;
  readonly device_id: string;
  readonly device_name: string;
  readonly device_serial_number: string;
  readonly codec_hash: string | null;
  /** Bytes in lower-case hex that were not decoded, or, in a downlink, not encoded; null if there is a body. */
  readonly raw: string | null;
  /** Null for uplinks. */
  readonly down_state: DownState | null;
  /** Time of the last change of the state; null for uplinks. */
  readonly down_state_at: IsoTime | null;
  /** Null for uplinks. */
  readonly down_scheduled_at: IsoTime | null;
  /** Number of times that the downlink was sent to the device; 0 for uplinks. */
  readonly down_attempt: number;
}

export interface MessageQuery {
  /** Only messages of this device. */
  readonly device_id?: string;
  /** Only messages of devices with this tag. */
  readonly tag_id?: string;
  /**
   * At most 32 types. `codec` stands for `decoder` and `encoder`. Without a `direction`, `data` selects only data that devices
   * have sent. Default: all types.
   */
  readonly type?: readonly string[];
  /** Default: both directions. */
  readonly direction?: 'up' | 'down';
  /** Only messages created after this time. Default of the service: 24 hours ago. */
  readonly after?: IsoTime;
  /** Only messages created before this time. */
  readonly before?: IsoTime;
  /** 1 to 100. Default of the service: 20. */
  readonly limit?: number;
  /** Id of the last message of the previous page. Default: the first page. */
  readonly offset?: string;
}

/**
 * A downlink to queue. The bodies are as in `sendData`, `sendConfig` and `sendCommands` of the client. `raw` contains bytes for
 * the application in hex digits; they need no encoder.
 */
export type NewMessage =
  | { readonly device_id: string; readonly type: 'data'; readonly raw: string }
  | { readonly device_id: string; readonly type: 'data'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly device_id: string; readonly type: 'config' | 'shell'; readonly body: readonly string[] };

/** An event in the timeline of a downlink. */
export interface TimelineEntry {
  readonly id: string;
  readonly at: IsoTime;
  /** `queued`, `waiting`, `contact`, `offered`, `sent`, `answered`, `cancelled` or `expired`. */
  readonly what: string;
  readonly detail: string | null;
}

/** `admin`: read and write. `user`: read. */
export type Role = 'admin' | 'user';

export interface User {
  /** Id of the account, and so the same in every space. */
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** `invited` until the invitation is accepted. */
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
  /** Token for `DeviceCloudClient.accept`. Pass it on to the user: no mail is sent, and the token is not returned again. */
  readonly invite_token: string;
  /** 7 days after the invitation. */
  readonly invite_expires_at: IsoTime;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  /** First 8 characters of the secret; empty for a short secret that a user chose. */
  readonly prefix: string;
  /** `space`: the key sees the whole space. `tags`: only the devices with its tags. */
  readonly scope: 'space' | 'tags';
  /** Empty for scope `space`. */
  readonly tags: readonly Tag[];
  /** `read`: the key may only read. */
  readonly access_type: 'write' | 'read';
  readonly created_at: IsoTime;
  /** When the key becomes invalid; null if it does not expire. */
  readonly expires_at: IsoTime | null;
  /** Time of the last use, accurate to one minute; null if the key was never used. */
  readonly last_used_at: IsoTime | null;
  /** Id of the key that created this key; null if a login or the service created it. */
  readonly parent_id: string | null;
}

export interface KeyWithSecret extends Key {
  /** The secret. It is not returned again. */
  readonly key: string;
}

export interface NewKey {
  readonly name: string;
  /** Limits the key to devices with one of these tags. Default: none, the key sees the whole space. */
  readonly tags?: readonly TagRef[];
  /** Default `write`. */
  readonly access_type?: 'write' | 'read';
  /** When the key becomes invalid; must be in the future. Default null: the key does not expire. */
  readonly expires_at?: IsoTime | null;
}

export interface Variable {
  readonly id: string;
  readonly space_id: string;
  /** Null for a variable of the whole space. */
  readonly device_id: string | null;
  readonly name: string;
  /** Null if the variable is secure. */
  readonly value: string | null;
  readonly environment: string | null;
  readonly comment: string | null;
  readonly secure: boolean;
  readonly locked: boolean;
  readonly created_at: IsoTime;
}

export interface NewVariable {
  readonly name: string;
  /** At most 4096 characters. */
  readonly value: string;
  /** Default null: a variable of the whole space. */
  readonly device_id?: string | null;
  /** Default null. Scripts of connectors get only variables without an environment. */
  readonly environment?: string | null;
  /** At most 500 characters. Default null. */
  readonly comment?: string | null;
  /** Whether the value is never returned. Default false. */
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
  /** Opaque token; usable like an API key. */
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Lifetime in seconds. */
  readonly expires_in: number;
}

/** Message types that a connector forwards; `codec` stands for `decoder` and `encoder`. */
export type ConnectorTrigger = 'data' | 'session' | 'config' | 'stats' | 'codec';

export interface Connector {
  readonly id: string;
  readonly space_id: string;
  readonly name: string;
  readonly type: 'webhook';
  readonly direction: 'up' | 'down';
  readonly state: 'enabled' | 'disabled';
  readonly triggers: readonly ConnectorTrigger[];
  /** The connector forwards the messages of devices that have one of these tags. */
  readonly tags: readonly Tag[];
  /** JavaScript with a function `main(job)` that returns the request. */
  readonly transformation: string;
  /** Seconds from the end of a failed attempt to the next one. */
  readonly retry_delays: readonly number[];
  /** Timeout of a request in seconds; 0 means 30. */
  readonly timeout: Seconds;
  readonly created_at: IsoTime;
  /** Number of changes, for conditions of changes; missing from services that do not count them. */
  readonly version?: number;
}

export interface NewConnector {
  readonly name: string;
  /** JavaScript with a function `main(job)` that returns the request; at most 65536 characters. */
  readonly transformation: string;
  /** Default `webhook`. */
  readonly type?: 'webhook';
  /** Default `up`. */
  readonly direction?: 'up' | 'down';
  /** Default `enabled`. */
  readonly state?: 'enabled' | 'disabled';
  /** Default `['data']`. */
  readonly triggers?: readonly ConnectorTrigger[];
  /** Default: none, and the connector forwards nothing. */
  readonly tags?: readonly TagRef[];
  /** Seconds, at most 50 delays. Default: nine retries within 23 hours. */
  readonly retry_delays?: readonly number[];
  /** Seconds, at most 60; 0 means 30. Default 0. */
  readonly timeout?: number;
}

/** Fields to change. A given list replaces the whole list of the connector. */
export type ConnectorUpdate = Partial<NewConnector>;

export interface ConnectorPreview {
  /** `cancelled`: `main` returned null, so nothing would be sent. `failed`: the script failed. */
  readonly outcome: 'request' | 'cancelled' | 'failed';
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly header: Readonly<Record<string, string>>;
    readonly body: string | null;
  } | null;
  /** Why the script failed; null unless `outcome` is `failed`. */
  readonly error: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';

export interface Delivery {
  readonly id: string;
  readonly connector_id: string;
  readonly device_id: string;
  readonly message_id: string;
  readonly state: DeliveryState;
  /** Number of entries in `log`. */
  readonly attempts: number;
  /** Time of the next attempt; null if the delivery has finished. */
  readonly next_attempt_at: IsoTime | null;
  readonly created_at: IsoTime;
  /** The attempts, oldest first. If the delivery was cancelled between attempts, the last entry says so. */
  readonly log: readonly {
    /** Counted from 0. */
    readonly attempt: number;
    readonly at: IsoTime;
    /** Duration in milliseconds. */
    readonly took: Millis;
    /** Scheme and host; null if no request was made. */
    readonly target: string | null;
    /** HTTP status; null if there was no response. */
    readonly status: number | null;
    /** The error, or why nothing was sent; null if the attempt succeeded. */
    readonly error: string | null;
    /** First characters of the body of a response that is not 2xx. */
    readonly response: string | null;
  }[];
}

export interface DeliveryQuery extends PageQuery {
  readonly state?: DeliveryState;
  readonly device_id?: string;
  readonly message_id?: string;
}
