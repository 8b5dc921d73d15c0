/** The HTTP link: its requests, the responses that it accepts, and its behaviour without a response (cloud C-41). */
import { describe, expect, it } from 'vitest';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import { POLICIES } from '../../../src/device/family/index.js';
import type { PollOutcome, UplinkOutcome } from '../../../src/device/link/link.js';
import type { RadioLink } from '../../../src/device/link/radio-link.js';
import { openLink } from '../../../src/device/link/resending-link.js';
import { Modem } from '../../../src/device/modem/modem.js';
import { NoiseStream } from '../../../src/kernel/random.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { decodeRequest, encodeResponse } from '../../../src/protocol/http/frames.js';
import { encodeDown, encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, TOKEN } from '../../support/cloud.js';
import { testBoard } from '../../support/device.js';

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  /** Key of the answered request, if it is not the request just received. */
  readonly key?: string;
  readonly after?: number;
}

type RequestFrame = ReturnType<typeof decodeRequest>;

/** A link whose modem is attached. `answer` returns the response to the n-th request (from 0), or undefined for no response. */
async function testLink(answer: (request: RequestFrame, n: number) => Answer | undefined = () => undefined) {
  const clock = new VirtualClock();
  const modem = new Modem(testBoard(clock), new NoiseStream(1), 1);
  const offeredAgain = { count: 0 };
  const requests: (RequestFrame & { readonly at: number })[] = [];
  const end = {
    clock,
    modem,
    policy: POLICIES.chester,
    config: new DeviceConfig(configLayout([])),
    port: {
      send: (frame: Uint8Array) => {
        const request = decodeRequest(frame);
        const said = answer(request, requests.length);
        requests.push({ ...request, at: clock.now });
        if (said === undefined) return;
        const { status = 200, body = {}, key = request.key, after = 10 } = said;
        clock.after(after, 'answer', () => link.receive(encodeResponse({ key, status, body: text(body) })));
      },
      reopen: () => {},
    },
    observer: {
      woke: () => {},
      repeated: () => {},
      restarted: () => {},
      offeredAgain: () => offeredAgain.count++,
      overran: () => {},
    },
    serial: SERIAL,
    token: TOKEN,
    bufferSize: 2000,
  };
  const link: RadioLink = openLink(end, 'http');
  modem.start();
  await clock.runUntil(minutes(2));
  const outcomes: (UplinkOutcome | PollOutcome)[] = [];
  return {
    clock,
    link,
    requests,
    offeredAgain,
    outcomes,
    send: (message: Uint8Array, budget = Number.POSITIVE_INFINITY) =>
      link.uplink(
        message,
        budget,
        () => {},
        (outcome) => outcomes.push(outcome),
      ),
    poll: () => link.poll(seconds(60), (outcome) => outcomes.push(outcome)),
  };
}

