import { describe, expect, it } from 'vitest';
import { hours } from '../../../src/kernel/time.js';
import { withKey } from './people.js';
import { service } from './service.js';

const DEVICE = { name: 'freezer-1', serial_number: '2159017985', token: '0'.repeat(32) };
const TAG = { name: 'cold', color: '#00ffaa' };
const KEYED = { 'idempotency-key': 'try-1' };

describe('a request with an Idempotency-Key', () => {
  it('creates the resource once and gets the same answer when repeated: devices, tags, variables and downlinks', async () => {
    const { call, device } = await service();
    const { id } = await device({ serial_number: '2159017986' });
    for (const [path, body] of [
      ['devices', DEVICE],
      ['tags', TAG],
      ['variables', { name: 'a', value: '1' }],
      ['messages', { device_id: id, type: 'shell', body: ['info show'] }],
      [`devices/${id}/configs`, ['app config a 1']],
      [`devices/${id}/commands`, ['info show']],
      [`devices/${id}/downlinks`, { led: true }],
    ] as const) {
      const headers = { 'idempotency-key': `for ${path}`.replaceAll(' ', '-') };
      const first = await call('POST', path, body, headers);
      const second = await call('POST', path, body, headers);
      expect([path, second.status, second.text]).toEqual([path, 201, first.text]);
      expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
        undefined,
        'true',
      ]);
      expect(second.headers['content-type']).toBe(first.headers['content-type']);
    }
    expect((await call('GET', 'messages')).json).toHaveLength(4);
    expect((await call('GET', 'devices')).json).toHaveLength(2);
  });

  it('gets its first answer again, even after the resource was changed or deleted', async () => {
    const { call } = await service();
    const first = await call('POST', 'devices', DEVICE, KEYED);
    await call('PUT', `devices/${first.json.id}`, { name: 'renamed' });
    expect((await call('POST', 'devices', DEVICE, KEYED)).text).toBe(first.text);
    await call('DELETE', `devices/${first.json.id}`);
    expect((await call('POST', 'devices', DEVICE, KEYED)).text).toBe(first.text);
  });

  it('is rejected if the key was used for another request', async () => {
    const { call } = await service();
    await call('POST', 'tags', TAG, KEYED);
    const { status, json } = await call('POST', 'tags', { ...TAG, name: 'warm' }, KEYED);
    expect([status, json]).toEqual([
      422,
      {
        statusCode: 422,
        error: 'Unprocessable Entity',
        message: 'this Idempotency-Key was used for another request',
      },
    ]);
    expect((await call('POST', 'variables', { name: 'a', value: '1' }, KEYED)).status).toBe(422);
    expect((await call('GET', 'tags')).json).toHaveLength(1);
  });

  it('creates the resource once when it is repeated concurrently', async () => {
    const { call, device } = await service();
    const { id } = await device({ serial_number: '2159017986' });
    for (const [path, body] of [
      ['devices', DEVICE],
      ['tags', TAG],
      ['variables', { name: 'a', value: '1' }],
      [`devices/${id}/commands`, ['info show']],
    ] as const) {
      const headers = { 'idempotency-key': `at-once-${path}` };
      const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', path, body, headers)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    }
    expect((await call('GET', 'messages')).json).toHaveLength(1);
  });

  it('that was rejected can be corrected and sent again with the same key', async () => {
    const { call, device } = await service();
    await device();
    expect((await call('POST', 'devices', DEVICE, KEYED)).status).toBe(409);
    expect((await call('POST', 'devices', { ...DEVICE, serial_number: '2159017986' }, KEYED)).status).toBe(201);
  });

  it('is forgotten after 24 hours', async () => {
    const { call, clock, store, spaceId } = await service();
    const command = async () => {
      const { id } = (await call('GET', 'devices')).json[0] ?? (await call('POST', 'devices', DEVICE)).json;
      return (await call('POST', `devices/${id}/commands`, ['info show'], KEYED)).json.id;
    };
    const first = await command();
    await clock.runUntil(hours(24) - 1);
    expect(await command()).toBe(first);
    await clock.runUntil(hours(24));
    expect(await command()).not.toBe(first);
    expect(await store.records('idempotency', spaceId, { limit: 10 })).toHaveLength(1);
  });

  it('from an API key that is limited to tags does not get the answer to another API key', async () => {
    const { call } = await service();
    const tag = (await call('POST', 'tags', TAG)).json;
    const limited = withKey(call, (await call('POST', 'keys', { name: 'x', tags: [tag] })).json.key);
    await call('POST', 'devices', DEVICE, KEYED);
    const { status, text } = await limited('POST', 'devices', DEVICE, KEYED);
    expect([status, text]).toEqual([422, expect.not.stringContaining('freezer-1')]);
  });

  it('is rejected if the key is not 1 to 255 visible ASCII characters', async () => {
    const { call } = await service();
    for (const key of ['with space', 'x'.repeat(256), 'schlüssel']) {
      const { status, json } = await call('POST', 'tags', TAG, { 'idempotency-key': key });
      expect([status, json.message]).toEqual([400, expect.stringContaining('is not a key of 1 to 255')]);
    }
  });
});
