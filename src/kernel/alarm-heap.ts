/**
 * A 4-ary heap of alarms in typed arrays, ordered by (due, order of insertion). An alarm is stored as a slot number, which the
 * clock maps to the action of the alarm.
 *
 * A fleet sets and fires millions of alarms. With four children per node, the heap has half the depth of a binary heap. With
 * flat arrays, the garbage collector has no objects to collect.
 */
export class AlarmHeap {
  #due = new Float64Array(1024);
  #order = new Float64Array(1024);
  #slots = new Uint32Array(1024);
  #size = 0;
  #inserted = 0;

  get size(): number {
    return this.#size;
  }

  /** When the earliest alarm is due; Infinity when there is none. */
  get nextDue(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#due[0] as number);
  }

  /** Number of alarms that were ever added. */
  get inserted(): number {
    return this.#inserted;
  }

  /** Number of alarms that were added before the earliest alarm. The heap must not be empty. */
  get nextOrder(): number {
    return this.#order[0] as number;
  }

  push(due: number, slot: number): void {
    if (this.#size === this.#due.length) this.#grow();
    const order = this.#inserted++;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 2;
      const parentDue = this.#due[parent] as number;
      // The new entry stays below an entry with the same due time, because that entry was inserted first.
      if (parentDue <= due) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, due, order, slot);
  }

  /** Removes the earliest alarm and returns its slot. The heap must not be empty. */
  pop(): number {
    const top = this.#slots[0] as number;
    const last = --this.#size;
    if (last > 0) this.#sink(this.#due[last] as number, this.#order[last] as number, this.#slots[last] as number);
    return top;
  }

  clear(): void {
    this.#size = 0;
  }

  /** Whether most entries are cancelled; if so, call {@link retain}. @param waiting number of alarms that are not cancelled */
  isMostlyCancelled(waiting: number): boolean {
    return this.#size > 2 * waiting + FEW_ALARMS;
  }

  /** Drops the alarms of all slots for which `keep` returns false. */
  retain(keep: (slot: number) => boolean): void {
    let kept = 0;
    for (let at = 0; at < this.#size; at++) if (keep(this.#slots[at] as number)) this.#move(at, kept++);
    this.#size = kept;
    // Restores the heap order from the last parent up.
    for (let at = (kept - 2) >> 2; at >= 0; at--) {
      this.#sink(this.#due[at] as number, this.#order[at] as number, this.#slots[at] as number, at);
    }
  }

  #sink(due: number, order: number, slot: number, from = 0): void {
    let at = from;
    for (;;) {
      const first = at * 4 + 1;
      if (first >= this.#size) break;
      let best = first;
      const end = Math.min(first + 4, this.#size);
      for (let child = first + 1; child < end; child++) if (this.#before(child, best)) best = child;
      const bestDue = this.#due[best] as number;
      if (bestDue > due || (bestDue === due && (this.#order[best] as number) > order)) break;
      this.#move(best, at);
      at = best;
    }
    this.#put(at, due, order, slot);
  }

  #before(a: number, b: number): boolean {
    const dueA = this.#due[a] as number;
    const dueB = this.#due[b] as number;
    return dueA < dueB || (dueA === dueB && (this.#order[a] as number) < (this.#order[b] as number));
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#due[from] as number, this.#order[from] as number, this.#slots[from] as number);
  }

  #put(at: number, due: number, order: number, slot: number): void {
    this.#due[at] = due;
    this.#order[at] = order;
    this.#slots[at] = slot;
  }

  #grow(): void {
    const size = this.#due.length * 2;
    const due = new Float64Array(size);
    due.set(this.#due);
    this.#due = due;
    const order = new Float64Array(size);
    order.set(this.#order);
    this.#order = order;
    const slots = new Uint32Array(size);
    slots.set(this.#slots);
    this.#slots = slots;
  }
}

/** Fewer cancelled alarms than this are not worth a cleanup. */
const FEW_ALARMS = 1024;