function text(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

const DATA = encodeUp({ kind: 'upload-data', hash: '0011223344556677', body: Uint8Array.of(0xa0) });
const otherData = (n: number) =>
  encodeUp({ kind: 'upload-data', hash: '0011223344556677', body: Uint8Array.of(0xa1, n, n) });
const ID = '0197a3b1-0000-7000-8000-000000000001';
const DOWNLINK = { id: ID, type: 'config', body: ['app config a 1'] };
const MESSAGE = encodeDown({ kind: 'download-config', lines: ['app config a 1'] });
const EMPTY = new Uint8Array(0);

/** A cloud with one downlink. The acknowledgement with the number `takenOffBy` (from 0) removes it from the queue. */
function cloudWith(downlink: unknown, takenOffBy = 0) {
  let acknowledged = 0;
  return ({ kind }: RequestFrame): Answer | undefined => {
    if (kind === 'poll') return { body: { downlink: acknowledged > takenOffBy ? null : downlink, more: false } };
    return acknowledged++ >= takenOffBy ? { body: { poll: false } } : undefined;
  };
}

describe('an uplink', () => {
  it('is one request with the claim token, and its answer says whether to poll', async () => {
    const { clock, requests, outcomes, send } = await testLink(() => ({ body: { poll: true } }));
    send(DATA);
    await clock.runUntil(minutes(3));
    expect(requests).toMatchObject([{ kind: 'uplink', token: TOKEN }]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ type: 'data', codec_hash: '0011223344556677', cbor: 'oA==' });
    expect(outcomes).toEqual([{ ok: true, poll: true }]);
  });

  it('that begins a session is sent to its own path, with the facts as the device has them', async () => {
    const { clock, requests, send } = await testLink(() => ({ body: { poll: true } }));
    send(encodeUp({ kind: 'create-session', session: { fw_version: 'v1' } }));
    await clock.runUntil(minutes(3));
    expect(requests).toMatchObject([{ kind: 'session', body: '{"fw_version":"v1"}' }]);
  });

  it('is repeated every 10 s with the same key until it is answered', async () => {
    const { clock, requests, outcomes, send } = await testLink();
    send(DATA, seconds(60));
    await clock.runUntil(minutes(5));
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    const periods = requests.slice(1).map(({ at }, i) => at - (requests[i]?.at ?? 0));
    // 5 s of listening, 5 s of pause.
    expect(periods).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
    expect(outcomes).toEqual([{ ok: false, why: 'no answer in time' }]);
  });

  it('has its key again if it failed and the firmware sends the same data later; after an answer, the key is new', async () => {
    const { clock, requests, send } = await testLink(({ kind }, n) =>
      kind === 'uplink' && n < 2 ? undefined : { body: {} },
    );
    send(DATA, seconds(15));
    await clock.runUntil(minutes(5));
    for (const at of [10, 15]) {
      send(DATA);
      await clock.runUntil(minutes(at));
    }
    const keys = requests.map(({ key }) => key);
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(new Set(keys.slice(0, -1)).size).toBe(1);
    expect(keys.at(-1)).not.toBe(keys[0]);
  });

  it('has its key again also after newer data that were not answered either', async () => {
    const { clock, requests, send } = await testLink((_, n) => (n < 3 ? undefined : { body: { poll: false } }));
    const messages = [DATA, otherData(1), otherData(2)];
    for (const message of [...messages, ...messages, DATA]) {
      send(message, seconds(8));
      await clock.runUntil(clock.now + minutes(3));
    }
    const keys = requests.map(({ key }) => key);
    expect(new Set(keys.slice(0, 3)).size).toBe(3);
    expect(keys.slice(3, 6)).toEqual(keys.slice(0, 3));
    expect(keys.slice(0, 6)).not.toContain(keys[6]);
  });

  it.each([401, 429, 500, 503])(
    'is repeated after an answer with status %i, as if there was no answer',
    async (status) => {
      const { clock, requests, outcomes, send } = await testLink((_, n) =>
        n === 0 ? { status, body: { message: 'no' } } : { body: { poll: false } },
      );
      send(DATA);
      await clock.runUntil(minutes(3));
      expect(requests).toHaveLength(2);
      expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBe(10_000);
      expect(outcomes).toEqual([{ ok: true, poll: false }]);
    },
  );

  it('ignores the answer to another request', async () => {
    const { clock, outcomes, send } = await testLink((_, n) =>
      n === 0 ? { key: 'x-1', body: { poll: true } } : undefined,
    );
    send(DATA, seconds(8));
    await clock.runUntil(minutes(3));
    expect(outcomes).toEqual([{ ok: false, why: 'no answer in time' }]);
  });

  it('accepts a late answer after it has sent the repetition', async () => {
    const { clock, requests, outcomes, send } = await testLink(() => ({ body: { poll: false }, after: seconds(7) }));
    send(DATA);
    await clock.runUntil(minutes(3));
    expect(requests).toHaveLength(2);
    expect(outcomes).toEqual([{ ok: true, poll: false }]);
  });

  it('fails if its answer cannot be read', async () => {
    const { clock, outcomes, send } = await testLink(() => ({ body: '<html>' }));
    send(DATA);
    await clock.runUntil(minutes(3));
    expect(outcomes).toEqual([{ ok: false, why: 'unreadable answer' }]);
  });

  it('never has the key of an earlier uplink', async () => {
    const { clock, link, requests, send } = await testLink(() => ({ body: { poll: false } }));
    for (let i = 0; i < 3; i++) {
      send(DATA);
      await clock.runUntil(clock.now + seconds(30));
      if (i === 1) link.reset();
    }
    expect(new Set(requests.map(({ key }) => key)).size).toBe(3);
  });
});

