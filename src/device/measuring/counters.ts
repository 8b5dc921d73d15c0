/**
 * Counters of pulses. The firmware counts edges. In the simulation, the count is updated when the running total of an input is
 * read: it grows by the difference to the previous read. A total that falls, such as that of a meter that is replaced, gives no
 * pulses. The counts are exact up to 2^53 - 1; memory.ts cuts them to the size of the firmware's variables.
 *
 * {@link countPulses}, {@link restartCounter} and {@link setMark} ignore sensors that are not counters. `countPulses` also
 * ignores buttons: measurements.ts takes their pulses with {@link takePulses} and counts each press.
 */
import type { UnixMillis } from '../../kernel/time.js';
import type { Environment } from '../environment/environment.js';
import { COUNTER } from './layout.js';
import type { SensorPlan } from './measuring-plan.js';
import type { Memory } from './memory.js';

type Mark = (typeof COUNTER)[Exclude<keyof typeof COUNTER, 'size'>];

/** Adds the pulses of a counter's input since the last read (behaviour B-16). */
export function countPulses(memory: Memory, environment: Environment, sensor: SensorPlan, wall: UnixMillis): void {
  if (!sensor.spec.counter || sensor.presses.length > 0) return;
  for (let quantity = 0; quantity < sensor.spec.quantities.length; quantity++) {
    addPulses(memory, sensor, quantity, takePulses(memory, environment, sensor, quantity, wall));
  }
}

/** Reads an input and returns its pulses since the last read, without counting them; 0 if an override lowered the total. */
export function takePulses(
  memory: Memory,
  environment: Environment,
  sensor: SensorPlan,
  quantity: number,
  wall: UnixMillis,
): number {
  const signal = environment.signals(sensor.sensor, sensor.number)[quantity];
  const value = signal ? environment.value(signal, wall) : Number.NaN;
  if (Number.isNaN(value)) return 0;
  const at = memory.counter(sensor, quantity) + COUNTER.raw;
  const raw = Math.max(-MOST, Math.min(Math.floor(value), MOST));
  const pulses = raw - memory.long(at);
  memory.setLong(at, raw);
  return Math.max(0, pulses);
}

/** Largest count. */
const MOST = Number.MAX_SAFE_INTEGER;

export function addPulses(memory: Memory, sensor: SensorPlan, quantity: number, pulses: number): void {
  const at = memory.counter(sensor, quantity) + COUNTER.counted;
  memory.setLong(at, Math.min(memory.long(at) + pulses, MOST));
}

/** Sets back the count of a quantity, without pulses; no effect if it is lower. */
export function lowerCount(memory: Memory, sensor: SensorPlan, quantity: number, count: number): void {
  const at = memory.counter(sensor, quantity);
  for (const mark of [COUNTER.counted, COUNTER.atWindow, COUNTER.atBody, COUNTER.atReport]) {
    memory.setLong(at + mark, Math.min(memory.long(at + mark), count));
  }
}

/** Sets the count to 0. The running total of the input does not change. */
export function restartCounter(memory: Memory, environment: Environment, sensor: SensorPlan, wall: UnixMillis): void {
  if (!sensor.spec.counter) return;
  sensor.spec.quantities.forEach((_, quantity) => {
    takePulses(memory, environment, sensor, quantity, wall);
    const at = memory.counter(sensor, quantity);
    memory.ints.fill(0, at + COUNTER.counted, at + COUNTER.size);
  });
}

/** Writes a window: the total, and the pulses since the previous window. */
export function closeCount(
  memory: Memory,
  environment: Environment,
  sensor: SensorPlan,
  window: number,
  wall: UnixMillis,
): void {
  countPulses(memory, environment, sensor, wall);
  const quantities = sensor.spec.quantities.length;
  for (let quantity = 0; quantity < quantities; quantity++) {
    const at = memory.counter(sensor, quantity);
    const to = memory.place(sensor).windows + 4 * (window * quantities + quantity);
    memory.setLong(to, memory.long(at + COUNTER.counted));
    memory.setLong(to + 2, memory.long(at + COUNTER.counted) - memory.long(at + COUNTER.atWindow));
  }
  setMark(memory, sensor, COUNTER.counted, COUNTER.atWindow);
}

/** Writes the pulses since the previous sample into a row of a log. */
export function logPulses(memory: Memory, sensor: SensorPlan, at: number): void {
  for (let quantity = 0; quantity < sensor.spec.quantities.length; quantity++) {
    const counter = memory.counter(sensor, quantity);
    memory.floats[at + quantity] = memory.long(counter + COUNTER.counted) - memory.long(counter + COUNTER.atWindow);
  }
}

/** Copies a stored count of a counter from `from` to `to`, for each of its quantities, or only for those in `only`. */
export function setMark(memory: Memory, sensor: SensorPlan, from: Mark, to: Mark, only?: readonly string[]): void {
  if (!sensor.spec.counter) return;
  sensor.spec.quantities.forEach(({ name }, quantity) => {
    if (only && !only.includes(name)) return;
    const at = memory.counter(sensor, quantity);
    memory.setLong(at + to, memory.long(at + from));
  });
}
