/** How a run registers its devices in its own cloud. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { openEmbeddedTarget } from '../../../src/runner/targets/embedded.js';
import { QUIET } from '../../support/cloud.js';

type Options = Parameters<typeof openEmbeddedTarget>[0];

const DEVICE = { name: 'one', serial_number: '0000000042', token: '0'.repeat(32) };
const SETTINGS = { rateLimit: 5, expireDownlinks: null, retainMessages: null };
const STARTED = 'http.server.request.start';
const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

async function target(options: Partial<Options> = {}) {
  const opened = await openEmbeddedTarget({
    ...{ transport: 'memory', db: 'memory', space: 'run', virtual: true, clock: new VirtualClock() },
    ...{ random: seededRandom('1'), trace: { emit: () => {} }, log: QUIET, ...options },
  });
  const requests: (string | undefined)[] = [];
  // The cast is safe because the channel publishes the request under this name.
  const note = (message: unknown) => void requests.push((message as { readonly request: IncomingMessage }).request.url);
  subscribe(STARTED, note);
  cleanUp.push(
    () => unsubscribe(STARTED, note),
    () => opened.close(),
  );
  return { ...opened, requests };
}

it('a device is registered in the cloud of a run without a request over HTTP', async () => {
  const { api, requests } = await target();
  const { id } = await api.createDevice(DEVICE);
  expect(requests).toEqual([]);
  expect(await api.device(id)).toMatchObject({ id, name: 'one' });
});

it('a device that the cloud of a run refuses is refused with the answer of the API', async () => {
  const { api } = await target();
  await api.createDevice(DEVICE);
  const again = api.createDevice({ ...DEVICE, token: '1'.repeat(32) });
  await expect(again).rejects.toMatchObject({ status: 409, path: expect.stringMatching(/\/devices$/) });
});

it('a device is registered over HTTP if the cloud limits requests', async () => {
  const { api, requests } = await target({ settings: SETTINGS });
  await api.createDevice(DEVICE);
  expect(requests).toEqual([expect.stringMatching(/\/devices$/)]);
});