describe('a poll', () => {
  it('fetches nothing if no downlink is waiting', async () => {
    const { clock, requests, outcomes, poll } = await testLink(() => ({ body: { downlink: null, more: false } }));
    poll();
    await clock.runUntil(minutes(3));
    expect(requests.map(({ kind }) => kind)).toEqual(['poll']);
    expect(outcomes).toEqual([{ ok: true, message: EMPTY, more: false }]);
  });

  it('acknowledges a downlink before returning it', async () => {
    const { clock, requests, outcomes, poll } = await testLink(cloudWith(DOWNLINK));
    poll();
    await clock.runUntil(minutes(3));
    expect(requests.map(({ kind, body }) => [kind, body])).toEqual([
      ['poll', '{}'],
      ['ack', `{"id":"${ID}"}`],
    ]);
    expect(outcomes).toEqual([{ ok: true, message: Uint8Array.from(MESSAGE), more: false }]);
  });

  it.each([404, 409])('discards a downlink whose acknowledgement is rejected with %i', async (status) => {
    const { clock, requests, outcomes, poll } = await testLink(({ kind }) =>
      kind === 'poll' ? { body: { downlink: DOWNLINK, more: false } } : { status, body: { code: 'cancelled' } },
    );
    poll();
    await clock.runUntil(minutes(3));
    expect(requests.map(({ kind }) => kind)).toEqual(['poll', 'ack']);
    expect(outcomes).toEqual([{ ok: true, message: EMPTY, more: false }]);
  });

  it('repeats the acknowledgement until it is answered', async () => {
    const { clock, requests, outcomes, poll } = await testLink(cloudWith(DOWNLINK, 2));
    poll();
    await clock.runUntil(minutes(3));
    expect(requests.map(({ kind }) => kind)).toEqual(['poll', 'ack', 'ack', 'ack']);
    expect(outcomes).toHaveLength(1);
  });

  it.each([
    ['is reported if the acknowledgement was answered', 0, 1],
    ['is not reported as long as no acknowledgement was answered', 100, 0],
  ])('that brings the same downlink again %s', async (_, takenOffBy, reports) => {
    const answer = cloudWith(DOWNLINK, takenOffBy);
    const { clock, offeredAgain, poll } = await testLink((request) =>
      request.kind === 'poll' ? { body: { downlink: DOWNLINK, more: false } } : answer(request),
    );
    for (let n = 0; n < 2; n++) {
      poll();
      await clock.runUntil(clock.now + minutes(10));
    }
    expect(offeredAgain.count).toBe(reports);
  });

  it('returns a downlink once, even if the cloud never answers the acknowledgement', async () => {
    const { clock, outcomes, poll } = await testLink(cloudWith(DOWNLINK, 100));
    poll();
    await clock.runUntil(minutes(4));
    poll();
    await clock.runUntil(minutes(6));
    expect(outcomes).toEqual([
      { ok: true, message: Uint8Array.from(MESSAGE), more: false },
      { ok: true, message: EMPTY, more: false },
    ]);
  });

  it.each([
    [
      'is longer than the buffer',
      { ...DOWNLINK, body: Array.from({ length: 20 }, () => 'x'.repeat(200)) },
      'message longer',
    ],
    ['cannot be read', { ...DOWNLINK, type: 'weather' }, 'unreadable answer'],
  ])('fails on a downlink that %s', async (_, downlink, why) => {
    const { clock, requests, outcomes, poll } = await testLink(cloudWith(downlink));
    poll();
    await clock.runUntil(minutes(3));
    expect(requests.map(({ kind }) => kind)).toEqual(['poll']);
    expect(outcomes).toEqual([{ ok: false, why: expect.stringContaining(why) }]);
  });
});
