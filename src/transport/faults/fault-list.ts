/** The faults of a network, in the order in which they are applied. The list can change while the network is in use. */
import type { ScheduledFault } from './fault.js';
import { FAULT_KINDS, type FaultSpec } from './index.js';

const ORDER = Object.keys(FAULT_KINDS);

export class FaultList {
  #all: readonly ScheduledFault<FaultSpec>[];

  constructor(faults: readonly ScheduledFault<FaultSpec>[]) {
    this.#all = inOrder(faults);
  }

  get all(): readonly ScheduledFault<FaultSpec>[] {
    return this.#all;
  }

  add(fault: ScheduledFault<FaultSpec>): void {
    this.#all = inOrder([...this.#all, fault]);
  }

  remove(fault: ScheduledFault<FaultSpec>): void {
    this.#all = this.#all.filter((each) => each !== fault);
  }
}

function inOrder(faults: readonly ScheduledFault<FaultSpec>[]): readonly ScheduledFault<FaultSpec>[] {
  const rank = ({ fault }: ScheduledFault<FaultSpec>) => ORDER.indexOf(fault.kind);
  return [...faults].sort((a, b) => rank(a) - rank(b));
}
