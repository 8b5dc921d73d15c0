/**
 * The public REST API as typed calls (device cloud API, "Endpoints"; cloud API gaps, section 3).
 *
 * One client is one key and one space, over connections that are kept alive: make it once and close it at the end. Calls
 * are not repeated on failure: whether a downlink may be queued twice is for the caller to know.
 */
import { ApiError } from './errors.js';
import type { FirmwareImage, FirmwareUpdate, NewFirmwareImage } from './firmware-types.js';
import { type Gate, type HttpOptions, JsonHttp, type Query } from './http.js';
import type {
  Connector,
  ConnectorPreview,
  ConnectorUpdate,
  Count,
  Credentials,
  Delivery,
  DeliveryQuery,
  Device,
  DeviceFilter,
  DeviceQuery,
  DeviceUpdate,
  Invitation,
  Key,
  KeyWithSecret,
  Message,
  MessageQuery,
  NewConnector,
  NewDevice,
  NewKey,
  NewMessage,
  NewSpace,
  NewTag,
  NewUser,
  NewVariable,
  PageQuery,
  Role,
  Space,
  SpaceUpdate,
  Tag,
  TimelineEntry,
  Token,
  User,
  Variable,
  VariableQuery,
} from './types.js';

export { ApiError, ConnectionError } from './errors.js';
export type * from './firmware-types.js';
export type { Gate, HttpOptions } from './http.js';
export type * from './types.js';

export interface ClientOptions extends HttpOptions {
  /** An API key, or the token of a login. */
  readonly apiKey: string;
  /** The space that all calls are about; {@link DeviceCloudClient.connect} finds it when only the key is known. */
  readonly spaceId: string;
}

/** Every call rejects with {@link ApiError} when the service refuses, and with `ConnectionError` when it does not answer. */
export class DeviceCloudClient {
  readonly spaceId: string;
  readonly #options: ClientOptions;
  readonly #http: JsonHttp;
  readonly #space: string;

  /**
   * @param http carries its requests; left out: connections of its own
   * @throws UsageError when the address or the key cannot be one
   */
  constructor(options: ClientOptions, http = new JsonHttp(options)) {
    this.spaceId = options.spaceId;
    this.#options = options;
    this.#http = http;
    this.#space = `/v2/spaces/${encodeURIComponent(options.spaceId)}`;
  }

