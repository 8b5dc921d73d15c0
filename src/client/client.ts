/**
 * The public REST API as typed calls (device cloud API, "Endpoints"; cloud API gaps, section 3).
 *
 * One client is one key and one space, over connections that are kept alive: make it once and close it at the end. Calls
 * are not repeated on failure: whether a downlink may be queued twice is for the caller to know.
 */
import { ApiError } from './errors.js';
import { type Gate, type HttpOptions, JsonHttp } from './http.js';
import { everyPage, Requests, withBody } from './requests.js';
import { SpaceClient } from './space-client.js';
import type {
  Count,
  Credentials,
  Device,
  DeviceFilter,
  DeviceQuery,
  DeviceUpdate,
  Message,
  MessageQuery,
  NewDevice,
  NewMessage,
  NewTag,
  PageQuery,
  Space,
  Tag,
  TimelineEntry,
  Token,
} from './types.js';

export { ApiError, ConnectionError } from './errors.js';
export type * from './firmware-types.js';
export type { Gate, HttpOptions } from './http.js';
export { isMessage } from './requests.js';
export type * from './types.js';

export interface ClientOptions extends HttpOptions {
  /** An API key, or the token of a login. */
  readonly apiKey: string;
  /** The space that all calls are about; {@link DeviceCloudClient.connect} finds it when only the key is known. */
  readonly spaceId: string;
}

/** Every call rejects with {@link ApiError} when the service refuses, and with `ConnectionError` when it does not answer. */
export class DeviceCloudClient extends SpaceClient {
  readonly spaceId: string;
  readonly #options: ClientOptions;
  readonly #http: JsonHttp;

  /**
   * @param http carries its requests; left out: connections of its own
   * @throws UsageError when the address or the key cannot be one
   */
  constructor(options: ClientOptions, http = new JsonHttp(options)) {
    super(new Requests(http, options.spaceId));
    this.spaceId = options.spaceId;
    this.#options = options;
    this.#http = http;
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

  /** A page of devices: 100 in order of id, unless the query says otherwise. */
  devices(query: DeviceQuery = {}): Promise<readonly Device[]> {
    return this.requests.get(`${this.requests.space}/devices`, { ...query });
  }

  /** All devices, page by page as they are consumed. */
  allDevices(query: Omit<DeviceQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Device> {
    return everyPage((offset) => this.devices({ ...query, limit: 500, ...offset }));
  }

  async countDevices(filter: DeviceFilter = {}): Promise<number> {
    const { count } = await this.requests.get<Count>(`${this.requests.space}/devices/count`, { ...filter });
    return count;
  }

  device(id: string): Promise<Device> {
    return this.requests.get(this.requests.item('devices', id));
  }

  createDevice(device: NewDevice): Promise<Device> {
    return this.requests.post(`${this.requests.space}/devices`, device);
  }

  updateDevice(id: string, update: DeviceUpdate): Promise<Device> {
    return this.requests.put(this.requests.item('devices', id), update);
  }

  deleteDevice(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('devices', id));
  }

  /** Queues `app config …` lines. The device saves and restarts by itself: `config save` must not be among them. */
  sendConfig(deviceId: string, lines: readonly string[]): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/configs`, lines);
  }

  /** Queues shell commands; the answers come back later, in an uplink of type `shell`. */
  sendCommands(deviceId: string, commands: readonly string[]): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/commands`, commands);
  }

  /** Queues a data downlink; its keys are defined by the device's firmware. */
  sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/downlinks`, body);
  }

  /** A page of tags: 100 in order of id, unless the query says otherwise. */
  tags(query: PageQuery = {}): Promise<readonly Tag[]> {
    return this.requests.get(`${this.requests.space}/tags`, { ...query });
  }

  /** All tags, page by page as they are consumed. */
  allTags(): AsyncGenerator<Tag> {
    return everyPage((offset) => this.tags({ limit: 500, ...offset }));
  }

  tag(id: string): Promise<Tag> {
    return this.requests.get(this.requests.item('tags', id));
  }

  createTag(tag: NewTag): Promise<Tag> {
    return this.requests.post(`${this.requests.space}/tags`, tag);
  }

  updateTag(id: string, update: Partial<NewTag>): Promise<Tag> {
    return this.requests.put(this.requests.item('tags', id), update);
  }

  deleteTag(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('tags', id));
  }

  /** A page of messages, newest first: 20 of the last 24 hours, unless the query says otherwise. */
  async messages(query: MessageQuery = {}): Promise<readonly Message[]> {
    const page = await this.requests.get<readonly Message[]>(`${this.requests.space}/messages`, { ...query });
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
    return withBody(await this.requests.get<Message>(this.requests.item('messages', id)));
  }

  /** Queues a downlink of any type. */
  createMessage(message: NewMessage): Promise<Message> {
    return this.requests.postMessage(`${this.requests.space}/messages`, message);
  }

  /** Takes a pending downlink out of its queue. @throws ApiError 409 when it is not pending */
  cancelMessage(id: string): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('messages', id)}/cancel`);
  }

  /** The life of a downlink, oldest first; a page of 100, which holds all of it, unless the query says otherwise. */
  timeline(messageId: string, query: PageQuery = {}): Promise<readonly TimelineEntry[]> {
    return this.requests.get(`${this.requests.item('messages', messageId)}/timeline`, { ...query });
  }

  /** Makes what has no call of its own. `path` is below the space, such as `/keys`. */
  post(path: string, body: unknown): Promise<{ readonly id: string }> {
    return this.requests.post(this.requests.space + path, body);
  }

  /** Deletes what {@link post} has made, under its path below the space. */
  remove(path: string): Promise<void> {
    return this.requests.delete(this.requests.space + path);
  }

  /** Lets the calls under way finish, then ends the connections. */
  close(): Promise<void> {
    return this.#http.close();
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

/** Before everything that a service can have stored. */
const LONG_AGO = '1970-01-01T00:00:00.000Z';
