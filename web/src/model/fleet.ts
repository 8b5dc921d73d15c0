/**
 * The devices of the space for the table. All devices are in memory, with a small record for each. Reports are only known if
 * they arrived while the console was open, or were requested, because a fleet has too many to load all.
 */
import { signal } from '@preact/signals';
import type { DeviceCloudClient } from '../../../src/client/client.js';
import type { Device, DeviceSummary, Message } from '../../../src/client/types.js';
import { countNone, findHealth, type Health } from '../../../src/contract/health.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { untilAnswered } from '../api/again.js';
import { recentDownlinks } from './downlinks.js';
import type { Feed, Station } from './feed.js';
import { type Contacts, contactsOf, rhythmOf } from './story.js';
import { madeAt, type Reading, readingsOf, rsrpOf, voltageOf } from './values.js';

/** A row of the table. Rows are changed in place; {@link Fleet.version} counts the changes. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly serial: string;
  readonly tags: readonly string[];
  readonly firmware: string;
  readonly product: string;
  /** Last part of the bundle of its firmware: `clime`; empty before its first session. */
  readonly profile: string;
  /** Label `region`; null without it. */
  readonly region: string | null;
  /** Unix time in ms of its latest message or poll; 0 before the first contact. */
  lastContact: number;
  /** Expected time from one contact to the next, in ms; null if it is not known. */
  contactEvery: number | null;
  sessionId: number | null;
  /** Undefined until a report of the device is known. */
  report: Report | undefined;
  /** The first value of each of the latest reports, oldest first. */
  trend: readonly number[];
  /** Ids of its pending downlinks. */
  waiting: ReadonlySet<string>;
  /** Whether its reports were requested, or need no request. */
  isAsked: boolean;
}

interface Report {
  readonly at: number;
  /** The last known signal and voltage, which an earlier report may contain. */
  readonly rsrp: number | undefined;
  readonly voltage: number | undefined;
  readonly readings: readonly Reading[];
}

/** @param now Unix time in ms, by the clock of the service or of the run */
export function healthOf(row: Row, now: number): Health {
  return findHealth(rhythmIn(row), now);
}

/** How many devices have each state of health, how many downlinks wait, and for how many devices. @param now as {@link healthOf} */
export function countsOf(rows: readonly Row[], now: number) {
  const counts = { health: countNone(), waiting: 0, reached: 0 };
  for (const row of rows) {
    counts.health[healthOf(row, now)]++;
    counts.waiting += row.waiting.size;
    if (row.waiting.size > 0) counts.reached++;
  }
  return counts;
}

function rhythmIn({ lastContact, contactEvery }: Row) {
  return { lastContact: lastContact === 0 ? null : lastContact, contactEvery };
}

/** Number of reports that are requested when a device comes into view. */
const ASKED = 8;
const LONGEST_TREND = 24;
const PAGE = 2_000;
const LONG_AGO = '1970-01-01T00:00:00.000Z';

/** Repeats a request until the service answers. */
type Ask = <T>(request: () => Promise<T>) => Promise<T>;

export class Fleet {
  readonly rows: Row[] = [];
  /** Counts the changes, at most four a second. */
  readonly version = signal(0);
  /** Counts the changes of the list, which are new, changed and deleted devices; at most four a second. */
  readonly listVersion = signal(0);
  /** Whether all devices are listed. */
  readonly isComplete = signal(false);
  /** Whether the downlinks that wait are known, which are read after the devices. */
  readonly isWaitingKnown = signal(false);
  readonly #byId = new Map<string, Row>();
  readonly #client: DeviceCloudClient;
  readonly #feed: Pick<Feed, 'listen'>;
  #isDue = false;
  #isListDue = false;
  #isClosed = false;
  #asking = 0;
  #toAsk: Row[] = [];
  /** Devices that were registered or changed since the latest listing began. */
  #current = new Set<string>();

  constructor(client: DeviceCloudClient, feed: Pick<Feed, 'listen'>) {
    this.#client = client;
    this.#feed = feed;
  }

  row(id: string): Row | undefined {
    return this.#byId.get(id);
  }

  /** The contacts of a device; undefined if it is not listed. */
  contacts(id: string): Contacts | undefined {
    const row = this.#byId.get(id);
    return row && contactsOf(rhythmIn(row));
  }

