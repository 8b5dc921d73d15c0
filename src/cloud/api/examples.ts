/** Examples of the OpenAPI document. All are about one freezer, its space and its connector; a test checks them. */

const SPACE = '019b7600-0000-7000-8000-000000000001';
const DEVICE = '019b7600-0000-7000-8000-000000000002';
const TAG = '019b7600-0000-7000-8000-000000000003';
const DOWNLINK = '019b7600-0000-7000-8000-000000000004';
const UPLINK = '019b7600-0000-7000-8000-000000000005';
const CONNECTOR = '019b7600-0000-7000-8000-000000000006';
const DELIVERY = '019b7600-0000-7000-8000-000000000007';
const IMAGE = '019b7600-0000-7000-8000-000000000008';
const UPDATE = '019b7600-0000-7000-8000-000000000009';
const VARIABLE = '019b7600-0000-7000-8000-00000000000a';
const ACCOUNT = '019b7600-0000-7000-8000-00000000000b';
const KEY = '019b7600-0000-7000-8000-00000000000c';
const LOGIN = '019b7600-0000-7000-8000-00000000000e';
const EVENT = '019b7600-0000-7000-8000-00000000000d';
const CREATED = '2026-01-01T08:00:00.000Z';
const LATER = '2026-01-01T08:15:00.000Z';
const SERIAL = '2159017985';
const HASH = '5fd1a3c2b7e09846';
const SCRIPT =
  'const main = ({ device, message }) => ({ url: "https://example.com/" + device.name, data: message.body })';

const tag = { id: TAG, name: 'cold', color: '#1f77b4', access_type: 'write', created_at: CREATED };
const user = {
  id: ACCOUNT,
  email: 'eva@example.com',
  name: 'Eva',
  role: 'user',
  state: 'invited',
  created_at: CREATED,
};
const key = {
  ...{ id: KEY, name: 'dashboard', prefix: '5f0c1d2e', scope: 'tags', tags: [tag], access_type: 'read' },
  ...{ created_at: CREATED, expires_at: null, last_used_at: LATER, parent_id: null },
};
const token = { access_token: 'GQ2kpYlDNVyh0WzPm7c4', token_type: 'Bearer', expires_in: 86_400 };
const image = { bundle: 'com.example.freezer', name: 'freezer', version: 'v1.2.0', size: 182_344 };
const offered = { id: DOWNLINK, type: 'shell', body: { commands: ['info show'] } };

