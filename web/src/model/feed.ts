/**
 * Events of the space while the console is open: new messages, and stations of downlinks (new entries of their timelines).
 * Every page receives each event once. The client resumes the stream after a lost connection.
 */
import type { DeviceCloudClient, SpaceEvent } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';

type Events = { readonly [Each in SpaceEvent as Each['event']]: Each['data'] };
export type Station = Events['downlink'];

export interface Listener {
  readonly message?: (message: Message) => void;
  readonly station?: (station: Station) => void;
  readonly device?: (event: Events['device']) => void;
  /** Called after events were missed: the listener has to read its data again. */
  readonly reset?: () => void;
}

export class Feed {
  readonly #client: DeviceCloudClient;
  readonly #listeners = new Set<Listener>();
  readonly #ending = new AbortController();

  constructor(client: DeviceCloudClient) {
    this.#client = client;
  }

  /** Calls `listener` for every event from now on. @returns a function that removes the listener */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Follows the events until the feed is closed.
   * @param onOpen called when a stream has begun: lists that are read afterwards miss no event
   * @throws ApiError if the credential becomes invalid
   */
  async follow(onOpen: (resumed: boolean) => void): Promise<void> {
    const wanted = ['message', 'downlink', 'device'] as const;
    const query = { event: wanted, signal: this.#ending.signal, onOpen };
    for await (const event of this.#client.events(query)) this.#tell(event);
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
      else if (event === 'reset') listener.reset?.();
    }
  }
}
