/**
 * The measuring part of one device's firmware: samples, windows, counters, events. Its state is in RAM: each boot creates a new
 * object (behaviour B-4, B-11, B-25).
 *
 * The object has no timers. The firmware runs its {@link Measurements.tasks} when they are due, with two times. `wall` is the
 * calendar time of the simulated world; it determines the values of the sensors. `clock` is the time of the device's own clock
 * in Unix seconds; it is recorded with the values.
 *
 *     run(sample) ──► last sample, sample buffer, alarms       run(aggregate) ──► windows
 *     run(watch), look ──► edges, counters                     encodeBody (report-body) ──► clear
 *
 * A fleet takes millions of samples, so taking one allocates nothing unless a buffer must grow. Devices with the same
 * configuration share a plan; each device has its own memory.
 */
import { type Millis, millis, type UnixMillis, type UnixSeconds } from '../../kernel/time.js';
import type { AlarmListSpec, PressListSpec, Profile, WindowSpec } from '../../profile/profile.js';
import type { QuantityAddress } from '../../profile/quantities.js';
import type { Environment, Signal } from '../environment/environment.js';
import {
  addPulses,
  closeCount,
  countPulses,
  logPulses,
  lowerCount,
  restartCounter,
  setMark,
  takePulses,
} from './counters.js';
import { meanDirection } from './direction.js';
import { COUNTER, EVENT_HEAD } from './layout.js';
import { type ListPlan, type MeasuringTask, planFor, type SensorPlan } from './measuring-plan.js';
import type { MeasuringConfig } from './measuring-settings.js';
import { Memory } from './memory.js';
import { statistics } from './statistics.js';

export class Measurements {
  readonly profile: Profile;
  readonly environment: Environment;
  /** Measured values that have not been reported yet. */
  readonly memory: Memory;
  #reportable = false;
  #urgent = false;

  /** A boot at `wall` with the live configuration. */
  constructor(profile: Profile, environment: Environment, config: MeasuringConfig, wall: UnixMillis) {
    this.profile = profile;
    this.environment = environment;
    this.memory = new Memory(planFor(profile, config));
    const { memory } = this;
    for (const sensor of memory.plan.sensors) {
      const { last } = memory.place(sensor);
      memory.floats.fill(Number.NaN, last, last + sensor.spec.quantities.length);
      restartCounter(memory, environment, sensor, wall);
    }
    // An input that is on at boot causes no event.
    for (const list of memory.plan.edges) memory.ints[memory.placeOf(list).at] = this.level(list, wall);
  }

  /** The periodic tasks of the application. Tasks that are due at the same time run in this order. */
  get tasks(): readonly MeasuringTask[] {
    return this.memory.plan.tasks;
  }

  /**
   * Runs a task.
   * @param task index in {@link tasks}
   * @returns delay until it is due again; Infinity for never
   */
  run(task: number, wall: UnixMillis, clock: UnixSeconds): Millis {
    const { kind, every, sensors } = this.task(task);
    if (kind === 'watch') {
      this.look(wall, clock);
      return this.untilChange(wall);
    }
    for (const sensor of sensors) {
      if (kind === 'sample') this.sample(sensor, wall, clock);
      else this.aggregate(sensor, wall, clock);
    }
    return every;
  }

  /** Reads watched inputs and counters now. Call it after a quantity has been overridden. */
  look(wall: UnixMillis, clock: UnixSeconds): void {
    for (const list of this.memory.plan.edges) this.watch(list, wall, clock);
    for (const list of this.memory.plan.presses) this.press(list, wall, clock);
    for (const sensor of this.memory.plan.sensors) countPulses(this.memory, this.environment, sensor, wall);
  }

  /** Whether an event report is due (behaviour B-27). Resets the flag: the next call returns false. */
  takeReportable(): boolean {
    const reportable = this.#reportable;
    this.#reportable = false;
    return reportable;
  }

  /** Whether a report is due at once. Resets the flag: the next call returns false. */
  takeUrgent(): boolean {
    const urgent = this.#urgent;
    this.#urgent = false;
    return urgent;
  }

  /** Updates a counter with the pulses since its last read. */
  count(sensor: SensorPlan, wall: UnixMillis): void {
    countPulses(this.memory, this.environment, sensor, wall);
  }

  /** Updates the counters before the body of a report is encoded. After the next {@link clear}, deltas begin at this moment. */
  beginBody(wall: UnixMillis): void {
    for (const sensor of this.memory.plan.sensors) {
      countPulses(this.memory, this.environment, sensor, wall);
      setMark(this.memory, sensor, COUNTER.counted, COUNTER.atBody);
    }
  }

