/** The FLAP gateway: datagrams without an answer, wrong tags, fragments, stored messages, sessions and restarts. */
import { describe, expect, it } from 'vitest';
import { days, seconds } from '../../../src/kernel/time.js';
import { seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import { ACK, FIRST, LAST, NOTHING, POLL, RESET } from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, TOKEN, testCloud, unseal } from '../../support/cloud.js';

const SESSION = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL, fw_version: 'v1.0.0' } });
const single = (sequence: number, data: Uint8Array) => ({ flags: FIRST | LAST, sequence, data });
const poll = (sequence: number) => ({ flags: POLL, sequence, data: NOTHING });
const ack = (sequence: number) => ({ flags: ACK, sequence, data: NOTHING });
const dataMessage = (n: number) => encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: Uint8Array.of(n) });

describe('datagrams that are not answered', () => {
  it('include a datagram with an unknown serial number', async () => {
    const cloud = await testCloud();
    expect(await cloud.exchange(single(0, SESSION))).toBeUndefined();
    expect(cloud.gateway.counters.unknownSerial).toBe(1);
  });

  it.each([
    ['a datagram with serial number 0', seal(poll(0), 0, tokenBytes(TOKEN), 'base64')],
    ['text that is not base64', Buffer.from('!!!!')],
    ['base64 without its padding', Buffer.from(Buffer.alloc(14, 1).toString('base64').replace('=', ''))],
    ['a datagram of 13 bytes', Buffer.from(Buffer.alloc(13, 1).toString('base64'))],
    ['an empty datagram', new Uint8Array(0)],
  ])('include %s', async (_, datagram) => {
    const cloud = await testCloud();
    await cloud.addDevice();
    expect(await cloud.deliver(datagram)).toEqual([]);
    expect(cloud.gateway.counters.unreadable).toBe(1);
  });

  it('include a message of an unknown type, which is not stored', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    expect(await cloud.exchange(single(0, Uint8Array.of(0x55, 1, 2)))).toBeUndefined();
    expect(await cloud.messages(device)).toEqual([]);
  });

  it('include a codec with a wrong hash', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const upload = Uint8Array.of(0x03, 1, 2, 3, 4, 5, 6, 7, 8, 0xa0);
    expect(await cloud.exchange(single(0, upload))).toBeUndefined();
    expect(await cloud.messages(device)).toEqual([]);
  });

  it('include a message of a deleted device, also if this service does not know; its successor is then served', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    expect((await cloud.exchange(single(0, dataMessage(1))))?.flags).toBe(ACK);
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    const successor = await cloud.addDevice();
    expect(await cloud.exchange(single(2, dataMessage(2)))).toBeUndefined();
    expect(cloud.gateway.counters.unknownSerial).toBe(1);
    await cloud.exchange(single(0, dataMessage(2)));
    expect((await cloud.messages(successor)).map(({ raw }) => raw)).toEqual(['02']);
  });

  it('include those that waited while their device was deleted', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const send = (sequence: number, n: number) =>
      cloud.gateway.receive(
        seal(single(sequence, dataMessage(n)), SERIAL, tokenBytes(TOKEN), 'base64'),
        'base64',
        () => {},
      );
    await cloud.exchange(single(0, dataMessage(1)));
    const { commit } = cloud.store;
    cloud.store.commit = async (changes) => {
      cloud.store.commit = commit;
      await commit.call(cloud.store, changes);
      await commit.call(cloud.store, [{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
      await cloud.core.forget(SERIAL);
    };
    send(2, 2);
    send(4, 3);
    await cloud.gateway.idle();
    expect(cloud.gateway.counters.unknownSerial).toBe(1);
    expect(await cloud.store.deviceBySerial(SERIAL)).toBeUndefined();
  });

  it('cause a reset when the device has repeated them for more than 60 s', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const refused = single(0, Uint8Array.of(0x55));
    expect(await cloud.exchange(refused)).toBeUndefined();
    await cloud.clock.runUntil(seconds(60));
    expect(await cloud.exchange(refused)).toBeUndefined();
    await cloud.clock.runUntil(seconds(61));
    expect(await cloud.exchange(refused)).toEqual(RESET);
  });
});

describe('a wrong tag', () => {
  it('is answered with a reset that is signed with the stored token', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const datagram = Buffer.from(seal(single(0, SESSION), SERIAL, tokenBytes(TOKEN), 'raw'));
    datagram.writeUInt8(datagram.readUInt8(0) ^ 1, 0);
    const answers = await cloud.deliver(datagram, 'raw');
    expect(answers.map((answer) => unseal(answer, TOKEN, 'raw'))).toEqual([RESET]);
    expect(cloud.gateway.counters.badTag).toBe(1);
  });

  it('changes nothing: the exchange continues', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    await cloud.exchange(single(0, dataMessage(1)));
    await cloud.exchange(poll(2), { token: 'ffffffffffffffffffffffffffffffff' }).catch(() => {});
    expect(await cloud.exchange(poll(2))).toEqual({ flags: FIRST | LAST, sequence: 3, data: NOTHING });
  });

  it('is found in a datagram of 1025 bytes, because only 1024 are read', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const fits = single(0, Buffer.concat([dataMessage(1), Buffer.alloc(1010 - dataMessage(1).length)]));
    const tooLong = single(0, Buffer.concat([fits.data, Uint8Array.of(0)]));
    expect(seal(tooLong, SERIAL, tokenBytes(TOKEN), 'raw')).toHaveLength(1025);
    expect(await cloud.exchange(tooLong, { format: 'raw' })).toEqual(RESET);
    expect(await cloud.exchange(fits, { format: 'raw' })).toEqual({ flags: ACK, sequence: 1, data: NOTHING });
  });
});

