/** The end of the observation of another cloud. remote.test.ts and audit/ have the other tests of the observer. */
import { expect, it } from 'vitest';
import type { DeviceCloudClient, Message } from '../../../src/client/client.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { TargetAudit } from '../../../src/runner/targets/audit/audit.js';
import { Observer } from '../../../src/runner/targets/observer.js';

it('an observer that is stopped while it reads the API sets no further alarm', async () => {
  const clock = new VirtualClock();
  let answer = () => {};
  const answered = new Promise<readonly Message[]>((resolve) => {
    answer = () => resolve([]);
  });
  const allMessages = async function* () {
    yield* await answered;
  };
  // The cast is safe because the observer reads only the messages here.
  const api = { allMessages } as unknown as DeviceCloudClient;
  const observer = new Observer(clock, { emit: () => {} }, new Set(), 1, new TargetAudit(clock, [], 1));
  observer.follow(api);
  await clock.runUntil(seconds(1));
  observer.stop();
  answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.waiting).toBe(0);
});