  /** Clears windows, logs and events. The firmware calls it when the last body has arrived or has been given up. */
  clear(clock: UnixSeconds): void {
    const { memory } = this;
    for (const sensor of memory.plan.sensors) {
      const { counts } = memory.place(sensor);
      if (sensor.spec.windows?.kind === 'log') {
        // The times in a log are offsets from this call, not from the first sample.
        memory.ints[counts] = 0;
        memory.ints[counts + 2] = clock;
      } else if (sensor.spec.windows) memory.ints[counts + 1] = 0;
      setMark(memory, sensor, COUNTER.atBody, COUNTER.atReport);
    }
    for (const list of memory.plan.lists) this.forgetEvents(list);
    memory.shrink();
  }

  /** A report was sent or given up: some counts restart from 0, such as the detections of CHESTER Motion. */
  reported(wall: UnixMillis): void {
    for (const sensor of this.memory.plan.sensors) {
      const restarts = sensor.spec.windows?.restarts;
      if (restarts === undefined) continue;
      countPulses(this.memory, this.environment, sensor, wall);
      setMark(this.memory, sensor, COUNTER.counted, COUNTER.atWindow, restarts);
    }
  }

  /** Applies a calibration that has changed since the boot. The rest of the live configuration must be unchanged. */
  recalibrate(config: MeasuringConfig): void {
    this.memory.plan = planFor(this.profile, config);
  }

  /** Clears the samples, windows and events of a sensor, and sets its counter to 0 (shell: `channel reset`). */
  reset(sensor: SensorPlan, wall: UnixMillis): void {
    const { counts } = this.memory.place(sensor);
    if (sensor.spec.windows) this.memory.ints.fill(0, counts, counts + 2);
    for (const list of sensor.lists) this.forgetEvents(list);
    restartCounter(this.memory, this.environment, sensor, wall);
  }

  /** By how much the total of an input exceeds the count since boot, at the last read. */
  ahead(address: QuantityAddress): number {
    const sensor = this.sensorAt(address);
    if (sensor === undefined) return 0;
    const at = this.memory.counter(sensor, address.quantity);
    return this.memory.long(at + COUNTER.raw) - this.memory.long(at + COUNTER.counted);
  }

  /** Sets back the count of a counter, without pulses; no effect if it is lower. */
  lower(address: QuantityAddress, count: number): void {
    const sensor = this.sensorAt(address);
    if (sensor) lowerCount(this.memory, sensor, address.quantity, count);
  }

  private sensorAt({ sensor, number }: QuantityAddress): SensorPlan | undefined {
    return this.memory.plan.sensors.find((plan) => plan.sensor === sensor && plan.number === number);
  }

  /** Samples one sensor now, for a shell command; false if it does not answer. */
  sampleOne(sensor: SensorPlan, wall: UnixMillis, clock: UnixSeconds): boolean {
    this.sample(sensor, wall, clock);
    return !Number.isNaN(this.memory.last(sensor, 0));
  }

  /** Finds a sensor by its name in the profile; `number` counts the sensors of a kind from 1. Undefined if there is none. */
  find(name: string, number = 1): SensorPlan | undefined {
    return this.memory.plan.sensors.find((sensor) => sensor.spec.name === name && sensor.number === number - 1);
  }

  /** Present value of a quantity, for the shell; undefined if the device has no such sensor or it does not answer. */
  read(name: string, quantity: string, wall: UnixMillis, number = 1): number | undefined {
    const sensor = this.find(name, number);
    const signals = sensor ? this.environment.signals(sensor.sensor, sensor.number) : [];
    const signal = signals.find(({ spec }) => spec.name === quantity);
    const value = signal ? this.environment.value(signal, wall) : Number.NaN;
    return Number.isNaN(value) ? undefined : value;
  }

  private sample(sensor: SensorPlan, wall: UnixMillis, clock: UnixSeconds): void {
    const { memory } = this;
    const windows = sensor.spec.windows;
    if (!windows?.samples) {
      this.readLast(sensor, wall);
      return;
    }
    if (windows.kind === 'log') {
      this.log(sensor, wall, clock);
      return;
    }
    const taken = memory.sampleCount(sensor);
    // If the buffer is full, the firmware does not read the sensor.
    if (taken >= windows.samples) return;
    while (taken >= memory.place(sensor).sampleRoom) memory.grow();
    const answered = this.readLast(sensor, wall);
    if (!answered && windows.missing === 'skipped') return;
    const { last, samples, counts } = memory.place(sensor);
    const quantities = sensor.spec.quantities.length;
    const at = samples + taken * quantities;
    for (let q = 0; q < quantities; q++) memory.floats[at + q] = memory.floats[last + q] as number;
    memory.ints[counts] = taken + 1;
    for (const list of sensor.alarms) this.evaluate(list, clock);
  }

