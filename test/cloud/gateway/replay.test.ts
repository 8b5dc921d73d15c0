/** Recorded datagrams that are sent again, and limits on repeated answers (docs/SECURITY.md, "Replayed datagrams"). */
import { describe, expect, it, vi } from 'vitest';
import { FlapGateway } from '../../../src/cloud/gateway/flap-gateway.js';
import { hours, seconds } from '../../../src/kernel/time.js';
import { type Datagram, seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import {
  ACK,
  encodePacket,
  FIRST,
  LAST,
  NOTHING,
  type Packet,
  POLL,
  RESET,
} from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, TOKEN, testCloud, unseal } from '../../support/cloud.js';
import { ingressOf, post } from '../../support/ingress.js';

const HOME = { host: '10.0.0.1', port: 40_000 };
const NEW_PORT = { host: '10.0.0.1', port: 40_001 };
const ELSEWHERE = { host: '198.51.100.7', port: 9 };

const SESSION = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL, fw_version: 'v1.0.0' } });
const CONFIG = encodeUp({ kind: 'upload-config', hash: '0123456789abcdef', lines: ['app config interval-report 60'] });
const single = (sequence: number, data: Uint8Array) => ({ flags: FIRST | LAST, sequence, data });
const poll = (sequence: number) => ({ flags: POLL, sequence, data: NOTHING });
const ack = (sequence: number) => ({ flags: ACK, sequence, data: NOTHING });
const report = (n: number) =>
  single(0, encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(n) }));

/** @param shared whether another node shares the store */
async function guardedCloud({ shared = false } = {}) {
  const cloud = await testCloud();
  vi.spyOn(cloud.core, 'shared', 'get').mockReturnValue(shared);
  const device = await cloud.addDevice();
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (what: unknown) => warned.push(what), error: () => {} };
  const trace = { emit: () => {} };
  const gateway = new FlapGateway({ core: cloud.core, clock: cloud.clock, trace, log });
  const send = async (packet: Packet, source = HOME, token = TOKEN, format: 'raw' | 'base64' = 'raw') => {
    const answers: Datagram[] = [];
    gateway.receive(seal(packet, SERIAL, tokenBytes(token), format), format, (answer) => answers.push(answer), source);
    await gateway.idle();
    return answers[0] && unseal(answers[0], TOKEN, format);
  };
  const queue = (command: string) => cloud.core.queue(device, { type: 'shell', commands: [command] });
  const states = async () => (await cloud.messages(device)).map(({ downState }) => downState).filter(Boolean);
  const count = async () => (await cloud.messages(device)).length;
  const added = async (from: number) =>
    (await cloud.messages(device)).slice(from).map(({ type, direction }) => `${type} ${direction}`);
  const wait = (time: number) => cloud.clock.runUntil(cloud.clock.now + time);
  const timeline = async (id: string) =>
    (await cloud.store.timeline(id, { limit: 10 })).map(({ what, detail }) =>
      detail === null ? what : `${what}: ${detail}`,
    );
  return { ...cloud, gateway, send, queue, timeline, states, count, added, wait, warned };
}

/** A device that has fetched a command while an attacker recorded its poll and acknowledgement. Another command waits. */
async function recorded() {
  const cloud = await guardedCloud();
  await cloud.queue('first');
  await cloud.send(poll(0));
  await cloud.send(ack(2));
  await cloud.send({ ...report(1), sequence: 3 });
  await cloud.queue('secret');
  return cloud;
}

