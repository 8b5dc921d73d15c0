/** The observation of another cloud: its end, and which downlink an answer belongs to. remote.test.ts and audit/ have the other tests of the observer. */
import { expect, it } from 'vitest';
import type { DeviceCloudClient, Message } from '../../../src/client/client.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { TargetAudit } from '../../../src/runner/targets/audit/audit.js';
import { Observer } from '../../../src/runner/targets/observer.js';
import type { TraceEvent } from '../../../src/trace/events.js';

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

it('a shell answer that the cloud stores twice is not taken for the answer of the next downlink', async () => {
  const serial = 7;
  const clock = new VirtualClock();
  const events: TraceEvent[] = [];
  const created_at = new Date(clock.wall).toISOString();
  const uplinks: Message[] = [];
  const allMessages = async function* () {
    yield* [...uplinks].reverse();
  };
  const inApi = (id: string) => ({ id, device_serial_number: String(serial), created_at, down_state: 'sent' });
  // The casts in this test are safe because the observer reads no other fields.
  const api = { allMessages, message: async (id: string) => inApi(id) } as unknown as DeviceCloudClient;
  const audit = new TargetAudit(clock, [], 1);
  const observer = new Observer(clock, { emit: (event) => void events.push(event) }, new Set([serial]), 1, audit);
  observer.follow(api);
  const ids = ['0190a6d2-0000-7000-8000-000000000001', '0190a6d2-0000-7000-8000-000000000002'];
  const body = ['info show'];
  for (const id of ids) {
    observer.queued(
      { ...inApi(id), type: 'shell', body, down_state: 'pending' } as unknown as Message,
      audit.asks(body),
    );
  }
  for (const id of ids) {
    audit.received(serial, encodeDown({ kind: 'download-shell', commands: body, messageId: uuidBytes(id) }));
    observer.emit({ kind: 'downlink.received', at: clock.now, serial, type: 'shell', print: 'p' });
  }
  const answers = [ids[0], ids[0]];
  answers.forEach((message_id, n) => {
    uplinks.push({ ...inApi(`m${n}`), type: 'shell', body: { message_id, responses: [] } } as unknown as Message);
  });
  await clock.runUntil(seconds(3));
  await new Promise((resolve) => setImmediate(resolve));
  observer.stop();
  const of = (kind: TraceEvent['kind']) =>
    events.flatMap((event) => (event.kind === kind && 'downlink' in event ? [event.downlink] : []));
  expect(of('downlink.offered')).toEqual(ids);
  expect(of('downlink.answered')).toEqual([ids[0]]);
});
