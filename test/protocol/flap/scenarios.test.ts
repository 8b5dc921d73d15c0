/** The published scenarios and the whole dialogue of the reference, played by the state machines of both ends. */
import { describe, expect, it } from 'vitest';
import { type DeviceStep, DeviceTransfer } from '../../../src/protocol/flap/device-transfer.js';
import { open, seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import type { Packet } from '../../../src/protocol/flap/packet.js';
import { LittleCloud } from '../../support/flap-cloud.js';
import { flagsOf, fromHex, message, packet, show, toHex, vectors } from './notation.js';

interface Row {
  readonly dir: string;
  readonly flags: string;
  readonly seq: number;
  readonly data: boolean;
}

const { scenarios } = vectors.published;
/** What the firmware does in place of scenario G: it never sends `xxAP` (4.3). */
const firmwareG = [
  { dir: 'D>S', rel: 0, flags: 'xxxP', data: false },
  { dir: 'S>D', rel: 1, flags: 'FLxP', data: true },
  { dir: 'D>S', rel: 2, flags: 'xxAx', data: false },
  { dir: 'D>S', rel: 3, flags: 'xxxP', data: false },
  { dir: 'S>D', rel: 4, flags: 'FLxx', data: true },
  { dir: 'D>S', rel: 5, flags: 'xxAx', data: false },
];

/** Message sizes that need as many fragments as the scenario has. */
const settings = [
  { name: 'A', rows: scenarios.A, uplink: 5, downlinks: [] },
  { name: 'B', rows: scenarios.B, uplink: 900, downlinks: [] },
  { name: 'C', rows: scenarios.C, uplink: 5, downlinks: [9] },
  { name: 'D', rows: scenarios.D, uplink: 5, downlinks: [900] },
  { name: 'E', rows: scenarios.E, uplink: undefined, downlinks: [] },
  { name: 'F', rows: scenarios.F, uplink: undefined, downlinks: [9] },
  { name: 'G', rows: scenarios.G, uplink: undefined, downlinks: [9, 8] },
  { name: 'G as the firmware does it', rows: firmwareG, uplink: undefined, downlinks: [9, 8] },
];

/** The rows with n = `first`; numbers wrap. */
function from(first: number, rows: readonly (Omit<Row, 'seq'> & { readonly rel: number })[]): Row[] {
  return rows.map(({ rel, ...row }) => {
    const seq = first + rel;
    return { ...row, seq: seq > 4095 ? seq - 4095 : seq };
  });
}

/** `FLxx 3 with data`, as the scenarios write packets. */
const tell = ({ flags, seq, data }: Omit<Row, 'dir'>) => `${flags} ${seq}${data ? ' with data' : ''}`;
const tellPacket = (sent: Packet) =>
  tell({ flags: show(sent).slice(0, 4), seq: sent.sequence, data: sent.data.length > 0 });

describe.each(settings)('scenario $name, the cloud', ({ rows, uplink, downlinks }) => {
  it.each([0, 2, 40, 4094])('answers as in the table from n = %d', (first) => {
    const cloud = new LittleCloud();
    // Each exchange uses two numbers, so the cloud expects `first` afterwards.
    for (let n = 0; n < first; n += 2) cloud.receive(packet('xxxP', n));
    cloud.queue.push(...downlinks.map((size) => message(size)));
    const answers: string[] = [];
    const expected: string[] = [];
    let sentBytes = 0;
    for (const { dir, flags, seq, data } of from(first, rows)) {
      if (dir === 'S>D') {
        expected.push(tell({ flags, seq, data }));
        continue;
      }
      const size = data ? Math.min(360, (uplink ?? 0) - sentBytes) : 0;
      const answer = cloud.receive(packet(flags, seq, message(900).subarray(sentBytes, sentBytes + size)));
      sentBytes += size;
      if (answer) answers.push(tellPacket(answer));
    }
    expect(answers).toEqual(expected);
    expect(cloud.stored.map(toHex)).toEqual(uplink ? [toHex(message(900).subarray(0, uplink))] : []);
    expect(cloud.delivered.map((delivered) => delivered.message.length)).toEqual(downlinks);
  });
});

// Scenario G is left out, because the firmware never sends xxAP.
describe.each(settings.filter(({ name }) => name !== 'G'))(
  'scenario $name, the device',
  ({ rows, uplink, downlinks }) => {
    it('sends as in the table', () => {
      const script = from(0, rows);
      const device = new DeviceTransfer(360, 10_240);
      const sent: string[] = [];
      const received: number[] = [];
      let answersLeft = script.filter(({ dir }) => dir === 'S>D');
      let downlinkBytes = 0;
      const drive = (step: DeviceStep): void => {
        if (step.kind === 'send') {
          sent.push(tellPacket(step.packet));
          const [answer] = answersLeft;
          if (!answer) throw new Error('the scenario has no answer to this');
          answersLeft = answersLeft.slice(1);
          const size = answer.data ? Math.min(360, (downlinks[received.length] ?? 0) - downlinkBytes) : 0;
          downlinkBytes += size;
          drive(device.answered(packet(answer.flags, answer.seq, message(size))));
        } else if (step.kind === 'uplink-done') {
          if (step.poll) drive(device.startPoll());
        } else if (step.kind === 'poll-done') {
          if (step.finalAck) {
            sent.push(tellPacket(step.finalAck));
            received.push(step.message.length);
            downlinkBytes = 0;
          }
          if (step.more) drive(device.startPoll());
        } else throw new Error(step.why);
      };
      drive(uplink === undefined ? device.startPoll() : device.startUplink(message(uplink)));
      expect(sent).toEqual(script.filter(({ dir }) => dir === 'D>S').map(tell));
      expect(received).toEqual(downlinks);
      expect(answersLeft).toEqual([]);
    });
  },
);

describe('the dialogue', () => {
  const { dialogue, serial } = vectors.computed;
  const token = tokenBytes(vectors.computed.token);
  const bodies = vectors.computed.messages;
  const written = (sent: Packet) => Buffer.from(seal(sent, serial, token, 'base64')).toString();

  it('is produced by both state machines byte for byte', () => {
    const device = new DeviceTransfer(360, 10_240);
    const cloud = new LittleCloud();
    const wire: string[] = [];
    const received: string[] = [];

    /** The device's packet goes out as text, and the answer comes back as text. */
    const exchange = (sent: Packet): Packet => {
      const answer = transmit(sent);
      if (!answer) throw new Error('the cloud is silent');
      wire.push(written(answer));
      return answer;
    };
    const transmit = (sent: Packet): Packet | undefined => {
      wire.push(written(sent));
      const envelope = open(Buffer.from(written(sent)), 'base64');
      return envelope && cloud.receive(envelope.packet);
    };
    const drive = (step: DeviceStep): Exclude<DeviceStep, { kind: 'send' }> =>
      step.kind === 'send' ? drive(device.answered(exchange(step.packet))) : step;
    const uplink = (body: string) =>
      expect(drive(device.startUplink(fromHex(body)))).toMatchObject({ kind: 'uplink-done' });
    const poll = () => {
      const step = drive(device.startPoll());
      if (step.kind !== 'poll-done') throw new Error('the poll failed');
      if (!step.finalAck) return;
      received.push(toHex(step.message));
      expect(transmit(step.finalAck)).toBeUndefined();
    };

    cloud.queue.push(fromHex(bodies.set));
    uplink(bodies.create);
    poll();
    uplink(bodies.upDec);
    uplink(bodies.upEnc);
    uplink(bodies.upCfg);
    cloud.queue.push(fromHex(bodies.dlShell), fromHex(bodies.dlCfg));
    uplink(bodies.upData);
    poll();
    uplink(bodies.upShell);
    poll();
    poll();

    expect(wire).toEqual(dialogue.map(({ b64 }) => b64));
    expect(received).toEqual([bodies.set, bodies.dlShell, bodies.dlCfg]);
    const sent = [bodies.create, bodies.upDec, bodies.upEnc, bodies.upCfg, bodies.upData, bodies.upShell];
    expect(cloud.stored.map(toHex)).toEqual(sent);
  });

  it('has the packets of the table', () => {
    for (const { flags, seq, len, hex } of dialogue) {
      expect(open(fromHex(hex), 'raw')?.packet).toMatchObject({ flags: flagsOf(flags), sequence: seq });
      expect(hex.length).toBe(28 + 2 * len);
    }
  });
});