describe('at a node of several, a device that has communicated with another one', () => {
  async function another() {
    const first = await guardedCloud({ shared: true });
    await first.send(single(0, SESSION));
    const { core, clock } = first;
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const gateway = new FlapGateway({ core, clock, trace: { emit: () => {} }, log });
    const sendThere = async (packet: Packet, source = HOME) => {
      const answers: Datagram[] = [];
      gateway.receive(seal(packet, SERIAL, tokenBytes(TOKEN), 'raw'), 'raw', (answer) => answers.push(answer), source);
      await gateway.idle();
      return answers[0] && unseal(answers[0], TOKEN, 'raw');
    };
    const { id } = await first.queue('secret');
    return { ...first, sendThere, state: async () => (await first.store.message(first.spaceId, id))?.downState };
  }

  it('gets no downlink by a poll, which may be a copy', async () => {
    const { sendThere, state } = await another();
    for (const source of [ELSEWHERE, HOME]) await sendThere(poll(0), source);
    expect(await state()).toBe('pending');
  });

  it('is not replaced by copies of its session start while it is active', async () => {
    const { sendThere, count, wait } = await another();
    const before = await count();
    for (let n = 0; n < 5; n++) expect(await sendThere(single(0, SESSION), ELSEWHERE)).toBeUndefined();
    expect(await count()).toBe(before);
    await wait(seconds(61));
    expect(await sendThere(single(0, SESSION), ELSEWHERE)).toMatchObject({ flags: ACK | POLL });
  });

  it.each([poll(0), poll(9), report(1), { ...report(1), sequence: 9 }])(
    'is not claimed from it by a copy: %j',
    async (copy) => {
      const { sendThere, send, core } = await another();
      await send({ ...report(1), sequence: 2 });
      const moved = vi.spyOn(core, 'noteContact');
      for (const source of [ELSEWHERE, HOME]) await sendThere(copy, source);
      expect(moved).not.toHaveBeenCalled();
    },
  );

  it('may upload its configuration, statistics and responses before its first data', async () => {
    const { sendThere, send, added, count } = await another();
    await send(poll(2));
    await send(ack(4));
    const before = await count();
    const stats = encodeUp({ kind: 'upload-stats', stats: {} });
    expect(await sendThere(single(5, CONFIG))).toEqual(RESET);
    // After a reset, the firmware begins the same message again.
    for (const packet of [single(0, CONFIG), single(2, stats)])
      expect(await sendThere(packet)).toMatchObject({ flags: ACK });
    expect(await added(before)).toEqual(['config up', 'stats up']);
    expect(await sendThere({ ...report(1), sequence: 4 })).toMatchObject({ flags: ACK | POLL });
  });

  it('is not claimed from it by a copied session start, but by new data after one', async () => {
    const { sendThere, send, wait, core } = await another();
    await send({ ...report(1), sequence: 2 });
    await wait(seconds(61));
    const moved = vi.spyOn(core, 'noteContact');
    for (const packet of [single(0, SESSION), poll(2), ack(4), { ...report(1), sequence: 5 }, poll(7)])
      expect(await sendThere(packet, ELSEWHERE)).toEqual(packet.flags === ACK ? undefined : expect.anything());
    expect(moved).not.toHaveBeenCalled();
    expect(await sendThere({ ...report(2), sequence: 9 }, ELSEWHERE)).toMatchObject({ flags: ACK | POLL });
    expect(moved).toHaveBeenCalledOnce();
  });

  it('gets its downlinks after its next report', async () => {
    const { sendThere, state } = await another();
    await sendThere(poll(0));
    await sendThere(report(7));
    // The first poll gets the answer to the session, the second one the downlink.
    for (const packet of [poll(2), { ...poll(4), flags: ACK | POLL }, ack(6)]) await sendThere(packet);
    expect(await state()).toBe('sent');
  });
});

/** A device that starts, uploads its configuration and sends more datagrams than the gateway remembers. */
async function longSession() {
  const cloud = await guardedCloud();
  const session: Packet[] = [single(0, SESSION), poll(2), ack(4), single(5, CONFIG)];
  for (let n = 0; n < 40; n++) session.push({ ...report(n), sequence: 7 + 2 * n });
  for (const packet of session) await cloud.send(packet);
  return { cloud, session };
}