  /**
   * Lists all devices, page by page, with two requests at a time: one from the oldest device upwards, one from the newest
   * downwards. So the console processes one page while the service sends another. Known devices that are no longer listed are
   * removed, because the console may have missed their deletion.
   * @param failed called with each failure after which the console asks for the same page again
   */
  async load(failed: (error: unknown) => void = () => {}): Promise<void> {
    const ask = <T>(request: () => Promise<T>) => untilAnswered(request, { failed, isOver: () => this.#isClosed });
    const tail: Row[] = [];
    const listed = new Set<string>();
    const current = new Set<string>();
    this.#current = current;
    await Promise.all([
      this.#pages('asc', ask, listed, (row) => this.rows.push(row)),
      this.#pages('desc', ask, listed, (row) => tail.push(row)),
    ]);
    for (const row of tail.reverse()) this.rows.push(row);
    // Nothing is removed if another listing has begun, or if this listing was cut off.
    if (this.#current === current && !this.#isClosed) this.#keep((id) => listed.has(id) || current.has(id));
    // Until the user sorts them; later devices come last.
    this.rows.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.isComplete.value = true;
    this.#listChanged();
    await this.#loadWaiting(ask);
    this.isWaitingKnown.value = true;
    this.#changed();
  }

  /**
   * @param listed ids that either request has listed: the list is complete when the two requests meet
   * @param take receives the rows of new devices
   */
  async #pages(order_by: 'asc' | 'desc', ask: Ask, listed: Set<string>, take: (row: Row) => void): Promise<void> {
    let offset: string | undefined;
    while (!this.#isClosed) {
      const query = { limit: PAGE, order_by, ...(offset !== undefined && { offset }) };
      const page = await ask(() => this.#client.deviceSummaries(query));
      const fresh = page.filter(({ id }) => !listed.has(id));
      for (const summary of fresh) {
        listed.add(summary.id);
        const row = this.#known(factsOf(summary));
        if (row) take(row);
      }
      this.#listChanged();
      offset = page.at(-1)?.id;
      if (fresh.length < PAGE) return;
    }
  }

  /** Adds a device, or updates its row. */
  put(device: Device): void {
    this.#current.add(device.id);
    const row = this.#known(factsOfDevice(device));
    if (row) this.rows.push(row);
    this.#listChanged();
  }

  /** Updates the row of a device, or creates one. @returns the row if it is new */
  #known(facts: Facts): Row | undefined {
    const known = this.#byId.get(facts.id);
    if (known) {
      Object.assign(known, facts);
      return undefined;
    }
    const row: Row = { ...facts, report: undefined, trend: NOTHING, waiting: NONE, isAsked: false };
    this.#byId.set(facts.id, row);
    return row;
  }

  /** Reads a device again. */
  async refresh(id: string): Promise<void> {
    this.put(await this.#client.device(id));
  }

  remove(id: string): void {
    const known = this.#byId.get(id);
    if (!known) return;
    this.#byId.delete(id);
    this.rows.splice(this.rows.indexOf(known), 1);
    this.#listChanged();
  }

  #keep(isKept: (id: string) => boolean): void {
    const kept = this.rows.filter(({ id }) => isKept(id));
    if (kept.length === this.rows.length) return;
    for (const { id } of this.rows) if (!isKept(id)) this.#byId.delete(id);
    this.rows.length = 0;
    for (const row of kept) this.rows.push(row);
  }

  /** Updates the row of the device that sent or received a message. An unknown device is read from the API. */
  see(message: Message): void {
    const row = this.#byId.get(message.device_id);
    if (!row) {
      void this.refresh(message.device_id).catch(() => undefined);
      return;
    }
    if (message.direction === 'up') {
      row.lastContact = Math.max(row.lastContact, Date.parse(message.created_at));
      if (message.type === 'data') addReport(row, message);
    } else setWaiting(row, message.id, message.down_state);
    this.#changed();
  }

  /** Updates the row of a device after a station of one of its downlinks. */
  follow({ device_id, message_id, down_state }: Station): void {
    const row = this.#byId.get(device_id);
    if (!row) return;
    setWaiting(row, message_id, down_state);
    this.#changed();
  }

  /** Requests the latest reports of devices that have come into view, a few at a time. */
  ask(rows: readonly Row[]): void {
    // A device that has sent nothing yet needs no request: its reports will arrive as events.
    for (const row of rows) if (row.lastContact === 0) row.isAsked = true;
    // The new list replaces the old one, so that no reports of devices that have left the view are requested.
    this.#toAsk = rows.filter(({ isAsked, lastContact }) => !isAsked && lastContact > 0);
    while (this.#asking < 4 && this.#toAsk.length > 0) void this.#askNext();
  }

  close(): void {
    this.#isClosed = true;
    this.#toAsk = [];
  }

  /** Reads the latest downlinks, and adds the pending ones to the rows of their devices. */
  async #loadWaiting(ask: Ask): Promise<void> {
    const downlinks = await ask(() => recentDownlinks(this.#client, this.#feed));
    for (const { device_id, id, down_state } of downlinks) {
      const row = this.#byId.get(device_id);
      if (row) setWaiting(row, id, down_state);
    }
  }

  async #askNext(): Promise<void> {
    this.#asking++;
    try {
      for (let row = this.#toAsk.shift(); row; row = this.#toAsk.shift()) {
        row.isAsked = true;
        const reports = await this.#client.messages({
          ...{ device_id: row.id, type: ['data'], direction: 'up', after: LONG_AGO, limit: ASKED },
        });
        // The signal and the battery stay known if none of these reports contains them.
        if (reports.length > 0 && row.report) row.report = { ...row.report, at: 0 };
        for (const report of [...reports].sort((a, b) => madeAt(a) - madeAt(b))) addReport(row, report);
        this.#changed();
      }
    } catch {
      // After a failure, the row stays without values until the next report arrives as an event.
    } finally {
      this.#asking--;
    }
  }

  #listChanged(): void {
    this.#isListDue = true;
    this.#changed();
  }

