/**
 * JSON types of the public REST API: names in snake_case, times as ISO 8601 text in UTC with milliseconds, ids as UUIDs. The
 * fields, their meanings and their limits are in src/contract, and in the OpenAPI document of the service.
 *
 * The client relies on these fields. A service may return further fields and further types of messages.
 */
import type * as accounts from '../contract/accounts.js';
import type * as connectors from '../contract/connectors.js';
import type * as devices from '../contract/devices.js';
import type * as downlinks from '../contract/downlinks.js';
import type * as events from '../contract/events.js';
import type * as firmware from '../contract/firmware.js';
import type * as history from '../contract/history.js';
import type * as keys from '../contract/keys.js';
import type * as messages from '../contract/messages.js';
import type * as spaces from '../contract/spaces.js';
import type * as tags from '../contract/tags.js';
import type * as users from '../contract/users.js';
import type * as values from '../contract/values.js';
import type * as variables from '../contract/variables.js';

/** ISO 8601 time in UTC with milliseconds, such as `2026-01-01T00:00:00.000Z`. */
export type IsoTime = string;

/** A page of any list except messages: 1 to 500 items; of device summaries, 1 to 2,000. Default: the first 100. */
export interface PageQuery extends values.Shape<typeof values.PageQuery> {}

// Spaces

export interface Space extends values.Shape<typeof spaces.Space> {}
export interface NewSpace extends values.Shape<typeof spaces.NewSpace> {}
/** Fields to change. `owner_id` transfers the space to another of its admins. */
export interface SpaceUpdate extends values.Shape<typeof spaces.SpaceUpdate> {}

// Tags

export interface Tag extends values.Shape<typeof tags.Tag> {}
/** Reference to a tag by its id. */
export interface TagRef extends values.Shape<typeof tags.TagRef> {}
export interface NewTag extends values.Shape<typeof tags.NewTag> {}

// Devices

/** A device. Services that do not count changes leave out `version`; see `updateDevice`. */
export interface Device extends Uncounted<values.Shape<typeof devices.Device>> {}
/** A device in a table of a fleet. */
export interface DeviceSummary extends values.Shape<typeof devices.DeviceSummary> {}
export interface NewDevice extends values.Shape<typeof devices.NewDevice> {}
/** Fields to change. `label` and `tags` replace the whole set. `token` replaces the claim token, for example after a repair. */
export interface DeviceUpdate extends values.Shape<typeof devices.DeviceUpdate> {}
export interface DeviceFilter extends values.Shape<typeof devices.DeviceFilter> {}
export interface DeviceQuery extends values.Shape<typeof devices.DeviceQuery> {}
/** Filters and the page of device summaries, which are in order of id. */
export interface DeviceSummaryQuery extends values.Shape<typeof devices.DeviceSummaryQuery> {}

/** The figures of a space over time. */
export interface History extends values.Shape<typeof history.History> {}

// Messages and downlinks

/** State of a downlink; see docs/API.md, "Downlinks". */
export type DownState = messages.DownState;
/** A message. If a service sends its `body` as JSON text, the client parses it. */
export interface Message extends values.Shape<typeof messages.Message> {}
/** Filters and a page of messages: 1 to 100, by default 20 of the last 24 hours. Without a `direction`, `data` means uplinks. */
export interface MessageQuery extends values.Shape<typeof messages.MessageQuery> {}
/** A downlink to queue. `raw` contains bytes for the application in hex digits; they need no encoder. */
export type NewMessage = values.Shape<typeof downlinks.DownlinkOfType>;
/** An event in the timeline of a downlink. */
export interface TimelineEntry extends values.Shape<typeof messages.TimelineEvent> {}

// Events

/** An event in the timeline of a downlink, with the present state of the downlink. */
export interface DownlinkStation extends values.Shape<typeof events.DownlinkStation> {}
/** A change of a device, with its present state; null if it was deleted. */
export interface DeviceEvent extends Omit<values.Shape<typeof events.DeviceEvent>, 'device'> {
  readonly device: Device | null;
}

