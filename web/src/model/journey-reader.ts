/** Reads the journeys of downlinks: from the run if there is one, otherwise from their timelines. */
import { signal } from '@preact/signals';
import { ApiError, type DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import type { DownlinkWaits } from '../../../src/control/run-state.js';
import { pauseLength } from '../api/answering.js';
import type { Downlink } from './downlinks.js';
import { type Journey, journeyOfCloud, journeyOfRun } from './journeys.js';
import { withStart } from './story.js';

/** Maximum number of delivered downlinks whose timelines are read from a service without a run. Each needs a request. */
export const MOST_READ = 200;
/** Maximum number of downlinks in one request to a run. */
const AT_ONCE = 50;
/** Maximum number of concurrent requests for timelines. */
const READERS = 4;
/**
 * Times after which a journey of a run that is not final is read again, in ms: of the downlinks that are shown, and of the
 * others, which may be thousands.
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

/** The last time that a journey was read. */
interface Read {
  /** Of the downlink. */
  readonly state: string;
  readonly isRun: boolean;
  readonly at: number;
  /** Whether the journey stays as it is until the downlink moves. */
  readonly isFinal: boolean;
}

export class JourneyReader {
  /** Journeys by the ids of the downlinks. */
  readonly journeys = signal<ReadonlyMap<string, Journey>>(new Map());
  readonly #client: Pick<DeviceCloudClient, 'timeline'>;
  readonly #run: JourneysOfRun;
  readonly #known = new Map<string, Journey>();
  readonly #read = new Map<string, Read>();
  readonly #now: () => number;
  /** How many requests in a row were not answered, and until when nothing is read after that. */
  #failures = 0;
  #resting = 0;
  #isReading = false;
  #isClosed = false;
  #wanted: Wanted = { shown: [], others: [], all: [], isRun: false };

  /** @param now time in ms */
  constructor(client: Pick<DeviceCloudClient, 'timeline'>, run: JourneysOfRun, now = () => performance.now()) {
    this.#client = client;
    this.#run = run;
    this.#now = now;
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
      const { isRun } = this.#wanted;
      const at = this.#now();
      const messages = next.map(({ message }) => message);
      const answered = new Set<string>();
      try {
        if (isRun) await this.#fromRun(messages, answered);
        // Downlinks that the run does not know, or has forgotten, are read from the cloud.
        const rest = messages.filter(({ id }) => !answered.has(id));
        await Promise.all(Array.from({ length: READERS }, () => this.#fromCloud(rest, answered)));
      } catch {
        // The run has not answered. The cloud cannot take its place, because only the run knows the causes.
      }
      // If nothing was answered, the next request is a failure, too: also one for a downlink that moves meanwhile.
      this.#failures = answered.size > 0 ? 0 : this.#failures + 1;
      this.#resting = this.#failures > 0 ? at + pauseLength(this.#failures) : 0;
      for (const downlink of next) {
        const { id, down_state } = downlink.message;
        const isFinal = answered.has(id) && !(isRun && isOnItsWay(down_state, this.#known.get(id)));
        this.#read.set(id, { state: stateOf(downlink), isRun, at, isFinal });
      }
      this.#forget();
      this.journeys.value = new Map(this.#known);
    }
    this.#isReading = false;
  }

  /** Forgets the journeys of downlinks that the page no longer has. */
  #forget(): void {
    const { all, shown, others } = this.#wanted;
    const ids = new Set([...all, ...[...shown, ...others].map(({ message }) => message)].map(({ id }) => id));
    if (this.#read.size <= ids.size) return;
    for (const id of this.#read.keys()) {
      if (ids.has(id)) continue;
      this.#read.delete(id);
      this.#known.delete(id);
    }
  }

  #next(): readonly Downlink[] {
    const next: Downlink[] = [];
    const { shown, others } = this.#wanted;
    const seen = new Set<string>();
    for (const [n, downlink] of [...shown, ...others].entries()) {
      const { id } = downlink.message;
      if (!seen.has(id) && this.#isDue(downlink, n < shown.length ? AGAIN : LATER)) next.push(downlink);
      seen.add(id);
      if (next.length === AT_ONCE) break;
    }
    return next;
  }

  #isDue(downlink: Downlink, again: number): boolean {
    const { isRun } = this.#wanted;
    if (this.#now() < this.#resting) return false;
    const read = this.#read.get(downlink.message.id);
    if (read?.state !== stateOf(downlink) || read.isRun !== isRun) return true;
    return !read.isFinal && this.#now() - read.at > again;
  }

  /** @param answered gets the ids of the journeys that were read */
  async #fromRun(messages: readonly Message[], answered: Set<string>): Promise<void> {
    const downlinks = messages.map(({ id, device_serial_number: serial }) => ({ id, serial }));
    for (const each of await this.#run.journeys(downlinks)) {
      this.#known.set(each.id, journeyOfRun(each));
      answered.add(each.id);
    }
  }

  /** Removes messages from the list and reads their timelines, until the list is empty. */
  async #fromCloud(messages: Message[], answered: Set<string>): Promise<void> {
    for (let message = messages.shift(); message && !this.#isClosed; message = messages.shift()) {
      try {
        const entries = withStart(message, await this.#client.timeline(message.id));
        this.#known.set(message.id, journeyOfCloud(message, entries, this.#wanted.all));
      } catch (error) {
        // The others are asked again later. This answer stays the same: the timeline is deleted.
        if (!(error instanceof ApiError && error.status === 404)) continue;
      }
      answered.add(message.id);
    }
  }
}

/**
 * Whether a journey in a run can change although the cloud reports nothing new: the cause of a wait, and the last stops, which
 * the run may see later than the cloud.
 */
function isOnItsWay(state: Message['down_state'], journey: Journey | undefined): boolean {
  if (state === 'pending') return true;
  return state === 'sent' && journey?.isOfRun === true && journey.stages.delivered === undefined;
}

/** Changes when the downlink moves. */
function stateOf({ message: { down_state, down_attempt }, station }: Downlink): string {
  return `${down_state} ${down_attempt} ${station?.what}`;
}
