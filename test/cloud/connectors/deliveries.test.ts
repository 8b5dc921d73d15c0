/** Deliveries of connectors: retries, leases, several services. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deleteConnector, putConnector, RETRY_DELAYS } from '../../../src/cloud/connectors/connector.js';
import { putDelivery } from '../../../src/cloud/connectors/delivery.js';
import { Sender } from '../../../src/cloud/connectors/sender.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { Change, Store } from '../../../src/cloud/store/store.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { type Answer, always, closeAll, closeLater, opened } from './opened-lab.js';

afterEach(closeAll);

describe('a delivery without a 2xx response', () => {
  it('is attempted again after each of the delays, counted from the end of the attempt, and then fails', async () => {
    const at: number[] = [];
    const world = await opened({
      answer: (_, response) => {
        at.push(world.clock.now);
        response.writeHead(503).end('later');
      },
    });
    const { connector, device, uplink, pass, deliveries, hook } = world;
    const forward = await connector();
    await uplink(await device());
    await pass(hours(24));
    const waits = at.slice(1).map((time, i) => (time - (at[i] ?? 0)) / 1000);
    expect(waits).toEqual(RETRY_DELAYS);
    expect(hook.received.map(({ json }) => json.attempt)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const [delivery, ...more] = await deliveries(forward);
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ state: 'failed', dueAt: null, attempt: 9 });
    expect(delivery?.log).toHaveLength(10);
    expect(delivery?.log[9]).toMatchObject({
      attempt: 9,
      status: 503,
      error: 'the target answered with status 503',
      response: 'later',
    });
  });

  it('succeeds with a later 2xx response, and does not follow redirects', async () => {
    const statuses = [302, 304, 404, 204];
    const answer: Answer = (_, response) => response.writeHead(statuses.shift() ?? 500, { location: '/' }).end();
    const { connector, device, uplink, pass, deliveries } = await opened({ answer });
    const forward = await connector();
    await uplink(await device());
    await pass(hours(1));
    const log = [
      { error: 'redirects are not followed' },
      { error: 'the target answered with status 304' },
      { status: 404 },
      { status: 204, error: null },
    ];
    expect(await deliveries(forward)).toMatchObject([{ state: 'delivered', attempt: 3, log }]);
  });

  it('waits for the time in Retry-After if it is longer than the delay of the plan, but at most a day', async () => {
    const at: number[] = [];
    const demands = ['120', '1', '999999', ''];
    const world = await opened({
      answer: (_, response) => {
        at.push(world.clock.now);
        response.writeHead(at.length === 1 ? 429 : 503, { 'retry-after': demands[at.length - 1] ?? '' }).end();
      },
    });
    const { connector, device, uplink, pass, deliveries } = world;
    const forward = await connector({ retryDelays: [10, 30, 60] });
    await uplink(await device());
    await pass(hours(48));
    expect(at.slice(1).map((time, i) => (time - (at[i] ?? 0)) / 1000)).toEqual([120, 30, 86_400]);
    expect(await deliveries(forward)).toMatchObject([{ state: 'failed', attempt: 3 }]);
  });

  it.each([
    [410, 'the target is gone for good (status 410)'],
    [301, 'the target has moved permanently, and redirects are not followed; correct the URL in the script'],
    [308, 'the target has moved permanently, and redirects are not followed; correct the URL in the script'],
  ])('ends at once with the status %i, and with a reason', async (status, error) => {
    const { connector, device, uplink, pass, deliveries, hook } = await opened({ answer: always(status) });
    const forward = await connector();
    await uplink(await device());
    await pass(hours(24));
    expect(hook.received).toHaveLength(1);
    expect(await deliveries(forward)).toMatchObject([{ state: 'failed', dueAt: null, log: [{ status, error }] }]);
  });

  it('is not attempted again after its connector was deleted or disabled, even if it is enabled again', async () => {
    const { connector, device, uplink, pass, deliveries, hook, store } = await opened({ answer: always(500) });
    const [off, back, gone] = [await connector(), await connector(), await connector()];
    const session = await device();
    await uplink(session);
    await pass(seconds(1));
    await store.commit([
      putConnector({ ...off, state: 'disabled' }),
      putConnector({ ...back, enablings: 1 }),
      deleteConnector(gone.id),
    ]);
    await pass(hours(24));
    expect(hook.received).toHaveLength(3);
    expect(await deliveries(off)).toMatchObject([
      { state: 'cancelled', log: [{ attempt: 0 }, { attempt: null, error: 'the connector is disabled' }] },
    ]);
    expect(await deliveries(back)).toMatchObject([
      { state: 'cancelled', log: [{}, { error: 'the connector was disabled' }] },
    ]);
    expect(await deliveries(gone)).toEqual([]);
  });

  it('is attempted again if the connector or the device was narrowed since its message was stored', async () => {
    const { connector, device, uplink, pass, deliveries, hook, store, tagId } = await opened({ answer: always(500) });
    const narrowed = [await connector(), await connector(), await connector()];
    const session = await device();
    await uplink(session);
    await pass(seconds(1));
    const changes = [{ triggers: [] }, { direction: 'down' }, { tagIds: [] }] as const;
    await store.commit(narrowed.map((made, n) => putConnector({ ...made, ...changes[n] })));
    await store.commit([{ kind: 'tag.delete', id: tagId }]);
    await pass(seconds(15));
    expect(hook.received).toHaveLength(6);
    for (const made of narrowed) expect(await deliveries(made)).toMatchObject([{ state: 'pending', attempt: 2 }]);
  });

  it('is cancelled when its device is deleted', async () => {
    const { connector, device, uplink, pass, deliveries, store, clock } = await opened({ answer: always(500) });
    const forward = await connector();
    const session = await device();
    await uplink(session);
    await pass(seconds(1));
    await store.commit([{ kind: 'device.delete', id: session.device.id, at: clock.wall }]);
    await pass(seconds(20));
    expect(await deliveries(forward)).toMatchObject([
      { state: 'cancelled', log: [{ attempt: 0 }, { attempt: null, error: 'the message or its device was deleted' }] },
    ]);
  });
});

describe('the response to a delivery', () => {
  it('is awaited for 30 s, or for the timeout of the connector', async () => {
    const send = vi.spyOn(Sender.prototype, 'send');
    const { connector, device, uplink, pass } = await opened();
    await connector();
    await connector({ timeout: 5 });
    await uplink(await device());
    await pass(1);
    expect(send.mock.calls.map(([, timeout]) => timeout).sort()).toEqual([seconds(30), seconds(5)]);
    send.mockRestore();
  });
});

describe('deliveries', () => {
  it('are stored in the commit of the message, so that every acknowledged message has them', async () => {
    const store = new MemoryStore();
    const commits: (readonly Change[])[] = [];
    const commit = store.commit.bind(store);
    store.commit = (changes) => {
      commits.push(changes);
      return commit(changes);
    };
    const { connector, device, uplink } = await opened({ store });
    await connector();
    await connector();
    await uplink(await device());
    const withMessage = commits.filter((changes) => changes.some(({ kind }) => kind === 'message.insert'));
    expect(withMessage).toHaveLength(1);
    expect(
      withMessage[0]?.filter((change) => change.kind === 'record.put' && change.row.family === 'delivery'),
    ).toHaveLength(2);
  });

  it('continue after a restart of the service', async () => {
    const { connector, device, uplink, pass, deliveries, connectors, open, hook } = await opened({
      answer: always(500),
    });
    const forward = await connector({ retryDelays: [10, 10] });
    const session = await device();
    await uplink(session);
    await pass(seconds(1));
    await connectors.close();
    await uplink(session, { n: 2 });
    await pass(minutes(1));
    expect(hook.received).toHaveLength(1);
    const again = open();
    closeLater(() => again.close());
    again.wake();
    await pass(minutes(1));
    expect((await deliveries(forward)).map(({ state, log }) => [state, log.length])).toEqual([
      ['failed', 3],
      ['failed', 3],
    ]);
  });

  it('of a service that died are taken over after their lease', async () => {
    const { connector, device, uplink, pass, deliveries, connectors, open, hook, store, clock } = await opened();
    const forward = await connector();
    await connectors.close();
    await uplink(await device());
    const [delivery] = await deliveries(forward);
    if (!delivery) throw new Error('no delivery');
    await store.commit([putDelivery({ ...delivery, dueAt: clock.wall + minutes(3) })]);
    const other = open();
    closeLater(() => other.close());
    other.wake();
    await pass(minutes(2));
    expect(hook.received).toEqual([]);
    await pass(minutes(1));
    expect(hook.received).toHaveLength(1);
  });

  it('are attempted once if several services share the database', async () => {
    const store: Store = new MemoryStore();
    const turns = new Map<string, Promise<unknown>>();
    const nodes = {
      listen: () => {},
      claim: async () => {},
      inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
        const turn = (turns.get(name) ?? Promise.resolve()).then(work);
        turns.set(
          name,
          turn.catch(() => {}),
        );
        return turn;
      },
    };
    const shared = Object.assign(store, { nodes });
    const due = store.dueRecords.bind(store);
    // The delay is long enough for another service to read the same deliveries.
    shared.dueRecords = async (...query) => {
      const rows = await due(...query);
      await new Promise((resolve) => setTimeout(resolve, 1));
      return rows;
    };
    const { connector, device, uplink, pass, hook, open, connectors } = await opened({ store: shared });
    await connector();
    const other = open();
    closeLater(() => other.close());
    const session = await device();
    for (let n = 0; n < 30; n++) await uplink(session, { n });
    connectors.wake();
    other.wake();
    await pass(minutes(10));
    const seen = hook.received.map(({ json }) => json.message.body.n);
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });

  it('of a connector whose target hangs do not delay those of others', async () => {
    let [held, givenUp, givenUpBefore] = [0, 0, 0];
    const answer: Answer = ({ path }, response) => {
      if (path === '/hang') {
        held++;
        response.on('close', () => givenUp++);
      } else {
        givenUpBefore = givenUp;
        response.end();
      }
    };
    const { connector, device, uplink, clock, deliveries } = await opened({ answer });
    const hang = await connector({
      transformation: 'function main(job) { return { url: job.variables.target + "/hang" } }',
      timeout: 1,
      retryDelays: [],
    });
    const fine = await connector();
    const session = await device();
    for (let n = 0; n < 20; n++) await uplink(session, { n });
    await clock.runUntil(1);
    expect([(await deliveries(fine)).filter(({ state }) => state === 'delivered').length, held]).toEqual([20, 20]);
    // The last delivery of the other connector did not wait until all hanging attempts had timed out.
    expect(givenUpBefore).toBeLessThan(20);
    expect(await deliveries(hang)).toMatchObject(
      Array(20).fill({ state: 'failed', log: [{ error: 'no response within 1 s', status: null }] }),
    );
  });

  it('that wait when the service closes stay pending and due, and running ones finish', async () => {
    const open: (() => void)[] = [];
    let begun = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const answer: Answer = (_, response) => {
      open.push(() => response.end());
      begun();
    };
    const { connector, device, uplink, deliveries, connectors } = await opened({ answer });
    const forward = await connector();
    const session = await device();
    for (let n = 0; n < 40; n++) await uplink(session, { n });
    await underWay;
    const closed = connectors.close();
    const answering = setInterval(() => {
      for (const end of open.splice(0)) end();
    }, 1);
    await closed.finally(() => clearInterval(answering));
    const states = (await deliveries(forward)).map(({ state, dueAt }) => `${state} ${dueAt}`);
    const delivered = states.filter((state) => state === 'delivered null');
    expect(delivered.length).toBeGreaterThan(0);
    expect(states.filter((state) => state === 'pending 1767225600000')).toHaveLength(40 - delivered.length);
    expect(delivered.length).toBeLessThan(40);
  });

  it('whose target does not answer stay pending and due when the time of the closing service is over', async () => {
    let begun = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { connector, device, uplink, deliveries, connectors } = await opened({ answer: () => begun() });
    const forward = await connector();
    const session = await device();
    for (let n = 0; n < 40; n++) await uplink(session, { n });
    await underWay;
    const late = new AbortController();
    const closed = connectors.close(late.signal);
    late.abort();
    await closed;
    const states = (await deliveries(forward)).map(({ state, dueAt, log }) => `${state} ${dueAt} ${log.length}`);
    expect(states).toEqual(Array(40).fill('pending 1767225600000 0'));
  });

  it('keep tokens out of their own log and out of the log of the service', async () => {
    const { connector, device, uplink, pass, deliveries, logged } = await opened({ answer: always(500) });
    const secret = 's3cret-token';
    const forward = await connector({
      transformation: `function main(job) { return { url: job.variables.target + '/${secret}?k=${secret}', header: { a: '${secret}' } } }`,
    });
    await uplink(await device());
    await pass(hours(24));
    expect((await deliveries(forward))[0]?.log).toHaveLength(10);
    expect(JSON.stringify([await deliveries(forward), logged])).not.toContain(secret);
  });
});
