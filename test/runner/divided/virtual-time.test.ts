import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import type { ListedDevice } from '../../../src/cloud/store/store.js';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import type { Profile } from '../../../src/profile/profile.js';
import type { FromPart, ToPart } from '../../../src/runner/divided/messages.js';
import { PortChannel } from '../../../src/runner/divided/threads/port-channel.js';
import { crewOfThisThread } from '../../support/crew.js';
import { profiles, runText } from '../run-text.js';

/**
 * A scenario with several device types, a loss, steps for some devices and for all, a rejected configuration, a device that the
 * cloud does not know at first, and devices without network. One of the devices without network is not at rest when the time
 * for settling ends, 10 minutes after the scenario. Meanwhile, the modems of the others pause.
 */
const TEXT = `
name: divided
duration: 3h
setup: [{ variable: { name: season, value: winter } }]
fleet:
  - { name: clime, profile: clime, count: 4, boot: { over: 10m }, config: { interval-report: 900 }, tags: [cold-store] }
  - { name: push, profile: push, count: 2, boot: { pattern: storm }, tags: [street, cold-store] }
  - { name: late, profile: clime, count: 1, register: false }
  - { name: dark, profile: clime, count: 2, boot: { over: 4m }, config: { interval-report: 60, interval-poll: 60 } }
network:
  latency: 150ms..900ms
  faults:
    - { loss: 30%, to: clime/2, from: 20m, until: 1h }
    - { corruption: 10%, to: push, from: 30m, until: 1h }
steps:
  - { at: 20m, to: late, create-device: {} }
  - { at: 30m, to: all, commands: [info show] }
  - { at: 40m, to: clime/3, config: { interval-sample: 30 } }
  - { at: 50m, to: push, power-cycle: {} }
  - { at: 34m, to: dark, radio: off }
  - { at: 169m, to: dark/1, power-cycle: {} }
expect: [device.ready >= 6, always no-loss-across-reconnects, 'downlink.answered within 1h >= 10%']
`;

/** Device types of a user. Their `clime` waits 30 s before its first report, the packaged one 10 s. */
const own = new Map(
  ['clime', 'push'].map((name) => {
    const profile = profiles.get(name) as Profile;
    return [name, name === 'push' ? profile : { ...profile, timing: { ...profile.timing, firstReport: 30_000 } }];
  }),
);

/** Two parts of a run. Threads of their own, as in the first test, take longer to start than most of these runs. */
const inThisThread = { workers: 2, crew: crewOfThisThread };

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

  it.each([
    ['before they are deleted', '1h', 12],
    ['in the hour in which they are deleted, in two batches of at most 500', '2d', 504],
  ])('expires messages %s, as many at a time as a run in one thread', async (_, end, count) => {
    const steps = Array.from({ length: count / 4 }, () => '  - { at: 10m, commands: [info show] }').join('\n');
    const text = `
name: batches
duration: 51h
cloud: { expire-downlinks: ${end}, retain-messages: 2d }
fleet: [{ name: clime, profile: clime, count: 4, boot: { from: 51h } }]
steps:
${steps}
expect: [downlink.expired == ${count}, message.pruned == ${count}]
`;
    const [one, two] = await Promise.all([runText(text), runText(text, inThisThread)]);
    expect([one.passed, two.passed, two.digest]).toEqual([true, true, one.digest]);
  });

  it('leaves one database, with the devices, tags and messages of all threads', async () => {
    const [one, two] = [await contentOf(1), await contentOf(2)];
    expect(two.messages.length).toBeGreaterThan(100);
    expect(two.tags).toHaveLength(2);
    expect(two).toEqual(one);
    expect(readdirSync(folder).filter((name) => name.includes('part'))).toEqual([]);
  });

  it('ends when it is stopped, with the results so far', async () => {
    const result = await runText(TEXT, {
      ...inThisThread,
      started: ({ clock, stop }) => void clock.after(3_600_000, 'Ctrl-C', () => stop(new InterruptedError('SIGINT'))),
    });
    expect(result.exitCode).toBe(EXIT.interrupted);
    expect(result.simulatedMs).toBeLessThan(3 * 3_600_000);
    expect(result.events).toBeGreaterThan(10);
    expect(result.expectations.every(({ undecided }) => undecided)).toBe(true);
  });

  it('fails like a run in one thread if the world cannot be built', async () => {
    const text = TEXT.replace('winter } }', 'winter } }, { variable: { name: season, value: summer } }');
    const failure = (options: object) => runText(text, options).then(String, ({ message }) => message);
    expect(await failure(inThisThread)).toBe(await failure({}));
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