  /** Adds a sample to a log. A full log drops the sample, including the pulses of a counter. */
  private log(sensor: SensorPlan, wall: UnixMillis, clock: UnixSeconds): void {
    const { memory } = this;
    const taken = memory.sampleCount(sensor);
    const answered = this.readLast(sensor, wall);
    if (!answered && sensor.spec.windows?.missing === 'skipped') return;
    countPulses(memory, this.environment, sensor, wall);
    if (taken < (sensor.spec.windows?.samples ?? 0)) {
      while (taken >= memory.place(sensor).sampleRoom) memory.grow();
      const { last, samples, counts, times } = memory.place(sensor);
      const quantities = sensor.spec.quantities.length;
      const at = samples + taken * quantities;
      if (sensor.spec.counter) logPulses(memory, sensor, at);
      else memory.floats.copyWithin(at, last, last + quantities);
      if (memory.int(counts + 2) === 0) memory.ints[counts + 2] = clock;
      memory.ints[times + taken] = clock;
      memory.ints[counts] = taken + 1;
    }
    setMark(memory, sensor, COUNTER.counted, COUNTER.atWindow);
  }

  /** Reads all quantities of a sensor; false if any of them has no answer. */
  private readLast(sensor: SensorPlan, wall: UnixMillis): boolean {
    const { last } = this.memory.place(sensor);
    const { off, calibration } = sensor;
    const signals = this.environment.signals(sensor.sensor, sensor.number);
    let answered = true;
    for (let q = 0; q < signals.length; q++) {
      if (q === calibration?.quantity) continue;
      const value = off[q] ? Number.NaN : this.environment.value(signals[q] as Signal, wall);
      if (Number.isNaN(value) && !off[q]) answered = false;
      this.memory.floats[last + q] = value;
    }
    if (calibration) {
      const { quantity, from, factor, offset } = calibration;
      this.memory.floats[last + quantity] = offset + factor * (this.memory.floats[last + from] as number);
    }
    return answered;
  }

  private aggregate(sensor: SensorPlan, wall: UnixMillis, clock: UnixSeconds): void {
    const { memory } = this;
    const windows = sensor.spec.windows;
    if (windows === undefined) return;
    const closed = memory.windowCount(sensor);
    // If the buffer is full, the firmware keeps the samples.
    if (closed >= windows.windows) return;
    while (closed >= memory.place(sensor).windowRoom) memory.grow();
    const { counts } = memory.place(sensor);
    if (closed === 0 || windows.datedByLast) memory.ints[counts + 2] = clock;
    if (sensor.spec.counter) closeCount(memory, this.environment, sensor, closed, wall);
    else this.closeStatistics(sensor, closed, windows, wall);
    memory.ints[counts] = 0;
    memory.ints[counts + 1] = closed + 1;
  }

  private closeStatistics(sensor: SensorPlan, window: number, { kind, missing }: WindowSpec, wall: UnixMillis): void {
    const { samples, windows } = this.memory.place(sensor);
    const quantities = sensor.spec.quantities.length;
    const taken = this.memory.sampleCount(sensor);
    for (let q = 0; q < quantities; q++) {
      const to = windows + 4 * (window * quantities + q);
      const { floats } = this.memory;
      if (sensor.spec.quantities[q]?.atWindow) {
        const signal = this.environment.signals(sensor.sensor, sensor.number)[q];
        floats[to] = signal ? this.environment.value(signal, wall) : Number.NaN;
      } else if (kind === 'direction') floats[to] = meanDirection(floats, samples + q, quantities, taken);
      else statistics(floats, samples + q, quantities, taken, to, missing === 'spoils');
    }
  }

  /** Records an event if a watched input has switched on or off. */
  private watch(list: ListPlan, wall: UnixMillis, clock: UnixSeconds): void {
    const on = this.level(list, wall);
    const { at } = this.memory.placeOf(list);
    if (on === this.memory.int(at)) return;
    this.memory.ints[at] = on;
    // The firmware reads the sensor again, so the report has its values at the event, such as the voltage.
    this.readLast(list.sensor, wall);
    this.record(list, clock, on, 0, list.settings.report[on === 1 ? 0 : 1]);
  }

