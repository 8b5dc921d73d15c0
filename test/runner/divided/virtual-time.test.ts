import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import type { ListedDevice } from '../../../src/cloud/store/store.js';
import { EXIT } from '../../../src/kernel/errors.js';
import type { Profile } from '../../../src/profile/profile.js';
import type { FromPart, ToPart } from '../../../src/runner/divided/messages.js';
import { PortChannel } from '../../../src/runner/divided/threads/port-channel.js';
import { crewOfThisThread } from '../../support/crew.js';
import { profiles, runText } from '../run-text.js';
import { TEXT } from './divided-run.js';

/** Device types of a user. Their `clime` waits 30 s before its first report, the packaged one 10 s. */
const own = new Map(
  ['clime', 'push'].map((name) => {
    const profile = profiles.get(name) as Profile;
    return [name, name === 'push' ? profile : { ...profile, timing: { ...profile.timing, firstReport: 30_000 } }];
  }),
);

/** The whole result except the real duration of the run. */
async function resultIn(workers: number, transport: 'memory' | 'udp' = 'memory') {
  let divided: boolean | undefined;
  const started = ({ world }: { readonly world?: unknown }) => {
    divided = world === undefined;
  };
  const ran = await runText(TEXT, { workers, transport, db: databaseOf(workers), profiles: own, started });
  const { wallMs: _, transport: _transport, ...result } = ran;
  expect(divided).toBe(workers > 1);
  return result;
}
const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-threads-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The database of {@link resultIn}. */
const databaseOf = (workers: number) => join(folder, `${workers}.db`);

/** What the database of a run contains. */
async function contentOf(workers: number) {
  const store = await openStore(databaseOf(workers));
  const spaces = await store.spaces({ limit: 9 });
  const id = spaces[0]?.id ?? '';
  const names = new Map((await store.tags(id, { limit: 9 })).map((tag) => [tag.id, tag.name]));
  // The cast is safe because a list by name has no unknown cursor.
  const listed = (await store.devices(id, {
    ...{ limit: 99, sortBy: 'name', order: 'asc' },
  })) as readonly ListedDevice[];
  const devices = listed.map(({ tagIds, ...device }) => ({ ...device, tags: tagIds.map((tag) => names.get(tag)) }));
  const messages = (await store.messages(id, { limit: 9999 })).map((message) =>
    // The answers to `info show`: each run has other tokens.
    JSON.stringify(message).replace(/claim token: [0-9a-f]{32}/, 'claim token'),
  );
  const variables = await store.records('variable', id, { limit: 9 });
  await store.close();
  return { spaces, devices, messages, variables: variables.length, tags: [...names.values()].sort() };
}

describe('a run whose devices are divided among threads', () => {
  it('has the same events and result over UDP as a run in one thread in memory, also with device types of the user', async () => {
    const [one, two] = await Promise.all([resultIn(1), resultIn(2, 'udp')]);
    expect(one.failure).toBe('not at rest 10m after the end: dark-0001 with its session');
    expect(one.service.refused).not.toEqual({});
    expect(two).toEqual(one);
  });

  it('leaves one database, with the devices, tags and messages of all threads', async () => {
    const [one, two] = [await contentOf(1), await contentOf(2)];
    expect(two.messages.length).toBeGreaterThan(100);
    expect(two.tags).toHaveLength(2);
    expect(two).toEqual(one);
    expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
  });

  it('fails if one of its threads is lost, and says why', async () => {
    const lost = new PortChannel<ToPart, FromPart>(new MessageChannel().port1, () => {});
    lost.lose('its thread has failed: out of memory');
    const engage = async () => [lost, lost];
    await expect(runText(TEXT, { workers: 2, crew: { ...crewOfThisThread, engage } })).rejects.toMatchObject({
      ...{ code: 'worker-lost', exit: EXIT.invalid },
      message: 'worker 1 was lost: its thread has failed: out of memory',
    });
  });
});
