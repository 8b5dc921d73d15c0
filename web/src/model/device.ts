/** One device with its latest messages, kept up to date by the feed. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Device, Message } from '../../../src/client/types.js';
import { afterStation } from './downlinks.js';
import type { Feed, Station } from './feed.js';
import { type Contacts, contactsOf, NO_CONTACTS, rhythmOf } from './story.js';

const LONG_AGO = '1970-01-01T00:00:00.000Z';
const PAGE = 100;
/** Number of messages in memory, however long the page is open, unless the user has requested older ones. */
const MOST = 500;

export class DeviceModel {
  readonly device = signal<Device | undefined>(undefined);
  /** Whether the device was deleted after it had been read. */
  readonly isDeleted = signal(false);
  /** Newest first. */
  readonly messages = signal<readonly Message[]>([]);
  /** Whether there may be older messages. */
  readonly hasOlder = signal(false);
  /** The latest entry in the timeline of each downlink since the page was opened. */
  readonly stations = new Map<string, string>();
  readonly id: string;
  /** Number of times that the feed has missed events: {@link load} is due again. */
  readonly missed = signal(0);
  readonly #client: DeviceCloudClient;
  readonly #feed: Feed;
  readonly #end: () => void;
  #most = MOST;

  constructor(id: string, client: DeviceCloudClient, feed: Feed) {
    this.id = id;
    this.#client = client;
    this.#feed = feed;
    this.#end = feed.listen({
      message: (message) => this.#see(message),
      station: (station) => this.#follow(station),
      device: (event) => {
        if (event.device_id !== id) return;
        if (event.device) this.device.value = event.device;
        else this.isDeleted.value = true;
      },
      reset: () => this.missed.value++,
    });
  }

  async load(): Promise<void> {
    const [device, messages] = await Promise.all([this.#client.device(this.id), this.#page()]);
    this.device.value = device;
    this.#merge(messages);
    this.hasOlder.value = messages.length === PAGE;
  }

  async loadOlder(): Promise<void> {
    const older = await this.#page(this.messages.value.at(-1)?.id);
    this.#most += older.length;
    this.#merge(older);
    this.hasOlder.value = older.length === PAGE;
  }

  /** Downlinks, newest first. */
  get downlinks(): readonly Message[] {
    return this.messages.value.filter(({ direction }) => direction === 'down');
  }

  /** The last contact and the expected next one. */
  get contacts(): Contacts {
    const { value } = this.device;
    return value ? contactsOf(rhythmOf(value)) : NO_CONTACTS;
  }

  async sendCommands(lines: readonly string[]): Promise<Message> {
    return this.#sent(await this.#client.sendCommands(this.id, lines));
  }

  async sendConfig(lines: readonly string[]): Promise<Message> {
    return this.#sent(await this.#client.sendConfig(this.id, lines));
  }

  async sendData(body: Readonly<Record<string, unknown>>): Promise<Message> {
    return this.#sent(await this.#client.sendData(this.id, body));
  }

  async cancel(id: string): Promise<void> {
    this.#sent(await this.#client.cancelMessage(id));
  }

  close(): void {
    this.#end();
  }

  #sent(message: Message): Message {
    this.#feed.see(message);
    return message;
  }

  #page(offset?: string): Promise<readonly Message[]> {
    const place = offset === undefined ? {} : { offset };
    return this.#client.messages({ device_id: this.id, after: LONG_AGO, limit: PAGE, ...place });
  }

  #see(message: Message): void {
    if (message.device_id !== this.id) return;
    this.#merge([message]);
    const { value } = this.device;
    if (value && message.direction === 'up') this.device.value = { ...value, last_seen: message.created_at };
  }

  #follow(station: Station): void {
    this.stations.set(station.message_id, station.what);
    const known = this.messages.value.find(({ id }) => id === station.message_id);
    if (known) this.#merge([afterStation(known, station)]);
  }

  #merge(messages: readonly Message[]): void {
    const byId = new Map(this.messages.value.map((message) => [message.id, message]));
    for (const message of messages) byId.set(message.id, message);
    // The ids sort by the time of creation.
    const all = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
    for (const { id } of all.splice(this.#most)) {
      this.stations.delete(id);
      this.hasOlder.value = true;
    }
    this.messages.value = all;
  }
}