describe('a recorded poll and acknowledgement from another address', () => {
  it.each([0, hours(5)])('get no downlink and mark nothing as sent, %i ms later', async (later) => {
    const cloud = await recorded();
    await cloud.wait(later);
    expect([await cloud.send(poll(0), ELSEWHERE), await cloud.send(ack(2), ELSEWHERE)]).toEqual([undefined, undefined]);
    expect(await cloud.send(poll(0), NEW_PORT)).toBeUndefined();
    expect(await cloud.states()).toEqual(['sent', 'pending']);
  });

  it('do not disturb the dialogue of the device', async () => {
    const cloud = await recorded();
    for (const packet of [poll(0), ack(2), poll(2), ack(4)]) await cloud.send(packet, ELSEWHERE);
    expect((await cloud.send(poll(5)))?.sequence).toBe(6);
  });

  it('are counted, and one security event a minute is logged', async () => {
    const cloud = await recorded();
    await cloud.send(poll(0), ELSEWHERE);
    await cloud.send(ack(2), ELSEWHERE);
    expect(cloud.gateway.counters.replayed).toBe(2);
    expect(cloud.warned).toEqual([{ security: 'replay', serial: SERIAL, from: '198.51.100.7:9', dropped: 1 }]);
  });

  it('cause no reset if their sequence number is ahead', async () => {
    const cloud = await recorded();
    expect(await cloud.send(poll(900), ELSEWHERE)).toBeUndefined();
  });
});

describe('other recorded datagrams', () => {
  it('from the address of the device cause no reset after the dialogue has moved on', async () => {
    const cloud = await guardedCloud();
    await cloud.send(single(0, SESSION));
    await cloud.send(poll(2));
    await cloud.send(ack(4));
    for (const sequence of [5, 7, 9]) await cloud.send(poll(sequence));
    await cloud.send({ ...report(1), sequence: 3000 });
    await cloud.send(report(2));
    expect(await cloud.send(poll(9))).toBeUndefined();
    expect(cloud.gateway.counters.replayed).toBe(1);
  });

  it('do not reveal the downlink that the device has just been offered', async () => {
    const cloud = await guardedCloud();
    await cloud.queue('secret');
    await cloud.send(poll(0));
    for (let copy = 0; copy < 4; copy++) expect(await cloud.send(poll(0), ELSEWHERE)).toBeUndefined();
  });

  it('of the start of a session begin a dialogue without downlinks of users', async () => {
    const cloud = await guardedCloud();
    for (const packet of [single(0, SESSION), poll(2), ack(4)]) await cloud.send(packet);
    await cloud.queue('secret');
    await cloud.wait(seconds(61));
    expect((await cloud.send(single(0, SESSION), ELSEWHERE))?.flags).toBe(ACK | POLL);
    expect((await cloud.send(poll(2), ELSEWHERE))?.flags).toBe(FIRST | LAST);
    await cloud.send(ack(4), ELSEWHERE);
    expect((await cloud.send(poll(5), ELSEWHERE))?.data).toHaveLength(0);
    expect(await cloud.states()).toContain('pending');
  });

  it('of a whole session from another host store nothing within 60 s of the last datagram, however long the session was', async () => {
    const { cloud, session } = await longSession();
    const stored = await cloud.count();
    await cloud.wait(seconds(2));
    for (const packet of session) await cloud.send(packet, ELSEWHERE);
    expect(await cloud.count()).toBe(stored);
    expect(cloud.gateway.counters.replayed).toBeGreaterThan(0);
  });

  it('of a whole session store only its start after 60 s, because a restarted device sends the same bytes', async () => {
    const { cloud, session } = await longSession();
    const stored = await cloud.count();
    await cloud.wait(seconds(61));
    for (const packet of session) await cloud.send(packet, ELSEWHERE);
    expect(await cloud.added(stored)).toEqual(['session up', 'session down']);
  });

  it('with old data do not prove an address, even if they are older than the datagrams that the gateway remembers', async () => {
    const cloud = await guardedCloud();
    for (let n = 0; n < 40; n++) await cloud.send(report(n));
    await cloud.queue('secret');
    await cloud.wait(hours(72));
    expect(await cloud.send(report(0), ELSEWHERE)).toMatchObject({ flags: ACK });
    expect((await cloud.send(poll(2), ELSEWHERE))?.data).toHaveLength(0);
  });
});

