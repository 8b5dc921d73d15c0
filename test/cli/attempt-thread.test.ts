/** The threads in which `shrink` runs scenarios. */
import { afterEach, describe, expect, it } from 'vitest';
import { AttemptThread } from '../../src/cli/attempt-thread.js';

const FAILING = `name: failing
duration: 10s
fleet: [{ name: clime, profile: clime, count: 1 }]
expect: [fleet.devices > 5]
`;

let thread: AttemptThread | undefined;
afterEach(() => thread?.close());

function opened(): AttemptThread {
  thread = new AttemptThread({ file: 'failing.yaml', allowFile: [], allowHost: [] });
  return thread;
}

describe('a thread of shrink', () => {
  it('returns the outcome of one attempt after another, and undefined for an invalid scenario', async () => {
    const { signal } = new AbortController();
    const attempts = opened();
    expect(await attempts.outcomeOf(FAILING, signal)).toMatchObject({
      ...{ exitCode: 3, passed: false },
      expectations: [{ line: 'fleet.devices > 5', left: 1, right: 5 }],
    });
    expect(await attempts.outcomeOf('name: nothing', signal)).toBeUndefined();
    expect(await attempts.outcomeOf(FAILING.replace('> 5', '== 1'), signal)).toMatchObject({ passed: true });
  });

  it('ends a run early if its outcome is not needed', async () => {
    const ending = new AbortController();
    const attempts = opened();
    const outcome = attempts.outcomeOf(FAILING.replace('10s', '300d'), ending.signal);
    ending.abort();
    expect(await outcome).toMatchObject({ exitCode: 130 });
    expect(await attempts.outcomeOf(FAILING, new AbortController().signal)).toMatchObject({ exitCode: 3 });
  });

  it('reports that it has ended, and what the user can do', async () => {
    const attempts = opened();
    const outcome = attempts.outcomeOf(FAILING, new AbortController().signal);
    await Promise.all([
      expect(outcome).rejects.toMatchObject({
        ...{ message: 'a thread of shrink has failed: it has ended', exit: 1 },
        hint: expect.stringContaining('--workers 1'),
      }),
      attempts.close(),
    ]);
  });
});