describe('fragments of a downlink', () => {
  it.each([
    ['base64', 360],
    ['raw', 494],
  ] as const)('are as long as the port allows: %s, %i bytes', async (format, length) => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'shell', commands: Array.from({ length: 5 }, () => 'x'.repeat(200)) });
    const answer = await cloud.exchange(poll(0), { format });
    expect(answer?.flags).toBe(FIRST);
    expect(answer?.data).toHaveLength(length);
  });
});

describe('a message that is acknowledged', () => {
  it('is stored before the acknowledgement is sent', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    const answer = await cloud.exchange(single(0, dataMessage(1)));
    expect(answer).toEqual({ flags: ACK, sequence: 1, data: NOTHING });
    expect(await cloud.messages(device)).toMatchObject([{ type: 'data', direction: 'up', raw: '01' }]);
  });

  it('is stored once if the same data message arrives again in a new exchange', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.exchange(single(0, dataMessage(1)));
    await cloud.exchange(poll(2));
    expect(await cloud.exchange(single(0, dataMessage(1)))).toMatchObject({ flags: ACK });
    expect(await cloud.messages(device)).toHaveLength(1);
    expect(cloud.events.filter((event) => event.kind === 'cloud.stored')).toMatchObject([
      { copy: false },
      { copy: true },
    ]);
  });

  it('is stored again if it is repeated after 48 hours', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.exchange(single(0, dataMessage(1)));
    await cloud.exchange(poll(2));
    await cloud.clock.runUntil(days(2) + 1);
    await cloud.exchange(single(0, dataMessage(1)));
    expect(await cloud.messages(device)).toHaveLength(2);
  });

  it('is acknowledged before any later message of the device', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    const answers: number[] = [];
    const send = (packet: Parameters<typeof seal>[0]) =>
      cloud.gateway.receive(seal(packet, SERIAL, tokenBytes(TOKEN), 'raw'), 'raw', (answer) => {
        answers.push(unseal(answer, TOKEN, 'raw').sequence);
      });
    send(single(0, dataMessage(1)));
    send(single(2, dataMessage(2)));
    send(single(4, dataMessage(3)));
    await cloud.gateway.idle();
    expect(answers).toEqual([1, 3, 5]);
  });
});

describe('a session', () => {
  it('is answered with the poll flag, and SET_SESSION is sent before all other downlinks', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    await cloud.core.queue(device, { type: 'shell', commands: ['info show'] });
    expect(await cloud.exchange(single(0, SESSION))).toEqual({ flags: ACK | POLL, sequence: 1, data: NOTHING });
    const answer = await cloud.exchange(poll(2));
    expect(answer?.flags).toBe(FIRST | LAST | POLL);
    expect(answer?.data[0]).toBe(0x80);
  });

  it('gets its SET_SESSION even if the service restarts before the device polls', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    await cloud.exchange(single(0, SESSION));
    const restarted = await testCloud({ store: cloud.store });
    expect(await restarted.exchange(poll(2))).toEqual(RESET);
    expect((await restarted.exchange(poll(0)))?.data[0]).toBe(0x80);
  });

  it('is stored with the device: the reported facts, and the number of the session in Unix seconds', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    await cloud.exchange(single(0, SESSION));
    const device = await cloud.device();
    expect(device.session).toMatchObject({ serial_number: SERIAL, fw_version: 'v1.0.0' });
    expect(device.sessionId).toBe(Math.floor(cloud.clock.wall / 1000));
  });
});

describe('a restart of the service during a transfer', () => {
  it('makes the service answer with a reset, and accept a new transfer of the device', async () => {
    const cloud = await testCloud();
    await cloud.addDevice();
    await cloud.exchange(single(0, dataMessage(1)));
    const restarted = await testCloud({ store: cloud.store });
    expect(await restarted.exchange(single(2, dataMessage(2)))).toEqual(RESET);
    expect(await restarted.exchange(single(0, dataMessage(2)))).toMatchObject({ flags: ACK });
  });
});

describe('the delivery of downlinks', () => {
  it('sends two downlinks in one exchange if the last fragment is acknowledged with a poll', async () => {
    const cloud = await testCloud();
    const device = await cloud.addDevice();
    for (const command of ['first', 'second']) await cloud.core.queue(device, { type: 'shell', commands: [command] });
    expect((await cloud.exchange(poll(0)))?.flags).toBe(FIRST | LAST | POLL);
    const second = await cloud.exchange({ flags: ACK | POLL, sequence: 2, data: NOTHING });
    expect(second?.flags).toBe(FIRST | LAST);
    expect(await cloud.exchange(ack(4))).toBeUndefined();
    expect(await cloud.messages(device)).toMatchObject([{ downState: 'sent' }, { downState: 'sent' }]);
  });
});
