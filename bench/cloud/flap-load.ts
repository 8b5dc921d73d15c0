/**
 * A fleet that sends single-fragment uplinks over UDP as fast as they are acknowledged, one at a time for each device. To leave
 * most of the CPU to the gateway, which is measured on the same machine, datagrams are created beforehand, and answers are not
 * checked in full.
 */
import { createSocket } from 'node:dgram';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST } from '../../src/protocol/flap/packet.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { FIRST_SERIAL } from './fleet.js';
import { tokenOf } from './token.js';

export interface FlapLoad {
  readonly port: number;
  readonly devices: number;
  /** Number of the first device. Default: 0. */
  readonly first?: number;
  /** Local address from which the datagrams are sent. Default: chosen by the system. */
  readonly from?: string;
  /** Messages of each device. */
  readonly messages: number;
  /** Number of the round; it makes the messages of each round different. */
  readonly round: number;
}

/** Bytes of a message's body. */
const BODY = 180;
/** After this time without any answer, unanswered messages are sent again. */
const PATIENCE = 500;

/** Resolves with the number of messages acknowledged a second. */
export async function sendUplinks({ port, devices, first = 0, from, messages, round }: FlapLoad): Promise<number> {
  const sealed = Array.from({ length: devices }, (_, device) => {
    const serial = FIRST_SERIAL + first + device;
    const token = tokenBytes(tokenOf(serial));
    return Array.from({ length: messages }, (_, number) => {
      const body = Buffer.alloc(BODY, 0x5a);
      body.writeUInt32BE(serial, 0);
      body.writeUInt32BE(number, 4);
      body.writeUInt32BE(round, 8);
      const data = encodeUp({ kind: 'upload-data', hash: '0123456789abcdef', body });
      return seal({ flags: FIRST | LAST, sequence: number * 2, data }, serial, token, 'base64');
    });
  });
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  if (from !== undefined) await new Promise<void>((resolve) => socket.bind(0, from, () => resolve()));
  await new Promise<void>((resolve) => socket.connect(port, '127.0.0.1', () => resolve()));
  const acknowledged = new Uint16Array(devices);
  const send = (device: number) => {
    const datagram = sealed[device]?.[acknowledged[device] as number];
    if (datagram) socket.send(datagram);
  };

  const began = performance.now();
  let heard = began;
  let left = devices * messages;
  await new Promise<void>((resolve) => {
    const patience = setInterval(() => {
      if (performance.now() - heard < PATIENCE) return;
      for (let device = 0; device < devices; device++) send(device);
    }, PATIENCE);
    socket.on('message', (datagram) => {
      heard = performance.now();
      const envelope = Buffer.from(datagram.toString('latin1'), 'base64');
      const device = envelope.readUInt32BE(8) - FIRST_SERIAL - first;
      // An answer with another sequence number does not acknowledge this message: it answers a repetition, or is a reset.
      if ((envelope.readUInt16BE(12) & 0xfff) !== (acknowledged[device] as number) * 2 + 1) return;
      acknowledged[device] = (acknowledged[device] as number) + 1;
      left--;
      if (left > 0) send(device);
      else {
        clearInterval(patience);
        resolve();
      }
    });
    for (let device = 0; device < devices; device++) send(device);
  });
  const rate = (devices * messages) / ((heard - began) / 1000);
  socket.close();
  return rate;
}
