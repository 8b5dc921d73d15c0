import { describe, expect, it } from 'vitest';
import { startRetention } from '../../../src/cloud/maintenance/retention.js';
import { openStore } from '../../../src/cloud/open-store.js';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import type { Trace, TraceEvent } from '../../../src/trace/events.js';
import { QUIET } from '../../support/cloud.js';
import { downlink, furnish, insert, message, SPACE, T0 } from '../store/rows.js';

/** A store with 1200 uplinks, one a minute, and a pending downlink. The clock begins at the time of the first uplink. */
async function furnished() {
  const clock = new VirtualClock({ start: T0 });
  const store = await openStore('memory');
  await furnish(store);
  const rows = Array.from({ length: 1200 }, (_, n) => message(n, { createdAt: T0 + minutes(n) }));
  const inOrder = [downlink(1), ...rows].sort((one, other) => (one.id < other.id ? -1 : 1));
  await store.commit(inOrder.map(insert.message));
  const left = async () => (await store.messages(SPACE, { limit: 2000, direction: 'up' })).length;
  const emitted: TraceEvent[] = [];
  const trace: Trace = { emit: (event) => emitted.push(event) };
  return { clock, store, left, trace, emitted };
}

describe('retention', () => {
  it('keeps young messages and deletes older ones, even if these are more than one batch', async () => {
    const { clock, store, trace, left } = await furnished();
    await clock.runUntil(days(30) + minutes(1099) + seconds(30));
    expect(await left()).toBe(1200);
    const stop = startRetention({ store, clock, log: QUIET, trace, keep: days(30) });
    await clock.runUntil(clock.now + seconds(1));
    expect(await left()).toBe(100);
    await stop();
  });

  it('runs every hour, and keeps pending downlinks', async () => {
    const { clock, store, trace, left } = await furnished();
    const stop = startRetention({ store, clock, log: QUIET, trace, keep: days(1) });
    await clock.runUntil(days(1));
    expect(await left()).toBe(1200);
    await clock.runUntil(days(1) + hours(1));
    expect(await left()).toBe(1140);
    await clock.runUntil(days(3));
    expect(await left()).toBe(0);
    expect(await store.messages(SPACE, { limit: 9 })).toHaveLength(1);
    await stop();
  });

  it('continues after a failure of the store', async () => {
    const { clock, store, trace, left } = await furnished();
    const complaints: string[] = [];
    const log = { ...QUIET, error: (_: object, text: string) => complaints.push(text) };
    const prune = store.prune.bind(store);
    store.prune = () => Promise.reject(new Error('the disk is full'));
    const stop = startRetention({ store, clock, log, trace, keep: 0 });
    await clock.runUntil(minutes(1));
    store.prune = prune;
    await clock.runUntil(hours(30));
    expect(complaints).toEqual(['failed to delete old messages']);
    expect(await left()).toBe(0);
    await stop();
  });

  it('reports the number of deleted rows of each batch', async () => {
    const { clock, store, trace, emitted } = await furnished();
    await clock.runUntil(minutes(1199) + seconds(30));
    const stop = startRetention({ store, clock, log: QUIET, trace, keep: 0 });
    await clock.runUntil(clock.now + seconds(1));
    expect(emitted).toMatchObject([500, 500, 200].map((messages) => ({ kind: 'cloud.pruned', messages })));
    await stop();
  });

  it('deletes all batches at the same instant and reports their sum, if the pause between batches is 0', async () => {
    const { clock, store, trace, emitted, left } = await furnished();
    const began = minutes(1199) + seconds(30);
    await clock.runUntil(began);
    const stop = startRetention({ store, clock, log: QUIET, trace, keep: 0, batchPause: 0 });
    await clock.runUntil(began);
    expect(await left()).toBe(0);
    expect(emitted).toEqual([{ kind: 'cloud.pruned', at: began, messages: 1200 }]);
    await stop();
  });

  it('leaves no pending alarm when it is stopped', async () => {
    const { clock, store, trace } = await furnished();
    const stop = startRetention({ store, clock, log: QUIET, trace, keep: 0 });
    await clock.runUntil(minutes(1));
    expect(clock.waiting).toBe(1);
    await stop();
    expect(clock.waiting).toBe(0);
  });
});
