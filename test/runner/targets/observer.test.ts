/** The observation of another cloud: its end, and which downlinks an uplink answers. remote.test.ts and audit/ have the other tests of the observer. */
import { describe, expect, it } from 'vitest';
import type { DeviceCloudClient, Message } from '../../../src/client/client.js';
import { type Instant, type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { TargetAudit } from '../../../src/runner/targets/audit/audit.js';
import { Observer } from '../../../src/runner/targets/observer.js';
import { TargetClock } from '../../../src/runner/targets/target-clock.js';
import type { TraceEvent } from '../../../src/trace/events.js';

/** An audit, and the clock of a cloud that agrees with the clock of the run. */
function audited(clock: VirtualClock): [TargetAudit, TargetClock] {
  const times = new TargetClock({ time: clock, run: clock, speed: 1 });
  times.noteCreated(new Date(clock.wall).toISOString(), clock.now);
  return [new TargetAudit(clock, [], 1, times), times];
}

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
  const observer = new Observer(clock, { emit: () => {} }, new Set(), 1, ...audited(clock));
  observer.follow(api);
  await clock.runUntil(seconds(1));
  observer.stop();
  answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.waiting).toBe(0);
});

/** Takes the last look at a cloud that lists this message without an end. The cast is safe because nothing else is read. */
function lookAtEndless(message: object, signal?: AbortSignal): Promise<void> {
  const clock = new VirtualClock();
  let id = 0;
  const allMessages = async function* () {
    for (;;) yield { ...message, id: String(id++), created_at: new Date(clock.wall).toISOString() };
  };
  const api = { allMessages } as unknown as DeviceCloudClient;
  return new Observer(clock, { emit: () => {} }, new Set(), 1, ...audited(clock)).takeLastLook(api, signal);
}

it('a list of messages without an end ends the last look', async () => {
  await expect(lookAtEndless({ body: 'x'.repeat(10_000_000) })).rejects.toMatchObject({
    code: 'target-gone',
    message: expect.stringMatching(/the messages since \S+ have more than 256 MiB$/),
  });
});

