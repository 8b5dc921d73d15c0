import { expect, it } from 'vitest';
import { InFlight } from '../../src/kernel/in-flight.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('time waits until as many datagrams have arrived as have departed', async () => {
  const clock = new VirtualClock();
  const wire = new InFlight(clock, 'datagram to the gateway');
  wire.departed();
  wire.departed();
  const run = clock.runUntil(1000);
  wire.arrived();
  await turn();
  expect(clock.now).toBe(0);
  wire.arrived();
  await run;
  expect(clock.now).toBe(1000);
});

it('an arrival without a departure does nothing', async () => {
  const clock = new VirtualClock();
  new InFlight(clock, 'datagram').arrived();
  await clock.runUntil(10);
  expect(clock.now).toBe(10);
});

it('a datagram that never arrives is named in the error', async () => {
  const clock = new VirtualClock({ holdLimit: 5 });
  new InFlight(clock, 'datagram to the gateway').departed();
  await expect(clock.runUntil(10)).rejects.toThrow('datagram to the gateway (1)');
});
