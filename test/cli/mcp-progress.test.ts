/** Notifications of progress of the MCP server. */
import { expect, it } from 'vitest';
import { withProgress } from '../../src/cli/mcp-progress.js';
import { seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';

/** The notifications during a call of 25 s, and how many alarms are left after it. */
async function during(token: string | undefined) {
  const clock = new VirtualClock();
  const sent: [number, object][] = [];
  const notify = async ({ params }: { params: object }) => {
    sent.push([clock.now, params]);
    throw new Error('the client is gone');
  };
  const work = () => new Promise<string>((resolve) => void clock.after(seconds(25), 'work', () => resolve('done')));
  const answer = withProgress({ token, notify }, clock, work);
  await clock.runUntil(seconds(25));
  return { answer: await answer, sent, left: clock.waiting };
}

it('a client that asks for them gets notifications of progress every 10 s until the answer', async () => {
  expect(await during('t')).toEqual({
    answer: 'done',
    sent: [
      [seconds(10), { progressToken: 't', progress: 1 }],
      [seconds(20), { progressToken: 't', progress: 2 }],
    ],
    left: 0,
  });
});

it('a client that does not ask for them gets none', async () => {
  expect((await during(undefined)).sent).toEqual([]);
});
