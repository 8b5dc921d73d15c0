/** Downlinks of the whole space: the pending ones with the reasons of their waits, and the times of the others. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import type { Feed, Station } from './feed.js';
import { now } from './now.js';

/** An undelivered downlink expires after 30 days, unless the service is configured otherwise. */
const LIFETIME = 30 * 86_400_000;
const PAGE = 100;
/** Maximum number of API pages that are read. More would delay the display. */
const MOST_PAGES = 20;
/** Maximum number of downlinks in memory, however long the page is open. */
const MOST = MOST_PAGES * PAGE;

/**
 * Reads the downlinks of the last 30 days, newest first; at most 2,000. What the feed says of one while they are read is newer
 * than what was read.
 */
export async function recentDownlinks(
  client: DeviceCloudClient,
  feed: Pick<Feed, 'listen'>,
): Promise<readonly Message[]> {
  const ended = new Map<string, Station>();
  const endFeed = feed.listen({
    station: (station) => station.down_state !== 'pending' && ended.set(station.message_id, station),
  });
  try {
    const found = await readRecent(client);
    return found.map((message) => {
      const station = ended.get(message.id);
      return station && message.down_state === 'pending' ? afterStation(message, station) : message;
    });
  } finally {
    endFeed();
  }
}

async function readRecent(client: DeviceCloudClient): Promise<readonly Message[]> {
  const found: Message[] = [];
  const after = new Date(now.peek() - LIFETIME).toISOString();
  for (let page = 0; page < MOST_PAGES; page++) {
    const offset = found.at(-1)?.id;
    const messages = await client.messages({
      ...{ direction: 'down', limit: PAGE, after },
      ...(offset !== undefined && { offset }),
    });
    found.push(...messages);
    if (messages.length < PAGE) break;
  }
  return found;
}

/** The message of a downlink, updated by a new station. */
export function afterStation(message: Message, { what, at, down_state }: Station): Message {
  return {
    ...message,
    down_state,
    down_state_at: down_state === message.down_state ? message.down_state_at : at,
    down_attempt: what === 'offered' ? message.down_attempt + 1 : message.down_attempt,
  };
}

export interface Downlink {
  readonly message: Message;
  /** The latest station since the page was opened. */
  readonly station: Station | undefined;
}

export class Downlinks {
  /** Downlinks by the ids of their messages. */
  readonly all = signal<ReadonlyMap<string, Downlink>>(new Map());
  /** Number of times that the feed has missed events: {@link load} is due again. */
  readonly missed = signal(0);
  readonly #client: DeviceCloudClient;
  readonly #feed: Pick<Feed, 'listen'>;
  readonly #end: () => void;
  readonly #found = new Map<string, Downlink>();
  #isDue = false;

  constructor(client: DeviceCloudClient, feed: Pick<Feed, 'listen'>) {
    this.#client = client;
    this.#feed = feed;
    this.#end = feed.listen({
      message: (message) => {
        if (message.direction === 'down') this.#put(message, undefined);
      },
      station: (station) => {
        const known = this.#found.get(station.message_id);
        if (known) this.#put(afterStation(known.message, station), station);
      },
      reset: () => this.missed.value++,
    });
  }

  async load(): Promise<void> {
    for (const message of await recentDownlinks(this.#client, this.#feed)) this.#put(message, undefined);
  }

  async cancel(id: string): Promise<void> {
    this.#put(await this.#client.cancelMessage(id), undefined);
  }

  close(): void {
    this.#end();
  }

  #put(message: Message, station: Station | undefined): void {
    this.#found.set(message.id, { message, station: station ?? this.#found.get(message.id)?.station });
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#forget();
      this.all.value = new Map(this.#found);
    }, 250);
  }

  /** Forgets the oldest downlinks beyond the maximum, first those that wait for nothing. */
  #forget(): void {
    const extra = this.#found.size - MOST;
    if (extra <= 0) return;
    const waits = ({ message: { down_state } }: Downlink) => Number(down_state === 'pending');
    // The ids sort by the time of creation.
    const ordered = [...this.#found].sort(([a, one], [b, other]) => waits(one) - waits(other) || (a < b ? -1 : 1));
    for (const [id] of ordered.slice(0, extra)) this.#found.delete(id);
  }
}
