import { describe, expect, it } from 'vitest';
import { putOwner } from '../../../src/cloud/accounts/member-records.js';
import { putConnector, RETRY_DELAYS } from '../../../src/cloud/connectors/connector.js';
import { type Attempted, type Delivery, findDelivery, putDelivery } from '../../../src/cloud/connectors/delivery.js';
import { Dispatcher } from '../../../src/cloud/connectors/dispatcher.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { hours, type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

/** A virtual clock whose time passes while attempts are running, as in reality: it ignores `hold`, which would stop it. */
class Unheld extends VirtualClock {
  override hold(): () => void {
    return () => {};
  }

  /** Correction of the calendar time of the machine. */
  correction: Millis = 0;

  override get wall() {
    return super.wall + this.correction;
  }

  /** Advances the time in steps of at most a second; promises settle before each step. */
  async pass(time: Millis): Promise<void> {
    const end = this.now + time;
    while (this.now < end) {
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      await this.runUntil(Math.min(end, this.now + seconds(1)));
    }
  }
}

const NEVER = new Promise<never>(() => {});
const DELIVERED: Attempted = {
  result: 'delivered',
  entry: { attempt: 0, at: 0, took: 0, status: 200, target: null, error: null, response: null },
};

async function dispatcher(attempt: (name: string, clock: VirtualClock) => Promise<Attempted>) {
  const clock = new Unheld();
  const store = new MemoryStore();
  const ids = createIds(clock, seededRandom('dispatcher'));
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const createdAt = clock.wall;
  const space = async () => {
    const row = { id: ids.uuid(), name: 'lab', type: 'team', createdAt };
    await store.commit([{ kind: 'space.put', row }]);
    return row.id;
  };
  const spaceId = await space();
  const log = { info: note, warn: note, error: note };
  const made = new Dispatcher({ store, clock, log, attempts: { attempt: ({ name }) => attempt(name, clock) } });
  const connector = async (name: string, ofSpace = spaceId) => {
    const row = {
      id: ids.uuid(),
      spaceId: ofSpace,
      name,
      direction: 'up',
      state: 'enabled',
      triggers: [],
      tagIds: [],
      transformation: '',
      retryDelays: RETRY_DELAYS,
      timeout: 0,
      createdAt,
    } as const;
    await store.commit([putConnector(row)]);
    /** Stores `count` due deliveries of this connector; returns for each a function that reads it. */
    const fill = async (count: number) => {
      const rows = Array.from({ length: count }, (): Delivery => {
        const refs = { connectorId: row.id, deviceId: ids.uuid(), messageId: ids.uuid() };
        return {
          id: ids.uuid(),
          spaceId: ofSpace,
          ...refs,
          createdAt,
          dueAt: createdAt,
          state: 'pending',
          attempt: 0,
          log: [],
        };
      });
      await store.commit(rows.map(putDelivery));
      return rows.map(
        ({ id }) =>
          () =>
            findDelivery(store, row, id),
      );
    };
    return { ...row, fill };
  };
  return { clock, store, connector, space, dispatcher: made, logged };
}

