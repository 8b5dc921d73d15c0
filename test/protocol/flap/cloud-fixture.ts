/** The cloud's side of a transfer, which tests play packet by packet. */
import { successor } from '../../../src/protocol/flap/packet.js';
import { LittleCloud, type LittleCloudOptions } from '../../support/flap-cloud.js';
import { message, packet, show } from './notation.js';

interface Setting extends LittleCloudOptions {
  /** The number that the cloud expects next. Default: none, as after a start. */
  readonly expecting?: number;
  readonly queue?: readonly Uint8Array[];
}

/** A cloud, and `hear`, which returns its answer to a packet of the device. */
export function fixture({ expecting, queue = [], ...options }: Setting = {}) {
  const cloud = new LittleCloud(options);
  const hear = (flags: string, sequence: number, data?: Uint8Array) =>
    show(cloud.receive(packet(flags, sequence, data)));
  if (expecting !== undefined) lead(cloud, expecting);
  cloud.queue.push(...queue);
  return { cloud, hear };
}

/** Exchanges packets until `expecting` is the next number. A poll uses two numbers, or three with a downlink. */
function lead(cloud: LittleCloud, expecting: number): void {
  if (expecting % 2 === 1) cloud.queue.push(message(1));
  let sequence = 0;
  while (sequence !== expecting) {
    const answer = cloud.receive(packet('xxxP', sequence));
    sequence = successor(answer?.sequence ?? 0);
    if (answer?.data.length) {
      cloud.receive(packet('xxAx', sequence));
      sequence = successor(sequence);
    }
  }
  cloud.delivered.length = 0;
}
