import { expect, it } from 'vitest';
import { InFlight } from '../../src/kernel/in-flight.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';

const datagram = Uint8Array.of(1, 2, 3);
const turn = () => new Promise((resolve) => setImmediate(resolve));

it('time waits until all departed datagrams have arrived', async () => {
  const clock = new VirtualClock();
  const wire = new InFlight(clock, 'datagram to the gateway');
  wire.departed(datagram);
  wire.departed(datagram);
  const run = clock.runUntil(1000);
  wire.arrived(Uint8Array.from(datagram))?.();
  await turn();
  expect(clock.now).toBe(0);
  wire.arrived(Uint8Array.from(datagram))?.();
  await run;
  expect(clock.now).toBe(1000);
});

it('a datagram of another program does not end the wait', async () => {
  const clock = new VirtualClock();
  const wire = new InFlight(clock, 'datagram');
  wire.departed(datagram);
  const run = clock.runUntil(10);
  expect(wire.arrived(Uint8Array.of(9))).toBeUndefined();
  await turn();
  expect(clock.now).toBe(0);
  wire.arrived(datagram)?.();
  await run;
  expect(clock.now).toBe(10);
});

it('a datagram that never arrives is named in the error', async () => {
  const clock = new VirtualClock({ holdLimit: 5 });
  new InFlight(clock, 'datagram to the gateway').departed(datagram);
  await expect(clock.runUntil(10)).rejects.toThrow('datagram to the gateway (1)');
});
