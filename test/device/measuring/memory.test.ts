/**
 * Devices share blocks of memory. Only the device that was used last has typed arrays on its part of a block. This part is
 * smaller while the device has no closed windows.
 */
import { expect, it } from 'vitest';
import { Measurements } from '../../../src/device/measuring/measurements.js';
import { planFor } from '../../../src/device/measuring/measuring-plan.js';
import { Memory } from '../../../src/device/measuring/memory.js';
import { testDevice } from '../../support/device.js';

it('the shared memory keeps the values of each device when devices take turns, even if the part of one device grows', () => {
  const { device } = testDevice({ network: () => {} });
  const { profile } = device.type;
  const memories = [1, 2, 3].map(() => new Memory(planFor(profile, device.config)));
  for (const round of [1, 2]) {
    memories.forEach((memory, i) => {
      memory.floats[0] = round * 10 + i;
      memory.ints[0] = round * 100 + i;
    });
    memories[1]?.grow();
    expect(memories.map(({ floats, ints }) => [floats[0], ints[0]])).toEqual(
      memories.map((_, i) => [round * 10 + i, round * 100 + i]),
    );
  }
});

it('the memory of a device has room for windows only until the report is over', () => {
  const { device } = testDevice({ network: () => {} });
  const { config, environment, type } = device;
  const measurements = new Measurements(type.profile, environment, config, 0);
  const { memory } = measurements;
  const atRest = memory.layout.bytes;
  const run = (kind: 'sample' | 'aggregate', at: number): void => {
    measurements.tasks.forEach((task, index) => {
      if (task.kind === kind) measurements.run(index, at * 1000, at);
    });
  };
  run('sample', 60);
  expect(memory.layout.bytes).toBe(atRest);
  run('aggregate', 300);
  expect(memory.layout.bytes).toBeGreaterThan(atRest);
  run('sample', 360);
  const samples = memory.plan.sensors.map((sensor) => memory.sampleCount(sensor));
  const floats = memory.plan.sensors.map((sensor) => memory.floats[memory.place(sensor).samples]);
  measurements.clear(400);
  expect(memory.layout.bytes).toBe(atRest);
  expect(samples).toContain(1);
  expect(memory.plan.sensors.map((sensor) => memory.sampleCount(sensor))).toEqual(samples);
  expect(memory.plan.sensors.map((sensor) => memory.floats[memory.place(sensor).samples])).toEqual(floats);
});

it('the memory of a device stays large after a report as long as the samples of its open window need the room', () => {
  const { device } = testDevice({ network: () => {} });
  const { config, environment, type } = device;
  const measurements = new Measurements(type.profile, environment, config, 0);
  const { memory } = measurements;
  const sensor = memory.plan.sensors.find((one) => memory.place(one).sampleRoom > 0);
  if (sensor === undefined) throw new Error('the device has no sensor with windows');
  const { sampleRoom } = memory.place(sensor);
  for (let n = 0; n <= sampleRoom; n++) measurements.sampleOne(sensor, n * 1000, n);
  const { bytes } = memory.layout;
  measurements.clear(100);
  expect(memory.layout.bytes).toBe(bytes);
  expect(memory.sampleCount(sensor)).toBe(sampleRoom + 1);
});
