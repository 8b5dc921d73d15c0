/** Which uplinks are repetitions of stored messages, and what is reported about them. */
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { ConflictError } from '../../../src/cloud/store/store.js';
import { hours } from '../../../src/kernel/time.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL } from '../../support/cloud.js';
import { connected, data } from './uplinks-fixture.js';

describe('a repeated message', () => {
  it('is stored once within 48 hours', async () => {
    const { accept, stored, copies, clock, events } = await connected();
    await accept(data(1));
    await accept(data(2));
    await clock.runUntil(hours(48));
    expect(await accept(data(1))).toBe(true);
    expect(copies()).toEqual([false, false, true]);
    const [original] = await stored();
    expect(events.at(-1)).toEqual({
      ...{ kind: 'cloud.stored', at: hours(48), serial: SERIAL, type: 'data', message: original?.id, copy: true },
    });
    await clock.runUntil(hours(48) + 1);
    await accept(data(1));
    expect(copies()).toEqual([false, false, true, false]);
    expect(await stored()).toHaveLength(3);
  });

  it('that is stored again is reported with the id of the earlier message, if the run asks for it', async () => {
    const store = await openStore('memory');
    const { accept, stored, clock, events } = await connected({
      store,
      earlierCopy: (device, fingerprint) => store.copyOf(device.id, fingerprint, 0),
    });
    const again = () => events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.again] : []));
    await accept(data(1));
    await accept(data(2));
    await clock.runUntil(hours(48) + 1);
    await accept(data(1));
    const [original] = await stored();
    expect(original?.id).toBeDefined();
    expect(again()).toEqual([undefined, undefined, original?.id]);
  });

  it('is looked for only among data with a fingerprint, if the run asks for it', async () => {
    const asked: string[] = [];
    const { core, session, accept, acceptJson, stored, events } = await connected({
      earlierCopy: async (_, fingerprint) => {
        asked.push(fingerprint);
        return 'earlier-message';
      },
    });
    const stats = encodeUp({ kind: 'upload-stats', stats: { uptime: 12 } });
    await core.accept(session, stats, { request: 'fingerprint of a request' });
    await acceptJson({ temperature: 21 });
    await accept(data(1));
    const [, , last] = (await stored()).filter(({ direction }) => direction === 'up');
    expect(asked).toEqual([last?.fingerprint]);
    const found = events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.again] : []));
    expect(found).toEqual([undefined, undefined, 'earlier-message']);
  });

  it('as JSON is a copy only if its field "message" has a sequence or a timestamp', async () => {
    const { acceptJson, copies } = await connected();
    for (const head of [{ sequence: 1 }, { timestamp: 5 }, { version: 1 }, null, 'head', 7]) {
      for (let n = 0; n < 2; n++) await acceptJson({ message: head, temperature: 21 });
    }
    for (let n = 0; n < 2; n++) await acceptJson({ temperature: 21 });
    const fresh = [false, false];
    expect(copies()).toEqual([...[false, true], ...[false, true], ...fresh, ...fresh, ...fresh, ...fresh, ...fresh]);
  });

  it('as JSON with another measurement is stored again', async () => {
    const { acceptJson, copies, stored } = await connected();
    for (const temperature of [21, 22]) await acceptJson({ message: { sequence: 1 }, temperature });
    expect(copies()).toEqual([false, false]);
    expect(await stored()).toMatchObject([
      { type: 'data', body: { message: { sequence: 1 }, temperature: 21 }, codecHash: null, raw: null },
      { body: { temperature: 22 } },
    ]);
  });

  it('is stored again if its type is not data', async () => {
    const { accept, copies } = await connected();
    for (let n = 0; n < 2; n++) await accept({ kind: 'upload-stats', stats: { uptime: 1 } });
    expect(copies()).toEqual([false, false]);
  });

  it('is reported with its own id if the original is deleted meanwhile', async () => {
    const { accept, store, events } = await connected();
    await accept(data(1));
    store.copyOf = async () => undefined;
    await accept(data(1));
    expect(events.at(-1)).toMatchObject({ copy: true, message: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('does not count as a copy if its commit fails for a reason other than its fingerprint', async () => {
    const { accept, store } = await connected();
    store.commit = () => Promise.reject(new ConflictError('queue'));
    await expect(accept(data(1))).rejects.toEqual(new ConflictError('queue'));
    store.commit = () => Promise.reject(new ConflictError('fingerprint'));
    await expect(accept({ kind: 'upload-stats', stats: {} })).rejects.toEqual(new ConflictError('fingerprint'));
    store.commit = () => Promise.reject(new Error('print'));
    await expect(accept(data(1))).rejects.toThrow('print');
  });
});
