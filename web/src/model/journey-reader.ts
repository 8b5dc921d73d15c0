/** Reads the journeys of downlinks: from the run if there is one, otherwise from their timelines. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import type { DownlinkWaits } from '../../../src/control/run-state.js';
import type { Downlink } from './downlinks.js';
import { type Journey, journeyOfCloud, journeyOfRun } from './journeys.js';

/** Maximum number of delivered downlinks whose timelines are read from a service without a run. Each needs a request. */
export const MOST_READ = 200;
/** Maximum number of downlinks in one request to a run. */
const AT_ONCE = 50;
/** Maximum number of concurrent requests for timelines. */
const READERS = 4;
/**
 * Times after which the journey of a pending downlink is read again, in ms, because its cause may have changed: of those that
 * are shown, and of the others, which may be thousands.
 */
const [AGAIN, LATER] = [2_000, 30_000];

interface JourneysOfRun {
  /** Without the downlinks that the run does not know. @param downlinks at most 50, with the serial numbers of their devices */
  journeys(downlinks: readonly { readonly id: string; readonly serial: string }[]): Promise<readonly DownlinkWaits[]>;
}

/** The downlinks whose journeys are needed. */
interface Wanted {
  readonly shown: readonly Downlink[];
  readonly others: readonly Downlink[];
  /** Messages of all downlinks of the space. */
  readonly all: readonly Message[];
  /** Whether there is a run to ask. */
  readonly isRun: boolean;
}

export class JourneyReader {
  /** Journeys by the ids of the downlinks. */
  readonly journeys = signal<ReadonlyMap<string, Journey>>(new Map());
  readonly #client: Pick<DeviceCloudClient, 'timeline'>;
  readonly #run: JourneysOfRun;
  readonly #known = new Map<string, Journey>();
  /** The state of each downlink when it was read last, and the time. */
  readonly #read = new Map<string, { readonly state: string; readonly at: number }>();
  #isReading = false;
  #isClosed = false;
  #wanted: Wanted = { shown: [], others: [], all: [], isRun: false };

  constructor(client: Pick<DeviceCloudClient, 'timeline'>, run: JourneysOfRun) {
    this.#client = client;
    this.#run = run;
  }

  /** Reads journeys that are not known, or are no longer true. A further call replaces the list. */
  want(wanted: Wanted): void {
    this.#wanted = wanted;
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
      const found = this.#wanted.isRun ? await this.#fromRun(messages).catch(() => NONE) : NONE;
      // Downlinks that the run does not know, or has forgotten, are read from the cloud.
      const rest = messages.filter(({ id }) => !found.has(id));
      await Promise.all(Array.from({ length: READERS }, () => this.#fromCloud(rest)));
      this.journeys.value = new Map(this.#known);
    }
    this.#isReading = false;
  }

  #next(): readonly Downlink[] {
    const next: Downlink[] = [];
    const { shown, others } = this.#wanted;
    for (const [n, downlink] of [...shown, ...others].entries()) {
      if (this.#isDue(downlink, n < shown.length ? AGAIN : LATER)) next.push(downlink);
      if (next.length === AT_ONCE) break;
    }
    return next;
  }

  #isDue(downlink: Downlink, again: number): boolean {
    const { id, down_state } = downlink.message;
    const read = this.#read.get(id);
    if (read?.state !== stateOf(downlink)) return true;
    return this.#wanted.isRun && down_state === 'pending' && performance.now() - read.at > again;
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
      this.#known.set(message.id, journeyOfCloud(message, entries, this.#wanted.all));
    }
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Changes when the downlink moves. */
function stateOf({ message: { down_state, down_attempt }, station }: Downlink): string {
  return `${down_state} ${down_attempt} ${station?.what}`;
}