/** Answers, by the title of their schema. */
export const ANSWERS: Readonly<Record<string, unknown>> = {
  Space: { id: SPACE, name: 'lab', type: 'team', owner_id: ACCOUNT, user_role: 'admin', created_at: CREATED },
  Tag: tag,
  Device: {
    ...{ id: DEVICE, space_id: SPACE, name: 'freezer-1', comment: null, serial_number: SERIAL },
    ...{
      external_id: 'stock-4711',
      label: { site: 'A' },
      tags: [tag],
      version: 3,
      created_at: CREATED,
      last_seen: LATER,
    },
    ...{ session_id: 1_767_254_500, config_hash: HASH, decoder_hash: HASH, encoder_hash: null },
    ...{ session: { fw_version: 'v1.2.0', iccid: '8942310022000000000' }, dashboard_type: null },
  },
  DeviceSummary: {
    ...{ id: DEVICE, name: 'freezer-1', serial_number: SERIAL, label: { site: 'A' }, tag_names: ['cold'] },
    ...{ last_seen: LATER, session_id: 1_767_254_500, fw_bundle: 'com.example.freezer', fw_name: 'freezer' },
    fw_version: 'v1.2.0',
  },
  Count: { count: 1 },
  Message: {
    ...{ id: UPLINK, created_at: LATER, type: 'data', direction: 'up', body: { temperature: -18.4 } },
    ...{ device_id: DEVICE, device_name: 'freezer-1', device_serial_number: SERIAL, codec_hash: HASH, raw: null },
    ...{ down_state: null, down_state_at: null, down_scheduled_at: null, down_attempt: 0 },
  },
  TimelineEvent: { id: EVENT, at: CREATED, what: 'queued', detail: null },
  FirmwareUpdate: {
    ...{ id: UPDATE, space_id: SPACE, device_id: DEVICE, firmware_id: IMAGE, target: 'app', ...image },
    ...{ offset: 0, state: 'scheduled', error: null, scheduled_at: CREATED, updated_at: CREATED },
    timeline: [{ state: 'scheduled', at: CREATED }],
  },
  FirmwareImage: {
    ...{ id: IMAGE, ...image, created_at: CREATED },
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  Token: token,
  Connector: {
    ...{ id: CONNECTOR, space_id: SPACE, name: 'forward', type: 'webhook', direction: 'up', state: 'enabled' },
    ...{ triggers: ['data'], tags: [tag], transformation: SCRIPT, retry_delays: [10, 30], timeout: 0, version: 2 },
    created_at: CREATED,
  },
  ConnectorPreview: {
    outcome: 'request',
    request: {
      method: 'POST',
      url: 'https://example.com/freezer-1',
      header: { 'content-type': 'application/json' },
      body: '{"temperature":-18.4}',
    },
    error: null,
  },
  Delivery: {
    ...{
      id: DELIVERY,
      connector_id: CONNECTOR,
      device_id: DEVICE,
      message_id: UPLINK,
      state: 'delivered',
      attempts: 1,
    },
    ...{ next_attempt_at: null, created_at: LATER },
    log: [{ attempt: 0, at: LATER, took: 82, target: 'https://example.com', status: 204, error: null, response: null }],
  },
  Variable: {
    ...{ id: VARIABLE, space_id: SPACE, device_id: DEVICE, name: 'threshold', value: '8', environment: null },
    ...{ comment: 'degrees above the set point', secure: false, locked: false, created_at: CREATED },
  },
  User: user,
  Invitation: { ...user, invite_token: 'q3JX0vWnR8y1', invite_expires_at: '2026-01-08T08:00:00.000Z' },
  Key: key,
  KeyWithSecret: { ...key, key: '5f0c1d2e-7a61-4a0f-9b35-0f9d7c1e2a44' },
  Login: {
    ...{ id: LOGIN, space_id: null, created_at: CREATED, expires_at: '2026-01-02T08:00:00.000Z' },
    ...{ from: '203.0.113.7', current: true },
  },
  AuditEntry: {
    ...{ id: EVENT, at: LATER, actor_type: 'user', actor_id: ACCOUNT, action: 'createKey', target_id: KEY },
    from: '203.0.113.7',
  },
  Acknowledged: { poll: true },
  OfferedDownlink: offered,
  Offer: { downlink: offered, more: false },
  Health: { status: 'ok' },
};

/** Requests, by the id of their operation. */
export const REQUESTS: Readonly<Record<string, unknown>> = {
  createSpace: { name: 'lab', type: 'team' },
  updateSpace: { name: 'laboratory' },
  createDevice: {
    ...{ name: 'freezer-1', serial_number: SERIAL, token: '00112233445566778899aabbccddeeff' },
    ...{ external_id: 'stock-4711', label: { site: 'A' }, tags: [{ id: TAG }] },
  },
  updateDevice: { name: 'freezer-2', label: { site: 'B' } },
  queueConfig: ['app config interval-report 900'],
  queueCommands: ['info show'],
  queueData: { led: true },
  createMessage: { device_id: DEVICE, type: 'shell', body: ['info show'] },
  createTag: { name: 'cold', color: '#1f77b4' },
  updateTag: { color: '#ff7f0e' },
  createFirmwareUpdate: { device_id: DEVICE, firmware_id: IMAGE },
  createFirmwareUpdateOfDevice: { firmware_id: IMAGE },
  createFirmwareImage: { data: 'AAECAwQFBgc=', version: 'v1.2.0' },
  bindLogin: { space_id: SPACE },
  createConnector: { name: 'forward', tags: [{ id: TAG }], triggers: ['data'], transformation: SCRIPT },
  updateConnectorByName: { name: 'forward', state: 'disabled' },
  updateConnector: { state: 'disabled' },
  previewConnector: { message_id: UPLINK },
  createVariable: { name: 'threshold', value: '8', device_id: DEVICE },
  updateVariable: { value: '6' },
  inviteUser: { email: 'eva@example.com', role: 'user', name: 'Eva' },
  updateUser: { role: 'admin' },
  createKey: { name: 'dashboard', tags: [{ id: TAG }], access_type: 'read' },
  updateKey: { expires_at: '2026-12-31T23:59:59.000Z' },
  login: { email: 'eva@example.com', password: 'correct horse battery staple' },
  acceptInvitation: { token: 'q3JX0vWnR8y1', email: 'eva@example.com', password: 'correct horse battery staple' },
  changePassword: { password: 'correct horse battery staple', new_password: 'another correct battery' },
  startDeviceSession: { fw_bundle: 'com.example.freezer', fw_version: 'v1.2.0' },
  sendUplink: { type: 'data', body: { temperature: -18.4 } },
  acknowledgeDownlink: { id: DOWNLINK },
};

/** Examples of parameters, by the keys of meanings.ts. A parameter with a default or a list of values needs none. */
export const PARAMETERS: Readonly<Record<string, unknown>> = {
  ...{ space_id: SPACE, device_id: DEVICE, tag_id: TAG, message_id: UPLINK, delivery_id: DELIVERY, offset: DEVICE },
  ...{
    'devices/id': DEVICE,
    'messages/id': DOWNLINK,
    'tags/id': TAG,
    'firmware/id': UPDATE,
    'firmware-images/id': IMAGE,
  },
  ...{ 'connectors/id': CONNECTOR, 'variables/id': VARIABLE, 'users/id': ACCOUNT, 'keys/id': KEY, 'logins/id': LOGIN },
  ...{ name: 'freezer', serial_number: SERIAL, external_id: 'stock-4711', tag_ids: [TAG], environment: 'test' },
  ...{ type: ['data'], after: CREATED, before: LATER, 'idempotency-key': 'onboarding-1', 'if-match': '"3"' },
  ...{ event: ['message'], 'last-event-id': '5e2f0c8d1b7a4936a1d0e4c27f8b3569' },
};