describe('the dispatcher', () => {
  it('postpones deliveries of a stuck connector that do not fit in its queue, so that other connectors are attempted', async () => {
    let begun = 0;
    const world = await dispatcher((name) => {
      if (name !== 'stuck') return Promise.resolve(DELIVERED);
      begun++;
      return NEVER;
    });
    await (await world.connector('stuck')).fill(1000);
    const behind = await (await world.connector('fine')).fill(50);
    world.dispatcher.wake();
    await world.clock.pass(seconds(20));
    expect(begun).toBe(16);
    for (const read of behind) expect((await read())?.state).toBe('delivered');
  });

  it('attempts the deliveries of a space within 2 s, although another space has many slow connectors', async () => {
    const world = await dispatcher(
      (name, clock) =>
        new Promise((resolve) => {
          clock.after(name.startsWith('slow') ? seconds(30) : 1, 'a target', () => resolve(DELIVERED));
        }),
    );
    const other = await world.space();
    for (let n = 0; n < 40; n++) await (await world.connector(`slow-${n}`)).fill(50);
    const fast = await (await world.connector('fast', other)).fill(15);
    world.dispatcher.wake();
    await world.clock.pass(seconds(2));
    for (const read of fast) expect((await read())?.state).toBe('delivered');
  });

  it('begins at most 64 attempts for all spaces of an owner, so that another tenant is not delayed by their slow targets', async () => {
    let begun = 0;
    const world = await dispatcher((name) => {
      if (!name.startsWith('slow')) return Promise.resolve(DELIVERED);
      begun++;
      return NEVER;
    });
    for (let n = 0; n < 5; n++) {
      const space = await world.space();
      await world.store.commit([putOwner(space, 'mallory', 0)]);
      for (let c = 0; c < 4; c++) await (await world.connector(`slow-${n}-${c}`, space)).fill(40);
    }
    const victim = await (await world.connector('victim')).fill(1);
    world.dispatcher.wake();
    await world.clock.pass(seconds(2));
    expect(begun).toBe(64);
    expect((await victim[0]?.())?.state).toBe('delivered');
  });

  it('attempts all deliveries of a connector, even if they are far more than its queue holds', async () => {
    const world = await dispatcher(() => Promise.resolve(DELIVERED));
    const fast = await (await world.connector('fast')).fill(1000);
    world.dispatcher.wake();
    await world.clock.pass(seconds(10));
    for (const read of fast) expect((await read())?.state).toBe('delivered');
  });

  it('misses no delivery, regardless of when it is woken', async () => {
    for (let moment = 0; moment < 40; moment++) {
      const { dispatcher: made, connector, clock } = await dispatcher(async () => DELIVERED);
      const { fill } = await connector('forward');
      await fill(1);
      made.wake();
      for (let turn = 0; turn < moment; turn++) await Promise.resolve();
      const [late] = await fill(1);
      made.wake();
      await clock.pass(1);
      expect([moment, (await late?.())?.state]).toEqual([moment, 'delivered']);
      await made.close();
    }
  });

  it('repeats, after the lease, an attempt that an error of the service interrupted', async () => {
    let failures = 2;
    const world = await dispatcher(() =>
      failures-- > 0 ? Promise.reject(new Error('no disk')) : Promise.resolve(DELIVERED),
    );
    const [read] = await (await world.connector('unlucky')).fill(1);
    world.dispatcher.wake();
    await world.clock.pass(minutes(2));
    expect([(await read?.())?.state, world.logged.length]).toEqual(['pending', 1]);
    await world.clock.pass(minutes(8));
    expect([(await read?.())?.state, world.logged.length]).toEqual(['delivered', 2]);
  });

  it.each([hours(1), -hours(1)])(
    'makes each attempt once if the clock is corrected by %i ms during the attempts',
    async (correction) => {
      let begun = 0;
      const world = await dispatcher((_, clock) => {
        begun++;
        return new Promise((resolve) => clock.after(seconds(20), 'a target', () => resolve(DELIVERED)));
      });
      const reads = await (await world.connector('slow')).fill(40);
      world.dispatcher.wake();
      await world.clock.pass(seconds(5));
      world.clock.correction = correction;
      world.dispatcher.wake();
      await world.clock.pass(minutes(1) - 5000);
      world.clock.correction = 0;
      await world.clock.pass(minutes(10));
      expect(begun).toBe(40);
      for (const read of reads) expect((await read())?.state).toBe('delivered');
    },
  );

  it('continues after a failed commit of the store', async () => {
    const world = await dispatcher(() => Promise.resolve(DELIVERED));
    const [read] = await (await world.connector('patient')).fill(1);
    const commit = world.store.commit.bind(world.store);
    world.store.commit = () => Promise.reject(new Error('busy'));
    world.dispatcher.wake();
    await world.clock.pass(seconds(20));
    world.store.commit = commit;
    await world.clock.pass(minutes(1));
    expect((await read?.())?.state).toBe('delivered');
    expect(world.logged).toEqual(['deliveries cannot be taken {"error":"busy"}']);
  });
});
