/** Reads the causes of the waits of delivered downlinks: from the run if there is one, otherwise from their timelines. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { type Wait, waitsIn } from './causes.js';
import { runState } from './run.js';
import type { SpaceModel } from './space.js';

/** Maximum number of downlinks whose timelines are read from a service without a run, latest first. Each needs a request. */
export const MOST_READ = 200;
/** Maximum number of downlinks in one request to a run. */
const AT_ONCE = 50;
/** Maximum number of concurrent requests for timelines. */
const READERS = 4;

export class CauseReader {
  /** Waits by the ids of the downlinks; an empty list if nothing is known about a downlink. */
  readonly waits = signal<ReadonlyMap<string, readonly Wait[]>>(new Map());
  readonly #client: DeviceCloudClient;
  readonly #model: SpaceModel;
  readonly #known = new Map<string, readonly Wait[]>();
  readonly #asked = new Set<string>();
  #isReading = false;
  #isClosed = false;
  #wanted: readonly Message[] = [];
  #all: readonly Message[] = [];

  constructor(client: DeviceCloudClient, model: SpaceModel) {
    this.#client = client;
    this.#model = model;
  }

  /**
   * Reads the waits of delivered downlinks, newest first, unless they are known. A further call replaces the list.
   * @param all downlinks of the space
   */
  want(delivered: readonly Message[], all: readonly Message[]): void {
    this.#wanted = delivered;
    this.#all = all;
    if (!this.#isReading) void this.#read();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let next = this.#next(); next.length > 0 && !this.#isClosed; next = this.#next()) {
      for (const { id } of next) this.#asked.add(id);
      if (runState.value !== undefined) await this.#fromRun(next).catch(() => undefined);
      // Downlinks that the run does not know, or has forgotten, are read from the cloud.
      const rest = next.filter(({ id }) => !this.#known.has(id));
      await Promise.all(Array.from({ length: READERS }, () => this.#fromCloud(rest)));
      this.waits.value = new Map(this.#known);
    }
    this.#isReading = false;
  }

  #next(): Message[] {
    const within = runState.value === undefined ? this.#wanted.slice(0, MOST_READ) : this.#wanted;
    return within.filter(({ id }) => !this.#asked.has(id)).slice(0, AT_ONCE);
  }

  async #fromRun(messages: readonly Message[]): Promise<void> {
    const downlinks = messages.map(({ id, device_serial_number: serial }) => ({ id, serial }));
    for (const [id, waits] of await this.#model.run.waits(downlinks)) {
      this.#known.set(
        id,
        waits.map(({ what, time_ms }) => ({ what: printableLine(what), time: time_ms })),
      );
    }
  }

  /** Removes messages from the list and reads their timelines, until the list is empty. */
  async #fromCloud(messages: Message[]): Promise<void> {
    for (let message = messages.shift(); message && !this.#isClosed; message = messages.shift()) {
      const entries = await this.#client.timeline(message.id).catch(() => []);
      this.#known.set(message.id, waitsIn(message, entries, this.#all));
    }
  }
}
