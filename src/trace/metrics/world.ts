/** What was done to the fleet and to the cloud: faults, steps of the scenario, and what people did from consoles. */
import type { Handlers } from '../dispatch.js';
import { type MetricTable, Tally } from './metric.js';

/** What the embedded cloud suffered; of another one nothing is known. */
export interface ServiceSummary {
  /** Requests, datagrams and uses of the store that a fault refused, lost or held up, by fault. */
  readonly faults: Readonly<Record<string, number>>;
  /** Times that its process died. */
  readonly crashes: number;
  /** Datagrams that its gateway refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

export class WorldFold {
  readonly faults = new Tally();
  readonly serviceFaults = new Tally();
  readonly refused = new Tally();
  crashes = 0;
  stepsDone = 0;
  pruned = 0;
  /** By step and reason. */
  readonly stepsFailed = new Tally();
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
      else this.stepsFailed.add(`${event.step}: ${event.note}`);
    },
    'console.action': () => {
      this.consoleActions++;
    },
  };

  service(): ServiceSummary {
    return { faults: this.serviceFaults.toRecord(), crashes: this.crashes, refused: this.refused.toRecord() };
  }
}

export const WORLD_METRICS: MetricTable<WorldFold> = {
  'net.faults': {
    about: 'datagrams that the network lost, doubled, spoiled or held back',
    count: (fold) => fold.faults.total,
  },
  'service.faults': {
    about:
      'requests, datagrams and uses of its store that the embedded cloud refused, lost or held up because of a fault',
    count: (fold) => fold.serviceFaults.total,
  },
  'service.crashes': { about: 'times that the process of the embedded cloud died', count: (fold) => fold.crashes },
  'service.refused': {
    about: 'datagrams that the embedded cloud refused: spoiled ones, and those of devices that it does not know',
    count: (fold) => fold.refused.total,
  },
  'message.pruned': {
    about: 'messages, and deliveries of connectors, that the embedded cloud deleted because of their age',
    count: (fold) => fold.pruned,
  },
  'step.done': {
    about: 'steps of the scenario that were carried out, one per device',
    count: (fold) => fold.stepsDone,
  },
  'step.failed': { about: 'steps that could not be carried out', count: (fold) => fold.stepsFailed.total },
  'console.actions': {
    about: 'what was done from a console and is not in the scenario, one per device',
    count: (fold) => fold.consoleActions,
  },
};
