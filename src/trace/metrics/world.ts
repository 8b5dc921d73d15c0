/** What was done to the fleet: faults, steps of the scenario, and what people did from consoles. */
import { type Handlers, type MetricTable, Tally } from './metric.js';

export class WorldFold {
  readonly faults = new Tally();
  readonly serviceFaults = new Tally();
  crashes = 0;
  stepsDone = 0;
  /** By step and reason. */
  readonly stepsFailed = new Tally();
  consoleActions = 0;

  readonly on: Handlers = {
    'net.fault': (event) => this.faults.add(event.fault),
    'service.fault': (event) => this.serviceFaults.add(event.fault),
    'service.process': (event) => {
      if (!event.runs) this.crashes++;
    },
    step: (event) => {
      if (event.ok) this.stepsDone++;
      else this.stepsFailed.add(`${event.step}: ${event.note}`);
    },
    'console.action': () => {
      this.consoleActions++;
    },
  };
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
