/** Why the cloud answers a packet, ignores it, or resets the exchange. notation.ts explains texts such as `FLxx`. */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { CloudTransfer } from '../../../src/protocol/flap/cloud-transfer.js';
import { LONGEST_MESSAGE, type Packet } from '../../../src/protocol/flap/packet.js';
import { message, packet } from './notation.js';

const PATIENCE = seconds(60);
/** Times are long after the start, so that a test notices a sum of times in place of their difference. */
const START = minutes(10);

/** Passes packets to the cloud, which has one downlink of `downlink` bytes; returns why it made its last move. */
function whyAfter(packets: readonly (readonly [Packet, later?: number])[], downlink = 500): string {
  const cloud = new CloudTransfer(360, PATIENCE);
  let now = START;
  let why = '';
  for (const [received, later = 0] of packets) {
    now += later;
    const move = cloud.receive(received, now, () => false);
    why = 'why' in move ? move.why : move.kind;
    if (move.kind === 'offer') cloud.offer(message(downlink), false);
    if (move.kind === 'store') cloud.acknowledge(false);
  }
  return why;
}

const poll: readonly [Packet] = [packet('xxxP', 0)];
const uplink: readonly [Packet] = [packet('FLxx', 0, message(5))];
const stray: readonly [Packet] = [packet('xxAx', 2, message(1))];

describe('a packet', () => {
  it.each<[string, readonly (readonly [Packet, later?: number])[], number?]>([
    ['acknowledgement with data', [uplink, stray]],
    ['no exchange is known', [[packet('FLxx', 7, message(5))]]],
    ['sequence ahead', [uplink, [packet('FLxx', 100, message(5))]]],
    ['sequence behind', [uplink, [packet('FLxx', 4000, message(5))]]],
    ['flags that do not fit', [uplink, [packet('FLxx', 2)]]],
    ['sequence 0 in mid-message', [uplink, [packet('xxAx', 0)]]],
    ['acknowledgement of nothing', [uplink, [packet('xxAx', 2)]]],
    ['next fragment', [poll, [packet('xxAx', 2)]]],
    ['downlink complete', [poll, [packet('xxAx', 2)]], 9],
    ['fragment without a first one', [uplink, [packet('xLxx', 2, message(5))]]],
    ['fragment accepted', [[packet('Fxxx', 0, message(360))]]],
    ['message too long', [[packet('FLxx', 0, message(LONGEST_MESSAGE + 1))]]],
    ['odd repetition', [uplink, uplink]],
    ['even repetition', [uplink, uplink, uplink]],
    ['repetition of a packet without answer', [poll, [packet('xxAx', 2)], [packet('xxAx', 2)]], 9],
    ['repeated for too long', [uplink, [uplink[0], PATIENCE + 1]]],
    ['odd repetition', [uplink, [uplink[0], PATIENCE]]],
    ['ignored packet repeated for too long', [uplink, [packet('xxAx', 2)], [packet('xxAx', 2), PATIENCE + 1]]],
    ['acknowledgement of nothing', [uplink, [packet('xxAx', 2)], [packet('xxAx', 2), PATIENCE]]],
  ])('is handled with the reason "%s"', (reason, packets, downlink) => {
    expect(whyAfter(packets, downlink)).toBe(reason);
  });

  it('must be received before the caller may answer', () => {
    expect(() => new CloudTransfer(360, PATIENCE).acknowledge(false)).toThrow('no packet waits for an answer');
  });
});

it('a downlink is in flight from its offer to its confirmation', () => {
  const cloud = new CloudTransfer(360, PATIENCE);
  expect(cloud.offering).toBe(false);
  cloud.receive(poll[0], START, () => false);
  cloud.offer(message(9), false);
  expect(cloud.offering).toBe(true);
  cloud.receive(packet('xxAx', 2), START, () => false);
  expect(cloud.offering).toBe(false);
});