  #changed(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.version.value++;
      if (!this.#isListDue) return;
      this.#isListDue = false;
      this.listVersion.value++;
    }, 250);
  }
}

/** The fields of a row that describe the device itself. */
function factsOf(device: DeviceSummary) {
  const { lastContact, contactEvery } = rhythmOf(device);
  return {
    id: device.id,
    name: printableLine(device.name),
    serial: device.serial_number,
    tags: device.tag_names,
    firmware: printableLine(device.fw_version ?? ''),
    product: printableLine(device.fw_name ?? ''),
    profile: device.fw_bundle?.split('.').at(-1) ?? '',
    region: device.label.region ?? null,
    lastContact: lastContact ?? 0,
    contactEvery,
    sessionId: device.session_id,
  };
}

type Facts = ReturnType<typeof factsOf>;

function factsOfDevice({ session, tags, ...device }: Device): Facts {
  const fact = (name: string) => (session?.[name] === undefined ? null : String(session[name]));
  return factsOf({
    ...device,
    tag_names: tags.map(({ name }) => name),
    fw_bundle: fact('fw_bundle'),
    fw_name: fact('fw_name') ?? fact('product_name'),
    fw_version: fact('fw_version'),
  });
}

/** Shared by all rows without a pending downlink, to save memory: a fleet may have 100,000 of them. */
const NONE: ReadonlySet<string> = new Set();
/** Shared by all rows without a report. */
const NOTHING: readonly number[] = [];

function setWaiting(row: Row, id: string, state: string | null): void {
  if (row.waiting.has(id) === (state === 'pending')) return;
  const waiting = new Set(row.waiting);
  if (state === 'pending') waiting.add(id);
  else waiting.delete(id);
  row.waiting = waiting.size === 0 ? NONE : waiting;
}

function addReport(row: Row, report: Message): void {
  const { body } = report;
  const at = madeAt(report);
  if (row.report && at <= row.report.at) return;
  // For a device that was never in view, only signal and voltage are kept, by which the table can be sorted. Its readings are
  // requested when it comes into view.
  const readings = row.isAsked ? readingsOf(body) : [];
  // The first report after a boot does not contain the voltage: the battery is measured later.
  const { rsrp, voltage } = row.report ?? {};
  row.report = { at, rsrp: rsrpOf(body) ?? rsrp, voltage: voltageOf(body) ?? voltage, readings };
  const [first] = readings;
  if (first) row.trend = [...row.trend.slice(1 - LONGEST_TREND), first.value];
}