  /** Records every press since the last read of the button: as an event or, if the list has a `period`, as a window. */
  private press(list: ListPlan<PressListSpec>, wall: UnixMillis, clock: UnixSeconds): void {
    const { memory } = this;
    list.spec.types.forEach((quantity, type) => {
      const pressed = takePulses(memory, this.environment, list.sensor, quantity, wall);
      if (list.spec.period) {
        // A full buffer of windows takes no more presses.
        const windows = Math.min(pressed, (list.sensor.spec.windows?.windows ?? 0) - memory.windowCount(list.sensor));
        for (let n = 0; n < windows; n++) {
          addPulses(memory, list.sensor, quantity, 1);
          this.aggregate(list.sensor, wall, clock);
        }
        addPulses(memory, list.sensor, quantity, pressed - windows);
        this.#urgent ||= pressed > 0;
        return;
      }
      const counted = Math.min(pressed, list.spec.capacity - memory.eventCount(list));
      addPulses(memory, list.sensor, quantity, counted);
      for (let n = 0; n < counted; n++) this.record(list, clock, type, 0, true);
    });
  }

  /** 1 if a watched input is on, 0 if it is off; its previous state if it does not answer. */
  private level(list: ListPlan, wall: UnixMillis): 0 | 1 {
    const { spec, sensor } = list;
    const signal = this.environment.signals(sensor.sensor, sensor.number)[spec.quantity];
    const value = signal ? this.environment.value(signal, wall) : Number.NaN;
    if (spec.kind !== 'edge' || Number.isNaN(value)) return this.memory.isOn(list) ? 1 : 0;
    return value > spec.above ? 1 : 0;
  }

  /** Delay until a watched input may change next; Infinity for never. */
  untilChange(wall: UnixMillis): Millis {
    let next = Number.POSITIVE_INFINITY;
    for (const { spec, sensor } of this.memory.plan.edges) {
      const signal = this.environment.signals(sensor.sensor, sensor.number)[spec.quantity];
      if (signal) next = Math.min(next, this.environment.nextChange(signal, wall));
    }
    for (const { sensor } of this.memory.plan.presses) {
      for (const signal of this.environment.signals(sensor.sensor, sensor.number)) {
        next = Math.min(next, this.environment.nextChange(signal, wall));
      }
    }
    return Math.max(millis(1), next - wall);
  }

  /** A high alarm: on above threshold + hysteresis / 2, off below threshold - hysteresis / 2; a low alarm the reverse. */
  private evaluate(list: ListPlan<AlarmListSpec>, clock: UnixSeconds): void {
    const { high, low, report } = list.settings;
    const value = this.memory.last(list.sensor, list.spec.quantity);
    const { at } = this.memory.placeOf(list);
    const before = this.memory.int(at);
    const wasHigh = (before & HIGH) !== 0;
    const wasLow = (before & LOW) !== 0;
    // Each comparison with NaN is false: a missing value leaves the alarm as it is.
    const isHigh = wasHigh ? !(value < high[1]) : value > high[0];
    const isLow = wasLow ? !(value > low[1]) : value < low[0];
    this.memory.ints[at] = (isHigh ? HIGH : 0) | (isLow ? LOW : 0);
    if (isHigh !== wasHigh && report[0]) this.record(list, clock, isHigh ? 0 : 1, value, true);
    if (isLow !== wasLow && report[1]) this.record(list, clock, isLow ? 2 : 3, value, true);
  }

  /** Records an event. A full list drops it, and no report follows. */
  private record(list: ListPlan, clock: UnixSeconds, type: number, value: number, report: boolean): void {
    const { memory } = this;
    const recorded = memory.eventCount(list);
    if (recorded >= list.spec.capacity) return;
    while (recorded >= memory.placeOf(list).room) memory.grow();
    const { at, values } = memory.placeOf(list);
    memory.ints[at + 1] = recorded + 1;
    memory.ints[at + EVENT_HEAD + 2 * recorded] = clock;
    memory.ints[at + EVENT_HEAD + 2 * recorded + 1] = type;
    if (list.spec.kind === 'alarm') memory.floats[values + recorded] = value;
    if (report) this.#reportable = true;
  }

  private forgetEvents(list: ListPlan): void {
    this.memory.ints[this.memory.placeOf(list).at + 1] = 0;
  }

  private task(index: number): MeasuringTask {
    const task = this.memory.plan.tasks[index];
    if (task === undefined) throw new RangeError(`unknown task ${index}`);
    return task;
  }
}

const HIGH = 1;
const LOW = 2;
