/**
 * Events of the space while the console is open: new messages, and stations of downlinks (new entries of their timelines). One
 * stream serves all pages. It is resumed after a lost connection, and after the tab was hidden.
 */
import { ApiError, type DeviceCloudClient, type SpaceEvent } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import { pauseAfter } from '../api/answering.js';
import { whileShown } from '../api/shown.js';

type Events = { readonly [Each in SpaceEvent as Each['event']]: Each['data'] };
export type Station = Events['downlink'];

export interface Listener {
  readonly message?: (message: Message) => void;
  readonly station?: (station: Station) => void;
  readonly device?: (event: Events['device']) => void;
  readonly health?: (event: Events['health']) => void;
  /** Called after events were missed: the listener has to read its data again. */
  readonly reset?: () => void;
}

export class Feed {
  readonly #client: DeviceCloudClient;
  readonly #listeners = new Set<Listener>();
  readonly #ending = new AbortController();
  /** Position of the latest event; undefined before the first one. */
  #lastId: string | undefined;
  #wasOpen = false;
  /** How many requests in a row have failed. */
  #failures = 0;

  constructor(client: DeviceCloudClient) {
    this.#client = client;
  }

  /** Calls `listener` for every event from now on. @returns a function that removes the listener */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Follows the events until the feed is closed, as long as the tab is shown.
   * @param onOpen called when a stream has begun: lists that are read afterwards miss no event. `resumed`: whether the stream
   * continues after the latest known event. If events may have been missed, the listeners are reset instead of this call.
   * @throws ApiError if the credential becomes invalid
   */
  async follow(onOpen: (resumed: boolean) => void): Promise<void> {
    await whileShown(this.#ending.signal, async (shown) => {
      while (!shown.aborted) {
        try {
          await this.#followOnce(onOpen, shown);
        } catch (error) {
          if (shown.aborted) return;
          if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
          await pauseAfter(++this.#failures);
        }
      }
    });
  }

  /**
   * Follows one stream until it ends. The client reopens a broken stream. If the first connection fails, for example because
   * the machine has just woken up, {@link follow} repeats it, and the client does not.
   */
  async #followOnce(onOpen: (resumed: boolean) => void, signal: AbortSignal): Promise<void> {
    const event = ['message', 'downlink', 'device', 'health'] as const;
    const after = this.#lastId;
    // Without a position, the service does not know that this tab has missed events.
    const hasMissed = this.#wasOpen && after === undefined;
    const opened = (resumed: boolean) => {
      this.#wasOpen = true;
      this.#failures = 0;
      if (hasMissed) for (const { reset } of this.#listeners) reset?.();
      else onOpen(resumed);
    };
    const query = { event, signal, onOpen: opened, ...(after !== undefined && { after }) };
    for await (const each of this.#client.events(query)) {
      this.#lastId = each.id || this.#lastId;
      this.#tell(each);
    }
  }

  /** Passes on a message that a request of the user has returned. */
  see(message: Message): void {
    this.#tell({ id: '', event: 'message', data: message });
  }

  close(): void {
    this.#ending.abort();
  }

  #tell({ event, data }: SpaceEvent): void {
    for (const listener of this.#listeners) {
      if (event === 'message') listener.message?.(data);
      else if (event === 'downlink') listener.station?.(data);
      else if (event === 'device') listener.device?.(data);
      else if (event === 'health') listener.health?.(data);
      else if (event === 'reset') listener.reset?.();
    }
  }
}
