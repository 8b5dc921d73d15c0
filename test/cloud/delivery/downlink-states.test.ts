/** How changes of the states of downlinks are committed: in time, so that the caller waits, or in the background. */
import { describe, expect, it } from 'vitest';
import { makeQueued } from '../../../src/cloud/delivery/device-session.js';
import { DownlinkStates } from '../../../src/cloud/delivery/downlink-states.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { type Change, ConflictError } from '../../../src/cloud/store/store.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { downlink, T0 } from '../store/rows.js';

const ROW = downlink(1, { createdAt: T0 });

/** @param fails error with which the store rejects commits */
function setUp(fails?: Error) {
  const store = new MemoryStore();
  const commits: (readonly Change[])[] = [];
  store.commit = async (changes) => {
    commits.push(changes);
    if (fails) throw fails;
  };
  const errors: unknown[][] = [];
  const log = { info: () => {}, warn: () => {}, error: (...entry: unknown[]) => errors.push(entry) };
  const states = new DownlinkStates({ store, clock: new VirtualClock({ start: T0 }), log });
  return { states, commits, errors, settled: () => new Promise((done) => setImmediate(done)) };
}

describe('a commit that must be in time', () => {
  it('returns true when it is durable', async () => {
    const { states, commits } = setUp();
    expect(await states.commitInTime([states.makeStation(ROW, 'queued', null)])).toBe(true);
    expect(commits).toEqual([
      [{ kind: 'timeline.add', row: { messageId: ROW.id, at: T0, what: 'queued', detail: null } }],
    ]);
  });

  it('returns false if the downlink has already ended', async () => {
    expect(await setUp(new ConflictError('down-state')).states.commitInTime([])).toBe(false);
  });

  it.each([new ConflictError('fingerprint'), new Error('disk full')])(
    'rejects with any other error: %s',
    async (error) => {
      await expect(setUp(error).states.commitInTime([])).rejects.toBe(error);
    },
  );
});

describe('the states of downlinks', () => {
  it('are committed together for a contact of several downlinks', () => {
    const { states, commits } = setUp();
    const station = (messageId: string) => ({
      ...{ kind: 'timeline.add', row: { messageId, at: T0, what: 'contact', detail: null }, latest: true },
    });
    states.noteContact([{ id: 'a', createdAt: T0 }, ROW]);
    expect(commits).toEqual([[station('a'), station(ROW.id)]]);
  });

  it('have no time before the creation of the downlink, even if the clock was corrected', () => {
    const { states } = setUp();
    const row = downlink(1, { createdAt: T0 + 3_600_000 });
    const offer = states.offer(row, 2);
    const changes = [states.makeStation(row, 'queued', null), states.state(makeQueued(row), 'sent'), offer[1]];
    const times = changes.map((change) => (change?.kind === 'timeline.add' ? change.row.at : Object(change).at));
    expect(times).toEqual([row.createdAt, row.createdAt, row.createdAt]);
  });

  it('cause a log entry if their commit in the background fails', async () => {
    const { states, errors, settled } = setUp(new Error('disk full'));
    states.commitLater([]);
    await settled();
    expect(errors).toEqual([[{ error: 'disk full' }, 'commit failed']]);
  });

  it('cause no log entry if their commit fails because the downlink has already ended', async () => {
    const { states, errors, settled } = setUp(new ConflictError('down-state'));
    states.commitLater([]);
    await settled();
    expect(errors).toEqual([]);
  });
});