describe('old data from another host', () => {
  /** A device in a dialogue that goes on with sequence number 20. Those of an earlier life went on to 78. */
  async function twoLives() {
    const cloud = await guardedCloud();
    for (let n = 0; n < 40; n++) await cloud.send({ ...report(n), sequence: 2 * n });
    await cloud.send(single(0, SESSION));
    for (let sequence = 2; sequence < 20; sequence += 2) await cloud.send({ ...report(sequence + 100), sequence });
    return cloud;
  }

  it.each(['raw', 'base64'] as const)('does not disturb the dialogue of the device (%s)', async (format) => {
    const cloud = await twoLives();
    await cloud.queue('wanted');
    for (const n of [0, 3, 9, 10, 11, 30])
      await cloud.send({ ...report(n), sequence: 2 * n }, ELSEWHERE, TOKEN, format);
    expect((await cloud.send(poll(20)))?.data.length).toBeGreaterThan(0);
    await cloud.send({ ...report(11), sequence: 22 }, ELSEWHERE, TOKEN, format);
    await cloud.send(ack(22));
    expect(await cloud.states()).toContain('sent');
  });

  it('and a session start after 60 s of silence do not disturb the dialogue of the device', async () => {
    const cloud = await twoLives();
    await cloud.send(poll(20));
    await cloud.send(ack(22));
    const { id } = await cloud.queue('wanted');
    expect((await cloud.send(poll(23)))?.data.length).toBeGreaterThan(0);
    await cloud.wait(seconds(61));
    for (const packet of [single(0, SESSION), poll(2), ack(4), { ...report(3), sequence: 5 }])
      await cloud.send(packet, ELSEWHERE);
    await cloud.send(ack(25));
    expect((await cloud.store.message(cloud.spaceId, id))?.downState).toBe('sent');
    expect((await cloud.send({ ...report(700), sequence: 26 }))?.flags).toBe(ACK);
  });

  it('from other hosts does not end the message of a device that has moved', async () => {
    const cloud = await twoLives();
    const { data } = report(0);
    const first = { flags: FIRST, sequence: 20, data };
    expect(await cloud.send(first, ELSEWHERE)).toMatchObject({ flags: ACK });
    for (const host of ['203.0.113.1', '203.0.113.2'])
      for (let n = 0; n < 9; n++) await cloud.send({ ...report(n), sequence: 20 + 2 * n }, { host, port: n });
    const before = await cloud.count();
    expect(await cloud.send({ flags: 0, sequence: 22, data }, ELSEWHERE)).toMatchObject({ flags: ACK });
    expect(await cloud.count()).toBe(before);
  });

  it('does not make packets that the device repeats look old', async () => {
    const cloud = await twoLives();
    await cloud.send({ ...report(500), sequence: 20 });
    for (let n = 0; n < 20; n++) await cloud.send({ ...report(n), sequence: 900 }, ELSEWHERE);
    await cloud.send({ ...report(500), sequence: 20 });
    expect(await cloud.send({ ...report(500), sequence: 20 })).toMatchObject({ flags: ACK | POLL });
  });
});

describe('a device that has changed to DTLS or HTTP', () => {
  it.each(['dtls', 'http'] as const)('keeps its downlinks from copies of its earlier datagrams (%s)', async (link) => {
    const cloud = await guardedCloud();
    const earlier = [single(0, SESSION), report(1), poll(2), ack(4)];
    for (const packet of earlier) await cloud.send(packet);
    await cloud.wait(hours(1));
    if (link === 'http') {
      expect(await post(ingressOf(cloud), 'poll')).toMatchObject({ status: 200 });
    } else {
      const named = { serial: SERIAL, deviceId: (await cloud.device()).id };
      cloud.gateway.receivePlain(encodePacket({ ...report(2), sequence: 0 }), named, () => {});
      await cloud.gateway.idle();
    }
    await cloud.queue('secret');
    for (const source of [ELSEWHERE, HOME])
      for (const packet of earlier) expect((await cloud.send(packet, source))?.data ?? NOTHING).toHaveLength(0);
    expect(await cloud.states()).toContain('pending');
  });
});

describe('an attacker with old data and a session start', () => {
  it('begins no sessions while the device is active', async () => {
    const cloud = await guardedCloud();
    await cloud.send(single(0, SESSION));
    for (let n = 0; n < 40; n++) await cloud.send(report(n));
    const before = await cloud.count();
    for (let n = 0; n < 3; n++) {
      expect(await cloud.send(report(n), ELSEWHERE)).toBeDefined();
      expect(await cloud.send(single(0, SESSION), ELSEWHERE)).toBeUndefined();
      await cloud.send(report(50 + n));
    }
    expect(await cloud.added(before)).toEqual(['data up', 'data up', 'data up']);
  });
});