  /** A client over the connections of this one whose requests go through another gate. Only one of the two is to be closed. */
  through(gate: Gate): DeviceCloudClient {
    return new DeviceCloudClient(this.#options, this.#http.through(gate));
  }

  /** A client for the space that the key opens (the first one, when it opens several). */
  static async connect(options: HttpOptions & { readonly apiKey: string }): Promise<DeviceCloudClient> {
    const http = new JsonHttp({ ...options, connections: 1 });
    try {
      const spaces = (await http.request('GET', '/v2/spaces')) as readonly Space[];
      if (!Array.isArray(spaces)) throw new ApiError(200, 'the answer is no list of spaces', 'GET', '/v2/spaces');
      const [space] = spaces;
      if (!space) throw new ApiError(200, 'the key opens no space', 'GET', '/v2/spaces');
      return new DeviceCloudClient({ ...options, spaceId: space.id });
    } finally {
      await http.close();
    }
  }

  /** A token for the options of a client, where it takes the place of the API key. @throws ApiError 401 */
  static login(baseUrl: string, credentials: Credentials): Promise<Token> {
    return postOnce(baseUrl, '/v2/auth/login', credentials);
  }

  /** Accepts an invitation with the password of the account, which becomes its password if it has none. */
  static accept(baseUrl: string, invitation: { readonly token: string; readonly password: string }): Promise<Token> {
    return postOnce(baseUrl, '/v2/auth/accept', invitation);
  }

  /** A page of the spaces that the key or the login opens. */
  spaces(query: PageQuery = {}): Promise<readonly Space[]> {
    return this.#get('/v2/spaces', { ...query });
  }

  /** Needs a login. */
  createSpace(space: NewSpace): Promise<Space> {
    return this.#post('/v2/spaces', space);
  }

  space(): Promise<Space> {
    return this.#get(this.#space);
  }

  updateSpace(update: SpaceUpdate): Promise<Space> {
    return this.#put(this.#space, update);
  }

  /** Needs a login, and a space without devices. */
  deleteSpace(): Promise<void> {
    return this.#delete(this.#space);
  }

  /** A page of devices: 100 in order of id, unless the query says otherwise. */
  devices(query: DeviceQuery = {}): Promise<readonly Device[]> {
    return this.#get(`${this.#space}/devices`, { ...query });
  }

  /** All devices, page by page as they are consumed. */
  allDevices(query: Omit<DeviceQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Device> {
    return everyPage((offset) => this.devices({ ...query, limit: 500, ...offset }));
  }

  async countDevices(filter: DeviceFilter = {}): Promise<number> {
    const { count } = await this.#get<Count>(`${this.#space}/devices/count`, { ...filter });
    return count;
  }

  device(id: string): Promise<Device> {
    return this.#get(this.#item('devices', id));
  }

  createDevice(device: NewDevice): Promise<Device> {
    return this.#post(`${this.#space}/devices`, device);
  }

  updateDevice(id: string, update: DeviceUpdate): Promise<Device> {
    return this.#put(this.#item('devices', id), update);
  }

  deleteDevice(id: string): Promise<void> {
    return this.#delete(this.#item('devices', id));
  }

  /** Queues `app config …` lines. The device saves and restarts by itself: `config save` must not be among them. */
  sendConfig(deviceId: string, lines: readonly string[]): Promise<Message> {
    return this.#postMessage(`${this.#item('devices', deviceId)}/configs`, lines);
  }

  /** Queues shell commands; the answers come back later, in an uplink of type `shell`. */
  sendCommands(deviceId: string, commands: readonly string[]): Promise<Message> {
    return this.#postMessage(`${this.#item('devices', deviceId)}/commands`, commands);
  }

  /** Queues a data downlink; its keys are defined by the device's firmware. */
  sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<Message> {
    return this.#postMessage(`${this.#item('devices', deviceId)}/downlinks`, body);
  }

  /** A page of tags: 100 in order of id, unless the query says otherwise. */
  tags(query: PageQuery = {}): Promise<readonly Tag[]> {
    return this.#get(`${this.#space}/tags`, { ...query });
  }

  /** All tags, page by page as they are consumed. */
  allTags(): AsyncGenerator<Tag> {
    return everyPage((offset) => this.tags({ limit: 500, ...offset }));
  }

  tag(id: string): Promise<Tag> {
    return this.#get(this.#item('tags', id));
  }

  createTag(tag: NewTag): Promise<Tag> {
    return this.#post(`${this.#space}/tags`, tag);
  }

  updateTag(id: string, update: Partial<NewTag>): Promise<Tag> {
    return this.#put(this.#item('tags', id), update);
  }

  deleteTag(id: string): Promise<void> {
    return this.#delete(this.#item('tags', id));
  }

  /** A page of messages, newest first: 20 of the last 24 hours, unless the query says otherwise. */
  async messages(query: MessageQuery = {}): Promise<readonly Message[]> {
    const page = await this.#get<readonly Message[]>(`${this.#space}/messages`, { ...query });
    return page.map(withBody);
  }

  /**
   * All messages of the query's window, newest first, page by page as they are consumed. Without `after` that is all there
   * are: the service's own default, the last 24 hours, would go on moving while the pages are walked.
   */
  allMessages(query: Omit<MessageQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Message> {
    return everyPage((offset) => this.messages({ after: LONG_AGO, ...query, limit: 100, ...offset }));
  }

  async message(id: string): Promise<Message> {
    return withBody(await this.#get<Message>(this.#item('messages', id)));
  }

  /** Queues a downlink of any type. */
  createMessage(message: NewMessage): Promise<Message> {
    return this.#postMessage(`${this.#space}/messages`, message);
  }

  /** Takes a pending downlink out of its queue. @throws ApiError 409 when it is not pending */
  cancelMessage(id: string): Promise<Message> {
    return this.#postMessage(`${this.#item('messages', id)}/cancel`);
  }

  /** The life of a downlink, oldest first; a page of 100, which holds all of it, unless the query says otherwise. */
  timeline(messageId: string, query: PageQuery = {}): Promise<readonly TimelineEntry[]> {
    return this.#get(`${this.#item('messages', messageId)}/timeline`, { ...query });
  }

  /** A page of users: 100, unless the query says otherwise. */
  users(query: PageQuery = {}): Promise<readonly User[]> {
    return this.#get(`${this.#space}/users`, { ...query });
  }

  inviteUser(user: NewUser): Promise<Invitation> {
    return this.#post(`${this.#space}/users/invite`, user);
  }

  user(id: string): Promise<User> {
    return this.#get(this.#item('users', id));
  }

  updateUser(id: string, update: { readonly role?: Role; readonly name?: string | null }): Promise<User> {
    return this.#put(this.#item('users', id), update);
  }

  deleteUser(id: string): Promise<void> {
    return this.#delete(this.#item('users', id));
  }

  /** A page of API keys: 100, unless the query says otherwise. */
  keys(query: PageQuery = {}): Promise<readonly Key[]> {
    return this.#get(`${this.#space}/keys`, { ...query });
  }

  createKey(key: NewKey): Promise<KeyWithSecret> {
    return this.#post(`${this.#space}/keys`, key);
  }

  key(id: string): Promise<Key> {
    return this.#get(this.#item('keys', id));
  }

  updateKey(id: string, update: Partial<NewKey>): Promise<Key> {
    return this.#put(this.#item('keys', id), update);
  }

  deleteKey(id: string): Promise<void> {
    return this.#delete(this.#item('keys', id));
  }

  /** Gives the key a new secret; the old one ends at once. */
  rotateKey(id: string): Promise<KeyWithSecret> {
    return this.#post(`${this.#item('keys', id)}/rotate`);
  }

  /** A page of variables: 100, unless the query says otherwise. */
  variables(query: VariableQuery = {}): Promise<readonly Variable[]> {
    return this.#get(`${this.#space}/variables`, { ...query });
  }

  createVariable(variable: NewVariable): Promise<Variable> {
    return this.#post(`${this.#space}/variables`, variable);
  }

  variable(id: string): Promise<Variable> {
    return this.#get(this.#item('variables', id));
  }

  /** @throws ApiError 423 when it is locked */
  updateVariable(id: string, update: Partial<Omit<NewVariable, 'device_id'>>): Promise<Variable> {
    return this.#put(this.#item('variables', id), update);
  }

  /** @throws ApiError 423 when it is locked */
  deleteVariable(id: string): Promise<void> {
    return this.#delete(this.#item('variables', id));
  }

  lockVariable(id: string): Promise<Variable> {
    return this.#post(`${this.#item('variables', id)}/lock`);
  }

  unlockVariable(id: string): Promise<Variable> {
    return this.#post(`${this.#item('variables', id)}/unlock`);
  }

  /** A page of connectors, in order of creation. */
  connectors(query: PageQuery = {}): Promise<readonly Connector[]> {
    return this.#get(`${this.#space}/connectors`, { ...query });
  }

  connector(id: string): Promise<Connector> {
    return this.#get(this.#item('connectors', id));
  }

  createConnector(connector: NewConnector): Promise<Connector> {
    return this.#post(`${this.#space}/connectors`, connector);
  }

  /** One that is disabled drops what it has not delivered yet. */
  updateConnector(id: string, update: ConnectorUpdate): Promise<Connector> {
    return this.#put(this.#item('connectors', id), update);
  }

  deleteConnector(id: string): Promise<void> {
    return this.#delete(this.#item('connectors', id));
  }

  /** What the connector, or the script given here in the place of its own, would send for a message. Nothing is sent. */
  previewConnector(id: string, messageId: string, transformation?: string): Promise<ConnectorPreview> {
    const script = transformation === undefined ? {} : { transformation };
    return this.#post(`${this.#item('connectors', id)}/preview`, { message_id: messageId, ...script });
  }

  /** A page of what a connector had to deliver, newest first. */
  deliveries(connectorId: string, query: DeliveryQuery = {}): Promise<readonly Delivery[]> {
    return this.#get(`${this.#item('connectors', connectorId)}/deliveries`, { ...query });
  }

  /** All of it, page by page as it is consumed. */
  allDeliveries(connectorId: string, query: Omit<DeliveryQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Delivery> {
    return everyPage((offset) => this.deliveries(connectorId, { ...query, limit: 500, ...offset }));
  }

  delivery(connectorId: string, id: string): Promise<Delivery> {
    return this.#get(`${this.#item('connectors', connectorId)}/deliveries/${encodeURIComponent(id)}`);
  }

  createFirmwareImage(image: NewFirmwareImage): Promise<FirmwareImage> {
    return this.#post(`${this.#space}/firmware/images`, image);
  }

  /** Updates to it that are under way fail. */
  deleteFirmwareImage(id: string): Promise<void> {
    return this.#delete(`${this.#space}/firmware/images/${encodeURIComponent(id)}`);
  }

  /** Queues an update of a device to an image. @throws ApiError 409 while another one is under way */
  updateFirmware(deviceId: string, firmwareId: string): Promise<FirmwareUpdate> {
    return this.#post(`${this.#item('devices', deviceId)}/firmware`, { firmware_id: firmwareId });
  }

  firmwareUpdate(id: string): Promise<FirmwareUpdate> {
    return this.#get(this.#item('firmware', id));
  }

  /** Makes what has no call of its own. `path` is below the space, such as `/keys`. */
  post(path: string, body: unknown): Promise<{ readonly id: string }> {
    return this.#post(this.#space + path, body);
  }

  /** Deletes what {@link post} has made, under its path below the space. */
  remove(path: string): Promise<void> {
    return this.#delete(this.#space + path);
  }

  /** Lets the calls under way finish, then ends the connections. */
  close(): Promise<void> {
    return this.#http.close();
  }

  #item(family: string, id: string): string {
    return `${this.#space}/${family}/${encodeURIComponent(id)}`;
  }

  // In these four the answer's type is taken on trust: types.ts is what the service promises.
  async #get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#http.request('GET', path, query)) as T;
  }

  async #post<T>(path: string, body?: unknown): Promise<T> {
    return (await this.#http.request('POST', path, {}, body)) as T;
  }

  async #put<T>(path: string, body: unknown): Promise<T> {
    return (await this.#http.request('PUT', path, {}, body)) as T;
  }

  async #delete(path: string): Promise<void> {
    await this.#http.request('DELETE', path);
  }

  async #postMessage(path: string, body?: unknown): Promise<Message> {
    const answer = await this.#post<unknown>(path, body);
    if (!isMessage(answer)) throw new ApiError(200, 'the answer is no message', 'POST', path);
    return withBody(answer);
  }
}

/** A request of somebody who has no credential yet. */
async function postOnce(baseUrl: string, path: string, body: unknown): Promise<Token> {
  const http = new JsonHttp({ baseUrl, connections: 1 });
  try {
    // Because types.ts is what the service promises.
    return (await http.request('POST', path, {}, body)) as Token;
  } finally {
    await http.close();
  }
}

/**
 * Yields the items of all pages. The end is an empty page, not a short one: a service may give less than was asked for
 * (cloud API gaps, 2.5).
 */
async function* everyPage<T extends { readonly id: string }>(
  fetch: (cursor: { readonly offset?: string }) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page = await fetch({});
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    page = await fetch({ offset: last.id });
  }
}

/** Whether an answer is what types.ts promises, as far as anybody depends on it who tells messages apart. */
export function isMessage(answer: unknown): answer is Message {
  return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string';
}

/** Some services send the body as JSON text (cloud API gaps, 3.5): here it is always the value. */
function withBody(message: Message): Message {
  const { body } = message;
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return message;
  try {
    return { ...message, body: JSON.parse(body) };
  } catch {
    return message;
  }
}

/** Before everything that a service can have stored. */
const LONG_AGO = '1970-01-01T00:00:00.000Z';