/** A device has become late or silent. */
export interface HealthEvent extends values.Shape<typeof events.HealthEvent> {}

/** An event. `id` is its position, to resume from; resources are as they were when it was sent. */
export type SpaceEvent = { readonly id: string } & (
  | { readonly event: 'message'; readonly data: Message }
  | { readonly event: 'downlink'; readonly data: DownlinkStation }
  | { readonly event: 'device'; readonly data: DeviceEvent }
  | { readonly event: 'health'; readonly data: HealthEvent }
  | { readonly event: 'delivery'; readonly data: Delivery }
  | { readonly event: 'firmware'; readonly data: FirmwareUpdate }
  /** Events are missing before this one, because the position was too old. Read the lists again. */
  | { readonly event: 'reset'; readonly data: { readonly reason: string; readonly message: string } }
);

export interface EventQuery extends values.Shape<typeof events.EventQuery> {
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

// Connectors

/** Message types that a connector forwards; `codec` stands for `decoder` and `encoder`. */
export type ConnectorTrigger = connectors.ConnectorTrigger;
/** A connector. Services that do not count changes leave out `version`. */
export interface Connector extends Uncounted<values.Shape<typeof connectors.Connector>> {}
export interface NewConnector extends values.Shape<typeof connectors.NewConnector> {}
/** Fields to change. A given list replaces the whole list of the connector. */
export interface ConnectorUpdate extends values.Shape<typeof connectors.ConnectorUpdate> {}
export interface ConnectorPreview extends values.Shape<typeof connectors.ConnectorPreview> {}
export type DeliveryState = connectors.DeliveryState;
/** A message that a connector forwards. If it was cancelled between attempts, the last entry of `log` says so. */
export interface Delivery extends values.Shape<typeof connectors.Delivery> {}
export interface DeliveryQuery extends values.Shape<typeof connectors.DeliveryQuery> {}

// Variables

export interface Variable extends values.Shape<typeof variables.Variable> {}
export interface NewVariable extends values.Shape<typeof variables.NewVariable> {}
export interface VariableQuery extends values.Shape<typeof variables.VariableQuery> {}

// Firmware

/** Metadata of an image. */
export interface FirmwareImage extends values.Shape<typeof firmware.FirmwareImage> {}
/** An image in base64. `version` is required if the image does not contain it. */
export interface NewFirmwareImage extends values.Shape<typeof firmware.NewFirmwareImage> {}
/** `succeeded`, `cancelled` and `failed` are final. */
export type FirmwareState = firmware.UpdateState;
export interface FirmwareUpdate extends values.Shape<typeof firmware.FirmwareUpdate> {}

// Users and keys

/** `admin`: read and write. `user`: read. */
export type Role = users.Role;
/** A member of a space. The id is that of the account, and so the same in every space. */
export interface User extends values.Shape<typeof users.User> {}
export interface NewUser extends values.Shape<typeof users.NewUser> {}
/** An invited user. Pass `invite_token` on to the user: no mail is sent, and it is not returned again. */
export interface Invitation extends values.Shape<typeof users.Invitation> {}
/** An API key without its secret. */
export interface Key extends values.Shape<typeof keys.Key> {}
/** An API key with its secret, which is not returned again. */
export interface KeyWithSecret extends values.Shape<typeof keys.KeyWithSecret> {}
export interface NewKey extends values.Shape<typeof keys.NewKey> {}

// Accounts

export interface Credentials extends values.Shape<typeof accounts.Credentials> {}
/** A token of a login; usable like an API key. `expires_in` is its lifetime in seconds. */
export interface Token extends values.Shape<typeof accounts.Token> {}
export interface PasswordChange extends values.Shape<typeof accounts.PasswordChange> {}
/** A valid login of an account. */
export interface Login extends values.Shape<typeof accounts.Login> {}
/** A change in a space, or a successful or failed login of a member. Entries are deleted only together with their space. */
export interface AuditEntry extends values.Shape<typeof accounts.AuditEntry> {}

/** A resource of a service that does not count changes. */
type Uncounted<T extends { readonly version: number }> = Omit<T, 'version'> & { readonly version?: number };
