/**
 * The public REST API as typed calls (device cloud API, "Endpoints"; cloud API gaps, section 3).
 *
 * One client is one key and one space, over connections that are kept alive: make it once and close it at the end. Calls
 * are not repeated on failure: whether a downlink may be queued twice is for the caller to know.
 */
import { ApiError } from './errors.js';
import { type HttpOptions, JsonHttp, type Query } from './http.js';
import type {
  Count,
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
} from './types.js';

export { ApiError, ConnectionError } from './errors.js';
export type * from './types.js';

export interface ClientOptions extends HttpOptions {
  /** The space that all calls are about; {@link DeviceCloudClient.connect} finds it when only the key is known. */
  readonly spaceId: string;
}

/** Every call rejects with {@link ApiError} when the service refuses, and with `ConnectionError` when it does not answer. */
export class DeviceCloudClient {
  readonly spaceId: string;
  readonly #http: JsonHttp;
  readonly #space: string;

  /** @throws UsageError when the address or the key cannot be one */
  constructor(options: ClientOptions) {
    this.spaceId = options.spaceId;
    this.#http = new JsonHttp(options);
    this.#space = `/v2/spaces/${encodeURIComponent(options.spaceId)}`;
  }

  /** A client for the space that the key opens (the first one, when it opens several). */
  static async connect(options: HttpOptions): Promise<DeviceCloudClient> {
    const http = new JsonHttp({ ...options, connections: 1 });
    try {
      const [space] = (await http.request('GET', '/v2/spaces')) as readonly Space[];
      if (!space) throw new ApiError(200, 'the key opens no space', 'GET', '/v2/spaces');
      return new DeviceCloudClient({ ...options, spaceId: space.id });
    } finally {
      await http.close();
    }
  }

  /** The spaces that the key opens. */
  spaces(): Promise<readonly Space[]> {
    return this.#get('/v2/spaces');
  }

  space(): Promise<Space> {
    return this.#get(this.#space);
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

  /** All messages of the query's window, newest first, page by page as they are consumed. */
  allMessages(query: Omit<MessageQuery, 'limit' | 'offset'> = {}): AsyncGenerator<Message> {
    return everyPage((offset) => this.messages({ ...query, limit: 100, ...offset }));
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

  /** The life of a downlink, oldest first. */
  timeline(messageId: string): Promise<readonly TimelineEntry[]> {
    return this.#get(`${this.#item('messages', messageId)}/timeline`);
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
    return withBody(await this.#post<Message>(path, body));
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
