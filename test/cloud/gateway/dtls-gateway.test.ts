/** Devices with DTLS: their key is the `secret` of the API, and their packets have no envelope. */
import { describe, expect, it, vi } from 'vitest';
import { DtlsGateway } from '../../../src/cloud/gateway/dtls-gateway.js';
import { Metrics } from '../../../src/cloud/operator/metrics.js';
import type { DeviceRow } from '../../../src/cloud/store/store.js';
import type { EdgeClock } from '../../../src/kernel/clock.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { minutes } from '../../../src/kernel/time.js';
import { DtlsClient } from '../../../src/protocol/dtls/client.js';
import { encodeMessage, fragmentsIn, MESSAGE } from '../../../src/protocol/dtls/handshake.js';
import { clientHello, readHelloVerifyRequest } from '../../../src/protocol/dtls/hello.js';
import { CONTENT, DTLS_1_2, encodeRecord, NO_ID, recordsIn } from '../../../src/protocol/dtls/record.js';
import {
  ACK,
  decodePacket,
  encodePacket,
  FIRST,
  LAST,
  NOTHING,
  type Packet,
  POLL,
} from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';
import { record } from '../store/rows.js';

const SECRET = '00112233445566778899aabbccddeeff';
const SESSION = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL, fw_version: 'v1.0.0' } });
const single = (sequence: number, data: Uint8Array) => ({ flags: FIRST | LAST, sequence, data });
const poll = (sequence: number) => ({ flags: POLL, sequence, data: NOTHING });

/** @param holds whether time stands still while the gateway reads */
async function dtlsCloud({ holds = true } = {}) {
  const logged: object[] = [];
  const cloud = await testCloud();
  const { clock: driven, store, gateway: packets } = cloud;
  const clock = holds ? driven : withoutHolds(driven);
  const random = seededRandom('dtls');
  const log = { info: () => {}, warn: (fields: object) => logged.push(fields), error: () => {} };
  const clients = new Map<string, DtlsClient>();
  const gateway = new DtlsGateway({ store, clock, random, log, packets }, (datagram, address) => {
    clock.after(1, 'a datagram', () => clients.get(address)?.receiveDatagram(datagram));
  });
  const pass = (time: number) => driven.attend(driven.runUntil(driven.now + time));
  return {
    ...{ cloud, gateway, logged, pass },
    setSecret: ({ id, spaceId }: DeviceRow, secret: string) =>
      store.commit([
        { kind: 'record.put', row: record(0, { family: 'secret', id, spaceId, body: { type: 'psk', secret } }) },
      ]),
    /** Connects a device. `exchange` sends one of its packets and returns the last answer of the gateway. */
    async connect({ serial = SERIAL, secret = SECRET } = {}) {
      const address = `device@${clients.size}`;
      const answers: Packet[] = [];
      const endings: string[] = [];
      const send = (datagram: Uint8Array) => clock.after(1, 'a datagram', () => gateway.receive(datagram, address));
      const client = new DtlsClient({
        ...{ identity: `hsn:${serial}`, psk: Buffer.from(secret, 'hex'), clock, random: random.fork(address) },
        events: {
          send,
          opened: () => {},
          received: (plain) => answers.push(decodePacket(Uint8Array.from(plain)) as Packet),
          closed: (ending) => endings.push(ending.kind === 'alert' ? ending.name : ending.kind),
        },
      });
      clients.set(address, client);
      client.start();
      await pass(20);
      return {
        ...{ client, endings },
        async exchange(packet: Packet): Promise<Packet | undefined> {
          const plain = client.encrypt(encodePacket(packet));
          if (plain) send(plain);
          await pass(20);
          return answers.splice(0).at(-1);
        },
      };
    },
  };
}

function withoutHolds(clock: EdgeClock): EdgeClock {
  return {
    get now() {
      return clock.now;
    },
    get wall() {
      return clock.wall;
    },
    after: (...alarm) => clock.after(...alarm),
    hold: () => () => {},
  };
}

async function connected(options: Parameters<typeof dtlsCloud>[0] = {}) {
  const world = await dtlsCloud(options);
  const device = await world.cloud.addDevice();
  await world.setSecret(device, SECRET);
  return { ...world, device, link: await world.connect() };
}

