/** The faults of a network, in the order in which they are applied. The list can change while the network is in use. */
import type { ScheduledFault } from './fault.js';

export class FaultList {
  #all: readonly ScheduledFault[];

  constructor(faults: readonly ScheduledFault[]) {
    this.#all = inOrder(faults);
  }

  get all(): readonly ScheduledFault[] {
    return this.#all;
  }

  add(fault: ScheduledFault): void {
    this.#all = inOrder([...this.#all, fault]);
  }

  remove(fault: ScheduledFault): void {
    this.#all = this.#all.filter((each) => each !== fault);
  }
}

function inOrder(faults: readonly ScheduledFault[]): readonly ScheduledFault[] {
  return [...faults].sort((a, b) => a.rank - b.rank);
}