it('a last look can be interrupted', async () => {
  const reason = new Error('interrupted');
  await expect(lookAtEndless({}, AbortSignal.abort(reason))).rejects.toBe(reason);
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
  const [audit, times] = audited(clock);
  const observer = new Observer(
    clock,
    { emit: (event) => void events.push(event) },
    new Set([serial]),
    1,
    audit,
    times,
  );
  observer.follow(api);
  const ids = ['0190a6d2-0000-7000-8000-000000000001', '0190a6d2-0000-7000-8000-000000000002'];
  const body = ['info show'];
  for (const id of ids) {
    observer.noteQueued(
      { ...inApi(id), type: 'shell', body, down_state: 'pending' } as unknown as Message,
      audit.noteAsked(body),
    );
  }
  for (const id of ids) {
    audit.noteReceived(serial, encodeDown({ kind: 'download-shell', commands: body, messageId: uuidBytes(id) }));
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

describe('a config downlink', () => {
  const SERIAL = 7;
  const REPORT_60 = 'app config interval-report 60';
  const REPORT_90 = 'app config interval-report 90';

  interface Story {
    /** Config downlinks that the device receives after 1 s, by id. */
    readonly downlinks: Readonly<Record<string, readonly string[]>>;
    /** The last configuration in the API before the run. */
    readonly before?: readonly string[];
    /** Uplinks: time, type and body. */
    readonly uplinks: readonly (readonly [at: Millis, type: string, body: unknown])[];
  }

  /** Ids of the downlinks that are answered, with the time of the answer. */
  async function answers({ downlinks, before, uplinks }: Story): Promise<Readonly<Record<string, Instant>>> {
    const clock = new VirtualClock();
    const start = clock.wall;
    const events: TraceEvent[] = [];
    const stored = uplinks.map(([at, type, body], n) => ({
      ...{ id: `up${n}`, type, body, direction: 'up', raw: null, device_id: 'd', device_serial_number: String(SERIAL) },
      created_at: new Date(start + at).toISOString(),
    }));
    const until = (time: string) => stored.filter(({ created_at }) => created_at <= time).reverse();
    const api = {
      allMessages: async function* ({ direction }: { readonly direction: string }) {
        if (direction === 'up') yield* until(new Date(clock.wall).toISOString());
      },
      messages: async ({ before: time = '' }) => {
        const [last] = until(time).filter(({ type, created_at }) => type === 'config' && created_at < time);
        return last ? [last] : before ? [{ body: before }] : [];
      },
      message: async (id: string) => ({ id, down_state: 'sent', down_state_at: new Date(start + 1000).toISOString() }),
      // The cast is safe because the observer calls no other methods.
    } as unknown as DeviceCloudClient;
    const [audit, times] = audited(clock);
    const observer = new Observer(
      clock,
      { emit: (event) => void events.push(event) },
      new Set([SERIAL]),
      1,
      audit,
      times,
    );
    observer.follow(api);
    for (const [id, body] of Object.entries(downlinks)) {
      // The cast is safe because the observer reads no other fields.
      const queued = {
        id,
        type: 'config',
        body,
        device_serial_number: String(SERIAL),
        down_state: 'pending',
      } as Message;
      observer.noteQueued(queued, audit.noteAsked(body));
    }
    await clock.runUntil(1000);
    for (const lines of Object.values(downlinks)) {
      audit.noteReceived(SERIAL, encodeDown({ kind: 'download-config', lines }));
      observer.emit({ kind: 'downlink.received', at: clock.now, serial: SERIAL, type: 'config', print: 'p' });
    }
    for (let second = 2; second <= 12; second++) {
      await clock.runUntil(seconds(second));
      await new Promise((resolve) => setImmediate(resolve));
    }
    observer.stop();
    return Object.fromEntries(
      events.flatMap((event) => (event.kind === 'downlink.answered' ? [[event.downlink, event.at]] : [])),
    );
  }

  it('that changes nothing is answered by the first data after the restart', async () => {
    const before = [REPORT_60];
    const uplinks = [
      [3000, 'session', {}],
      [5000, 'data', {}],
      [6000, 'data', {}],
    ] as const;
    expect(await answers({ downlinks: { one: [REPORT_60] }, before, uplinks })).toEqual({ one: 5000 });
  });

  it('is not answered by data that the device sent before it received the downlink', async () => {
    const uplinks = [
      [100, 'session', {}],
      [200, 'config', [REPORT_60]],
      [900, 'data', {}],
      [1500, 'data', {}],
    ] as const;
    expect(await answers({ downlinks: { one: [REPORT_60] }, uplinks })).toEqual({});
  });

  it('is answered by the configuration that contains it, with all others that it contains', async () => {
    const downlinks = {
      unchanged: ['app config mode a'],
      first: [REPORT_90],
      rejected: ['app config interval-report 0'],
    };
    const uplinks = [
      [3000, 'session', {}],
      [4000, 'config', ['app config mode a', REPORT_90]],
      [5000, 'data', {}],
    ] as const;
    expect(await answers({ downlinks, uplinks })).toEqual({ unchanged: 4000, first: 4000 });
  });

  it('is answered by the next configuration if the cloud does not show configurations as lines', async () => {
    const uplinks = [
      [3000, 'session', {}],
      [4000, 'config', { 'interval-report': 90 }],
    ] as const;
    expect(await answers({ downlinks: { one: [REPORT_90] }, uplinks })).toEqual({ one: 4000 });
  });
});

it('the events of a cloud whose clock is five minutes behind have times of the run, and none is missed', async () => {
  const serial = 7;
  const clock = new VirtualClock();
  const start = clock.wall;
  const events: TraceEvent[] = [];
  const stamp = (at: Millis) => new Date(start + at - minutes(5)).toISOString();
  const times = new TargetClock({ time: clock, run: clock, speed: 1 });
  times.noteCreated(stamp(0), 0);
  const uplink = { id: 'up', type: 'session', created_at: stamp(1500), device_serial_number: String(serial) };
  const api = {
    allMessages: async function* ({ after, direction }: { readonly after: string; readonly direction: string }) {
      if (direction === 'up' && clock.now >= 1500 && uplink.created_at > after) yield uplink;
    },
    message: async () => ({ id: 'down', down_state: 'sent', down_state_at: stamp(1000) }),
    // The cast is safe because the observer calls no other methods.
  } as unknown as DeviceCloudClient;
  const audit = new TargetAudit(clock, [], 1, times);
  const observer = new Observer(
    clock,
    { emit: (event) => void events.push(event) },
    new Set([serial]),
    1,
    audit,
    times,
  );
  observer.follow(api);
  const body = ['info show'];
  // The cast is safe because the observer reads no other fields.
  const queued = {
    id: 'down',
    type: 'shell',
    body,
    device_serial_number: String(serial),
    down_state: 'pending',
  } as Message;
  observer.noteQueued(queued, audit.noteAsked(body));
  await clock.runUntil(1000.25);
  observer.emit({ kind: 'downlink.received', at: clock.now, serial, type: 'shell', print: 'p' });
  for (const second of [2, 3]) {
    await clock.runUntil(seconds(second));
    await new Promise((resolve) => setImmediate(resolve));
  }
  observer.stop();
  expect(events.map(({ kind, at }) => [kind, at])).toEqual([
    ['downlink.queued', 0],
    ['downlink.offered', 1000.25],
    ['downlink.received', 1000.25],
    // The error of a millisecond must not move the delivery before the receipt.
    ['downlink.delivered', 1000.25],
    ['cloud.stored', 1500],
  ]);
});
