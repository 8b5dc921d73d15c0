/**
 * A typed client of the public REST API (cloud C-1, C-20 to C-39).
 *
 * One client uses one API key and one space, over keep-alive connections: create it once and close it at the end. The client
 * does not retry failed calls, because a retry could queue a downlink twice.
 */
import { UsageError } from '../kernel/errors.js';
import { itemsIn, messageIn, messagesIn } from './answers.js';
import { ApiError } from './errors.js';
import { type Gate, type HttpOptions, JsonHttp } from './http.js';
import { everyPage, Requests } from './requests.js';
import { SpaceClient } from './space-client.js';
import type {
  Credentials,
  Device,
  DeviceFilter,
  DeviceQuery,
  DeviceSummary,
  DeviceSummaryQuery,
  DeviceUpdate,
  EventQuery,
  History,
  Message,
  MessageQuery,
  NewDevice,
  NewMessage,
  NewTag,
  PageQuery,
  Space,
  SpaceEvent,
  Tag,
  TimelineEntry,
  Token,
} from './types.js';

export { isMessage } from './answers.js';
export { ApiError, ConnectionError } from './errors.js';
export type { Gate, HttpOptions } from './http.js';
export type * from './types.js';

export interface ClientOptions extends HttpOptions {
  /** An API key, or the `access_token` of a login. Visible ASCII characters without spaces. */
  readonly apiKey: string;
  /** Id (UUID) of the space to which all calls refer. {@link DeviceCloudClient.connect} finds it by the key. */
  readonly spaceId: string;
}

/**
 * Client of one space. Every call rejects with {@link ApiError} if the service answers with a status other than 2xx or with an
 * unusable body, and with {@link ConnectionError} if no complete response arrives. An empty id, and an empty text or list as a
 * filter, reject with a UsageError (`empty-id`, `empty-parameter`) before the request: they could mean everything.
 */
export class DeviceCloudClient extends SpaceClient {
  readonly spaceId: string;
  readonly #options: ClientOptions;
  readonly #http: JsonHttp;

  /**
   * @param http connections to use; default: new connections
   * @throws UsageError `bad-url` if the address is not valid, `bad-api-key` if the key is not valid, `empty-id` without a space
   */
  constructor(options: ClientOptions, http = new JsonHttp(options)) {
    if (typeof options.spaceId !== 'string') {
      throw new UsageError(
        'empty-id',
        'the option "spaceId" is missing; DeviceCloudClient.connect finds the space of a key',
      );
    }
    super(new Requests(http, options.spaceId));
    this.spaceId = options.spaceId;
    this.#options = options;
    this.#http = http;
  }