describe('a device with a new address', () => {
  it('gets its downlinks after it has sent new data', async () => {
    const cloud = await recorded();
    expect(await cloud.send(report(7), ELSEWHERE)).toMatchObject({ flags: ACK | POLL });
    expect((await cloud.send(poll(2), ELSEWHERE))?.data.length).toBeGreaterThan(0);
  });

  it('is active there: copies of its session start have no effect', async () => {
    const cloud = await recorded();
    await cloud.wait(seconds(90));
    await cloud.send(report(7), ELSEWHERE);
    expect(await cloud.send(single(0, SESSION), { host: '203.0.113.9', port: 1 })).toBeUndefined();
  });

  it('begins a message again if its host changes in the middle of one', async () => {
    const cloud = await recorded();
    const { data } = report(7);
    await cloud.send({ flags: FIRST, sequence: 5, data });
    expect(await cloud.send({ flags: LAST, sequence: 7, data }, ELSEWHERE)).toEqual(RESET);
    expect(await cloud.send({ flags: FIRST, sequence: 0, data }, ELSEWHERE)).toMatchObject({ flags: ACK });
    expect(await cloud.send({ flags: LAST, sequence: 2, data }, ELSEWHERE)).toMatchObject({ flags: ACK | POLL });
  });

  it('is answered at a host from which it sent something before', async () => {
    const cloud = await recorded();
    const stats = encodeUp({ kind: 'upload-stats', stats: {} });
    await cloud.send(single(5, stats), ELSEWHERE);
    await cloud.send(poll(5));
    for (const sequence of [8, 10, 12]) await cloud.send({ ...report(sequence), sequence });
    expect(await cloud.send({ ...report(20), sequence: 14 }, ELSEWHERE)).toMatchObject({ flags: ACK });
    await cloud.send({ ...report(21), sequence: 16 });
    expect(await cloud.send({ ...report(30), sequence: 6 }, ELSEWHERE)).toEqual(RESET);
  });

  it('continues its dialogue from another port of the same host', async () => {
    const cloud = await recorded();
    expect((await cloud.send(poll(5), NEW_PORT))?.data.length).toBeGreaterThan(0);
  });

  it.each([NEW_PORT, ELSEWHERE])(
    'does not get a downlink again if its acknowledgement was lost: %j',
    async (source) => {
      const cloud = await recorded();
      await cloud.send(poll(5));
      await cloud.send({ ...report(9), sequence: 8 }, source);
      expect(await cloud.states()).toEqual(['sent', 'sent']);
      expect((await cloud.send(poll(10), source))?.data).toHaveLength(0);
    },
  );

  const UNPROVEN = 'waiting: poll from an unproven address';
  it.each([
    { what: 'a poll that begins the dialogue again from another port', packets: [poll(0)], source: NEW_PORT },
    { what: 'polls from another host', packets: [poll(5), poll(0), poll(5)], source: ELSEWHERE },
    { what: 'a poll after a session from another port', packets: [single(0, SESSION), poll(2)], source: NEW_PORT },
  ])('does not get a downlink by $what, and its timeline says so once', async ({ packets, source }) => {
    const cloud = await recorded();
    const { id } = await cloud.queue('another');
    for (const packet of packets) await cloud.send(packet, source);
    expect((await cloud.timeline(id)).filter((entry) => entry.startsWith('waiting'))).toEqual([UNPROVEN]);
    await cloud.send(report(9), source);
    expect((await cloud.send(poll(2), source))?.data.length).toBeGreaterThan(0);
  });

  it('has no such entry in its timelines if it continues its dialogue', async () => {
    const cloud = await recorded();
    const { id } = await cloud.queue('another');
    expect((await cloud.send(poll(5), NEW_PORT))?.data.length).toBeGreaterThan(0);
    expect((await cloud.timeline(id)).join()).not.toContain('unproven');
  });

  it('may restart at once from another port of its host', async () => {
    const { cloud } = await longSession();
    expect((await cloud.send(single(0, SESSION), NEW_PORT))?.flags).toBe(ACK | POLL);
  });

  it('may restart at another host 60 s after its last datagram, even while copies of earlier datagrams arrive', async () => {
    const { cloud, session } = await longSession();
    await cloud.wait(seconds(59));
    expect(await cloud.send(single(0, SESSION), ELSEWHERE)).toBeUndefined();
    await cloud.send(session[5] as Packet, { host: '203.0.113.4', port: 7 });
    await cloud.wait(seconds(2));
    expect((await cloud.send(single(0, SESSION), ELSEWHERE))?.flags).toBe(ACK | POLL);
  });

  it.each([10, 50])(
    'may restart at another host after about 2 min, even while copies of its session start arrive from its earlier address every %i s',
    async (every) => {
      const { cloud } = await longSession();
      let waited = 0;
      while (waited < 180 && (await cloud.send(single(0, SESSION), ELSEWHERE))?.flags !== (ACK | POLL)) {
        if (waited % every === 0) for (const packet of [single(0, SESSION), poll(2), ack(4)]) await cloud.send(packet);
        await cloud.wait(seconds(10));
        waited += 10;
      }
      expect(waited).toBe(130);
      expect((await cloud.send(poll(2), ELSEWHERE))?.flags).toBe(FIRST | LAST);
      await cloud.queue('waiting');
      for (const packet of [report(77), poll(2), ack(4)]) await cloud.send(packet, ELSEWHERE);
      expect((await cloud.states()).at(-1)).toBe('sent');
    },
  );

  it('is not assumed because of copied session starts while the earlier address sends new content', async () => {
    const { cloud } = await longSession();
    const stored = await cloud.count();
    for (let n = 0; n < 10; n++) {
      expect((await cloud.send(single(0, SESSION), ELSEWHERE))?.flags).toBeUndefined();
      await cloud.wait(seconds(50));
      await cloud.send(report(100 + n));
    }
    expect(await cloud.count()).toBe(stored + 10);
  });

  it('gets a reset if it repeats a packet for more than a minute', async () => {
    const cloud = await recorded();
    await cloud.send({ ...report(2), sequence: 5 });
    await cloud.wait(hours(1));
    const answers: (Packet | undefined)[] = [];
    for (let copy = 0; copy < 8; copy++) {
      answers.push(await cloud.send({ ...report(2), sequence: 5 }, ELSEWHERE));
      await cloud.wait(seconds(11));
    }
    expect(answers).toContainEqual(RESET);
  });
});

