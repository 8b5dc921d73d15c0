/** An event in the form in which readers get it. */
import { describe, expect, it, vi } from 'vitest';
import { eventBytes } from '../../../src/cloud/api/event-views.js';
import type { ApiOptions } from '../../../src/cloud/api/family.js';
import { Masking } from '../../../src/cloud/api/masking.js';
import { newMessage } from '../../../src/cloud/store/new-message.js';
import { service } from './service.js';

describe('an event', () => {
  it('is masked and written once for all readers with the same rights', async () => {
    const { store, context, spaceId, ids, clock, device } = await service();
    const row = await store.device(spaceId, (await device()).id);
    if (!row) throw new Error('no device');
    const release = await context.feed.hold();
    const start = await context.feed.newest();
    await store.commit([
      { kind: 'message.insert', row: newMessage(ids, clock, row, 'up', 'data', { token: row.token }) },
    ]);
    const page = await context.feed.after(start, spaceId);
    const [event] = page === 'gone' ? [] : page.rows;
    if (!event) throw new Error('no event');
    const seenBy = async (role: 'admin' | 'user', keyId: string) => {
      const caller = { spaceId, access: { role, keyId, scope: null, userId: null, boundTo: spaceId } };
      const options = { messageBody: 'json' } as ApiOptions;
      return eventBytes(await context.feed.entry(event), { store, clock, caller, options });
    };
    const masked = vi.spyOn(Masking.prototype, 'message');
    const [first, ...others] = await Promise.all(['a', 'b', 'c'].map((keyId) => seenBy('user', keyId)));
    for (const other of others) expect(other).toBe(first);
    expect(masked).toHaveBeenCalledTimes(1);
    masked.mockRestore();
    expect(String(first)).not.toContain(row.token);
    expect(String(await seenBy('admin', 'd'))).toContain(row.token);
    release();
  });

  it('of a deleted device has no passkey for readers who may only read', async () => {
    const { entry, context } = await ofDeletedDevice();
    expect(String(await eventBytes(entry, context))).toContain('"ble_passkey":"********"');
  });

  it('is written again for the next reader after that has failed', async () => {
    const { entry, context } = await ofDeletedDevice();
    vi.spyOn(Masking.prototype, 'message').mockImplementationOnce(() => {
      throw new Error('a test');
    });
    await expect(eventBytes(entry, context)).rejects.toThrow('a test');
    expect(String(await eventBytes(entry, context))).toContain('"ble_passkey":"********"');
  });
});

/** A message with a passkey, as a reader with few permissions gets it. */
async function ofDeletedDevice() {
  const { store, spaceId, ids, clock, device } = await service();
  const row = await store.device(spaceId, (await device()).id);
  if (!row) throw new Error('no device');
  const sent = newMessage(ids, clock, row, 'up', 'session', { ble_passkey: '739154' });
  const message = { ...sent, deviceName: row.name, deviceSerial: row.serial };
  const event = { seq: 1, spaceId, deviceId: row.id, kind: 'message', ref: sent.id, at: 1, detail: null } as const;
  const access = { role: 'user', keyId: 'a', scope: null, userId: null, boundTo: spaceId } as const;
  const options = { messageBody: 'json' } as ApiOptions;
  return {
    entry: { row: event, device: undefined, message, record: undefined },
    context: { store, clock, caller: { spaceId, access }, options },
  };
}
