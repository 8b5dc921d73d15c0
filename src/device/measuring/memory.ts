/**
 * The measured values of one device that have not been reported yet, in one piece of memory. layout.ts defines the index of
 * each value. At rest, the piece has about 250 bytes. It grows to a kilobyte when samples and windows are collected for a
 * report, and shrinks after the report. Because most tasks run just before the report (task-table.ts), few devices of a fleet
 * have a large piece at the same time.
 */

import { type Block, Pieces } from '../../kernel/pieces.js';
import type { UnixSeconds } from '../../kernel/time.js';
import { COUNTER, EVENT_HEAD, type Layout, type ListPlace, layoutAtRest, type SensorPlace } from './layout.js';
import type { ListPlan, Plan, SensorPlan } from './measuring-plan.js';

export class Memory {
  plan: Plan;
  layout: Layout;
  /** A block that several devices share. The values of this device begin at `#offset`. */
  #block: Block;
  #offset: number;

  constructor(plan: Plan) {
    this.plan = plan;
    this.layout = layoutAtRest(plan);
    ({ block: this.#block, offset: this.#offset } = pieces.take(this.layout.bytes));
  }

  get floats(): Float32Array {
    return this.views().floats;
  }

  get ints(): Int32Array {
    return this.views().ints;
  }

  /** Views of the block, for the device used last only: for all, they would be a fifth of the memory of values. */
  private views(): Views {
    if (views?.of === this) return views;
    const { floats, ints } = this.layout;
    const { buffer } = this.#block;
    const offset = this.#offset;
    views = {
      of: this,
      floats: new Float32Array(buffer, offset, floats.size),
      ints: new Int32Array(buffer, offset + 4 * floats.size, ints.size),
    };
    return views;
  }

  /** Moves all values to a layout with more room. */
  grow(): void {
    this.move(this.layout.larger());
  }

  /** After a report: moves the values to the layout of a device at rest, if the samples of the open windows fit. */
  shrink(): void {
    const atRest = layoutAtRest(this.plan);
    if (this.layout === atRest) return;
    const fits = this.plan.sensors.every(
      (sensor) => this.sampleCount(sensor) <= (atRest.sensors[sensor.index] as SensorPlace).sampleRoom,
    );
    if (fits) this.move(atRest);
  }

  private move(to: Layout): void {
    const from = this.layout;
    const { floats, ints } = this;
    const before = { block: this.#block, offset: this.#offset };
    this.layout = to;
    ({ block: this.#block, offset: this.#offset } = pieces.take(to.bytes));
    views = undefined;
    copy(floats, from.floats.starts, this.floats, to.floats.starts);
    copy(ints, from.ints.starts, this.ints, to.ints.starts);
    pieces.giveBack(before);
  }

  place(sensor: SensorPlan): SensorPlace {
    return this.layout.sensors[sensor.index] as SensorPlace;
  }

  placeOf(list: ListPlan): ListPlace {
    return this.layout.lists[list.index] as ListPlace;
  }

  int(at: number): number {
    return this.ints[at] as number;
  }

  /** A count, from the two ints at `at`. */
  long(at: number): number {
    return this.int(at) * 0x1_0000_0000 + (this.int(at + 1) >>> 0);
  }

  /** Stores a whole number from -(2^53 - 1) to 2^53 - 1. */
  setLong(at: number, value: number): void {
    this.ints[at] = Math.floor(value / 0x1_0000_0000);
    this.ints[at + 1] = value | 0;
  }

  /** The last sample of a quantity; NaN before the first sample, or if the sensor did not answer. */
  last(sensor: SensorPlan, quantity: number): number {
    return this.floats[this.place(sensor).last + quantity] as number;
  }

  /** Samples in the open window, or in the log. */
  sampleCount(sensor: SensorPlan): number {
    return sensor.spec.windows ? this.int(this.place(sensor).counts) : 0;
  }

  /** Windows closed since the last report. */
  windowCount(sensor: SensorPlan): number {
    return sensor.spec.windows ? this.int(this.place(sensor).counts + 1) : 0;
  }

  /**
   * The time that a report gives for its windows, in Unix seconds of the device: when the first window since the last report
   * was closed (with `datedByLast`: the last window). As long as no window has been closed since the last report, it is the
   * time in that report; 0 before the first window since boot. For a log: the base time, from which its offsets count.
   */
  windowTime(sensor: SensorPlan): UnixSeconds {
    return sensor.spec.windows ? this.int(this.place(sensor).counts + 2) >>> 0 : 0;
  }

  /**
   * One value of a window. Statistics: columns 0 to 3 are minimum, maximum, average and median, NaN without a value. Direction:
   * column 0 is the mean. Counter: columns 0 and 1 are total and increment. Total, amount and a quantity that is read once:
   * column 0.
   */
  window(sensor: SensorPlan, quantity: number, window: number, column: number): number {
    const { windows } = this.place(sensor);
    const row = window * sensor.spec.quantities.length + quantity;
    const { kind, each } = sensor.spec.windows ?? {};
    if (kind === 'count' || kind === 'total') return asStored(sensor, this.long(windows + 4 * row + 2 * column));
    if (kind === 'amount') return this.long(windows + 4 * row + 2) * (each ?? 1);
    return this.floats[windows + 4 * row + column] as number;
  }

  /** When a sample of a log was taken, in Unix seconds of the device. */
  logTime(sensor: SensorPlan, row: number): UnixSeconds {
    return this.int(this.place(sensor).times + row) >>> 0;
  }

  logValue(sensor: SensorPlan, row: number, quantity: number): number {
    return this.floats[this.place(sensor).samples + row * sensor.spec.quantities.length + quantity] as number;
  }

  /** Count of a counter since boot, at its last read. */
  total(sensor: SensorPlan, quantity: number): number {
    return asStored(sensor, this.long(this.counter(sensor, quantity) + COUNTER.counted));
  }

  /** Pulses of a counter since the last report. */
  delta(sensor: SensorPlan, quantity: number): number {
    const at = this.counter(sensor, quantity);
    return asStored(sensor, this.long(at + COUNTER.counted) - this.long(at + COUNTER.atReport));
  }

  /** Pulses of a counter since the last window. */
  sinceWindow(sensor: SensorPlan, quantity: number): number {
    const at = this.counter(sensor, quantity);
    return asStored(sensor, this.long(at + COUNTER.counted) - this.long(at + COUNTER.atWindow));
  }

  counter(sensor: SensorPlan, quantity: number): number {
    return this.place(sensor).totals + COUNTER.size * quantity;
  }

  /** Whether an input is on. */
  isOn(list: ListPlan): boolean {
    return (this.int(this.placeOf(list).at) & 1) === 1;
  }

  eventCount(list: ListPlan): number {
    return this.int(this.placeOf(list).at + 1);
  }

  /** When an event was recorded, in Unix seconds of the device. */
  eventTime(list: ListPlan, event: number): UnixSeconds {
    return this.int(this.placeOf(list).at + EVENT_HEAD + 2 * event) >>> 0;
  }

  /** Edge: 0 off, 1 on. Alarm: 0 high on, 1 high off, 2 low on, 3 low off. Press: index in the list's types. */
  eventType(list: ListPlan, event: number): number {
    return this.int(this.placeOf(list).at + EVENT_HEAD + 2 * event + 1);
  }

  /** Measured value at an alarm. */
  eventValue(list: ListPlan, event: number): number {
    return this.floats[this.placeOf(list).values + event] as number;
  }
}

/**
 * A count in the type of the firmware's variable: 64 bits without a sign for counters with windows of the kind `count`
 * (`uint64_t` in CHESTER Control), otherwise 32 bits with a sign (`int` and `atomic_t` in `app_data.h`).
 */
function asStored({ spec }: SensorPlan, count: number): number {
  return spec.windows?.kind === 'count' ? count : count | 0;
}

const pieces = new Pieces(16_384);

interface Views {
  readonly of: Memory;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
}

/** The views of the device used last. */
let views: Views | undefined;

type Numbers = Float32Array | Int32Array;

/** Copies what `to` has room for; the rest is not needed. One by one: faster than views of a few numbers. */
function copy(from: Numbers, fromStarts: readonly number[], to: Numbers, toStarts: readonly number[]): void {
  for (let range = 0; range < fromStarts.length; range++) {
    const start = fromStarts[range] as number;
    const target = toStarts[range] as number;
    const length = (fromStarts[range + 1] ?? from.length) - start;
    const room = (toStarts[range + 1] ?? to.length) - target;
    for (let i = Math.min(length, room) - 1; i >= 0; i--) to[target + i] = from[start + i] as number;
  }
}
