/** Metrics of faults, steps of the scenario and actions from consoles. */
import type { Handlers } from '../dispatch.js';
import type { TraceEvent } from '../events.js';
import { type MetricTable, Tally } from './metric.js';

/** Faults of the embedded cloud; all zero for another cloud, whose internals are not visible. */
export interface ServiceSummary {
  /** Requests, datagrams and uses of the store that a fault rejected, lost or delayed, by fault. */
  readonly faults: Readonly<Record<string, number>>;
  /** Number of times that its process was killed. */
  readonly crashes: number;
  /** Datagrams that its gateway rejected, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

export class WorldFold {
  readonly faults = new Tally();
  readonly serviceFaults = new Tally();
  readonly refused = new Tally();
  crashes = 0;
  stepsDone = 0;
  pruned = 0;
  stepsFailed = 0;
  readonly #failures = new Map<string, Failure>();
  consoleActions = 0;

  readonly on: Handlers = {
    'net.fault': (event) => this.faults.add(event.fault),
    'service.fault': (event) => this.serviceFaults.add(event.fault),
    'cloud.refused': (event) => this.refused.add(event.why),
    'service.process': (event) => {
      if (!event.runs) this.crashes++;
    },
    'cloud.pruned': ({ messages }) => {
      this.pruned += messages;
    },
    step: (event) => {
      if (event.ok) this.stepsDone++;
      else this.#noteFailure(event);
    },
    'console.action': () => {
      this.consoleActions++;
    },
  };

  /** The reasons of failed steps, each with its count and a device, sorted by step and reason. */
  get failures(): readonly Failure[] {
    return [...this.#failures.values()].sort((a, b) => (a.about < b.about ? -1 : 1));
  }

  #noteFailure({ step, note, serial }: Extract<TraceEvent, { readonly kind: 'step' }>): void {
    this.stepsFailed++;
    const about = `${step}: ${note.replaceAll(IDS, '…').replaceAll(String(serial), '…')}${note.includes(LIMITED) ? SPREAD : ''}`;
    const known = this.#failures.get(about);
    const serials = [serial, ...(known === undefined ? [] : [known.serial])];
    this.#failures.set(about, { about, count: (known?.count ?? 0) + 1, serial: Math.min(...serials) });
  }

  summarise(): ServiceSummary {
    return { faults: this.serviceFaults.makeRecord(), crashes: this.crashes, refused: this.refused.makeRecord() };
  }
}

/** Steps that failed for one reason. */
interface Failure {
  /** Step and reason, without ids. */
  readonly about: string;
  readonly count: number;
  /** The first of the devices. */
  readonly serial: number;
}

const IDS = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g;
const LIMITED = 'was answered with 429';
const SPREAD = '; spread the step with "over"';

export const WORLD_METRICS: MetricTable<WorldFold> = {
  'net.faults': {
    about: 'datagrams that the network lost, duplicated, corrupted or delayed because of a fault',
    count: (fold) => fold.faults.total,
  },
  'service.faults': {
    about:
      'requests, datagrams and uses of its store that the embedded cloud rejected, lost or delayed because of a fault',
    count: (fold) => fold.serviceFaults.total,
  },
  'service.crashes': {
    about: 'number of times that the process of the embedded cloud was killed',
    count: (fold) => fold.crashes,
  },
  'service.refused': {
    about: 'datagrams that the embedded cloud rejected: unreadable, of an unknown device, wrongly signed, or replayed',
    count: (fold) => fold.refused.total,
  },
  'message.pruned': {
    about: 'expired messages and deliveries of connectors that the embedded cloud deleted',
    count: (fold) => fold.pruned,
  },
  'step.done': {
    about: 'steps of the scenario that were executed, one per device',
    count: (fold) => fold.stepsDone,
  },
  'step.failed': {
    about: 'steps of the scenario that failed, one per device',
    count: (fold) => fold.stepsFailed,
  },
  'console.actions': {
    about: 'actions from a console, which are not part of the scenario, one per device',
    count: (fold) => fold.consoleActions,
  },
};