describe('a device with DTLS', () => {
  it('opens a session and receives its downlinks', async () => {
    const { link, cloud, device } = await connected();
    expect(await link.exchange(single(0, SESSION))).toMatchObject({ flags: ACK | POLL, sequence: 1 });
    expect(await link.exchange(poll(1 + 1))).toMatchObject({ flags: FIRST | LAST });
    expect((await cloud.messages(device)).map(({ type }) => type)).toContain('session');
  });

  it('gets downlinks in fragments of at most 300 bytes', async () => {
    const { link, cloud, device } = await connected();
    await link.exchange(single(0, SESSION));
    await cloud.core.queue(device, { type: 'shell', commands: ['x'.repeat(700)] });
    // The first poll returns the response to the session.
    const first = await link.exchange(poll(2));
    const fragment = await link.exchange({ flags: ACK | POLL, sequence: (first?.sequence ?? 0) + 1, data: NOTHING });
    expect(fragment).toMatchObject({ flags: FIRST });
    expect(fragment?.data.length).toBe(300);
  });

  it('is read once for all handshakes that use its identity at the same time', async () => {
    const { cloud, gateway, connect, pass, device } = await connected({ holds: false });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = vi.spyOn(cloud.store, 'deviceBySerial').mockImplementation(async () => {
      await held;
      return device;
    });
    for (let n = 0; n < 5; n++) await connect();
    expect(gateway.size).toEqual({ handshakes: 5, sessions: 1 });
    release();
    await pass(20);
    expect(gateway.size).toEqual({ handshakes: 0, sessions: 1 });
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('that is registered without a secret, or with another secret, is rejected', async () => {
    const { cloud, connect, setSecret, gateway, logged } = await dtlsCloud();
    const device = await cloud.addDevice();
    expect((await connect()).endings).toEqual(['decrypt-error']);
    await setSecret(device, 'ff'.repeat(16));
    expect((await connect()).endings).toEqual(['decrypt-error']);
    expect(gateway.size).toEqual({ handshakes: 0, sessions: 0 });
    expect(logged).toMatchObject([{ security: 'dtls', identity: `hsn:${SERIAL}`, why: 'decrypt-error', failed: 1 }]);
    expect(JSON.stringify(logged)).not.toContain(SECRET);
  });

  it('is counted in the metrics, as are handshakes by their outcome and rejected records by their reason', async () => {
    const { cloud, gateway, connect } = await connected();
    const metrics = new Metrics(cloud.clock);
    metrics.watchDtls(() => gateway);
    await connect({ secret: 'ff'.repeat(16) });
    const record = [25, 254, 253, 0, 1, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 0, 1, 7];
    gateway.receive(Uint8Array.from(record), 'stranger@1');
    const lines = (await metrics.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'ghostfleet_dtls_sessions 1',
        'ghostfleet_dtls_handshakes_total{outcome="completed"} 1',
        'ghostfleet_dtls_handshakes_total{outcome="alert"} 1',
        'ghostfleet_dtls_records_rejected_total{reason="unknown-connection"} 1',
      ]),
    );
  });

  it('that offers only unsupported cipher suites is counted and logged as a failed handshake', async () => {
    const { cloud, logged } = await dtlsCloud();
    const { clock, store, gateway: packets } = cloud;
    const log = { info: () => {}, warn: (fields: object) => logged.push(fields), error: () => {} };
    const answers: Uint8Array[] = [];
    const options = { store, clock, random: seededRandom('suites'), log, packets };
    const gateway = new DtlsGateway(options, (datagram) => answers.push(datagram));
    const hello = (sequence: number, cookie: Uint8Array) => {
      const body = clientHello({ random: new Uint8Array(32), cookie, suites: [0xc0a4], extensions: new Map() });
      const [message = NOTHING] = encodeMessage({ type: MESSAGE.clientHello, sequence, body });
      return encodeRecord({ type: CONTENT.handshake, version: DTLS_1_2, epoch: 0, sequence, id: NO_ID, body: message });
    };
    gateway.receive(hello(0, NO_ID), 'device@1');
    const [request] = recordsIn(answers[0] ?? NOTHING, 0).flatMap(({ body }) => fragmentsIn(body));
    gateway.receive(hello(1, readHelloVerifyRequest(request?.part ?? NOTHING) ?? NOTHING), 'device@1');
    expect(gateway.counters.handshakes.alert).toBe(1);
    expect(logged).toMatchObject([{ security: 'dtls', from: 'device@1', why: 'handshake-failure', failed: 1 }]);
  });

  it('cannot act as another device, whatever its packets contain', async () => {
    const { link, cloud, device } = await connected();
    const other = await cloud.addDevice(SERIAL + 1, 'aa'.repeat(16));
    await link.exchange(single(0, encodeUp({ kind: 'create-session', session: { serial_number: SERIAL + 1 } })));
    expect((await cloud.messages(device)).map(({ type }) => type)).toContain('session');
    expect(await cloud.messages(other)).toEqual([]);
  });

  it('is disconnected when it sends a message a minute after its secret was replaced', async () => {
    const { link, setSecret, device, pass, gateway } = await connected();
    await setSecret(device, 'ff'.repeat(16));
    await pass(minutes(1));
    await link.exchange(single(0, SESSION));
    expect([link.endings, gateway.size.sessions]).toEqual([['closed'], 0]);
  });

  it('is not answered after another device has got its serial number', async () => {
    const { link, cloud, device } = await connected();
    await link.exchange(single(0, SESSION));
    await cloud.store.commit([{ kind: 'device.delete', id: device.id, at: cloud.clock.wall }]);
    await cloud.core.forget(SERIAL);
    await cloud.addDevice();
    expect(await link.exchange(single(0, SESSION))).toBeUndefined();
  });
});
