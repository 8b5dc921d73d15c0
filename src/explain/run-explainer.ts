/** Explains the downlinks of a run. */
import type { Millis } from '../kernel/time.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { timeTaken } from './course.js';
import { deviceState } from './device-state.js';
import { DeviceExplainer } from './explain.js';
import type { ExplainedWait, Explanation } from './explanation.js';
import type { Histories } from './histories.js';
import { partAt } from './intervals.js';
import { CauseNames } from './names.js';
import type { Situation } from './situation.js';

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
interface Candidate {
  readonly record: DownlinkRecord;
  readonly explainer: DeviceExplainer;
  readonly took: Millis;
}

export class RunExplainer {
  readonly #histories: Pick<Histories, 'of' | 'withDownlinks' | 'overflowed'>;
  readonly #situation: Situation;
  readonly #names: Readonly<Record<string, string>>;
  readonly #unknown: readonly string[];
  readonly #devices = new Map<number, DeviceExplainer>();

  /**
   * @param names of the devices, by serial number
   * @param unknown gaps in the histories, one sentence each
   */
  constructor(
    histories: Pick<Histories, 'of' | 'withDownlinks' | 'overflowed'>,
    situation: Situation,
    names: Readonly<Record<string, string>>,
    unknown: readonly string[] = [],
  ) {
    this.#histories = histories;
    this.#situation = situation;
    this.#names = names;
    this.#unknown = unknown;
  }

  /** Whether the run had more events than were kept. If so, at most the latest downlinks can be explained. */
  get overflowed(): boolean {
    return this.#histories.overflowed;
  }

  /** The slowest downlinks, slowest first; a pending one counts with its time so far. */
  slowest(most: number, limit?: Millis): readonly Explanation[] {
    return this.#candidates()
      .sort((a, b) => b.took - a.took)
      .slice(0, most)
      .map(({ record, explainer }) => explainer.explain(record, limit));
  }

  /**
   * Explains the downlink that matches `id`; undefined if no downlink or more than one matches.
   * @param id id of a downlink, or its beginning or end
   */
  downlink(id: string, limit?: Millis): Explanation | undefined {
    const [found, ...others] = this.idsLike(id);
    if (found === undefined || others.length > 0) return undefined;
    const candidate = this.#candidates().find(({ record }) => record.id === found);
    return candidate?.explainer.explain(candidate.record, limit);
  }

  /** Explains a downlink; undefined for an unknown one. @param serial serial number of its device @param id its complete id */
  downlinkOf(serial: number, id: string, limit?: Millis): Explanation | undefined {
    const { explainer, record } = this.#find(serial, id);
    return record && explainer.explain(record, limit);
  }

  /** The waits of a downlink until its delivery, or until now, longest first; undefined for an unknown downlink. */
  waitsOf(serial: number, id: string): readonly ExplainedWait[] | undefined {
    const { explainer, record } = this.#find(serial, id);
    return record && explainer.waited(record);
  }

  /** All downlink ids that begin or end with `id`; only `id` itself if it is a complete downlink id. */
  idsLike(id: string): readonly string[] {
    const ids = this.#candidates().map(({ record }) => record.id);
    return ids.includes(id) ? [id] : ids.filter((each) => each.startsWith(id) || each.endsWith(id));
  }

  /** Ids of all downlinks of users. */
  get ids(): readonly string[] {
    return this.#candidates().map(({ record }) => record.id);
  }

  device(serial: number, limit?: Millis): DeviceExplanation {
    const explainer = this.#device(serial);
    const { facts } = explainer;
    const end = facts.lastAt;
    const part = partAt(facts, end);
    return {
      serial,
      device: this.#nameOf(serial),
      state: deviceState({ ...facts, part }, new CauseNames(this.#situation, part), end),
      downlinks: explainer.downlinks.map((record) => explainer.explain(record, limit)),
    };
  }

  #find(serial: number, id: string) {
    const explainer = this.#device(serial);
    return { explainer, record: explainer.downlinks.find((each) => each.id === id) };
  }

  #candidates(): Candidate[] {
    return this.#histories.withDownlinks.flatMap((serial) => {
      const explainer = this.#device(serial);
      const { closing } = explainer.facts;
      return explainer.downlinks.map((record) => ({ record, explainer, took: timeTaken(record, closing) }));
    });
  }

  #device(serial: number): DeviceExplainer {
    const known = this.#devices.get(serial);
    if (known) return known;
    const made = new DeviceExplainer(this.#histories.of(serial), this.#situation, this.#nameOf(serial), this.#unknown);
    this.#devices.set(serial, made);
    return made;
  }

  #nameOf(serial: number): string {
    return this.#names[String(serial)] ?? String(serial);
  }
}