  /** A client that shares the connections of this one and sends requests through `gate`. Close only one of the two clients. */
  through(gate: Gate): DeviceCloudClient {
    return new DeviceCloudClient(this.#options, this.#http.through(gate));
  }

  /**
   * Creates a client for the space of the key. With the token of a login, it uses the first space that the token opens.
   * @throws ApiError if the key is not valid (401) or opens no space
   * @throws ConnectionError if no response arrives
   * @throws UsageError if the address or the key is not valid
   */
  static async connect(options: HttpOptions & { readonly apiKey: string }): Promise<DeviceCloudClient> {
    const http = new JsonHttp({ ...options, connections: 1 });
    try {
      const spaces = itemsIn<Space>(await http.request('GET', '/v2/spaces'), '/v2/spaces');
      const [space] = spaces;
      if (!space) throw new ApiError(200, 'the key opens no space', 'GET', '/v2/spaces');
      return new DeviceCloudClient({ ...options, spaceId: space.id });
    } finally {
      await http.close();
    }
  }

  /**
   * Logs in. Use the `access_token` of the result as `apiKey` of a client (cloud C-20).
   * @throws ApiError 401 if the address or the password is wrong
   */
  static login(baseUrl: string, credentials: Credentials): Promise<Token> {
    return postOnce(baseUrl, '/v2/auth/login', credentials);
  }

  /**
   * Accepts an invitation (cloud C-20).
   * @param invitation `token`: the `invite_token` of {@link Invitation}; `email`: the invited address; `password`: 8 to 256
   * characters, the password of the account; if the account has none yet, this becomes its password
   * @throws ApiError 401 if the token is invalid or expired (7 days), the address was not invited, or the password is wrong
   */
  static accept(baseUrl: string, invitation: { readonly token: string } & Credentials): Promise<Token> {
    return postOnce(baseUrl, '/v2/auth/accept', invitation);
  }

  /** A page of devices. Default: the first 100 in order of id. */
  devices(query: DeviceQuery = {}): Promise<readonly Device[]> {
    return this.requests.list(`${this.requests.space}/devices`, { ...query });
  }

  /** A page of devices with only the fields that a table of a fleet shows. Default: the first 100 in order of id. */
  deviceSummaries(query: DeviceSummaryQuery = {}): Promise<readonly DeviceSummary[]> {
    return this.requests.list(`${this.requests.space}/devices/summaries`, { ...query });
  }

  /** The figures of the space since the start of the service, in buckets that are longer for earlier times. */
  async history(): Promise<History> {
    const path = `${this.requests.space}/history`;
    const answer = await this.requests.ask('GET', path);
    // The cast is safe because types.ts describes the service's answers.
    if (typeof answer === 'object' && answer !== null && 'figures' in answer) return answer as History;
    throw new ApiError(200, 'the answer has no "figures"', 'GET', path);
  }

  /** All devices that match. The pages of 500 are requested as the generator is consumed. */
  allDevices(query: Omit<DeviceQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Device> {
    const path = `${this.requests.space}/devices`;
    let next: string | undefined;
    const read = async (cursor: { readonly offset?: string }) => {
      const page = await this.requests.page<Device>(path, { ...query, limit: 500, ...cursor });
      next = page.next;
      return page.items;
    };
    // The place of a device at the end of a page, which may have moved since.
    return everyPage(path, read, (page) => next ?? page.at(-1)?.id);
  }

  /** Number of devices that match. Default: all devices of the space. */
  async countDevices(filter: DeviceFilter = {}): Promise<number> {
    const path = `${this.requests.space}/devices/count`;
    const answer = await this.requests.ask('GET', path, { query: { ...filter } });
    const isCount = typeof answer === 'object' && answer !== null && 'count' in answer;
    if (isCount && typeof answer.count === 'number') return answer.count;
    throw new ApiError(200, 'the answer has no "count"', 'GET', path);
  }

  /** @throws ApiError 404 if the space has no such device */
  device(id: string): Promise<Device> {
    return this.requests.get(this.requests.item('devices', id));
  }

  /** Registers a device. @throws ApiError 409 if its serial number or claim token is in use, in any space */
  createDevice(device: NewDevice): Promise<Device> {
    return this.requests.post(`${this.requests.space}/devices`, device);
  }

  /**
   * Changes the given fields; `label` and `tags` replace the whole set.
   * @param version the {@link Device.version} on which the change is based. Left out: the change replaces those of others
   * @throws ApiError 404 if the space has no such device; 412 if the device has another version, because others changed it
   */
  updateDevice(id: string, update: DeviceUpdate, version?: number): Promise<Device> {
    const condition = version === undefined ? {} : { 'if-match': `"${version}"` };
    return this.requests.put(this.requests.item('devices', id), update, condition);
  }

  /**
   * Adds tags to a device and removes tags from it, by their ids; other tags stay, also those that others add meanwhile. A
   * service whose devices have no `version` cannot refuse a change: there, changes at the same time can undo each other.
   * @throws ApiError 404 if the space has no such device; 412 if others change the device all the time
   */
  async changeTags(
    id: string,
    { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<Device> {
    for (let attempt = 1; ; attempt++) {
      const { tags, version } = await this.device(id);
      const kept = tags.map((tag) => tag.id).filter((tagId) => !remove.includes(tagId));
      const wanted = [...new Set([...kept, ...add])];
      try {
        return await this.updateDevice(id, { tags: wanted.map((tagId) => ({ id: tagId })) }, version);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412) || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Removes a device. Its pending downlinks and its firmware update are cancelled.
   * @throws ApiError 404 if the space has no such device
   */
  deleteDevice(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('devices', id));
  }

  /**
   * Queues configuration lines. After applying them, the device saves its configuration and restarts by itself.
   * @param lines 1 to 100 lines such as `app config interval-report 900`, of at most 255 bytes each, without `config save`
   * @returns the downlink, state `pending`
   * @throws ApiError 409 if the queue of the device is full (1000 pending downlinks)
   */
  sendConfig(deviceId: string, lines: readonly string[]): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/configs`, lines);
  }

  /**
   * Queues shell commands. The device sends their output later, in a message of type `shell`.
   * @param commands 1 to 100 command lines of at most 255 bytes each
   * @returns the downlink, state `pending`
   * @throws ApiError 409 if the queue of the device is full (1000 pending downlinks)
   */
  sendCommands(deviceId: string, commands: readonly string[]): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/commands`, commands);
  }

  /**
   * Queues data for the application of the device.
   * @param body a JSON object; the device's firmware defines its keys
   * @returns the downlink, state `pending`
   * @throws ApiError 400 if the device's encoder has no such key; 409 if the device has no encoder or its queue is full
   */
  sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('devices', deviceId)}/downlinks`, body);
  }

  /** A page of tags. Default: the first 100 in order of id. */
  tags(query: PageQuery = {}): Promise<readonly Tag[]> {
    return this.requests.list(`${this.requests.space}/tags`, { ...query });
  }

  /** All tags. The pages of 500 are requested as the generator is consumed. */
  allTags(): AsyncGenerator<Tag> {
    return everyPage(`${this.requests.space}/tags`, (offset) => this.tags({ limit: 500, ...offset }));
  }

  /** @throws ApiError 404 if the space has no such tag */
  tag(id: string): Promise<Tag> {
    return this.requests.get(this.requests.item('tags', id));
  }

  /** @throws ApiError 409 if the space already has a tag with this name */
  createTag(tag: NewTag): Promise<Tag> {
    return this.requests.post(`${this.requests.space}/tags`, tag);
  }

  /** Changes the given fields. @throws ApiError 409 if the space already has a tag with this name */
  updateTag(id: string, update: Partial<NewTag>): Promise<Tag> {
    return this.requests.put(this.requests.item('tags', id), update);
  }

  /** Deletes a tag and all references to it. @throws ApiError 404 if the space has no such tag */
  deleteTag(id: string): Promise<void> {
    return this.requests.delete(this.requests.item('tags', id));
  }

  /** A page of messages, newest first. Default: the newest 20 of the last 24 hours. */
  async messages(query: MessageQuery = {}): Promise<readonly Message[]> {
    const path = `${this.requests.space}/messages`;
    return messagesIn(await this.requests.ask('GET', path, { query: { ...query } }), path);
  }

  /** All matching messages, newest first, in pages of 100. `after` is 1970 by default: a window of 24 hours would move. */
  allMessages(query: Omit<MessageQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Message> {
    return everyPage(`${this.requests.space}/messages`, (offset) =>
      this.messages({ after: LONG_AGO, ...query, limit: 100, ...offset }),
    );
  }

  /** @throws ApiError 404 if the space has no such message */
  async message(id: string): Promise<Message> {
    const path = this.requests.item('messages', id);
    return messageIn(await this.requests.ask('GET', path), 'GET', path);
  }

  /**
   * Follows the events of the space as they happen. After a lost connection or a restart of the service, the iteration connects
   * again and resumes after the last event. An event `reset` means that events are missing. To end the iteration, leave the
   * loop or abort `signal`.
   * @throws ApiError if the service rejects the request, or the credential becomes invalid
   * @throws ConnectionError if the first connection fails
   */
  events(query: EventQuery = {}): AsyncGenerator<SpaceEvent> {
    return this.requests.events(query);
  }

  /** Queues a downlink of any type. @throws ApiError 409 if the queue of the device is full (1000 pending downlinks) */
  createMessage(message: NewMessage): Promise<Message> {
    return this.requests.postMessage(`${this.requests.space}/messages`, message);
  }

  /** Cancels a pending downlink. @throws ApiError 409 if the message is not a pending downlink */
  cancelMessage(id: string): Promise<Message> {
    return this.requests.postMessage(`${this.requests.item('messages', id)}/cancel`);
  }

  /** The timeline of a downlink, oldest event first. Default: a page of 100, which is the whole timeline. */
  timeline(messageId: string, query: PageQuery = {}): Promise<readonly TimelineEntry[]> {
    return this.requests.list(`${this.requests.item('messages', messageId)}/timeline`, { ...query });
  }

  /** Creates a resource of any kind by its path. @param path path below the space, such as `/keys` */
  post(path: string, body: unknown): Promise<{ readonly id: string }> {
    return this.requests.post(this.requests.below(path), body);
  }

  /** All items of a list of any kind by its path, such as `/keys` below the space; read in pages. */
  all(path: string): AsyncGenerator<{ readonly id: string; readonly created_at?: string }> {
    const list = this.requests.below(path);
    return everyPage(list, (offset) => this.requests.list(list, { ...offset }));
  }

  /** Deletes a resource of any kind by its path. @param path path below the space, such as `/keys/{id}` */
  remove(path: string): Promise<void> {
    return this.requests.delete(this.requests.below(path));
  }

  /** Waits for running calls, then closes the connections. */
  close(): Promise<void> {
    return this.#http.close();
  }
}

/** A request without a credential, over a connection of its own. */
async function postOnce(baseUrl: string, path: string, body: unknown): Promise<Token> {
  const http = new JsonHttp({ baseUrl, connections: 1 });
  try {
    return (await http.request('POST', path, {}, body)) as Token;
  } finally {
    await http.close();
  }
}

/** Of changes at the same time, one succeeds in each round. */
const MOST_ATTEMPTS = 100;

/** Earlier than any message that a service can have stored. */
const LONG_AGO = '1970-01-01T00:00:00.000Z';
