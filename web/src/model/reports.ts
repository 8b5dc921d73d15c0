/** The reports of a device in a time, for its charts. */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Message } from '../../../src/client/types.js';
import { madeAt } from './values.js';

const PAGE = 100;
/** Maximum number of API pages that are read; a week has 672 reports at one a quarter of an hour. */
const MOST_PAGES = 10;
const MOST = MOST_PAGES * PAGE;

export class DeviceReports {
  /** Newest first, by the time at which they were made. */
  readonly all = signal<readonly Message[]>([]);
  /** Whether there are older reports in the time, which are too many to read. */
  readonly isCut = signal(false);
  readonly #client: Pick<DeviceCloudClient, 'messages'>;
  readonly #deviceId: string;
  /** Counts the calls of {@link load}: a later one replaces an earlier one. */
  #turn = 0;

  constructor(client: Pick<DeviceCloudClient, 'messages'>, deviceId: string) {
    this.#client = client;
    this.#deviceId = deviceId;
  }

  /**
   * Reads the reports since a moment, newest first; they are shown page by page. Without one, the newest report is read.
   * @param from Unix time in ms
   */
  async load(from: number): Promise<void> {
    const turn = ++this.#turn;
    const ofDevice = { device_id: this.#deviceId, type: ['data'], direction: 'up' } as const;
    const after = new Date(from).toISOString();
    const found: Message[] = [];
    for (let page = 0; page < MOST_PAGES; page++) {
      const offset = found.at(-1)?.id;
      const reports = await this.#client.messages({
        ...{ ...ofDevice, after, limit: PAGE },
        ...(offset !== undefined && { offset }),
      });
      if (turn !== this.#turn) return;
      found.push(...reports);
      this.isCut.value = reports.length === PAGE;
      // Reports that have arrived as events meanwhile are newer.
      this.#put(found);
      if (reports.length < PAGE) break;
    }
    if (found.length > 0) return;
    const [newest] = await this.#client.messages({ ...ofDevice, limit: 1 });
    if (turn === this.#turn && newest) this.#put([newest]);
  }

  /**
   * Takes messages of the device; those that are no reports are ignored. Forgets reports that are older than the time, except
   * the newest one.
   * @param from begin of the time, which moves while the page is open, in Unix ms
   */
  see(messages: readonly Message[], from: number): void {
    this.#put(
      messages.filter(({ type, direction }) => type === 'data' && direction === 'up'),
      from,
    );
  }

  #put(reports: readonly Message[], from = Number.NEGATIVE_INFINITY): void {
    const known = new Set(this.all.value.map(({ id }) => id));
    const fresh = reports.filter(({ id }) => !known.has(id));
    const all = [...this.all.value, ...fresh]
      .sort((a, b) => madeAt(b) - madeAt(a) || (a.id < b.id ? 1 : -1))
      .filter(({ created_at }, n) => n === 0 || Date.parse(created_at) >= from);
    if (all.splice(MOST).length > 0) this.isCut.value = true;
    // Most calls change nothing: the charts need not be computed again.
    if (all.length !== known.size || all.some(({ id }) => !known.has(id))) this.all.value = all;
  }
}
