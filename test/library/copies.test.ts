/** Two copies of the package in one process, as with two installations in a workspace. */
import { afterEach, expect, it } from 'vitest';
import * as first from '../../src/index.js';
import { bundled } from '../support/bundled.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const second: typeof first = await import(bundled(new URL('../../src/index.ts', import.meta.url)));

const COMPLAINT =
  'it was made by another copy of ghostfleet (two installations, or loaded again as by vi.resetModules)';

it('virtual time of another copy is named as such', async () => {
  await expect(second.startService({ time: first.virtualTime() })).rejects.toThrow(`time: ${COMPLAINT}`);
  await expect(first.startService({ time: {} as never })).rejects.toThrow('time: expected the result of virtualTime()');
});

it('a service of another copy in virtual time is named as such', async () => {
  const service = await first.startService({ time: first.virtualTime() });
  closing.push(() => service.close());
  const devices = second.startFleet({ profile: 'clime', service, count: 2 });
  await expect(devices).rejects.toThrow(`service: ${COMPLAINT}`);
});

it('a service of another copy in real time is reached by UDP, and its own copy names a port that is off', async () => {
  const service = await first.startService();
  closing.push(() => service.close());
  const device = await second.startDevice({ profile: 'clime', service });
  await device.stop();
  const silent = await first.startService({ udpPort: null });
  closing.push(() => silent.close());
  await expect(first.startDevice({ profile: 'clime', service: silent })).rejects.toThrow(
    'no port for base64 datagrams',
  );
});