describe('answers', () => {
  it('to wrong tags are limited for a serial number', async () => {
    const cloud = await guardedCloud();
    let resets = 0;
    for (let n = 0; n < 100; n++) if (await cloud.send(poll(0), ELSEWHERE, 'f'.repeat(32))) resets++;
    expect(resets).toBe(20);
    expect(cloud.gateway.counters.withheld).toBe(80);
  });

  it('that the device needs are not withheld because of wrong tags, even if these come from its address', async () => {
    const cloud = await guardedCloud();
    await cloud.send(report(1));
    for (const source of [ELSEWHERE, HOME])
      for (let n = 0; n < 30; n++) await cloud.send(poll(0), source, 'f'.repeat(32));
    await cloud.send(report(1));
    expect(await cloud.send(report(1))).toMatchObject({ flags: ACK });
    expect(await cloud.send(poll(900))).toEqual(RESET);
  });

  it('that the device needs are not withheld because of copies from elsewhere', async () => {
    const cloud = await guardedCloud();
    await cloud.send(report(1));
    for (let copy = 0; copy < 60; copy++) await cloud.send(report(1), ELSEWHERE);
    expect(cloud.gateway.counters.withheld).toBeGreaterThan(0);
    expect(await cloud.send(poll(900))).toEqual(RESET);
  });

  it('to repetitions are limited for a serial number', async () => {
    const cloud = await guardedCloud();
    let answers = 0;
    for (let n = 0; n < 200; n++) if (await cloud.send(poll(0))) answers++;
    expect(answers).toBe(21);
  });
});
