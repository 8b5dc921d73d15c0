/** The threads in which `shrink` runs scenarios, and what it remembers about these runs. */
import { afterAll, describe, expect, it } from 'vitest';
import { AttemptThread } from '../../src/cli/attempt-thread.js';
import { Attempts } from '../../src/cli/attempts.js';
import { packagedProfiles } from '../../src/profile/library.js';

const FAILING = `name: failing
duration: 10s
fleet: [{ name: clime, profile: clime, count: 1 }]
expect: [fleet.devices > 5]
`;

const SETTINGS = { file: 'failing.yaml', allowFile: [], allowHost: [] };

const opened = () => new AttemptThread(SETTINGS);

describe('a thread of shrink', () => {
  const attempts = opened();
  afterAll(() => attempts.close());

  it('returns the outcome of one attempt after another, and undefined for an invalid scenario', async () => {
    const { signal } = new AbortController();
    expect(await attempts.tryText(FAILING, signal)).toMatchObject({
      ...{ exitCode: 3, passed: false },
      expectations: [{ line: 'fleet.devices > 5', left: 1, right: 5 }],
    });
    expect(await attempts.tryText('name: nothing', signal)).toBeUndefined();
    expect(await attempts.tryText(FAILING.replace('> 5', '== 1'), signal)).toMatchObject({ passed: true });
  });

  it('ends a run early if its outcome is not needed', async () => {
    const ending = new AbortController();
    const outcome = attempts.tryText(FAILING.replace('10s', '300d'), ending.signal);
    ending.abort();
    expect(await outcome).toMatchObject({ exitCode: 130 });
    expect(await attempts.tryText(FAILING, new AbortController().signal)).toMatchObject({ exitCode: 3 });
  });

  it('reports that it has ended, and what the user can do', async () => {
    const ended = opened();
    const outcome = ended.tryText(FAILING, new AbortController().signal);
    await Promise.all([
      expect(outcome).rejects.toMatchObject({
        ...{ message: 'a thread of shrink has failed: it has ended', exit: 1 },
        hint: expect.stringContaining('--workers 1'),
      }),
      ended.close(),
    ]);
  });
});

describe('the attempts of shrink', () => {
  const opened = () =>
    new Attempts({ ...SETTINGS, profiles: packagedProfiles(), workers: 1 }, { onInterrupt: () => () => {} });

  it('run the same text once, and return its outcome again', async () => {
    const attempts = opened();
    const first = await attempts.tryText(FAILING, new AbortController().signal);
    expect(first).toMatchObject({ exitCode: 3 });
    expect(await attempts.tryText(FAILING)).toBe(first);
    await attempts.close();
  });

  it('run a text again if its first attempt was aborted', async () => {
    const attempts = opened();
    await attempts.tryText(FAILING, AbortSignal.abort());
    expect(await attempts.tryText(FAILING)).toMatchObject({ exitCode: 3 });
    await attempts.close();
  });
});
