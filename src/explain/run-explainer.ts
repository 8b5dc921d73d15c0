/** Explains the downlinks of a run. */
import { humanDuration, type Instant, type Millis } from '../kernel/time.js';
import { type DownlinkRecord, findOutcome } from '../trace/downlinks/ledger.js';
import { CauseNames, nameInterval } from './causes.js';
import { DeviceExplainer, type Divided, type ExplainerOptions, type Journey } from './explain.js';
import type { Explanation } from './explanation.js';
import { type DeviceFacts, findPart } from './facts.js';
import type { KnownHistories } from './histories.js';
import { compareSlowness, isLost, isUnanswered, measureTime, type Slowness } from './outcome.js';

/** Everything about one device: its state at the end, and each of its downlinks. */
export interface DeviceExplanation {
  readonly serial: number;
  readonly device: string;
  /** Sentences about the device at the end of the trace. */
  readonly state: readonly string[];
  /** In the order of the queue. */
  readonly downlinks: readonly Explanation[];
}

/** A downlink, and how long it took so far. */
interface Candidate extends Slowness {
  readonly record: DownlinkRecord;
  readonly explainer: DeviceExplainer;
}

export class RunExplainer {
  readonly #histories: KnownHistories;
  readonly #names: Readonly<Record<string, string>>;
  readonly #options: ExplainerOptions;
  readonly #devices = new Map<number, DeviceExplainer>();

  /** @param names of the devices, by serial number */
  constructor(histories: KnownHistories, names: Readonly<Record<string, string>>, options: ExplainerOptions) {
    this.#histories = histories;
    this.#names = names;
    this.#options = options;
  }

  /** Whether the run had more events than were kept. If so, at most the latest downlinks can be explained. */
  get overflowed(): boolean {
    return this.#histories.overflowed;
  }

  /** The slowest downlinks, slowest first; a pending one counts with its time so far. */
  async explainSlowest(most: number, limit?: Millis): Promise<readonly Explanation[]> {
    const sorted = this.#listCandidates().sort(compareSlowness);
    // At the same time, so that their repetitions can share a world.
    return Promise.all(sorted.slice(0, most).map(({ record, explainer }) => explainer.explain(record, limit)));
  }

  /** Explains a downlink; undefined for an unknown one. @param id its complete id */
  async explainDownlink(id: string, limit?: Millis): Promise<Explanation | undefined> {
    const candidate = this.#listCandidates().find(({ record }) => record.id === id);
    return candidate?.explainer.explain(candidate.record, limit);
  }

  /** Explains a downlink; undefined for an unknown one. @param serial serial number of its device @param id its complete id */
  async explainById(serial: number, id: string, limit?: Millis): Promise<Explanation | undefined> {
    const { explainer, record } = this.#find(serial, id);
    return record && explainer.explain(record, limit);
  }

  /** Like {@link DeviceExplainer.divide}; undefined for an unknown downlink. */
  divide(serial: number, id: string): Divided | undefined {
    const { explainer, record } = this.#find(serial, id);
    return record && explainer.divide(record);
  }

  /** Like {@link DeviceExplainer.followJourney}; undefined for an unknown downlink. */
  followJourney(serial: number, id: string): Journey | undefined {
    const { explainer, record } = this.#find(serial, id);
    return record && explainer.followJourney(record);
  }

  /** Ids of all downlinks of users. */
  get ids(): readonly string[] {
    return this.#listCandidates().map(({ record }) => record.id);
  }

  /** The id of the slowest downlink of a device; undefined if it has none. @param device its name or serial number */
  findSlowestOf(device: string): string | undefined {
    const own = this.#listCandidates().filter(({ record: { serial } }) =>
      [this.#getName(serial), String(serial)].includes(device),
    );
    return own.sort(compareSlowness)[0]?.record.id;
  }

  async device(serial: number, limit?: Millis): Promise<DeviceExplanation> {
    const explainer = this.#device(serial);
    const { facts } = explainer;
    const end = facts.lastAt;
    const part = findPart(facts, end);
    const downlinks: Explanation[] = [];
    for (const record of explainer.downlinks) downlinks.push(await explainer.explain(record, limit));
    return {
      serial,
      device: this.#getName(serial),
      state: describeState({ ...facts, part }, new CauseNames(this.#options.situation, part), end),
      downlinks,
    };
  }

  #find(serial: number, id: string) {
    const explainer = this.#device(serial);
    return { explainer, record: explainer.downlinks.find((each) => each.id === id) };
  }

  #listCandidates(): Candidate[] {
    return this.#histories.withDownlinks.flatMap((serial) => {
      const explainer = this.#device(serial);
      const { closing } = explainer.facts;
      return explainer.downlinks.map((record) => {
        const { id, queuedAt } = record;
        return { id, queuedAt, record, explainer, took: measureTime(record, closing) };
      });
    });
  }

  #device(serial: number): DeviceExplainer {
    const known = this.#devices.get(serial);
    if (known) return known;
    const made = new DeviceExplainer(this.#histories.getHistory(serial), this.#getName(serial), this.#options);
    this.#devices.set(serial, made);
    return made;
  }

  #getName(serial: number): string {
    return this.#names[String(serial)] ?? String(serial);
  }
}

/** Sentences about the device. @param now end of the trace */
function describeState(facts: DeviceFacts, names: CauseNames, now: Instant): readonly string[] {
  const { chances, calendar, downlinks, part, firstBoot } = facts;
  const pending = downlinks.filter((record) => findOutcome(record) === 'pending').length;
  const lost = downlinks.filter(isLost).length;
  const never = lost === 0 ? '' : `, delivered but never received: ${lost}`;
  const silent = downlinks.filter(isUnanswered).length;
  const unanswered = silent === 0 ? '' : `, received but never answered: ${silent}`;
  const queue = `Downlinks of users: ${downlinks.length}, pending: ${pending}${never}${unanswered}.`;
  if (firstBoot === undefined) return ['It was not switched on.', queue];
  const heard = chances.findLast(({ result }) => result === 'reached');
  const contact =
    heard === undefined
      ? 'No exchange has succeeded.'
      : `Last successful exchange: ${humanDuration(now - heard.until)} before the end.`;
  const inForce = calendar.at(now, 'blocks', 'hinders').map((fault) => names.nameFault(fault));
  return [
    contact,
    ...describeFailing(facts, names, now),
    ...(inForce.length === 0 ? [] : [`Faults in force: ${inForce.join(', ')}.`]),
    `At rest it waits for its ${nameInterval(part)}.`,
    queue,
  ];
}

function describeFailing({ chances }: DeviceFacts, names: CauseNames, now: Instant): readonly string[] {
  const good = chances.findLastIndex(({ failing: bad }) => !bad);
  const [first, ...others] = chances.slice(good + 1);
  if (first === undefined) return [];
  const faults = [...new Set([first, ...others].flatMap((chance) => chance.faults))].map((fault) =>
    names.nameFault(fault),
  );
  const because = faults.length === 0 ? '' : ` (${faults.join(', ')})`;
  return [`Its exchanges have failed for ${humanDuration(now - first.at)}${because}.`];
}
