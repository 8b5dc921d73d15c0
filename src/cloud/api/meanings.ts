/**
 * Meanings of the parameters and fields of the API, for the OpenAPI document. Valid values are not described here: the
 * `description` of a schema says what they are, and error messages quote it.
 *
 * A key of the table is the name of a parameter or field that means the same in all resources. If the meaning differs, the key
 * also names the resource (`Key.tags`), the operation (`listMessages.type`), or, for an id in a path, the segment before the id
 * (`tags/id`).
 */
export const MEANINGS: Readonly<Record<string, string>> = {
  // Paths
  space_id: 'Id of the space.',
  'devices/id': 'Id of the device.',
  'messages/id': 'Id of the message.',
  'tags/id': 'Id of the tag.',
  'firmware/id': 'Id of the firmware update.',
  'firmware-images/id': 'Id of the firmware image.',
  'connectors/id': 'Id of the connector.',
  'variables/id': 'Id of the variable.',
  'users/id': 'Id of the user, which is the id of the account.',
  'keys/id': 'Id of the API key.',
  'logins/id': 'Id of the login.',
  delivery_id: 'Id of the delivery.',

  // Lists
  limit: 'Size of the page.',
  offset: 'Id of the last item of the page before. Without it, the first page is returned.',
  'listDevices.offset':
    'The `x-next-offset` of the page before, or the id of its last device. Without it, the first page is returned.',
  'listDevices.name': 'Only devices with this text in their names, in upper or lower case. Default: all.',
  'listDevices.serial_number': 'Only devices with these digits in their serial numbers. Default: all.',
  'listDevices.external_id': 'Only devices with exactly this external id. Default: all.',
  'countDevices.name': 'Only devices with this text in their names, in upper or lower case. Default: all.',
  'countDevices.serial_number': 'Only devices with these digits in their serial numbers. Default: all.',
  'countDevices.external_id': 'Only devices with exactly this external id. Default: all.',
  'listDeviceSummaries.name': 'Only devices with this text in their names, in upper or lower case. Default: all.',
  'listDeviceSummaries.serial_number': 'Only devices with these digits in their serial numbers. Default: all.',
  'listDeviceSummaries.external_id': 'Only devices with exactly this external id. Default: all.',
  tag_ids: 'Only devices with these tags; may be repeated. Default: all.',
  tag_filter_logic: 'Whether a device must have any or all of `tag_ids`.',
  sort_by: 'Field by which the list is sorted.',
  order_by: 'Ascending or descending.',
  tag_id: 'Only messages of the devices with this tag. Default: all.',
  'listMessages.device_id': 'Only messages of this device. Default: all.',
  'listMessages.type': 'Only messages of these types; may be repeated. Default: all.',
  'listMessages.direction': 'Only messages from (`up`) or to (`down`) devices. Default: both.',
  'streamEvents.event': 'Only these events; may be repeated. Default: all.',
  'streamEvents.device_id': 'Only events of this device. Default: all.',
  'streamEvents.tag_id': 'Only events of the devices with this tag. Default: all.',
  'streamEvents.type': 'Types of the messages in `message` and `downlink` events; may be repeated. Default: all.',
  'streamEvents.direction':
    'Direction of the messages in `message` and `downlink` events: from (`up`) or to (`down`) devices. Default: both.',
  'last-event-id': 'Resumes after this event. Default: from now.',
  after: 'Only messages after this time. Default: 24 hours ago.',
  before: 'Only messages before this time. Default: all.',
  'listFirmwareUpdates.device_id': 'Only updates of this device. Default: all.',
  'listFirmwareUpdates.state': 'Only updates in this state. Default: all.',
  'listFirmwareUpdatesOfDevice.state': 'Only updates in this state. Default: all.',
  'listDeliveries.state': 'Only deliveries in this state. Default: all.',
  'listDeliveries.message_id': 'Only deliveries of this message. Default: all.',
  'listVariables.device_id': 'Only variables of this device. Default: all.',
  'listVariables.name': 'Only variables with exactly this name. Default: all.',
  'listVariables.environment': 'Only variables of this environment. Default: all.',
  'listVariables.secure': 'Only secure variables (`true`), or only the others (`false`). Default: all.',

  // Headers
  'if-match': 'The version on which the change is based, as in `"7"`. A device with another version is not changed.',
  'idempotency-key':
    'Makes a repetition of the request safe: it gets the first answer. Default: every request is executed.',

  // Fields of several resources
  id: 'Id of the resource.',
  name: 'Name of the resource.',
  created_at: 'Time of its creation.',
  device_id: 'Device to which it belongs.',
  message_id: 'Message that it is about.',
  connector_id: 'Connector to which it belongs.',
  comment: 'Text for people; the service does not use it. Default: null.',
  at: 'Time of the event.',
  error: 'Reason of a failure; null if there is none.',

  // Spaces and tags
  owner_id: 'Account that owns the space; null if there is none.',
  color: 'Colour in which applications show the tag.',
  access_type: 'Whether keys with the tag may change its devices and send to them. Default: `write`.',

  // Devices
  serial_number: 'Serial number on the label of the device.',
  'createDevice.token': 'Claim token on the label of the device. It is never returned.',
  'updateDevice.token': 'New claim token of a repaired device. It is never returned.',
  external_id: 'Id of the device in your own system. Default: null.',
  label: 'Texts by name; connectors see them. Default: an empty object.',
  secret: 'Key for DTLS. It is never returned. Default: null.',
  secret_type: 'Kind of the secret. Default: `psk`.',
  last_seen: 'Time of the latest message from the device; null if there was none.',
  config_hash: 'Hash of the configuration that the device reported; null if it has not reported one.',
  decoder_hash: 'Hash of the codec for data from the device; null if it has not uploaded one.',
  encoder_hash: 'Hash of the codec for data to the device; null if it has not uploaded one.',
  dashboard_type: 'Reserved.',
  tag_names: 'Names of the tags of the device that the caller sees.',
  'DeviceSummary.fw_bundle': 'Bundle id of its application; null before the first session.',
  'DeviceSummary.fw_name':
    'Name of its application, or of the product if the device does not report one; null if it reports neither.',
  'DeviceSummary.fw_version': 'Version of its firmware; null before the first session.',
  'Device.tags': 'Tags of the device that the caller sees.',
  'Device.version': 'Number of changes by users; for `If-Match`.',
  'Connector.version': 'Number of changes; for `If-Match`.',
  count: 'Number of devices.',

  // Messages
  device_name: 'Name of the device.',
  device_serial_number: 'Serial number of the device.',
  codec_hash: 'Hash of the codec with which the body was read or written; null if there is none.',
  down_state_at: 'Time at which the downlink came into its state; null for uplinks.',
  down_scheduled_at: 'Time from which the downlink is offered; null for uplinks.',
  detail: 'Details of the event, such as the number of an attempt or a reason; null without details.',
  'createMessage.device_id': 'Device that gets the downlink.',
  'createMessage.type': 'What the downlink is for.',

  // Firmware
  firmware_id: 'Image of the update.',
  target: 'Part of the device that is updated. Default: `app`.',
  bundle: 'Bundle id of the application, such as `com.example.app`; null if unknown.',
  version: 'Version that a device with this image reports in its session.',
  data: 'The image.',
  sha256: 'SHA-256 of the image in hex digits.',
  scheduled_at: 'Time at which the update was requested.',
  updated_at: 'Time of its latest progress.',
  timeline: 'The states of the update, oldest first.',

  // Connectors
  direction: 'Whether the connector forwards messages from (`up`) or to (`down`) devices. Default: `up`.',
  triggers: 'Types of the messages that the connector forwards. Default: `data`.',
  transformation: 'Script with a function `main(job)` that returns the request to send.',
  retry_delays: 'Seconds to wait before each repetition. Default: 10 s, 30 s, 1, 10 and 30 min, 1, 3, 6 and 12 h.',
  timeout: 'Seconds until a request has failed; 0 means 30. Default: 0.',
  'Connector.state': 'A disabled connector forwards nothing. Default: `enabled`.',
  'Connector.tags': 'The connector forwards the messages of devices with one of these tags. Default: none.',
  'previewConnector.transformation': 'Script to run. Default: the script of the connector.',
  outcome: 'Whether the script returned a request or nothing, or failed.',
  request: 'Request that would be sent; null if there is none.',
  method: 'Method of the request.',
  url: 'Address of the request.',
  header: 'Headers of the request.',
  'Delivery.state': 'State of the delivery.',
  next_attempt_at: 'Time of the next attempt; null if there will be none.',
  log: 'The attempts, oldest first.',

  // Variables
  value: 'Value that scripts read.',
  environment: 'Environment of the variable; scripts read variables without one. Default: null.',
  secure: 'Whether the value is never returned. Default: false.',
  locked: 'Whether the variable can neither be changed nor deleted.',
  'createVariable.device_id': 'Device to which the variable belongs. Default: null, which is the space.',

  // Accounts
  email: 'Address that identifies the account.',
  password: 'Password of the account.',
  role: '`admin` may read and write, `user` may read. Default: `user`.',
  token: 'Token of the invitation.',
  token_type: 'Scheme of the header `Authorization`.',
  invite_expires_at: 'Time at which the invitation expires.',
  'Key.tags': 'The key sees only devices with one of these tags. Default: none, and the key sees the whole space.',
  'Key.access_type': 'Whether the key may write or only read. Default: `write`.',
  expires_at: 'Time from which the key is not valid. Default: null, and the key does not expire.',
  last_used_at: 'Time of its latest use, to the minute; null if there was none.',

  'acceptInvitation.email': 'Address to which the invitation was sent.',
  'changePassword.password': 'Present password of the account.',
  new_password: 'Password that replaces the present one.',
  children: 'Whether to delete also all keys that were created with this key, directly or through other keys.',
  parent_id: 'Key with which the key was created; null if a login or the service created it.',
  'Login.space_id': 'The only space that the token opens; null: all spaces of the account.',
  'Login.expires_at': 'Time at which the token becomes invalid.',
  from: 'IP address of the caller.',
  actor_type: 'Whether a user or an API key did it; null for a failed login.',
  actor_id: 'Id of the user or the API key; null for a failed login.',
  action: 'Name of the operation, such as `createKey`, or `loginFailed`.',
  target_id: 'Id of the resource that was created, changed or deleted, or of the account.',

  // Device ingress
  fw_bundle: 'Bundle id of the application.',
  fw_version: 'Version of the firmware.',
  hash: 'Hash of the configuration.',
  cbor: 'Body as CBOR.',
  body: 'Content of the message.',
  downlink: 'Downlink that the device should take; null if there is none.',
  'acknowledgeDownlink.id': 'Id of the downlink that the device has stored.',
  status: 'Always `ok`.',
};
