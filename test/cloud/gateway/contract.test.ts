/** Runs the contract of gateways for FLAP and for HTTP. */
import { describe } from 'vitest';
import { type DeviceStep, DeviceTransfer } from '../../../src/protocol/flap/device-transfer.js';
import { hasValidTag, open, seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import { type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { contentFingerprint } from '../../../src/protocol/hashes.js';
import { downFromJson } from '../../../src/protocol/http/downlinks.js';
import { upToJson } from '../../../src/protocol/http/uplinks.js';
import { type DownMessage, encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { type DeviceLine, gatewayContract, type LineOptions } from '../../contracts/gateway.js';
import { SERIAL, type TestCloud, TOKEN } from '../../support/cloud.js';
import { ingressOf, post } from '../../support/ingress.js';

describe('FLAP', () => gatewayContract(flapLine));
describe('HTTP', () => gatewayContract(httpLine));

function flapLine(cloud: TestCloud, { serial = SERIAL, token = TOKEN }: LineOptions = {}): DeviceLine {
  const transfer = new DeviceTransfer(360, 16_384);
  let last: Packet | undefined;
  const exchange = async (packet: Packet): Promise<Packet | undefined> => {
    const [datagram] = await cloud.deliver(seal(packet, serial, tokenBytes(token), 'base64'));
    const answer = datagram && open(datagram, 'base64');
    return answer && hasValidTag(answer, tokenBytes(token)) ? answer.packet : undefined;
  };
  const drive = async (step: DeviceStep): Promise<DeviceStep> => {
    if (step.kind !== 'send') return step;
    last = step.packet;
    // The gateway answers only every second repetition of a packet.
    let answer = await exchange(last);
    for (let repetition = 1; repetition <= 2 && answer === undefined; repetition++) answer = await exchange(last);
    return answer === undefined ? transfer.fail('no answer') : drive(transfer.answered(answer));
  };
  return {
    send: async (message) => {
      const end = await drive(transfer.startUplink(encodeUp(message)));
      return end.kind === 'uplink-done' ? { poll: end.poll } : undefined;
    },
    repeat: async () => {
      const answers = [await exchange(last as Packet), await exchange(last as Packet)];
      const answer = answers.find((packet) => packet !== undefined);
      return answer && { poll: (answer.flags & POLL) !== 0 };
    },
    fetch: async () => {
      const end = await drive(transfer.startPoll());
      if (end.kind !== 'poll-done') throw new Error(`the poll ended with ${end.kind}`);
      if (end.finalAck) await exchange(end.finalAck);
      return end.message.length > 0 ? parseDown(end.message) : undefined;
    },
    fetchInVain: async () => {
      await exchange(transfer.startPoll().packet);
      transfer.reset();
    },
    restart: () => transfer.reset(),
  };
}

function httpLine(cloud: TestCloud, { serial, token }: LineOptions = {}): DeviceLine {
  const app = ingressOf(cloud);
  const who = { ...(serial !== undefined && { serial: String(serial) }), ...(token !== undefined && { token }) };
  let requests = 0;
  let key = '';
  let last: readonly [kind: string, body: unknown] = ['', ''];
  const send = async () => {
    const { status, json } = await post(app, ...last, { ...who, key });
    return status === 200 ? (json as { poll: boolean }) : undefined;
  };
  const poll = async (): Promise<{ id: string; message: DownMessage } | undefined> => {
    const { json } = await post(app, 'poll', {}, who);
    return json.downlink === null ? undefined : downFromJson(json.downlink);
  };
  return {
    send: (message) => {
      // The device keeps the key of data together with the data.
      key = message.kind === 'upload-data' ? contentFingerprint(encodeUp(message)) : String(++requests);
      last = message.kind === 'create-session' ? ['session', message.session] : ['uplink', upToJson(message)];
      return send();
    },
    repeat: send,
    fetch: async () => {
      const downlink = await poll();
      if (downlink) await post(app, 'ack', { id: downlink.id }, who);
      return downlink?.message;
    },
    fetchInVain: async () => {
      await poll();
    },
    restart: () => {},
  };
}
