/** Answers that clients do not read. */
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { Unsent } from '../../../src/cloud/http/unsent.js';
import { until } from '../../support/until.js';
import { KEY, service } from './service.js';

afterEach(() => vi.restoreAllMocks());

const LABEL = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`l${n}`, 'v'.repeat(1000)]));

/** What counts: bytes by tenant, and how to end the connection of a client. */
function counted() {
  const waiting: { readonly tenant: string; readonly bytes: number; readonly cut: () => void }[] = [];
  const hold = vi.spyOn(Unsent.prototype, 'hold').mockImplementation((tenant, { length: bytes }, cut) => {
    const entry = { tenant, bytes, cut };
    waiting.push(entry);
    return () => {
      if (waiting.includes(entry)) waiting.splice(waiting.indexOf(entry), 1);
    };
  });
  return { waiting, hold };
}

it('a large answer counts for the tenant until it was received; a small one does not', async () => {
  const { call, device, spaceId } = await service();
  const { id } = await device({ label: LABEL });
  const { waiting, hold } = counted();
  await call('GET', `devices/${id}`);
  await call('GET', 'tags');
  expect(hold.mock.calls.map(([tenant]) => tenant)).toEqual([spaceId]);
  expect(hold.mock.calls[0]?.[1].length).toBeGreaterThan(64_000);
  await until(() => waiting.length === 0);
});

it('a page counts while it is made, then as a whole', async () => {
  const { call, device } = await service();
  for (let n = 0; n < 12; n++) await device({ serial_number: String(2159017985 + n), label: LABEL });
  const { waiting, hold } = counted();
  const { text } = await call('GET', 'devices');
  const bytes = hold.mock.calls.map(([, { length }]) => length);
  expect(bytes).toHaveLength(3);
  expect(bytes[2]).toBe(text.length);
  await until(() => waiting.length === 0);
});

it('of a large page that a client does not read, a few pieces are made, and its connection can be ended', async () => {
  const { app, device, spaceId } = await service();
  for (let n = 0; n < 400; n++) await device({ serial_number: String(2159017985 + n), label: LABEL });
  const { waiting } = counted();
  const port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  const sockets: Socket[] = [];
  app.server.on('request', ({ socket }) => sockets.push(socket));
  const client = connect(port, '127.0.0.1').on('error', () => {});
  client
    .pause()
    .write(`GET /v2/spaces/${spaceId}/devices?limit=500 HTTP/1.1\r\nhost: ${'127.0.0.1'}\r\nx-api-key: ${KEY}\r\n\r\n`);
  await until(() => sockets.some((socket) => socket.writableLength > 0) && waiting.length === 2);
  waiting[0]?.cut();
  await until(() => sockets.every((socket) => socket.destroyed) && waiting.length === 0);
  client.destroy();
  await app.close();
});
