/** Services for tests of the client, closed after each test. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeviceCloudClient } from '../../src/client/client.js';
import type { CloudContext } from '../../src/cloud/api/context.js';
import type { ApiOptions } from '../../src/cloud/api/index.js';
import { KEY, service } from '../cloud/api/service.js';

const closing: (() => Promise<unknown>)[] = [];

/** Registers a function that `closeAll` calls at the end of the test. */
export function closeLater(close: () => Promise<unknown>): void {
  closing.push(close);
}

/** Closes everything that the test has opened, the newest first. */
export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

/** A client of the real API. */
export async function connected(options: Partial<ApiOptions> = {}, change: Partial<CloudContext> = {}) {
  const made = await service(options, (context) => ({ ...context, ...change }));
  const baseUrl = await made.app.listen({ port: 0, host: '127.0.0.1' });
  closeLater(() => made.app.close());
  const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: made.spaceId });
  closeLater(() => client.close());
  return { ...made, baseUrl, client };
}

/** The address of a server that answers with `listener`. */
export async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of a server that answers with `listener`. */
export async function against(listener: RequestListener, timeout?: number) {
  const baseUrl = await listening(listener);
  const client = new DeviceCloudClient({ baseUrl, apiKey: KEY, spaceId: 's', ...(timeout ? { timeout } : {}) });
  closeLater(() => client.close().catch(() => undefined));
  return client;
}

export const device = (n: number) => ({
  name: `unit-${n}`,
  serial_number: String(2159017985 + n),
  token: n.toString(16).padStart(32, '0'),
});

export const failure = async (work: Promise<unknown>): Promise<Error> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('a failure was expected');
  return error;
};

/** A message in the answers of a service, with the fields that it must have. */
export const MESSAGE = {
  id: 'm1',
  type: 'data',
  direction: 'up',
  device_id: 'd',
  created_at: '2026-01-01T00:00:00.000Z',
};
