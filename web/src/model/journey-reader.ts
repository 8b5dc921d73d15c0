/** Reads the journeys of downlinks: from the run if there is one, otherwise from their timelines. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import type { Downlink } from './downlinks.js';
import { type Journey, journeyOfCloud, journeyOfRun } from './journeys.js';
import { type Run, runState } from './run.js';

/** Maximum number of delivered downlinks whose timelines are read from a service without a run. Each needs a request. */
export const MOST_READ = 200;
/** Maximum number of downlinks in one request to a run. */
const AT_ONCE = 50;
/** Maximum number of concurrent requests for timelines. */
const READERS = 4;
/** Time after which the journey of a pending downlink is read again, in ms: its cause may have changed. */
const AGAIN = 2_000;

export class JourneyReader {
  /** Journeys by the ids of the downlinks. */
  readonly journeys = signal<ReadonlyMap<string, Journey>>(new Map());
  readonly #client: Pick<DeviceCloudClient, 'timeline'>;
  readonly #run: Pick<Run, 'journeys'>;
  readonly #known = new Map<string, Journey>();
  /** The state of each downlink when it was read last, and the time. */
  readonly #read = new Map<string, { readonly state: string; readonly at: number }>();
  #isReading = false;
  #isClosed = false;
  #wanted: readonly Downlink[] = [];
  #all: readonly Message[] = [];

  constructor(client: Pick<DeviceCloudClient, 'timeline'>, run: Pick<Run, 'journeys'>) {
    this.#client = client;
    this.#run = run;
  }

  /**
   * Reads journeys that are not known, or are no longer true. A further call replaces the list.
   * @param wanted the most important first @param all downlinks of the space
   */
  want(wanted: readonly Downlink[], all: readonly Message[]): void {
    this.#wanted = wanted;
    this.#all = all;
    if (!this.#isReading) void this.#readAll();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (let next = this.#next(); next.length > 0 && !this.#isClosed; next = this.#next()) {
      const at = performance.now();
      for (const downlink of next) this.#read.set(downlink.message.id, { state: stateOf(downlink), at });
      const messages = next.map(({ message }) => message);
      const found = runState.value === undefined ? NONE : await this.#fromRun(messages).catch(() => NONE);
      // Downlinks that the run does not know, or has forgotten, are read from the cloud.
      const rest = messages.filter(({ id }) => !found.has(id));
      await Promise.all(Array.from({ length: READERS }, () => this.#fromCloud(rest)));
      this.journeys.value = new Map(this.#known);
    }
    this.#isReading = false;
  }

  #next(): readonly Downlink[] {
    const next: Downlink[] = [];
    for (const downlink of this.#wanted) {
      if (this.#isDue(downlink)) next.push(downlink);
      if (next.length === AT_ONCE) break;
    }
    return next;
  }

  #isDue(downlink: Downlink): boolean {
    const { id, down_state } = downlink.message;
    const read = this.#read.get(id);
    if (read?.state !== stateOf(downlink)) return true;
    return runState.value !== undefined && down_state === 'pending' && performance.now() - read.at > AGAIN;
  }

  async #fromRun(messages: readonly Message[]): Promise<ReadonlySet<string>> {
    const downlinks = messages.map(({ id, device_serial_number: serial }) => ({ id, serial }));
    const found = await this.#run.journeys(downlinks);
    for (const each of found) this.#known.set(each.id, journeyOfRun(each));
    return new Set(found.map(({ id }) => id));
  }

  /** Removes messages from the list and reads their timelines, until the list is empty. */
  async #fromCloud(messages: Message[]): Promise<void> {
    for (let message = messages.shift(); message && !this.#isClosed; message = messages.shift()) {
      const entries = await this.#client.timeline(message.id).catch(() => []);
      this.#known.set(message.id, journeyOfCloud(message, entries, this.#all));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Changes when the downlink moves. */
function stateOf({ message: { down_state, down_attempt }, station }: Downlink): string {
  return `${down_state} ${down_attempt} ${station?.what}`;
}
