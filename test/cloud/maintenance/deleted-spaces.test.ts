import { describe, expect, it } from 'vitest';
import { deletionOf } from '../../../src/cloud/accounts/spaces.js';
import { startClearing } from '../../../src/cloud/maintenance/deleted-spaces.js';
import { openStore } from '../../../src/cloud/open-store.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { QUIET } from '../../support/cloud.js';
import { furnish, insert, OTHER_SPACE, record, SPACE, T0, tag } from '../store/rows.js';

/** A store in which a space with 1200 tags and 700 audit entries has been deleted; another space has a tag. */
async function furnished() {
  const clock = new VirtualClock({ start: T0 });
  const store = await openStore('memory');
  await furnish(store, []);
  await store.commit(Array.from({ length: 1200 }, (_, n) => insert.tag(tag(n))));
  await store.commit(Array.from({ length: 700 }, (_, n) => insert.record(record(n, { family: 'audit' }))));
  await store.commit([insert.tag(tag(2000, { spaceId: OTHER_SPACE }))]);
  await store.commit(deletionOf(SPACE, T0));
  const left = async () =>
    (await store.tags(SPACE, { limit: 2000 })).length + (await store.records('audit', SPACE, { limit: 2000 })).length;
  return { clock, store, left };
}

describe('the rows of a deleted space', () => {
  it('are deleted in pieces, with a pause after each', async () => {
    const { clock, store, left } = await furnished();
    const stop = startClearing({ store, clock, log: QUIET });
    const course: number[] = [];
    for (let n = 0; n < 6; n++) {
      await clock.runUntil(n * 50 + 1);
      course.push(await left());
    }
    expect(course).toEqual([1400, 900, 400, 0, 0, 0]);
    expect((await store.tags(OTHER_SPACE, { limit: 9 })).length).toBe(1);
    await stop();
  });

  it('are deleted by the next service if one ends before all are deleted', async () => {
    const { clock, store, left } = await furnished();
    const stop = startClearing({ store, clock, log: QUIET });
    await clock.runUntil(1);
    await stop();
    await clock.runUntil(hours(2));
    expect(await left()).toBe(1400);
    const stopNext = startClearing({ store, clock, log: QUIET });
    await clock.runUntil(hours(2) + seconds(1));
    expect(await left()).toBe(0);
    await stopNext();
  });

  it('are deleted an hour after a failure of the store', async () => {
    const { clock, store, left } = await furnished();
    const complaints: string[] = [];
    const log = { ...QUIET, error: (_: object, text: string) => complaints.push(text) };
    const clearSpace = store.clearSpace.bind(store);
    store.clearSpace = () => Promise.reject(new Error('the disk is full'));
    const stop = startClearing({ store, clock, log });
    await clock.runUntil(minutes(1));
    store.clearSpace = clearSpace;
    await clock.runUntil(hours(1) + seconds(1));
    expect(complaints).toEqual(['failed to delete the rows of deleted spaces']);
    expect(await left()).toBe(0);
    await stop();
  });
});
